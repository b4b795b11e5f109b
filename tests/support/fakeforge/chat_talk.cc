#include "tests/support/fakeforge/chat_talk.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "tests/support/chat_faces.h"
#include "tests/support/fakeforge/webhook_post.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;

constexpr std::string_view kTalkPlatforms[] = {"slack", "mattermost", "feishu", "dingtalk", "wecom"};
constexpr std::string_view kTalkCalls[] = {"say", "press", "heard"};

Answer TalkAnswer(const json& body, int status = 200) {
  return {.status = status, .body = body.dump(-1, ' ', false, json::error_handler_t::replace)};
}

std::string TalkText(const json& body, const char* key) {
  const auto member = body.find(key);
  return member != body.end() && member->is_string() ? member->get<std::string>() : std::string();
}

}  // namespace

ChatTalk::ChatTalk(std::string url, std::string secret, const std::atomic<bool>& stop)
    : url_(std::move(url)),
      secret_(secret.empty() ? std::string(testing::kChatSecret) : std::move(secret)),
      stop_(stop),
      side_(secret_) {}

bool ChatTalk::IsOwn(const std::vector<std::string>& parts) {
  return parts.size() == 2 && parts[0] == "_fake" &&
         std::find(std::begin(kTalkCalls), std::end(kTalkCalls), parts[1]) != std::end(kTalkCalls);
}

Answer ChatTalk::Handle(const Request& request) {
  const std::vector<std::string> parts = request.Parts();
  if (!IsOwn(parts)) {
    Request below = request;
    below.target.erase(0, std::string_view(kPath).size() - 1);
    return side_.Handle(below);
  }
  if (parts[1] == "heard") return ListHeard();
  return request.method == "POST" ? Say(parts[1], request) : TalkAnswer({{"error", "expected POST"}}, 405);
}

Answer ChatTalk::Say(const std::string& what, const Request& request) {
  const json body = json::parse(request.body, nullptr, false);
  const std::string platform = body.is_object() ? TalkText(body, "platform") : "";
  if (std::find(std::begin(kTalkPlatforms), std::end(kTalkPlatforms), platform) == std::end(kTalkPlatforms)) {
    return TalkAnswer({{"error", "\"platform\" is none of slack, mattermost, feishu, dingtalk, wecom"}}, 400);
  }
  if (url_.empty())
    return TalkAnswer({{"error", "nobody listens: yard-fakeforge was started without --chat-url"}}, 400);
  testing::SaidInChat said;
  said.id = std::to_string(++said_);
  said.user = TalkText(body, "user");
  said.channel = TalkText(body, "channel");
  said.secret = secret_;
  said.text = TalkText(body, what == "press" ? "value" : "text");
  const auto now = std::chrono::system_clock::now();
  const testing::SignedChatRequest sent =
      what == "press" ? testing::PressInChat(platform, said, now) : testing::SayInChat(platform, said, now);
  Headers headers;
  for (const auto& [name, value] : sent.headers) headers.emplace_back(name, value);
  WebhookPost post(stop_);
  const std::string query = sent.query.empty() ? "" : "?" + sent.query;
  return TalkAnswer({{"status", post.Send(url_ + "/chat/" + platform + query, headers, sent.body)}});
}

Answer ChatTalk::ListHeard() const {
  json messages = json::array();
  for (const HeardInChat& one : side_.Heard()) {
    messages.push_back({{"platform", one.platform},
                        {"id", one.id},
                        {"channel", one.channel},
                        {"only_for", one.only_for},
                        {"text", one.text},
                        {"texts", one.texts},
                        {"buttons", one.buttons}});
  }
  return TalkAnswer({{"messages", messages}});
}

}  // namespace yardmaster::fakeforge
