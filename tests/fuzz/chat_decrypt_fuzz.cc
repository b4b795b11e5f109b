// What stands in the envelopes of Feishu and WeCom: any bytes as a ciphertext, whose padding, length and receiver
// anybody may choose who has seen one; and any bytes as a plain text, which must come back as they are. The first byte
// chooses.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clients/chat/crypto.h"
#include "clients/chat/wecom_crypto.h"
#include "tests/fuzz/check.h"
#include "tests/support/chat_faces.h"

namespace {

using yardmaster::Check;
using yardmaster::chat::DecryptAes256Cbc;
using yardmaster::chat::OpenWecom;
using yardmaster::testing::kChatAesKey;
using yardmaster::testing::kChatAppId;

constexpr size_t kAesBlock = 16;
constexpr size_t kAesKey = 32;
constexpr size_t kWecomBlock = 32;

std::string Sealed(std::string_view message) {
  const std::string key = *yardmaster::chat::FromBase64(std::string(kChatAesKey) + "=");
  return yardmaster::chat::Base64(yardmaster::testing::EncryptAes(
      key, key.substr(0, kAesBlock), yardmaster::testing::WecomPlain(message), kWecomBlock));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0: {
      // Any ciphertext under any padding.
      const std::string key(kAesKey, 'k');
      if (input.size() < kAesBlock) return 0;
      const std::string_view iv = input.substr(0, kAesBlock);
      const std::string_view rest = input.substr(iv.size());
      for (const size_t block : {size_t{16}, size_t{32}}) {
        const std::optional<std::string> plain = DecryptAes256Cbc(key, iv, rest, block);
        Check(!plain.has_value() || plain->size() < rest.size(), "a plain text that is not shorter");
        Check(!plain.has_value() || rest.size() % kAesBlock == 0, "a ciphertext of no whole blocks");
      }
      break;
    }
    case 1: {
      // Any text where Base64 is expected.
      const std::optional<std::string> message = OpenWecom(kChatAesKey, input, kChatAppId);
      Check(!message.has_value() || message->size() < input.size(), "a message longer than its envelope");
      break;
    }
    default: {
      // Any plain text in an envelope that is right.
      const std::string sealed = Sealed(input);
      const std::optional<std::string> message = OpenWecom(kChatAesKey, sealed, kChatAppId);
      Check(message.has_value() && *message == input, "a message that came back as another");
      Check(!OpenWecom(kChatAesKey, sealed, "another-receiver").has_value(), "a message for somebody else");
      break;
    }
  }
  return 0;
}
