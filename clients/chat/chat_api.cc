#include "clients/chat/chat_api.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/chat/platform.h"
#include "clients/chat/reading.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {
namespace {

using CallJson = nlohmann::ordered_json;
using Kind = ChatSent::Kind;

constexpr std::chrono::seconds kMostChatWait{3'600};
// WeCom takes one of two equal messages within this time.
constexpr int kWecomSameSeconds = 1'800;
// Messages that are looked through for one of ours.
constexpr int kMessagesToLookAt = 60;
constexpr std::string_view kMattermostKey = "yardmaster_key";

OutgoingRequest JsonPost(std::string url, std::string body, std::string_view bearer) {
  OutgoingRequest request;
  request.method = "POST";
  request.url = std::move(url);
  request.headers.push_back({"Content-Type", "application/json; charset=utf-8"});
  if (!bearer.empty()) request.headers.push_back({"Authorization", absl::StrCat("Bearer ", Abs(bearer))});
  request.body = std::move(body);
  request.limits.body_bytes = kMaxChatBodyBytes;
  request.timeout = std::chrono::seconds(10);
  return request;
}

std::string DumpBody(const CallJson& body) { return body.dump(-1, ' ', false, CallJson::error_handler_t::replace); }

// A rendered answer, to be completed.
CallJson Rendered(std::string_view platform, const ChatAnswer& answer) {
  return CallJson::parse(answer.plain ? RenderPlain(platform, answer) : FindChatPlatform(platform)->render(answer),
                         nullptr, false);
}

ChatSent Refusal(std::string_view reason) { return {Kind::kRefused, "", std::string(reason), {}}; }

// The number of an error in the answers of Feishu, DingTalk and WeCom; nullopt: it is no such answer.
std::optional<int64_t> CodeOf(const nlohmann::json& body, std::string_view key) {
  const nlohmann::json* code = ValueAt(body, {key});
  if (code == nullptr || !code->is_number_integer()) return std::nullopt;
  return code->get<int64_t>();
}

ChatSent Unreadable() { return {Kind::kUnknown, "", "the platform's answer can't be read", {}}; }

// An answer that is a number: 0, one of those for a token or a limit, or a refusal.
ChatSent JudgeCode(const nlohmann::json& body, std::string_view key, std::string_view text_key,
                   std::initializer_list<int64_t> no_token, std::initializer_list<int64_t> limited,
                   std::string_view message) {
  const std::optional<int64_t> code = CodeOf(body, key);
  if (!code.has_value()) return Unreadable();
  if (*code == 0) return {Kind::kSent, std::string(message), "", {}};
  const std::string reason = absl::StrCat(*code, " ", Abs(TextAt(body, {text_key})));
  const auto is_in = [&](std::initializer_list<int64_t> list) {
    return std::find(list.begin(), list.end(), *code) != list.end();
  };
  return {is_in(no_token) ? Kind::kNoToken : is_in(limited) ? Kind::kLimited : Kind::kRefused, "", reason, {}};
}

std::optional<ChatToken> TokenIn(const OutgoingResponse& response, std::string_view code_key,
                                 std::string_view token_key, std::string_view life_key) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  if (response.status != 200 || !body.has_value() || CodeOf(*body, code_key) != 0) return std::nullopt;
  const std::optional<int64_t> life = CodeOf(*body, life_key);
  ChatToken token{std::string(TextAt(*body, {token_key})), std::chrono::seconds(life.value_or(0))};
  // A day is more than any of them gives.
  if (token.text.empty() || token.life.count() <= 0 || token.life > std::chrono::hours(24)) return std::nullopt;
  return token;
}

// --- Slack ---

OutgoingRequest PostToSlack(const PlatformConfig& config, const ChatPlace& place, const ChatAnswer& answer,
                            std::string_view, std::string_view) {
  CallJson body = Rendered("slack", answer);
  body.erase("response_type");
  body["channel"] = place.channel;
  const std::string& thread = place.thread.empty() ? place.message : place.thread;
  if (!thread.empty()) body["thread_ts"] = thread;
  return JsonPost(config.api_url + "/chat.postMessage", DumpBody(body), config.SecretText("bot_token"));
}

ChatSent JudgeSlack(const OutgoingResponse& response) {
  // What an address for answers says.
  if (response.status == 200 && Trimmed(response.body) == "ok") return {Kind::kSent, "", "", {}};
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  const nlohmann::json* ok = body.has_value() ? ValueAt(*body, {"ok"}) : nullptr;
  if (ok == nullptr || !ok->is_boolean()) return Unreadable();
  if (ok->get<bool>()) return {Kind::kSent, std::string(TextAt(*body, {"ts"})), "", {}};
  const std::string_view error = TextAt(*body, {"error"});
  // What Slack says where it may have been done.
  if (error == "internal_error" || error == "fatal_error" || error == "request_timeout") {
    return {Kind::kUnknown, "", std::string(error), {}};
  }
  return error == "ratelimited" ? ChatSent{Kind::kLimited, "", std::string(error), {}} : Refusal(error);
}

// --- Mattermost ---

OutgoingRequest PostToMattermost(const PlatformConfig& config, const ChatPlace& place, const ChatAnswer& answer,
                                 std::string_view, std::string_view) {
  CallJson rendered = Rendered("mattermost", answer);
  CallJson body = {{"channel_id", place.channel}, {"message", rendered.value("text", "")}};
  const std::string& thread = place.thread.empty() ? place.message : place.thread;
  if (!thread.empty()) body["root_id"] = thread;
  body["props"] = {{std::string(kMattermostKey), answer.key}};
  if (rendered.contains("attachments")) body["props"]["attachments"] = std::move(rendered["attachments"]);
  return JsonPost(config.api_url + "/api/v4/posts", DumpBody(body), config.SecretText("bot_token"));
}

OutgoingRequest Get(std::string url, std::string_view bearer) {
  OutgoingRequest request = JsonPost(std::move(url), "", bearer);
  request.method = "GET";
  return request;
}

OutgoingRequest LookAtSlack(const PlatformConfig& config, const ChatPlace& place) {
  const std::string& thread = place.thread.empty() ? place.message : place.thread;
  return Get(absl::StrCat(config.api_url, thread.empty() ? "/conversations.history" : "/conversations.replies",
                          "?channel=", UrlEncode(place.channel), thread.empty() ? "" : "&ts=", UrlEncode(thread),
                          "&limit=", kMessagesToLookAt),
             config.SecretText("bot_token"));
}

ChatSent FindInSlack(const OutgoingResponse& response, std::string_view key) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  const nlohmann::json* messages = body.has_value() ? ValueAt(*body, {"messages"}) : nullptr;
  if (response.status != 200 || messages == nullptr || !messages->is_array()) return Unreadable();
  for (const nlohmann::json& message : *messages) {
    const nlohmann::json* blocks = ValueAt(message, {"blocks"});
    if (blocks == nullptr || !blocks->is_array() || blocks->empty()) continue;
    if (TextAt(blocks->front(), {"block_id"}) == key)
      return {Kind::kSent, std::string(TextAt(message, {"ts"})), "", {}};
  }
  const nlohmann::json* more = ValueAt(*body, {"has_more"});
  return more != nullptr && *more == true ? Unreadable() : ChatSent{Kind::kNotSent, "", "not in the channel", {}};
}

