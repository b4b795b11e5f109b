// DingTalk's calls: the address that comes with a message, and, with the application's key, messages of the robot to a
// group or a person.
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "clients/chat/chat_calls.h"
#include "clients/chat/reading.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {
namespace {

using Kind = ChatSent::Kind;

// A robot that said too much is blocked for so long.
constexpr std::chrono::minutes kDingtalkBlock{10};
constexpr int64_t kDingtalkTooFast = 130101;
// Where the newer calls are; the address that is configured by default is that of the older ones.
constexpr std::string_view kDingtalkOldApi = "https://oapi.dingtalk.com";
constexpr std::string_view kDingtalkNewApi = "https://api.dingtalk.com";

std::string NewApi(const PlatformConfig& config) {
  return config.api_url == kDingtalkOldApi ? std::string(kDingtalkNewApi) : config.api_url;
}

// The robot's templates of messages, in which a card's buttons are numbered.
CallJson DingtalkTemplate(const CallJson& rendered) {
  if (rendered.contains("markdown"))
    return {{"msgKey", "sampleMarkdown"}, {"msgParam", DumpBody(rendered["markdown"])}};
  if (!rendered.contains("actionCard")) return {{"msgKey", "sampleText"}, {"msgParam", DumpBody(rendered["text"])}};
  const CallJson& card = rendered["actionCard"];
  const CallJson& buttons = card["btns"];
  CallJson shown = {{"title", card["title"]}, {"text", card["text"]}};
  if (buttons.size() == 1) {
    shown["singleTitle"] = buttons[0]["title"];
    shown["singleURL"] = buttons[0]["actionURL"];
    return {{"msgKey", "sampleActionCard"}, {"msgParam", DumpBody(shown)}};
  }
  for (size_t i = 0; i < buttons.size(); ++i) {
    shown[absl::StrCat("actionTitle", i + 1)] = buttons[i]["title"];
    shown[absl::StrCat("actionURL", i + 1)] = buttons[i]["actionURL"];
  }
  return {{"msgKey", absl::StrCat("sampleActionCard", buttons.size())}, {"msgParam", DumpBody(shown)}};
}

OutgoingRequest PostToDingtalk(const PlatformConfig& config, const ChatPlace& place, const ChatAnswer& answer,
                               std::string_view token, std::string_view) {
  const std::string& robot = config.Id("robot_code").empty() ? config.Id("app_key") : config.Id("robot_code");
  CallJson body = DingtalkTemplate(Rendered("dingtalk", answer));
  body["robotCode"] = robot;
  const bool to_person = !place.user.empty() && (place.direct || answer.only_for_asker);
  if (to_person) {
    body["userIds"] = CallJson::array({place.user});
  } else {
    body["openConversationId"] = place.channel;
  }
  OutgoingRequest request = JsonPost(
      NewApi(config) + (to_person ? "/v1.0/robot/oToMessages/batchSend" : "/v1.0/robot/groupMessages/send"), body, "");
  request.headers.push_back({"x-acs-dingtalk-access-token", std::string(token)});
  return request;
}

// What the newer calls say of an error.
ChatSent JudgeDingtalkError(std::string_view code, std::string_view message, int status) {
  const std::string reason = absl::StrCat(Abs(code), " ", Abs(message));
  if (status == 401 || absl::StrContains(Abs(code), "InvalidAuthentication")) return {Kind::kNoToken, "", reason, {}};
  if (absl::StrContains(Abs(code), "QpsLimit") || absl::StrContains(Abs(code), "FlowControl")) {
    return {Kind::kLimited, "", reason, {}};
  }
  return status >= 500 ? ChatSent{Kind::kUnknown, "", reason, {}} : Refusal(reason);
}

ChatSent JudgeDingtalk(const OutgoingResponse& response) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  if (!body.has_value()) return Unreadable();
  if (const std::string_view name = TextAt(*body, {"processQueryKey"}); !name.empty()) {
    const nlohmann::json* held_back = ValueAt(*body, {"flowControlledStaffIdList"});
    if (held_back != nullptr && held_back->is_array() && !held_back->empty()) {
      return {Kind::kLimited, "", "the platform holds it back", {}};
    }
    return {Kind::kSent, std::string(name), "", {}};
  }
  if (const std::string_view code = TextAt(*body, {"code"}); !code.empty()) {
    return JudgeDingtalkError(code, TextAt(*body, {"message"}), response.status);
  }
  ChatSent sent = JudgeCode(*body, {"errcode", "errmsg", {40014, 42001}, {kDingtalkTooFast, 90018}}, "");
  if (CodeOf(*body, "errcode") == kDingtalkTooFast) sent.wait = kDingtalkBlock;
  return sent;
}

OutgoingRequest AskDingtalkToken(const PlatformConfig& config) {
  return JsonPost(NewApi(config) + "/v1.0/oauth2/accessToken",
                  {{"appKey", config.Id("app_key")}, {"appSecret", config.SecretText("app_secret")}}, "");
}

std::optional<ChatToken> ReadDingtalkToken(const OutgoingResponse& response) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  if (response.status != 200 || !body.has_value()) return std::nullopt;
  return TokenAt(*body, "accessToken", "expireIn");
}

}  // namespace

ChatApi DingtalkApi() {
  ChatApi api;
  api.platform = "dingtalk";
  api.has_credentials = [](const PlatformConfig& config) { return !config.Id("app_key").empty(); };
  api.post = PostToDingtalk;
  api.judge = JudgeDingtalk;
  api.ask_token = AskDingtalkToken;
  api.read_token = ReadDingtalkToken;
  return api;
}

}  // namespace yardmaster::chat
