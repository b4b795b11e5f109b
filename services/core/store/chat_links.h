// Which accounts of chat platforms belong to which accounts of forges, as people said themselves.
#ifndef YARDMASTER_SERVICES_CORE_STORE_CHAT_LINKS_H_
#define YARDMASTER_SERVICES_CORE_STORE_CHAT_LINKS_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace yardmaster::store {

// One account of a platform, and the forge that it is linked on.
struct ChatAccount {
  std::string platform;
  std::string user;  // as the platform names it
  std::string forge;
};

struct ChatLink {
  ChatAccount account;
  std::string login;  // on the forge
};

// Thread-safe. Functions that write return after the commit and wait for it; they must not be called from a callback of
// the store. Codes are kept as digests: the caller makes them, and alone knows the code.
class ChatLinks {
 public:
  virtual ~ChatLinks() = default;

  // Notes that whoever brings this code before `until` is the account's owner. It takes the place of an earlier code; a
  // link that is there stays until it is replaced. RESOURCE_EXHAUSTED while the disk is low.
  virtual absl::Status Offer(const ChatAccount& account, std::string_view code_digest,
                             std::chrono::system_clock::time_point until) = 0;
  // Whose code it is, where Redeem would use it up now.
  virtual absl::StatusOr<std::optional<ChatAccount>> FindCode(std::string_view code_digest, std::string_view forge,
                                                              std::string_view login,
                                                              std::chrono::system_clock::time_point now) = 0;
  // Uses a code up: the account that it was made for is `login`'s from now on. nullopt for a code that is unknown, over
  // its time, of another forge, or used by somebody else. The one who used it may bring it again.
  virtual absl::StatusOr<std::optional<ChatLink>> Redeem(std::string_view code_digest, std::string_view forge,
                                                         std::string_view login) = 0;
  // Forgets all links and codes of a platform's user; the links that there were.
  virtual absl::StatusOr<std::vector<ChatLink>> Remove(std::string_view platform, std::string_view user) = 0;
  // Every link.
  virtual absl::StatusOr<std::vector<ChatLink>> All() = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_CHAT_LINKS_H_
