// Feishu and Lark: events and cards, signed by a plain hash over time, nonce, key and body, and mostly encrypted. The
// check of the URL comes without a signature: the token inside tells that it is theirs.
#include <string>

#include "absl/strings/str_cat.h"
#include "clients/chat/crypto.h"
#include "clients/chat/feishu_text.h"
#include "clients/chat/platform.h"
#include "clients/chat/reading.h"
#include "services/core/absl_view.h"
#include "services/core/sha256.h"

namespace yardmaster::chat {
namespace {

using std::chrono::milliseconds;

constexpr size_t kFeishuIv = 16;

std::optional<std::string> DecryptFeishu(std::string_view encrypt_key, std::string_view encrypted) {
  const std::optional<std::string> bytes = FromBase64(encrypted);
  if (!bytes.has_value() || bytes->size() <= kFeishuIv) return std::nullopt;
  const Sha256Bytes key = Sha256(encrypt_key);
  return DecryptAes256Cbc({reinterpret_cast<const char*>(key.data()), key.size()},
                          std::string_view(*bytes).substr(0, kFeishuIv), std::string_view(*bytes).substr(kFeishuIv),
                          /*block=*/16);
}

bool IsSignedByFeishu(std::string_view key, const ChatRequest& request) {
  const std::string expected =
      Sha256Hex(absl::StrCat(Abs(request.header("X-Lark-Request-Timestamp")),
                             Abs(request.header("X-Lark-Request-Nonce")), Abs(key), Abs(request.body)));
  return SameSecret(request.header("X-Lark-Signature"), expected) && !key.empty();
}

// The body, decrypted where it is encrypted; nullopt if it can't be read.
std::optional<nlohmann::json> OpenFeishuBody(std::string_view key, std::string_view body) {
  std::optional<nlohmann::json> outer = ParseObject(body);
  if (!outer.has_value() || !outer->contains("encrypt")) return outer;
  const std::optional<std::string> plain = DecryptFeishu(key, TextAt(*outer, {"encrypt"}));
  return plain.has_value() ? ParseObject(*plain) : std::nullopt;
}

ChatReading ReadFeishuMessage(const PlatformConfig& config, const nlohmann::json& body, ChatEvent event) {
  if (TextAt(body, {"event", "sender", "sender_type"}) == "app") return Ignored("a bot's");
  if (TextAt(body, {"event", "message", "message_type"}) != "text") return Ignored("not a text");
  const std::optional<nlohmann::json> content = ParseObject(TextAt(body, {"event", "message", "content"}));
  if (!content.has_value()) return Refused(400, "the content of the message is no JSON object");
  const nlohmann::json* mentions = ValueAt(body, {"event", "message", "mentions"});
  const std::string_view text = TextAt(*content, {"text"});
  const std::string_view bot = FeishuBotPlace(text, mentions, config.Id("bot_open_id"));
  event.direct = TextAt(body, {"event", "message", "chat_type"}) == "p2p";
  event.addressed = event.direct || !bot.empty();
  if (!event.addressed) return Ignored("not said to the bot");
  event.text = FeishuPlainText(text, mentions, bot);
  event.channel = TextAt(body, {"event", "message", "chat_id"});
  event.user = TextAt(body, {"event", "sender", "sender_id", "open_id"});
  event.message = TextAt(body, {"event", "message", "message_id"});
  event.thread = TextAt(body, {"event", "message", "root_id"});
  return Received(std::move(event));
}

ChatReading ReadFeishuAction(const nlohmann::json& body, ChatEvent event) {
  event.kind = ChatEvent::Kind::kAction;
  event.addressed = true;
  event.action = TextAt(body, {"event", "action", "value", "value"});
  event.channel = TextAt(body, {"event", "context", "open_chat_id"});
  event.user = TextAt(body, {"event", "operator", "open_id"});
  event.message = TextAt(body, {"event", "context", "open_message_id"});
  return Received(std::move(event));
}

}  // namespace

ChatReading ReadFeishu(const PlatformConfig& config, const ChatRequest& request,
                       std::chrono::system_clock::time_point now) {
  if (!HasType(request, {"application/json"})) return Refused(415, "expected application/json");
  const std::string& key = config.SecretText("encrypt_key");
  const bool has_signature = !request.header("X-Lark-Signature").empty();
  const bool is_signed = has_signature && IsSignedByFeishu(key, request);
  if (has_signature && !is_signed) return Refused(401, "the signature does not fit");

  const std::optional<nlohmann::json> body = OpenFeishuBody(key, request.body);
  // Without a signature nothing is told about what was wrong inside.
  if (!body.has_value()) {
    return is_signed ? Refused(400, "the body can't be read") : Refused(401, "the signature is missing");
  }
  const std::string& token = config.SecretText("verification_token");
  const bool url_check = TextAt(*body, {"type"}) == "url_verification";
  if (!is_signed && !url_check) return Refused(401, "the signature is missing");
  const std::string_view given = url_check ? TextAt(*body, {"token"}) : TextAt(*body, {"header", "token"});
  if (!SameSecret(given, token)) return Refused(401, "the token does not fit");
  if (url_check) {
    const nlohmann::json answer = {{"challenge", std::string(TextAt(*body, {"challenge"}))}};
    return Challenge(answer.dump(), "application/json");
  }

  ChatEvent event;
  event.platform = "feishu";
  event.id = TextAt(*body, {"header", "event_id"});
  const std::optional<int64_t> seconds = ParseTimestamp(request.header("X-Lark-Request-Timestamp"));
  if (!seconds.has_value()) return Refused(401, "the timestamp is missing");
  if (!Within(std::chrono::seconds(*seconds), std::chrono::duration_cast<milliseconds>(now.time_since_epoch()),
              kOldestMessage)) {
    return Ignored("too old");
  }
  const std::string_view type = TextAt(*body, {"header", "event_type"});
  if (type == "im.message.receive_v1") return ReadFeishuMessage(config, *body, std::move(event));
  if (type == "card.action.trigger") return ReadFeishuAction(*body, std::move(event));
  return Ignored("another event");
}

}  // namespace yardmaster::chat
