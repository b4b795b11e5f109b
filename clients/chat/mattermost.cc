// Mattermost: slash commands, outgoing webhooks and buttons. A shared token, in the header, the body, or both; buttons
// carry no token, but a value that we signed, and that the server shows to nobody: it takes the integration off a post
// before it hands it to a client. So whoever brings the value is the server, which says who pressed.
#include <string>

#include "clients/chat/button.h"
#include "clients/chat/crypto.h"
#include "clients/chat/form.h"
#include "clients/chat/platform.h"
#include "clients/chat/reading.h"
#include "clients/chat/reply_url.h"
#include "services/core/lines.h"

namespace yardmaster::chat {
namespace {

constexpr std::string_view kTokenPrefix = "Token ";
constexpr std::chrono::minutes kMattermostReplyTime{30};

// The fields of a message, from a form or from JSON.
struct MattermostFields {
  std::optional<Form> form;
  std::optional<nlohmann::json> json;

  bool ok() const { return form.has_value() || json.has_value(); }
  std::string_view Get(std::string_view name) const {
    if (form.has_value()) return form->Get(name);
    return json.has_value() ? TextAt(*json, {name}) : std::string_view();
  }
  bool Has(std::string_view name) const {
    return form.has_value() ? form->Has(name) : json.has_value() && json->contains(std::string(name));
  }
};

ChatReading ReadMattermostAction(const PlatformConfig& config, const nlohmann::json& body,
                                 std::chrono::system_clock::time_point now) {
  const std::string_view value = TextAt(body, {"context", "value"});
  if (!OpenButton(config.SecretText("token"), value, now).has_value()) {
    return Refused(401, "the button is not ours, or too old");
  }
  ChatEvent event;
  event.platform = "mattermost";
  event.kind = ChatEvent::Kind::kAction;
  event.action = value;
  event.channel = TextAt(body, {"channel_id"});
  event.user = TextAt(body, {"user_id"});
  event.message = TextAt(body, {"post_id"});
  event.id = TextAt(body, {"trigger_id"});
  event.addressed = true;
  return Received(std::move(event));
}

// A conversation of two is named after both, "ID__ID".
bool IsDirectName(std::string_view name) {
  constexpr size_t kIdLength = 26;
  return name.size() == 2 * kIdLength + 2 && name.substr(kIdLength, 2) == "__";
}

std::string_view WithoutTrigger(std::string_view text, std::string_view trigger) {
  text = TrimBlanks(text);
  if (!trigger.empty() && text.starts_with(trigger)) text = TrimBlanks(text.substr(trigger.size()));
  return text;
}

}  // namespace

ChatReading ReadMattermost(const PlatformConfig& config, const ChatRequest& request,
                           std::chrono::system_clock::time_point now) {
  const bool json = HasType(request, {"application/json"});
  if (!json && !HasType(request, {"application/x-www-form-urlencoded"})) {
    return Refused(415, "expected application/json or a form");
  }
  const std::string& token = config.SecretText("token");
  const std::string_view header = request.header("Authorization");
  const bool proved_by_header =
      header.starts_with(kTokenPrefix) && SameSecret(header.substr(kTokenPrefix.size()), token);
  if (!header.empty() && !proved_by_header) return Refused(401, "the token in the header does not fit");

  MattermostFields fields;
  if (json) {
    fields.json = ParseObject(request.body);
  } else {
    fields.form = Form::Parse(request.body);
  }
  if (fields.Has("token") && !SameSecret(fields.Get("token"), token)) {
    return Refused(401, "the token in the body does not fit");
  }
  if (!proved_by_header && !fields.Has("token")) {
    if (fields.json.has_value() && fields.Has("context")) return ReadMattermostAction(config, *fields.json, now);
    return Refused(401, "the token is missing");
  }
  if (!fields.ok()) return Refused(400, json ? "the body is no JSON object" : "the body is no form");
  if (fields.Has("context") && fields.json.has_value()) return ReadMattermostAction(config, *fields.json, now);

  ChatEvent event;
  event.platform = "mattermost";
  const bool command = fields.Has("command");
  event.id = fields.Get(command ? "trigger_id" : "post_id");
  event.channel = fields.Get("channel_id");
  event.user = fields.Get("user_id");
  event.message = fields.Get("post_id");
  event.thread = fields.Get("root_id");
  event.text =
      command ? TrimBlanks(fields.Get("text")) : WithoutTrigger(fields.Get("text"), fields.Get("trigger_word"));
  event.addressed = true;
  event.direct = IsDirectName(fields.Get("channel_name"));
  event.reply_url = AllowedReplyUrl(fields.Get("response_url"), {}, config.api_url);
  if (!event.reply_url.empty()) event.reply_until = now + kMattermostReplyTime;
  return Received(std::move(event));
}

}  // namespace yardmaster::chat
