// Who may call what: bearer tokens with roles, and the anonymous caller on loopback.
#ifndef YARDMASTER_SERVICES_CORE_AUTH_H_
#define YARDMASTER_SERVICES_CORE_AUTH_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "services/core/secret.h"

namespace yardmaster {

// viewer: every read, dry runs included. operator: writes to forges, reloads, repeats. admin: everything. Each of these
// includes the ones before it. runner: what workers call, and nothing else.
enum class Role : uint8_t { kViewer = 1, kOperator = 2, kAdmin = 3, kRunner = 4 };
// True if who has the role `has` may call what needs the role `needs`.
bool RoleSuffices(Role has, Role needs);
std::string_view RoleName(Role role);
std::optional<Role> RoleFromName(std::string_view name);

// What a token of the role runner is for, besides its role.
struct RunnerRights {
  std::vector<std::string> names;  // globs on names of runners; empty: any that is not another token's
  std::string pool;                // empty: any
};

// The caller.
struct Caller {
  std::string name;  // the token's name in the config, or "anonymous"
  Role role = Role::kViewer;
  bool anonymous = false;
  std::shared_ptr<const RunnerRights> runner = {};  // null: no more than its role says
};

// A bearer token of the config.
struct TokenEntry {
  std::string name;
  Role role = Role::kViewer;
  Secret secret;
  RunnerRights runner = {};
};

// One RPC and the role it needs.
struct MethodRule {
  std::string full_method;  // "/package.Service/Method"
  Role role;
};

// Decides about calls. Thread-safe; the tokens can be replaced while calls run.
class Authenticator {
 public:
  // An RPC that is not among `methods` is refused. Health and reflection need no token and never come here.
  Authenticator(const std::vector<MethodRule>& methods, const std::vector<TokenEntry>& tokens,
                bool allow_anonymous_loopback);

  // New tokens, in one step. Calls in flight keep what they were admitted with.
  void Replace(const std::vector<TokenEntry>& tokens, bool allow_anonymous_loopback);

  // `authorization` is the value of that header, empty if there is none; `peer` is gRPC's name of the other side
  // ("ipv4:127.0.0.1:5000"). OK and `caller` filled, or UNAUTHENTICATED or PERMISSION_DENIED.
  // A wrong token is refused even where an anonymous caller would be let in. Tokens are compared by their SHA-256
  // digests, all of them, in constant time.
  absl::Status Admit(std::string_view full_method, std::string_view authorization, std::string_view peer,
                     Caller& caller) const;

 private:
  struct Table;
  std::shared_ptr<const Table> Current() const;
  static std::shared_ptr<const Table> MakeTable(const std::vector<TokenEntry>& tokens, bool allow_anonymous_loopback);

  absl::flat_hash_map<std::string, Role> roles_;
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const Table> table_;
};

// True if gRPC's name of a peer is a loopback address or a Unix socket.
bool IsLoopbackPeer(std::string_view peer);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_AUTH_H_