OutgoingRequest LookAtMattermost(const PlatformConfig& config, const ChatPlace& place) {
  return Get(absl::StrCat(config.api_url, "/api/v4/channels/", UrlEncode(place.channel),
                          "/posts?per_page=", kMessagesToLookAt),
             config.SecretText("bot_token"));
}

ChatSent FindInMattermost(const OutgoingResponse& response, std::string_view key) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  const nlohmann::json* posts = body.has_value() ? ValueAt(*body, {"posts"}) : nullptr;
  if (response.status != 200 || posts == nullptr || !posts->is_object()) return Unreadable();
  for (const auto& [id, post] : posts->items()) {
    if (TextAt(post, {"props", kMattermostKey}) == key) return {Kind::kSent, id, "", {}};
  }
  return {Kind::kNotSent, "", "not in the channel", {}};
}

ChatSent JudgeMattermost(const OutgoingResponse& response) {
  if (response.status == 200 || response.status == 201) {
    const std::optional<nlohmann::json> body = ParseObject(response.body);
    return {Kind::kSent, body.has_value() ? std::string(TextAt(*body, {"id"})) : "", "", {}};
  }
  return Unreadable();
}

// --- Feishu ---

OutgoingRequest PostToFeishu(const PlatformConfig& config, const ChatPlace& place, const ChatAnswer& answer,
                             std::string_view token, std::string_view key) {
  CallJson body = Rendered("feishu", answer);
  body["uuid"] = std::string(key);
  std::string url = config.api_url + "/open-apis/im/v1/messages";
  if (place.message.empty()) {
    url += "?receive_id_type=chat_id";
    body["receive_id"] = place.channel;
  } else {
    absl::StrAppend(&url, "/", UrlEncode(place.message), "/reply");
  }
  return JsonPost(std::move(url), DumpBody(body), token);
}

ChatSent JudgeFeishu(const OutgoingResponse& response) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  if (!body.has_value()) return Unreadable();
  return JudgeCode(*body, "code", "msg", {99991661, 99991663, 99991664, 99991668, 99991671}, {99991400, 230020},
                   TextAt(*body, {"data", "message_id"}));
}

OutgoingRequest AskFeishuToken(const PlatformConfig& config) {
  const CallJson body = {{"app_id", config.Id("app_id")}, {"app_secret", config.SecretText("app_secret")}};
  return JsonPost(config.api_url + "/open-apis/auth/v3/tenant_access_token/internal", DumpBody(body), "");
}

std::optional<ChatToken> ReadFeishuToken(const OutgoingResponse& response) {
  return TokenIn(response, "code", "tenant_access_token", "expire");
}

