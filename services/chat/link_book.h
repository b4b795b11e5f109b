// Accounts that people linked themselves: codes that the bot gives out in chat, and that the owner of an account posts
// on the forge.
#ifndef YARDMASTER_SERVICES_CHAT_LINK_BOOK_H_
#define YARDMASTER_SERVICES_CHAT_LINK_BOOK_H_

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/clock.h"
#include "services/core/store/chat_links.h"

namespace yardmaster {

// A code is good for so long.
inline constexpr std::chrono::minutes kLinkCodeLife{15};

// Thread-safe. Finding waits for nothing: the links are held in memory, and written through.
class LinkBook {
 public:
  // References outlive the book. Errors are the store's.
  static absl::StatusOr<std::unique_ptr<LinkBook>> Open(store::ChatLinks& links, const Clock& clock);

  // The login of a platform's user on a forge; empty if there is none.
  std::string Find(std::string_view platform, std::string_view user, std::string_view forge) const;

  // A new code, from the system's source of randomness: good once, and not known to anybody but the caller.
  absl::StatusOr<std::string> Offer(const store::ChatAccount& account);
  // Links the account that the code was made for with `login`. nullopt if the code is not good. `code` as people write
  // it: case and dashes play no part.
  absl::StatusOr<std::optional<store::ChatLink>> Redeem(std::string_view code, std::string_view forge,
                                                        std::string_view login);
  // Ends the links of a platform's user, and what codes there are; the links that there were.
  absl::StatusOr<std::vector<store::ChatLink>> Remove(std::string_view platform, std::string_view user);

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // platform, user, forge

  LinkBook(store::ChatLinks& links, const Clock& clock) : links_(links), clock_(clock) {}

  store::ChatLinks& links_;
  const Clock& clock_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<Key, std::string> logins_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CHAT_LINK_BOOK_H_
