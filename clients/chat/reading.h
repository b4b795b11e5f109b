// The answers that the platforms' readers give, and what their JSON has in common.
#ifndef YARDMASTER_CLIENTS_CHAT_READING_H_
#define YARDMASTER_CLIENTS_CHAT_READING_H_

#include <chrono>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "clients/chat/chat_event.h"

namespace yardmaster::chat {

// 400, 401 or 415, with a word on why.
ChatReading Refused(int status, std::string_view why);
// 200, and nothing is done.
ChatReading Ignored(std::string_view why);
// 200 with a text that the platform waits for.
ChatReading Challenge(std::string_view text, std::string_view content_type);
// 200, and the event is kept. A bad request where an id of the event is no id.
ChatReading Received(ChatEvent event);

// Whether the request's Content-Type, without its parameters, is one of these.
bool HasType(const ChatRequest& request, std::initializer_list<std::string_view> types);

// An object, or nullopt.
std::optional<nlohmann::json> ParseObject(std::string_view text);

// The text at the end of a path of members; empty if there is none or it is no string.
std::string_view TextAt(const nlohmann::json& object, std::initializer_list<std::string_view> path);
// The value there; null if there is none.
const nlohmann::json* ValueAt(const nlohmann::json& object, std::initializer_list<std::string_view> path);

// Digits only: seconds or milliseconds since the epoch.
std::optional<int64_t> ParseTimestamp(std::string_view digits);

// Whether two times are no further apart than `window`. Any numbers.
bool Within(std::chrono::milliseconds a, std::chrono::milliseconds b, std::chrono::milliseconds window);

// What platforms resend comes within hours. What is older was recorded and sent again; it is known by its id for only
// so long. For platforms that set no window for the signature.
inline constexpr std::chrono::hours kOldestMessage{24};

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_READING_H_
