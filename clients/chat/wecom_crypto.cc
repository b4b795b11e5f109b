#include "clients/chat/wecom_crypto.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "clients/chat/crypto.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {
namespace {

// Random bytes, then the length of the message, then the message, then the receiver.
constexpr size_t kWecomRandom = 16;
constexpr size_t kWecomLength = 4;

}  // namespace

std::string WecomSignature(std::string_view token, std::string_view timestamp, std::string_view nonce,
                           std::string_view encrypted) {
  std::array<std::string_view, 4> parts = {token, timestamp, nonce, encrypted};
  std::sort(parts.begin(), parts.end());
  return Sha1Hex(absl::StrCat(Abs(parts[0]), Abs(parts[1]), Abs(parts[2]), Abs(parts[3])));
}

std::optional<std::string> OpenWecom(std::string_view encoding_aes_key, std::string_view encrypted,
                                     std::string_view receiver) {
  const std::optional<std::string> key = FromBase64(absl::StrCat(Abs(encoding_aes_key), "="));
  const std::optional<std::string> bytes = FromBase64(encrypted);
  if (!key.has_value() || !bytes.has_value()) return std::nullopt;
  const std::optional<std::string> plain =
      DecryptAes256Cbc(*key, std::string_view(*key).substr(0, 16), *bytes, /*block=*/32);
  if (!plain.has_value() || plain->size() < kWecomRandom + kWecomLength) return std::nullopt;
  uint64_t length = 0;
  for (size_t i = 0; i < kWecomLength; ++i) {
    length = length << 8 | static_cast<unsigned char>((*plain)[kWecomRandom + i]);
  }
  const std::string_view rest = std::string_view(*plain).substr(kWecomRandom + kWecomLength);
  if (length > rest.size() || rest.substr(length) != receiver) return std::nullopt;
  return std::string(rest.substr(0, length));
}

}  // namespace yardmaster::chat
