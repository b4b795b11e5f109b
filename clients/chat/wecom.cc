// WeCom: messages to an application, encrypted in XML, signed in the query; and the check of the URL by GET.
#include <string>

#include "clients/chat/crypto.h"
#include "clients/chat/form.h"
#include "clients/chat/platform.h"
#include "clients/chat/reading.h"
#include "clients/chat/wecom_crypto.h"
#include "clients/chat/wecom_xml.h"
#include "services/core/lines.h"

namespace yardmaster::chat {
namespace {

using std::chrono::milliseconds;

bool IsSignedByWecom(const PlatformConfig& config, const Form& query, std::string_view encrypted) {
  const std::string& token = config.SecretText("token");
  return !token.empty() && !query.Get("timestamp").empty() &&
         SameSecret(query.Get("msg_signature"),
                    WecomSignature(token, query.Get("timestamp"), query.Get("nonce"), encrypted));
}

std::string_view FieldOf(const WecomFields& fields, std::string_view name) {
  const auto field = fields.find(name);
  return field == fields.end() ? std::string_view() : TrimBlanks(field->second);
}

ChatReading ReadWecomMessage(const WecomFields& fields, std::chrono::system_clock::time_point now) {
  const std::optional<int64_t> created = ParseTimestamp(FieldOf(fields, "CreateTime"));
  if (!created.has_value()) return Refused(400, "the message has no time");
  if (!Within(std::chrono::seconds(*created), std::chrono::duration_cast<milliseconds>(now.time_since_epoch()),
              kOldestMessage)) {
    return Ignored("too old");
  }
  ChatEvent event;
  event.platform = "wecom";
  event.user = FieldOf(fields, "FromUserName");
  event.channel = FieldOf(fields, "AgentID");
  event.addressed = true;
  const std::string_view type = FieldOf(fields, "MsgType");
  if (type == "text") {
    event.id = FieldOf(fields, "MsgId");
    event.message = event.id;
    event.text = FieldOf(fields, "Content");
    return Received(std::move(event));
  }
  if (type == "event" && FieldOf(fields, "Event") == "template_card_event") {
    event.kind = ChatEvent::Kind::kAction;
    // It lets the card be changed once, so each press has its own.
    event.id = FieldOf(fields, "ResponseCode");
    event.message = FieldOf(fields, "TaskId");
    event.action = FieldOf(fields, "EventKey");
    return Received(std::move(event));
  }
  return Ignored("not a text");
}

}  // namespace

ChatReading ReadWecom(const PlatformConfig& config, const ChatRequest& request,
                      std::chrono::system_clock::time_point now) {
  const bool check = request.method == "GET";
  // Without a type it may be XML as well: the signature decides.
  if (!check && !HasType(request, {"text/xml", "application/xml", ""})) return Refused(415, "expected text/xml");
  const std::optional<Form> query = Form::Parse(request.query);
  if (!query.has_value()) return Refused(400, "the query can't be read");

  std::string encrypted(query->Get("echostr"));
  if (!check) {
    const std::optional<WecomFields> envelope = ParseWecomXml(request.body);
    if (!envelope.has_value()) return Refused(400, "the body is not the XML that was expected");
    encrypted = FieldOf(*envelope, "Encrypt");
  }
  if (!IsSignedByWecom(config, *query, encrypted)) return Refused(401, "the signature does not fit");
  const std::optional<std::string> plain =
      OpenWecom(config.SecretText("encoding_aes_key"), encrypted, config.Id("corp_id"));
  if (!plain.has_value()) return Refused(401, "the text is not encrypted for us");
  if (check) return Challenge(*plain, "text/plain; charset=utf-8");
  const std::optional<WecomFields> message = ParseWecomXml(*plain);
  if (!message.has_value()) return Refused(400, "the message is not the XML that was expected");
  ChatReading reading = ReadWecomMessage(*message, now);
  // Anything else than nothing would be taken for an encrypted answer.
  if (reading.status == 200) {
    reading.content_type = "text/plain; charset=utf-8";
    reading.body.clear();
  }
  return reading;
}

}  // namespace yardmaster::chat
