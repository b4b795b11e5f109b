// Callbacks of cards and buttons, from each platform, as it sends them: signed by the platform, with the fields that
// whoever presses chooses. The first byte chooses the platform, the second which byte of a value of ours is changed;
// the rest are lines: value, user, channel, message, event.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clients/chat/button.h"
#include "clients/chat/event_json.h"
#include "clients/chat/platform.h"
#include "clients/chat/valid_text.h"
#include "tests/fuzz/check.h"
#include "tests/support/chat_faces.h"

namespace {

using yardmaster::Check;
using yardmaster::chat::ChatEvent;
using yardmaster::chat::ChatReading;
using yardmaster::chat::ChatRequest;
using yardmaster::chat::OpenButton;
using yardmaster::chat::PlatformConfig;
using yardmaster::chat::SignButton;
using yardmaster::testing::kChatSecret;
using yardmaster::testing::SaidInChat;
using yardmaster::testing::SignedChatRequest;

const std::chrono::system_clock::time_point kCardNow{std::chrono::seconds(1'764'000'000)};
constexpr std::string_view kWithCards[] = {"slack", "mattermost", "feishu", "dingtalk", "wecom"};

PlatformConfig CardConfig() {
  PlatformConfig config;
  config.api_url = "https://chat.example.org";
  config.ids.emplace("app_id", "app1");
  config.ids.emplace("corp_id", std::string(yardmaster::testing::kChatAppId));
  config.secrets.emplace("encoding_aes_key", yardmaster::Secret(std::string(yardmaster::testing::kChatAesKey)));
  for (const char* key : {"signing_secret", "bot_token", "token", "encrypt_key", "verification_token", "app_secret"}) {
    config.secrets.emplace(key, yardmaster::Secret(std::string(kChatSecret)));
  }
  return config;
}

void ReadCard(std::string_view platform, const SaidInChat& pressed) {
  const SignedChatRequest request = yardmaster::testing::PressInChat(platform, pressed, kCardNow);
  ChatRequest read;
  read.method = "POST";
  read.query = request.query;
  read.body = request.body;
  read.header = [&](std::string_view name) -> std::string_view {
    const auto header = request.headers.find(name);
    return header == request.headers.end() ? std::string_view() : std::string_view(header->second);
  };
  const ChatReading reading = yardmaster::chat::FindChatPlatform(platform)->read(CardConfig(), read, kCardNow);
  Check(reading.status == 200 || reading.status == 400 || platform == "mattermost",
        "a signed press that is refused as unsigned");
  Check(reading.event.has_value() || !reading.reason.empty(), "nothing to do, and no reason");
  if (!reading.event.has_value()) return;
  const ChatEvent& event = *reading.event;
  Check(reading.status == 200, "an event of a refused press");
  Check(yardmaster::chat::IsValidId(event.id) && yardmaster::chat::IsValidId(event.user) &&
            yardmaster::chat::IsValidId(event.channel),
        "a press without its ids");
  Check(yardmaster::chat::EventFromJson(yardmaster::chat::ToJson(event)) == event, "a press that is not kept as it is");
  if (event.kind == ChatEvent::Kind::kAction) {
    Check(yardmaster::chat::IsValidText(event.action), "a value that is no text");
    Check(!OpenButton(kChatSecret, event.action, kCardNow).has_value() || event.action == pressed.text,
          "a value that became one of ours on the way");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view platform = kWithCards[data[0] % std::size(kWithCards)];
  std::array<std::string, 5> lines;
  size_t line = 0;
  for (size_t i = 2; i < size; ++i) {
    if (data[i] == '\n' && line + 1 < lines.size()) {
      ++line;
    } else {
      lines[line] += static_cast<char>(data[i]);
    }
  }
  SaidInChat pressed;
  pressed.text = lines[0];
  pressed.user = lines[1];
  pressed.channel = lines[2];
  pressed.message = lines[3];
  pressed.id = lines[4];
  ReadCard(platform, pressed);
  Check(!OpenButton(kChatSecret, pressed.text, kCardNow).has_value(), "a value that nobody signed");

  // A value of ours opens as it is, within its hour, and in no other way.
  if (pressed.text.size() > yardmaster::chat::kMaxButtonBytes / 2) return 0;
  const std::string ours = SignButton(kChatSecret, pressed.text, kCardNow + yardmaster::chat::kButtonLife);
  Check(OpenButton(kChatSecret, ours, kCardNow) == pressed.text, "a value of ours that does not open");
  Check(!OpenButton(kChatSecret, ours, kCardNow + 2 * yardmaster::chat::kButtonLife).has_value(),
        "an hour that never ends");
  Check(!OpenButton("another-secret", ours, kCardNow).has_value(), "a value that another secret signed");
  std::string changed = ours;
  char& byte = changed[data[1] % changed.size()];
  byte = byte == 'A' ? 'B' : 'A';
  const std::optional<std::string> opened = OpenButton(kChatSecret, changed, kCardNow);
  Check(!opened.has_value() || *opened == pressed.text, "a value that was changed, and opens as something else");
  pressed.text = ours;
  ReadCard(platform, pressed);
  return 0;
}
