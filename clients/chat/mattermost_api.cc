// Mattermost's calls: posts, and the channel's posts for what may be there.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/chat/chat_calls.h"
#include "clients/chat/reading.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {
namespace {

using Kind = ChatSent::Kind;

// Mattermost answers with no more of what came since a time.
constexpr size_t kMattermostMostPosts = 1'000;

// The fields of a post that show the answer.
CallJson MattermostPost(const ChatAnswer& answer) {
  CallJson rendered = Rendered("mattermost", answer);
  CallJson post = {{"message", rendered.value("text", "")}, {"props", std::move(rendered["props"])}};
  if (rendered.contains("attachments")) post["props"]["attachments"] = std::move(rendered["attachments"]);
  return post;
}

OutgoingRequest PostToMattermost(const PlatformConfig& config, const ChatPlace& place, const ChatAnswer& answer,
                                 std::string_view, std::string_view) {
  CallJson post = MattermostPost(answer);
  post["channel_id"] = place.channel;
  if (const std::string& thread = ThreadOf(place); !thread.empty()) post["root_id"] = thread;
  const bool hidden = answer.only_for_asker && !place.user.empty();
  const CallJson body = hidden ? CallJson({{"user_id", place.user}, {"post", post}}) : std::move(post);
  return JsonPost(config.api_url + (hidden ? "/api/v4/posts/ephemeral" : "/api/v4/posts"), body,
                  config.SecretText("bot_token"));
}

OutgoingRequest EditInMattermost(const PlatformConfig& config, const ChatPlace&, std::string_view message,
                                 const ChatAnswer& answer, std::string_view) {
  OutgoingRequest request = JsonPost(absl::StrCat(config.api_url, "/api/v4/posts/", UrlEncode(message), "/patch"),
                                     MattermostPost(answer), config.SecretText("bot_token"));
  request.method = "PUT";
  return request;
}

ChatSent JudgeMattermost(const OutgoingResponse& response) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  if (response.status == 200 || response.status == 201) {
    return {Kind::kSent, body.has_value() ? std::string(TextAt(*body, {"id"})) : "", "", {}};
  }
  const std::string_view why = body.has_value() ? TextAt(*body, {"message"}) : std::string_view();
  if (response.status == 401) return {Kind::kNoToken, "", absl::StrCat("401 ", Abs(why)), {}};
  return why.empty() ? Unreadable() : Refusal(absl::StrCat(response.status, " ", Abs(why)));
}

OutgoingRequest LookAtMattermost(const PlatformConfig& config, const ChatPlace& place,
                                 std::chrono::system_clock::time_point since, std::string_view) {
  const int64_t millis = std::chrono::duration_cast<std::chrono::milliseconds>(since.time_since_epoch()).count();
  return JsonGet(absl::StrCat(config.api_url, "/api/v4/channels/", UrlEncode(place.channel), "/posts?since=", millis),
                 config.SecretText("bot_token"));
}

ChatFound FindInMattermost(const OutgoingResponse& response, std::string_view key) {
  const std::optional<nlohmann::json> body = ParseObject(response.body);
  const nlohmann::json* posts = body.has_value() ? ValueAt(*body, {"posts"}) : nullptr;
  if (response.status == 401) return {JudgeMattermost(response), ""};
  if (response.status != 200 || posts == nullptr || !posts->is_object()) return {Unreadable(), ""};
  for (const auto& [id, post] : posts->items()) {
    if (TextAt(post, {"props", kMattermostKey}) == key) return {{Kind::kSent, id, "", {}}, ""};
  }
  if (posts->size() >= kMattermostMostPosts) return {Unreadable(), ""};
  return {{Kind::kNotSent, "", "not in the channel", {}}, ""};
}

}  // namespace

ChatApi MattermostApi() {
  ChatApi api;
  api.platform = "mattermost";
  api.has_credentials = [](const PlatformConfig& config) { return !config.SecretText("bot_token").empty(); };
  api.post = PostToMattermost;
  api.edit = EditInMattermost;
  api.judge = JudgeMattermost;
  api.look = LookAtMattermost;
  api.find = FindInMattermost;
  return api;
}

}  // namespace yardmaster::chat
