#include "clients/chat/event_json.h"

#include <nlohmann/json.hpp>

#include "clients/chat/reading.h"
#include "clients/chat/valid_text.h"

namespace yardmaster::chat {
namespace {

constexpr std::string_view kMessageKind = "message";
constexpr std::string_view kActionKind = "action";

struct EventText {
  const char* key;
  std::string ChatEvent::*member;
};
constexpr EventText kEventTexts[] = {
    {"platform", &ChatEvent::platform}, {"id", &ChatEvent::id},           {"channel", &ChatEvent::channel},
    {"user", &ChatEvent::user},         {"message", &ChatEvent::message}, {"thread", &ChatEvent::thread},
    {"text", &ChatEvent::text},         {"action", &ChatEvent::action},   {"reply_url", &ChatEvent::reply_url}};

}  // namespace

std::string ToJson(const ChatEvent& event) {
  nlohmann::ordered_json value;
  value["kind"] = event.kind == ChatEvent::Kind::kAction ? kActionKind : kMessageKind;
  for (const EventText& row : kEventTexts) {
    if (!(event.*row.member).empty()) value[row.key] = event.*row.member;
  }
  value["addressed"] = event.addressed;
  if (event.direct) value["direct"] = true;
  value["proved"] = event.proved;
  value["reply_until"] =
      std::chrono::duration_cast<std::chrono::milliseconds>(event.reply_until.time_since_epoch()).count();
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<ChatEvent> EventFromJson(std::string_view text) {
  const std::optional<nlohmann::json> value = ParseObject(text);
  if (!value.has_value()) return std::nullopt;
  const std::string_view kind = TextAt(*value, {"kind"});
  const nlohmann::json* addressed = ValueAt(*value, {"addressed"});
  const nlohmann::json* proved = ValueAt(*value, {"proved"});
  const nlohmann::json* until = ValueAt(*value, {"reply_until"});
  const bool complete = (kind == kMessageKind || kind == kActionKind) && addressed != nullptr &&
                        addressed->is_boolean() && proved != nullptr && proved->is_boolean() && until != nullptr &&
                        until->is_number_integer();
  if (!complete) return std::nullopt;
  ChatEvent event;
  event.kind = kind == kActionKind ? ChatEvent::Kind::kAction : ChatEvent::Kind::kMessage;
  for (const EventText& row : kEventTexts) event.*row.member = TextAt(*value, {row.key});
  event.addressed = addressed->get<bool>();
  event.proved = proved->get<bool>();
  const nlohmann::json* direct = ValueAt(*value, {"direct"});
  event.direct = direct != nullptr && *direct == true;
  // Not above what a system clock counts in nanoseconds.
  constexpr int64_t kMostMillis = 9'000'000'000'000;
  const auto millis = until->get<int64_t>();
  if (millis < 0 || millis > kMostMillis || !IsValidId(event.id)) return std::nullopt;
  event.reply_until = std::chrono::system_clock::time_point(std::chrono::milliseconds(millis));
  return event;
}

}  // namespace yardmaster::chat
