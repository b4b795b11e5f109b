// DingTalk: messages to the robot and buttons of its cards. The signature covers the time alone, so whoever has seen a
// request can put another body under it for an hour: what comes from here proves nothing by itself.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "clients/chat/crypto.h"
#include "clients/chat/platform.h"
#include "clients/chat/reading.h"
#include "clients/chat/reply_url.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"

namespace yardmaster::chat {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::hours kDingtalkWindow{1};
// A payload may not keep us answering for longer.
constexpr std::chrono::hours kMostDingtalkReplyTime{24};

std::string_view DingtalkProblem(const PlatformConfig& config, const ChatRequest& request, milliseconds now) {
  const std::string_view time = request.header("timestamp");
  const std::optional<int64_t> millis = ParseTimestamp(time);
  if (!millis.has_value()) return "the timestamp is missing";
  const std::string& secret = config.SecretText("app_secret");
  const std::string sign = Base64(HmacSha256(secret, absl::StrCat(Abs(time), "\n", secret)));
  if (!SameSecret(request.header("sign"), sign) || secret.empty()) return "the signature does not fit";
  if (!Within(milliseconds(*millis), now, kDingtalkWindow)) return "the timestamp is more than an hour off";
  return {};
}

ChatReading ReadDingtalkAction(const nlohmann::json& body, ChatEvent event) {
  const std::optional<nlohmann::json> content = ParseObject(TextAt(body, {"content"}));
  if (!content.has_value()) return Refused(400, "the content of the button is no JSON object");
  event.kind = ChatEvent::Kind::kAction;
  event.action = TextAt(*content, {"cardPrivateData", "params", "value"});
  event.user = TextAt(body, {"userId"});
  event.channel = TextAt(body, {"spaceId"});
  event.message = TextAt(body, {"outTrackId"});
  // A button has no id of its own: one that is pressed again is the same.
  event.id = absl::StrCat(event.message, "/", HmacSha256Hex(event.user, event.action));
  return Received(std::move(event));
}

}  // namespace

ChatReading ReadDingtalk(const PlatformConfig& config, const ChatRequest& request,
                         std::chrono::system_clock::time_point now) {
  if (!HasType(request, {"application/json"})) return Refused(415, "expected application/json");
  const auto time = std::chrono::duration_cast<milliseconds>(now.time_since_epoch());
  if (const std::string_view problem = DingtalkProblem(config, request, time); !problem.empty()) {
    return Refused(401, problem);
  }
  const std::optional<nlohmann::json> body = ParseObject(request.body);
  if (!body.has_value()) return Refused(400, "the body is no JSON object");
  ChatEvent event;
  event.platform = "dingtalk";
  event.proved = false;
  event.addressed = true;
  if (TextAt(*body, {"type"}) == "actionCallback") return ReadDingtalkAction(*body, std::move(event));
  if (TextAt(*body, {"msgtype"}) != "text") return Ignored("not a text");
  event.id = TextAt(*body, {"msgId"});
  event.message = event.id;
  event.channel = TextAt(*body, {"conversationId"});
  // People of other organisations have no staff id; they are nobody's account.
  event.user = TextAt(*body, {"senderStaffId"});
  if (event.user.empty()) event.user = TextAt(*body, {"senderId"});
  event.text = TrimBlanks(TextAt(*body, {"text", "content"}));
  event.direct = TextAt(*body, {"conversationType"}) == "1";
  event.reply_url =
      AllowedReplyUrl(TextAt(*body, {"sessionWebhook"}), FindChatPlatform("dingtalk")->reply_hosts, config.api_url);
  const nlohmann::json* until = ValueAt(*body, {"sessionWebhookExpiredTime"});
  if (!event.reply_url.empty() && until != nullptr && until->is_number_integer()) {
    const milliseconds given(std::clamp<int64_t>(until->get<int64_t>(), 0, (time + kMostDingtalkReplyTime).count()));
    event.reply_until = std::chrono::system_clock::time_point(given);
  }
  return Received(std::move(event));
}

}  // namespace yardmaster::chat
