// Accounts that people linked themselves: codes that the bot gives out in chat, and that the owner of an account posts
// on the forge.
#ifndef YARDMASTER_SERVICES_CHAT_ACCOUNT_LINKS_H_
#define YARDMASTER_SERVICES_CHAT_ACCOUNT_LINKS_H_

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

// A code that links an account: it is told to its owner alone, and kept as a digest.
struct LinkCode {
  std::string code;
  std::string digest;
};
// A new one, from the system's source of randomness.
LinkCode NewLinkCode();
// The digest of a code as people write it: case and dashes play no part. Empty: it can be none.
std::string DigestOfLinkCode(std::string_view code);

// Thread-safe. Finding waits for nothing: the links are held in memory, and written through.
class AccountLinks {
 public:
  // References outlive the links. Errors are the store's.
  static absl::StatusOr<std::unique_ptr<AccountLinks>> Open(store::ChatLinks& links, const Clock& clock);

  // The login of a platform's user on a forge; empty if there is none.
  std::string Find(std::string_view platform, std::string_view user, std::string_view forge) const;

  // Whose code it is, where Redeem would use it up now; nullopt: it is not good.
  absl::StatusOr<std::optional<store::ChatAccount>> FindCode(std::string_view code_digest, std::string_view forge,
                                                             std::string_view login) const;
  // Whoever brings the code before `until` is the account's owner.
  absl::Status Offer(const store::ChatAccount& account, std::string_view code_digest,
                     std::chrono::system_clock::time_point until);
  // Links the account that the code was made for with `login`. NOT_FOUND if the code is not good.
  absl::Status Redeem(std::string_view code_digest, std::string_view forge, std::string_view login);
  // Ends the links of a platform's user, and what codes there are.
  absl::Status Remove(std::string_view platform, std::string_view user);
  // The links of a platform's user.
  std::vector<store::ChatLink> LinksOf(std::string_view platform, std::string_view user) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // platform, user, forge

  AccountLinks(store::ChatLinks& links, const Clock& clock) : links_(links), clock_(clock) {}

  store::ChatLinks& links_;
  const Clock& clock_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<Key, std::string> logins_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CHAT_ACCOUNT_LINKS_H_
