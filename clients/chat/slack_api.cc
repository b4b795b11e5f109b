// Slack's calls: chat.postMessage, chat.postEphemeral, chat.update, and the history for what may be there.
#include <cstdint>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/chat/chat_calls.h"
#include "clients/chat/reading.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"

namespace yardmaster::chat {
namespace {

using Kind = ChatSent::Kind;

// Messages of one page.
constexpr int kSlackPage = 200;
// What our messages carry besides their blocks, so that those without any are found, too.
constexpr std::string_view kSlackMetadata = "yardmaster_message";

OutgoingRequest PostToSlack(const PlatformConfig& config, const ChatPlace& place, const ChatAnswer& answer,
                            std::string_view, std::string_view) {
  CallJson body = Rendered("slack", answer);
  body.erase("response_type");
  body["channel"] = place.channel;
  if (const std::string& thread = ThreadOf(place); !thread.empty()) body["thread_ts"] = thread;
  const bool hidden = answer.only_for_asker && !place.user.empty();
  if (hidden) {
    body["user"] = place.user;
  } else if (!answer.key.empty()) {
    body["metadata"] = {{"event_type", std::string(kSlackMetadata)}, {"event_payload", {{"key", answer.key}}}};
  }
  return JsonPost(config.api_url + (hidden ? "/chat.postEphemeral" : "/chat.postMessage"), body,
                  config.SecretText("bot_token"));
}

OutgoingRequest EditInSlack(const PlatformConfig& config, const ChatPlace& place, std::string_view message,
                            const ChatAnswer& answer, std::string_view) {
  CallJson body = Rendered("slack", answer);
  for (const char* key : {"response_type", "unfurl_links", "unfurl_media"}) body.erase(key);
  body["channel"] = place.channel;
  body["ts"] = std::string(message);
  // Blocks that nobody names would stay.
  if (!body.contains("blocks")) body["blocks"] = CallJson::array();
  return JsonPost(config.api_url + "/chat.update", body, config.SecretText("bot_token"));
}

// A refusal, or what it means that something is asked later.
ChatSent JudgeSlackError(std::string_view error) {
  // What Slack says where it may have been done.
  for (const std::string_view unclear : {"internal_error", "fatal_error", "request_timeout", "service_unavailable"}) {
    if (error == unclear) return {Kind::kUnknown, "", std::string(error), {}};
  }
  for (const std::string_view token :
       {"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"}) {
    if (error == token) return {Kind::kNoToken, "", std::string(error), {}};
  }
  return error == "ratelimited" ? ChatSent{Kind::kLimited, "", std::string(error), {}} : Refusal(error);
}

ChatSent JudgeSlack(const OutgoingResponse& response) {
  // What an address for answers says.
  if (response.status == 200 && TrimBlanks(response.body) == "ok") return {Kind::kSent, "", "", {}};
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  const nlohmann::json* ok = body.has_value() ? ValueAt(*body, {"ok"}) : nullptr;
  if (ok == nullptr || !ok->is_boolean()) return Unreadable();
  if (!ok->get<bool>()) return JudgeSlackError(TextAt(*body, {"error"}));
  return {Kind::kSent, std::string(TextAt(*body, {"ts"})), "", {}};
}

OutgoingRequest LookAtSlack(const PlatformConfig& config, const ChatPlace& place,
                            std::chrono::system_clock::time_point since, std::string_view cursor) {
  const std::string& thread = ThreadOf(place);
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(since.time_since_epoch()).count();
  return JsonGet(absl::StrCat(config.api_url, thread.empty() ? "/conversations.history" : "/conversations.replies",
                              "?channel=", UrlEncode(place.channel), thread.empty() ? "" : "&ts=", UrlEncode(thread),
                              "&oldest=", seconds, ".000000&include_all_metadata=true&limit=", kSlackPage,
                              cursor.empty() ? "" : "&cursor=", UrlEncode(cursor)),
                 config.SecretText("bot_token"));
}

bool IsOurs(const nlohmann::json& message, std::string_view key) {
  if (TextAt(message, {"metadata", "event_payload", "key"}) == key) return true;
  // A plain text by an address for answers has nothing else that stays with it.
  if (TrimBlanks(TextAt(message, {"text"})).ends_with(absl::StrCat("(", AnswerTag(key), ")"))) return true;
  const nlohmann::json* blocks = ValueAt(message, {"blocks"});
  return blocks != nullptr && blocks->is_array() && !blocks->empty() && TextAt(blocks->front(), {"block_id"}) == key;
}

ChatFound FindInSlack(const OutgoingResponse& response, std::string_view key) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  const nlohmann::json* ok = body.has_value() ? ValueAt(*body, {"ok"}) : nullptr;
  if (ok != nullptr && *ok == false) return {JudgeSlackError(TextAt(*body, {"error"})), ""};
  const nlohmann::json* messages = body.has_value() ? ValueAt(*body, {"messages"}) : nullptr;
  if (response.status != 200 || messages == nullptr || !messages->is_array()) return {Unreadable(), ""};
  for (const nlohmann::json& message : *messages) {
    if (IsOurs(message, key)) return {{Kind::kSent, std::string(TextAt(message, {"ts"})), "", {}}, ""};
  }
  const nlohmann::json* more = ValueAt(*body, {"has_more"});
  const std::string cursor(TextAt(*body, {"response_metadata", "next_cursor"}));
  if (more != nullptr && *more == true && cursor.empty()) return {Unreadable(), ""};
  return {{Kind::kNotSent, "", "not in the channel", {}}, cursor};
}

}  // namespace

ChatApi SlackApi() {
  ChatApi api;
  api.platform = "slack";
  api.has_credentials = [](const PlatformConfig& config) { return !config.SecretText("bot_token").empty(); };
  api.post = PostToSlack;
  api.edit = EditInSlack;
  api.judge = JudgeSlack;
  api.look = LookAtSlack;
  api.find = FindInSlack;
  return api;
}

}  // namespace yardmaster::chat
