// Feishu's calls: messages and replies, which take one of two with the same uuid, and changed cards.
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/chat/chat_calls.h"
#include "clients/chat/reading.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {
namespace {

// It looks at a uuid for an hour.
constexpr std::chrono::minutes kFeishuSameUuid{55};

OutgoingRequest PostToFeishu(const PlatformConfig& config, const ChatPlace& place, const ChatAnswer& answer,
                             std::string_view token, std::string_view key) {
  CallJson body = Rendered("feishu", answer);
  body["uuid"] = std::string(key);
  std::string url = config.api_url + "/open-apis/im/v1/messages";
  const bool hidden = answer.only_for_asker && !place.user.empty();
  if (hidden) {
    // Into the person's own conversation with the bot.
    url += "?receive_id_type=open_id";
    body["receive_id"] = place.user;
  } else if (place.message.empty()) {
    url += "?receive_id_type=chat_id";
    body["receive_id"] = place.channel;
  } else {
    absl::StrAppend(&url, "/", UrlEncode(place.message), "/reply");
  }
  return JsonPost(std::move(url), body, token);
}

OutgoingRequest EditInFeishu(const PlatformConfig& config, const ChatPlace&, std::string_view message,
                             const ChatAnswer& answer, std::string_view token) {
  const CallJson rendered = Rendered("feishu", answer);
  OutgoingRequest request = JsonPost(absl::StrCat(config.api_url, "/open-apis/im/v1/messages/", UrlEncode(message)),
                                     {{"content", rendered["content"]}}, token);
  request.method = "PATCH";
  return request;
}

ChatSent JudgeFeishu(const OutgoingResponse& response) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  if (!body.has_value()) return Unreadable();
  ChatSent sent = JudgeCode(
      *body, {"code", "msg", {99991661, 99991663, 99991664, 99991668, 99991671}, {99991400, 230020, 11232, 11233}},
      TextAt(*body, {"data", "message_id"}));
  if (sent.kind == ChatSent::Kind::kLimited) sent.wait = RetryAfter(response);
  return sent;
}

OutgoingRequest AskFeishuToken(const PlatformConfig& config) {
  return JsonPost(config.api_url + "/open-apis/auth/v3/tenant_access_token/internal",
                  {{"app_id", config.Id("app_id")}, {"app_secret", config.SecretText("app_secret")}}, "");
}

std::optional<ChatToken> ReadFeishuToken(const OutgoingResponse& response) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  if (response.status != 200 || !body.has_value() || CodeOf(*body, "code") != 0) return std::nullopt;
  return TokenAt(*body, "tenant_access_token", "expire");
}

}  // namespace

ChatApi FeishuApi() {
  ChatApi api;
  api.platform = "feishu";
  api.has_credentials = [](const PlatformConfig& config) {
    return !config.Id("app_id").empty() && !config.SecretText("app_secret").empty();
  };
  api.post = PostToFeishu;
  api.edit = EditInFeishu;
  api.judge = JudgeFeishu;
  api.ask_token = AskFeishuToken;
  api.read_token = ReadFeishuToken;
  api.one_of_a_key = kFeishuSameUuid;
  return api;
}

}  // namespace yardmaster::chat
