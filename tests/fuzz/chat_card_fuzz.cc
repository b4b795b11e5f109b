// Callbacks of cards and buttons, from each platform, as it sends them: signed by the platform, with the fields that
// whoever presses chooses. The first byte chooses the platform, the second which byte of a value of ours is changed;
// the rest are lines: value, user, channel, message, event.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
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

using nlohmann::json;
using yardmaster::Check;
using yardmaster::chat::ChatEvent;
using yardmaster::chat::ChatReading;
using yardmaster::chat::ChatRequest;
using yardmaster::chat::OpenButton;
using yardmaster::chat::PlatformConfig;
using yardmaster::chat::SignButton;
using yardmaster::testing::kChatSecret;
using yardmaster::testing::SignedChatRequest;

const std::chrono::system_clock::time_point kCardNow{std::chrono::seconds(1'764'000'000)};
constexpr std::string_view kWithCards[] = {"slack", "mattermost", "feishu"};

struct Pressed {
  std::string value, user, channel, message, event;
};

PlatformConfig CardConfig() {
  PlatformConfig config;
  config.api_url = "https://chat.example.org";
  config.ids.emplace("app_id", "app1");
  for (const char* key : {"signing_secret", "bot_token", "token", "encrypt_key", "verification_token", "app_secret"}) {
    config.secrets.emplace(key, yardmaster::Secret(std::string(kChatSecret)));
  }
  return config;
}

std::string Dump(const json& body) { return body.dump(-1, ' ', false, json::error_handler_t::replace); }

SignedChatRequest Press(std::string_view platform, const Pressed& pressed) {
  if (platform == "slack") {
    const json payload = {{"type", "block_actions"},
                          {"trigger_id", pressed.event},
                          {"channel", {{"id", pressed.channel}}},
                          {"user", {{"id", pressed.user}}},
                          {"container", {{"message_ts", pressed.message}}},
                          {"actions", {{{"value", pressed.value}}}}};
    std::string form = "payload=";
    for (const char c : Dump(payload)) {
      constexpr const char* kDigits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      form.append({'%', kDigits[byte / 16], kDigits[byte % 16]});
    }
    SignedChatRequest request = yardmaster::testing::SignChatBody("slack", form, kCardNow);
    request.headers["Content-Type"] = "application/x-www-form-urlencoded";
    return request;
  }
  if (platform == "mattermost") {
    const json body = {{"user_id", pressed.user},
                       {"channel_id", pressed.channel},
                       {"post_id", pressed.message},
                       {"trigger_id", pressed.event},
                       {"context", {{"value", pressed.value}}}};
    return yardmaster::testing::SignChatBody("mattermost", Dump(body), kCardNow);
  }
  const json body = {
      {"header",
       {{"event_id", pressed.event}, {"event_type", "card.action.trigger"}, {"token", std::string(kChatSecret)}}},
      {"event",
       {{"operator", {{"open_id", pressed.user}}},
        {"action", {{"value", {{"value", pressed.value}}}}},
        {"context", {{"open_chat_id", pressed.channel}, {"open_message_id", pressed.message}}}}}};
  return yardmaster::testing::SignChatBody("feishu", yardmaster::testing::FeishuEnvelope(Dump(body)), kCardNow);
}

void ReadCard(std::string_view platform, const Pressed& pressed) {
  const SignedChatRequest request = Press(platform, pressed);
  ChatRequest read;
  read.method = "POST";
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
    Check(!OpenButton(kChatSecret, event.action, kCardNow).has_value() || event.action == pressed.value,
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
  Pressed pressed{lines[0], lines[1], lines[2], lines[3], lines[4]};
  ReadCard(platform, pressed);
  Check(!OpenButton(kChatSecret, pressed.value, kCardNow).has_value(), "a value that nobody signed");

  // A value of ours opens as it is, within its hour, and in no other way.
  if (pressed.value.size() > yardmaster::chat::kMaxButtonBytes / 2) return 0;
  const std::string ours = SignButton(kChatSecret, pressed.value, kCardNow + yardmaster::chat::kButtonLife);
  Check(OpenButton(kChatSecret, ours, kCardNow) == pressed.value, "a value of ours that does not open");
  Check(!OpenButton(kChatSecret, ours, kCardNow + 2 * yardmaster::chat::kButtonLife).has_value(),
        "an hour that never ends");
  Check(!OpenButton("another-secret", ours, kCardNow).has_value(), "a value that another secret signed");
  std::string changed = ours;
  char& byte = changed[data[1] % changed.size()];
  byte = byte == 'A' ? 'B' : 'A';
  const std::optional<std::string> opened = OpenButton(kChatSecret, changed, kCardNow);
  Check(!opened.has_value() || *opened == pressed.value, "a value that was changed, and opens as something else");
  pressed.value = ours;
  ReadCard(platform, pressed);
  return 0;
}
