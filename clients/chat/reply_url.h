// Where answers may go. A payload names URLs; only those of the platform itself are used.
#ifndef YARDMASTER_CLIENTS_CHAT_REPLY_URL_H_
#define YARDMASTER_CLIENTS_CHAT_REPLY_URL_H_

#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::chat {

inline constexpr size_t kMaxReplyUrlBytes = 2'000;

// `url` if it is https at one of `hosts`, or has scheme, host and port of `api_url`; else nothing.
std::string AllowedReplyUrl(std::string_view url, const std::vector<std::string_view>& hosts, std::string_view api_url);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_REPLY_URL_H_
