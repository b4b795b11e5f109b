// Slack: events, slash commands and buttons, all signed with the signing secret over time and body.
#include <string>

#include "absl/strings/str_cat.h"
#include "clients/chat/crypto.h"
#include "clients/chat/form.h"
#include "clients/chat/platform.h"
#include "clients/chat/reading.h"
#include "clients/chat/reply_url.h"
#include "clients/chat/slack_text.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr minutes kSlackWindow{5};
// The name of a conversation of two.
constexpr std::string_view kSlackDirectName = "directmessage";
// Answers by response_url: five within this time.
constexpr minutes kSlackReplyTime{30};

// Empty: the request is Slack's.
std::string_view SlackProblem(const PlatformConfig& config, const ChatRequest& request,
                              std::chrono::system_clock::time_point now) {
  const std::string_view time = request.header("X-Slack-Request-Timestamp");
  const std::optional<int64_t> seconds = ParseTimestamp(time);
  if (!seconds.has_value()) return "the timestamp is missing";
  const std::string& secret = config.SecretText("signing_secret");
  const std::string signature =
      absl::StrCat("v0=", HmacSha256Hex(secret, absl::StrCat("v0:", Abs(time), ":", Abs(request.body))));
  if (!SameSecret(request.header("X-Slack-Signature"), signature) || secret.empty()) {
    return "the signature does not fit";
  }
  if (!Within(std::chrono::seconds(*seconds), std::chrono::duration_cast<milliseconds>(now.time_since_epoch()),
              kSlackWindow)) {
    return "the timestamp is more than five minutes off";
  }
  return {};
}

ChatReading ReadSlackEvent(const nlohmann::json& body) {
  const std::string_view type = TextAt(body, {"type"});
  if (type == "url_verification") return Challenge(TextAt(body, {"challenge"}), "text/plain; charset=utf-8");
  if (type != "event_callback") return Ignored("not an event");
  const std::string_view what = TextAt(body, {"event", "type"});
  const bool direct = what == "message" && TextAt(body, {"event", "channel_type"}) == "im";
  // A mention in a channel comes as "message", too, where the app is subscribed to both: one of them is enough.
  if (what != "app_mention" && !direct) return Ignored("not said to the bot");
  if (ValueAt(body, {"event", "bot_id"}) != nullptr) return Ignored("a bot's");
  if (ValueAt(body, {"event", "subtype"}) != nullptr) return Ignored("not a new message");
  ChatEvent event;
  event.platform = "slack";
  event.id = TextAt(body, {"event_id"});
  event.channel = TextAt(body, {"event", "channel"});
  event.user = TextAt(body, {"event", "user"});
  event.message = TextAt(body, {"event", "ts"});
  event.thread = TextAt(body, {"event", "thread_ts"});
  event.text = SlackPlainText(TextAt(body, {"event", "text"}));
  event.addressed = true;
  event.direct = direct;
  return Received(std::move(event));
}

void AddSlackReply(const PlatformConfig& config, std::string_view url, std::chrono::system_clock::time_point now,
                   ChatEvent& event) {
  event.reply_url = AllowedReplyUrl(url, FindChatPlatform("slack")->reply_hosts, config.api_url);
  if (!event.reply_url.empty()) event.reply_until = now + kSlackReplyTime;
}

ChatReading ReadSlackAction(const PlatformConfig& config, const nlohmann::json& body,
                            std::chrono::system_clock::time_point now) {
  if (TextAt(body, {"type"}) != "block_actions") return Ignored("not a button");
  const nlohmann::json* actions = ValueAt(body, {"actions"});
  if (actions == nullptr || !actions->is_array() || actions->empty()) return Refused(400, "an action without a button");
  ChatEvent event;
  event.platform = "slack";
  event.kind = ChatEvent::Kind::kAction;
  event.id = TextAt(body, {"trigger_id"});
  event.channel = TextAt(body, {"channel", "id"});
  event.user = TextAt(body, {"user", "id"});
  event.message = TextAt(body, {"container", "message_ts"});
  event.thread = TextAt(body, {"message", "thread_ts"});
  event.action = TextAt(actions->front(), {"value"});
  event.addressed = true;
  event.direct = TextAt(body, {"channel", "name"}) == kSlackDirectName;
  AddSlackReply(config, TextAt(body, {"response_url"}), now, event);
  return Received(std::move(event));
}

ChatReading ReadSlackForm(const PlatformConfig& config, const Form& form, std::chrono::system_clock::time_point now) {
  if (form.Has("ssl_check")) return Ignored("a check of the certificate");
  if (form.Has("payload")) {
    const std::optional<nlohmann::json> payload = ParseObject(form.Get("payload"));
    if (!payload.has_value()) return Refused(400, "the payload is no JSON object");
    return ReadSlackAction(config, *payload, now);
  }
  if (!form.Has("command")) return Refused(400, "neither a command nor a payload");
  ChatEvent event;
  event.platform = "slack";
  event.id = form.Get("trigger_id");
  event.channel = form.Get("channel_id");
  event.user = form.Get("user_id");
  event.text = SlackPlainText(form.Get("text"));
  event.addressed = true;
  event.direct = form.Get("channel_name") == kSlackDirectName;
  AddSlackReply(config, form.Get("response_url"), now, event);
  return Received(std::move(event));
}

}  // namespace

ChatReading ReadSlack(const PlatformConfig& config, const ChatRequest& request,
                      std::chrono::system_clock::time_point now) {
  const bool json = HasType(request, {"application/json"});
  if (!json && !HasType(request, {"application/x-www-form-urlencoded"})) {
    return Refused(415, "expected application/json or a form");
  }
  if (const std::string_view problem = SlackProblem(config, request, now); !problem.empty()) {
    return Refused(401, problem);
  }
  if (json) {
    const std::optional<nlohmann::json> body = ParseObject(request.body);
    return body.has_value() ? ReadSlackEvent(*body) : Refused(400, "the body is no JSON object");
  }
  const std::optional<Form> form = Form::Parse(request.body);
  if (!form.has_value()) return Refused(400, "the body is no form");
  ChatReading reading = ReadSlackForm(config, *form, now);
  // What a slash command is answered with would be shown to the person.
  if (reading.status == 200) {
    reading.content_type = "text/plain; charset=utf-8";
    reading.body.clear();
  }
  return reading;
}

}  // namespace yardmaster::chat