// --- DingTalk: by the address of the message alone ---

ChatSent JudgeDingtalk(const OutgoingResponse& response) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  return body.has_value() ? JudgeCode(*body, "errcode", "errmsg", {}, {130101, 90018}, "") : Unreadable();
}

// --- WeCom ---

OutgoingRequest PostToWecom(const PlatformConfig& config, const ChatPlace& place, const ChatAnswer& answer,
                            std::string_view token, std::string_view) {
  CallJson body = Rendered("wecom", answer);
  int64_t agent = 0;
  if (absl::SimpleAtoi(config.Id("agent_id"), &agent)) body["agentid"] = agent;
  body["touser"] = place.user;
  body["enable_duplicate_check"] = 1;
  body["duplicate_check_interval"] = kWecomSameSeconds;
  return JsonPost(absl::StrCat(config.api_url, "/cgi-bin/message/send?access_token=", UrlEncode(token)), DumpBody(body),
                  "");
}

ChatSent JudgeWecom(const OutgoingResponse& response) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  if (!body.has_value()) return Unreadable();
  const std::string_view strangers = TextAt(*body, {"invaliduser"});
  if (CodeOf(*body, "errcode") == 0 && !strangers.empty()) return Refusal("the user is not in the app's visible range");
  return JudgeCode(*body, "errcode", "errmsg", {40001, 40014, 41001, 42001}, {45009, 45033}, TextAt(*body, {"msgid"}));
}

OutgoingRequest AskWecomToken(const PlatformConfig& config) {
  OutgoingRequest request =
      JsonPost(absl::StrCat(config.api_url, "/cgi-bin/gettoken?corpid=", UrlEncode(config.Id("corp_id")),
                            "&corpsecret=", UrlEncode(config.SecretText("secret"))),
               "", "");
  request.method = "GET";
  request.headers.clear();
  return request;
}

std::optional<ChatToken> ReadWecomToken(const OutgoingResponse& response) {
  return TokenIn(response, "errcode", "access_token", "expires_in");
}

bool HasBotToken(const PlatformConfig& config) { return !config.SecretText("bot_token").empty(); }
bool HasFeishuApp(const PlatformConfig& config) {
  return !config.Id("app_id").empty() && !config.SecretText("app_secret").empty();
}
bool HasWecomAgent(const PlatformConfig& config) {
  return !config.Id("agent_id").empty() && !config.SecretText("secret").empty();
}

constexpr std::array<ChatApi, 5> kChatApis = {{
    {"slack", HasBotToken, PostToSlack, JudgeSlack, nullptr, nullptr, false, LookAtSlack, FindInSlack},
    {"mattermost", HasBotToken, PostToMattermost, JudgeMattermost, nullptr, nullptr, false, LookAtMattermost,
     FindInMattermost},
    {"feishu", HasFeishuApp, PostToFeishu, JudgeFeishu, AskFeishuToken, ReadFeishuToken, true, nullptr, nullptr},
    {"dingtalk", nullptr, nullptr, JudgeDingtalk, nullptr, nullptr, false, nullptr, nullptr},
    {"wecom", HasWecomAgent, PostToWecom, JudgeWecom, AskWecomToken, ReadWecomToken, true, nullptr, nullptr},
}};

// Seconds that an answer asks to wait.
std::chrono::seconds RetryAfter(const OutgoingResponse& response) {
  int64_t seconds = 0;
  if (!absl::SimpleAtoi(Abs(response.Header("Retry-After")), &seconds)) return {};
  return std::clamp<std::chrono::seconds>(std::chrono::seconds(seconds), std::chrono::seconds(0), kMostChatWait);
}

}  // namespace

const ChatApi* FindChatApi(std::string_view platform) {
  const auto* row =
      std::find_if(kChatApis.begin(), kChatApis.end(), [&](const ChatApi& api) { return api.platform == platform; });
  return row == kChatApis.end() ? nullptr : row;
}

OutgoingRequest ReplyRequest(std::string_view platform, const ChatPlace& place, const ChatAnswer& answer) {
  return JsonPost(place.reply_url, DumpBody(Rendered(platform, answer)), "");
}

ChatSent JudgeResult(const ChatApi& api, const HttpResult& result) {
  if (const auto* failure = std::get_if<HttpFailure>(&result); failure != nullptr) {
    return {failure->sent ? Kind::kUnknown : Kind::kNotSent, "", failure->detail, {}};
  }
  const auto& response = std::get<OutgoingResponse>(result);
  const std::string status = absl::StrCat("status ", response.status);
  if (response.status == 429) return {Kind::kLimited, "", status, RetryAfter(response)};
  if (response.status >= 500) return {Kind::kUnknown, "", status, {}};
  ChatSent sent = api.judge(response);
  // Refused in other words than the API's own.
  if (sent.kind == Kind::kUnknown && response.status >= 400) return Refusal(status);
  return sent;
}

}  // namespace yardmaster::chat
