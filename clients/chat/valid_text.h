// What ids and texts of a platform may be before anything else looks at them.
#ifndef YARDMASTER_CLIENTS_CHAT_VALID_TEXT_H_
#define YARDMASTER_CLIENTS_CHAT_VALID_TEXT_H_

#include <cstddef>
#include <string_view>

namespace yardmaster::chat {

inline constexpr size_t kMaxIdBytes = 200;

// UTF-8 without NUL.
bool IsValidText(std::string_view text);

// An id of a platform: printable ASCII without blanks, at most kMaxIdBytes, not empty.
bool IsValidId(std::string_view text);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_VALID_TEXT_H_
