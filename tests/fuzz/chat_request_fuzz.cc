// Any body from any platform, signed and where the platform does so encrypted here, so that what stands behind the
// signature is reached; and the same bytes as they are, which nobody signed. The first byte chooses platform and form.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "clients/chat/button.h"
#include "clients/chat/chat_answer.h"
#include "clients/chat/event_json.h"
#include "clients/chat/platform.h"
#include "clients/chat/valid_text.h"
#include "tests/fuzz/check.h"
#include "tests/support/chat_faces.h"

namespace {

using yardmaster::Check;
using yardmaster::chat::ChatEvent;
using yardmaster::chat::ChatPlatform;
using yardmaster::chat::ChatPlatforms;
using yardmaster::chat::ChatReading;
using yardmaster::chat::ChatRequest;
using yardmaster::chat::EventFromJson;
using yardmaster::chat::IsValidId;
using yardmaster::chat::IsValidText;
using yardmaster::chat::KeyRule;
using yardmaster::chat::OpenButton;
using yardmaster::chat::PlatformConfig;
using yardmaster::testing::kChatAesKey;
using yardmaster::testing::kChatAppId;
using yardmaster::testing::kChatSecret;
using yardmaster::testing::SignedChatRequest;

const std::chrono::system_clock::time_point kNow{std::chrono::seconds(1'764'000'000)};

PlatformConfig ConfigOf(const ChatPlatform& platform) {
  PlatformConfig config;
  config.api_url = platform.api_url.empty() ? "https://chat.example.org" : platform.api_url;
  for (const KeyRule& rule : platform.ids) config.ids.emplace(rule.key, kChatAppId);
  for (const KeyRule& rule : platform.secrets) {
    config.secrets.emplace(rule.key,
                           yardmaster::Secret(std::string(rule.check == nullptr ? kChatSecret : kChatAesKey)));
  }
  return config;
}

void CheckEvent(const ChatPlatform& platform, const ChatEvent& event) {
  Check(IsValidId(event.id) && IsValidId(event.user) && IsValidId(event.channel), "an event without its ids");
  Check(IsValidText(event.text) && IsValidText(event.action), "a text that is none");
  Check(platform.name != "dingtalk" || !event.proved, "a body that nobody signed counts");
  Check(EventFromJson(yardmaster::chat::ToJson(event)) == event, "an event that is not kept as it is");
  for (const ChatPlatform& other : ChatPlatforms()) {
    const std::string answer = other.render({event.text});
    Check(answer.size() < 256 * 1024, "an answer beyond the limits");
    const bool may = other.name == "dingtalk" || other.name == "mattermost";
    Check(may || (answer.find("<@") == std::string::npos && answer.find("<!") == std::string::npos), "a mention");
  }
}

void ReadIt(const ChatPlatform& platform, const SignedChatRequest& request) {
  ChatRequest read;
  read.method = "POST";
  read.query = request.query;
  read.body = request.body;
  read.header = [&](std::string_view name) -> std::string_view {
    const auto header = request.headers.find(name);
    return header == request.headers.end() ? std::string_view() : std::string_view(header->second);
  };
  const ChatReading reading = platform.read(ConfigOf(platform), read, kNow);
  Check(reading.status == 200 || reading.status == 400 || reading.status == 401, "a status that there is not");
  Check(reading.event.has_value() || !reading.reason.empty(), "nothing to do, and no reason");
  Check(reading.status == 200 || !reading.event.has_value(), "an event of a refused request");
  if (reading.event.has_value()) CheckEvent(platform, *reading.event);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t platforms = ChatPlatforms().size();
  const ChatPlatform& platform = ChatPlatforms()[data[0] % platforms];
  const bool plain = data[0] / platforms % 2 == 0;
  const std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);

  // 1. Signed. Of those that encrypt, also with an envelope that is the fuzzer's own.
  std::string inside = body;
  if (plain && platform.name == "feishu") inside = yardmaster::testing::FeishuEnvelope(body);
  if (plain && platform.name == "wecom") inside = yardmaster::testing::WecomPlain(body);
  SignedChatRequest request = yardmaster::testing::SignChatBody(platform.name, inside, kNow);
  const bool has_forms = platform.name == "slack" || platform.name == "mattermost";
  if (!plain && has_forms) request.headers["Content-Type"] = "application/x-www-form-urlencoded";
  ReadIt(platform, request);

  // 2. The bytes as they are.
  request.body = body;
  ReadIt(platform, request);
  Check(!OpenButton(kChatSecret, body, kNow).has_value(), "a button that nobody signed");
  EventFromJson(body);
  return 0;
}
