// Which issue or pull request a text in chat names. Pure.
#ifndef YARDMASTER_SERVICES_CHAT_CHAT_TARGET_H_
#define YARDMASTER_SERVICES_CHAT_CHAT_TARGET_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace yardmaster {

struct ChatTarget {
  std::string forge;        // empty: the channel's
  std::string repository;   // "owner/name"; empty: the channel's
  int64_t number = 0;       // 0: none is named
  bool pull_first = false;  // the words say that it is a pull request

  friend bool operator==(const ChatTarget&, const ChatTarget&) = default;
};

// In this order: an address on a forge, "owner/name#12", "#12" or "!12", and a number that stands alone ("PR 12", "why
// 12"). `hosts`: forge by the host of its pages; addresses on others name nothing.
ChatTarget FindChatTarget(std::string_view text, const std::map<std::string, std::string, std::less<>>& hosts);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CHAT_CHAT_TARGET_H_
