// WeCom's calls: messages of an application to its members. It takes one of two with the same content.
#include <cstdint>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/chat/chat_calls.h"
#include "clients/chat/reading.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {
namespace {

// WeCom takes one of two equal messages within this time.
constexpr std::chrono::seconds kWecomSame{1'800};
// Everybody who sees the application: what nobody asked for is told to all of them.
constexpr std::string_view kWecomEverybody = "@all";

OutgoingRequest PostToWecom(const PlatformConfig& config, const ChatPlace& place, const ChatAnswer& answer,
                            std::string_view token, std::string_view) {
  CallJson body = Rendered("wecom", answer);
  int64_t agent = 0;
  if (absl::SimpleAtoi(config.Id("agent_id"), &agent)) body["agentid"] = agent;
  body["touser"] = place.user.empty() ? std::string(kWecomEverybody) : place.user;
  body["enable_duplicate_check"] = 1;
  body["duplicate_check_interval"] = kWecomSame.count();
  return JsonPost(absl::StrCat(config.api_url, "/cgi-bin/message/send?access_token=", UrlEncode(token)), body, "");
}

ChatSent JudgeWecom(const OutgoingResponse& response) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  if (!body.has_value()) return Unreadable();
  const std::string_view strangers = TextAt(*body, {"invaliduser"});
  if (CodeOf(*body, "errcode") == 0 && !strangers.empty()) return Refusal("the user is not in the app's visible range");
  return JudgeCode(*body, {"errcode", "errmsg", {40001, 40014, 41001, 42001}, {45009, 45033}},
                   TextAt(*body, {"msgid"}));
}

OutgoingRequest AskWecomToken(const PlatformConfig& config) {
  return JsonGet(absl::StrCat(config.api_url, "/cgi-bin/gettoken?corpid=", UrlEncode(config.Id("corp_id")),
                              "&corpsecret=", UrlEncode(config.SecretText("secret"))),
                 "");
}

std::optional<ChatToken> ReadWecomToken(const OutgoingResponse& response) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  if (response.status != 200 || !body.has_value() || CodeOf(*body, "errcode") != 0) return std::nullopt;
  return TokenAt(*body, "access_token", "expires_in");
}

}  // namespace

ChatApi WecomApi() {
  ChatApi api;
  api.platform = "wecom";
  api.has_credentials = [](const PlatformConfig& config) {
    return !config.Id("agent_id").empty() && !config.SecretText("secret").empty();
  };
  api.post = PostToWecom;
  api.judge = JudgeWecom;
  api.ask_token = AskWecomToken;
  api.read_token = ReadWecomToken;
  // Near its end the next one might come too late to be the same.
  api.one_of_a_key = kWecomSame - std::chrono::seconds(120);
  return api;
}

}  // namespace yardmaster::chat
