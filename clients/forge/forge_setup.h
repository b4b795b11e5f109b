// How an account and the webhooks of a repository are set up on a forge, for people who look for what is wrong. Nothing
// here writes.
#ifndef YARDMASTER_CLIENTS_FORGE_FORGE_SETUP_H_
#define YARDMASTER_CLIENTS_FORGE_FORGE_SETUP_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"

namespace yardmaster {

// The forge's name of a permission → "read", "write" or "admin".
using ForgePermissions = std::map<std::string, std::string, std::less<>>;

// The account behind the credentials, and what they allow as far as the forge tells.
struct ForgeAccount {
  ForgeUser user;
  // Of a token: the forge's own words. Unset: the forge does not tell.
  std::optional<std::vector<std::string>> scopes;
  // Of an App's installation. Unset: this is no App.
  std::optional<ForgePermissions> permissions;
};

// A webhook of a repository.
struct ForgeWebhook {
  std::string id;
  std::string url;           // comes from outside: it is shown and never contacted
  std::string content_type;  // "json", "form"; empty: the forge does not say
  std::optional<bool> has_secret;
  bool sends_secret = false;  // itself, in place of a signature
  bool active = true;
  bool verifies_tls = true;
  std::vector<std::string> events;  // in the forge's own words
};

// Thread-safe. Calls block and fail as those of Forge do.
class ForgeSetup {
 public:
  virtual ~ForgeSetup() = default;
  virtual absl::StatusOr<ForgeAccount> GetAccount(const ForgeCall& call) = 0;
  // All pages. NOT_FOUND or PERMISSION_DENIED if we may not see them.
  virtual absl::StatusOr<std::vector<ForgeWebhook>> ListWebhooks(const ForgeCall& call,
                                                                 std::string_view repository) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_FORGE_SETUP_H_
