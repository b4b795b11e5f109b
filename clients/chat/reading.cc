#include "clients/chat/reading.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/match.h"
#include "clients/chat/valid_text.h"
#include "services/core/absl_view.h"
#include "services/core/json_document.h"
#include "services/core/lines.h"
#include "services/core/sha256.h"

namespace yardmaster::chat {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxValues = 100'000;

}  // namespace

ChatReading Refused(int status, std::string_view why) {
  ChatReading reading;
  reading.status = status;
  reading.body = nlohmann::json({{"error", std::string(why)}}).dump();
  reading.reason = why;
  return reading;
}

ChatReading Ignored(std::string_view why) {
  ChatReading reading;
  reading.body = "{}";
  reading.reason = why;
  return reading;
}

ChatReading Challenge(std::string_view text, std::string_view content_type) {
  ChatReading reading;
  reading.content_type = content_type;
  reading.body = text;
  reading.reason = "challenge";
  return reading;
}

ChatReading Received(ChatEvent event) {
  // Some platforms' ids are long texts of their own.
  if (event.id.size() > kMaxIdBytes) event.id = Sha256Hex(event.id);
  if (!IsValidId(event.id)) return Refused(400, "the event has no id");
  if (!IsValidId(event.user)) return Refused(400, "the event names no user");
  if (!IsValidId(event.channel)) return Refused(400, "the event names no channel");
  for (const std::string* id : {&event.message, &event.thread}) {
    if (!id->empty() && !IsValidId(*id)) return Refused(400, "an id of the event is too long or not printable");
  }
  ChatReading reading;
  reading.body = "{}";
  reading.event = std::move(event);
  return reading;
}

bool HasType(const ChatRequest& request, std::initializer_list<std::string_view> types) {
  const std::string_view header = request.header("Content-Type");
  const std::string_view type = TrimBlanks(header.substr(0, header.find(';')));
  return std::any_of(types.begin(), types.end(),
                     [&](std::string_view one) { return absl::EqualsIgnoreCase(Abs(type), Abs(one)); });
}

std::optional<nlohmann::json> ParseObject(std::string_view text) {
  JsonLimits limits;
  limits.max_bytes = kMaxChatBodyBytes;
  limits.max_depth = kMaxDepth;
  limits.max_values = kMaxValues;
  std::string error;
  std::optional<nlohmann::json> value = ParseJsonLimited(text, limits, error);
  if (!value.has_value() || !value->is_object()) return std::nullopt;
  return value;
}

const nlohmann::json* ValueAt(const nlohmann::json& object, std::initializer_list<std::string_view> path) {
  const nlohmann::json* value = &object;
  for (const std::string_view key : path) {
    if (!value->is_object()) return nullptr;
    const auto member = value->find(std::string(key));
    if (member == value->end()) return nullptr;
    value = &*member;
  }
  return value;
}

std::string_view TextAt(const nlohmann::json& object, std::initializer_list<std::string_view> path) {
  const nlohmann::json* value = ValueAt(object, path);
  if (value == nullptr || !value->is_string()) return {};
  const std::string& text = value->get_ref<const std::string&>();
  // NUL may stand in JSON, and nowhere else.
  return text.find('\0') == std::string::npos ? std::string_view(text) : std::string_view();
}

std::optional<int64_t> ParseTimestamp(std::string_view digits) {
  int64_t value = 0;
  if (digits.empty() || digits.size() > 14 || digits[0] == '-') return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool Within(std::chrono::milliseconds a, std::chrono::milliseconds b, std::chrono::milliseconds window) {
  // Timestamps have at most 14 digits: the difference is in range.
  return std::chrono::abs(a - b) <= window;
}

}  // namespace yardmaster::chat
