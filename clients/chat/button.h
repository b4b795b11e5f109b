// The value of a button: signed, and good for a time. Whoever presses it brings it back, from any platform.
#ifndef YARDMASTER_CLIENTS_CHAT_BUTTON_H_
#define YARDMASTER_CLIENTS_CHAT_BUTTON_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::chat {

inline constexpr std::chrono::hours kButtonLife{1};
inline constexpr size_t kMaxButtonBytes = 1'900;  // Slack takes 2,000

// `secret` is the platform's own; a key for buttons is made of it. `payload` is any text.
std::string SignButton(std::string_view secret, std::string_view payload, std::chrono::system_clock::time_point until);

// The payload; nullopt for what we did not sign, or whose time has gone.
std::optional<std::string> OpenButton(std::string_view secret, std::string_view value,
                                      std::chrono::system_clock::time_point now);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_BUTTON_H_
