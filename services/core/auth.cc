#include "services/core/auth.h"

#include <openssl/crypto.h>

#include "absl/strings/match.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/sha256.h"

namespace yardmaster {

struct Authenticator::Table {
  struct Entry {
    Sha256Bytes digest;
    std::string name;
    Role role;
    std::shared_ptr<const RunnerRights> runner;
  };
  std::vector<Entry> entries;
  bool allow_anonymous_loopback = false;
};

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kViewer:
      return "viewer";
    case Role::kOperator:
      return "operator";
    case Role::kAdmin:
      return "admin";
    case Role::kRunner:
      return "runner";
  }
  return "viewer";
}

bool RoleSuffices(Role has, Role needs) {
  if (needs == Role::kRunner) return has == Role::kRunner || has == Role::kAdmin;
  return has != Role::kRunner && has >= needs;
}

std::optional<Role> RoleFromName(std::string_view name) {
  for (Role role : {Role::kViewer, Role::kOperator, Role::kAdmin, Role::kRunner}) {
    if (name == RoleName(role)) return role;
  }
  return std::nullopt;
}

bool IsLoopbackPeer(std::string_view peer) {
  // gRPC writes "ipv4:127.0.0.1:5000", "ipv6:%5B::1%5D:5000" (older: "ipv6:[::1]:5000"), "unix:/path", "unix:".
  if (peer.starts_with("unix:") || peer.starts_with("unix-abstract:")) return true;
  if (peer.starts_with("ipv4:127.")) return true;
  for (std::string_view prefix : {"ipv6:%5B::1%5D:", "ipv6:[::1]:", "ipv6:%5B::ffff:127.", "ipv6:[::ffff:127."}) {
    if (peer.starts_with(prefix)) return true;
  }
  return false;
}

Authenticator::Authenticator(const std::vector<MethodRule>& methods, const std::vector<TokenEntry>& tokens,
                             bool allow_anonymous_loopback)
    : table_(MakeTable(tokens, allow_anonymous_loopback)) {
  for (const MethodRule& method : methods) roles_.emplace(method.full_method, method.role);
}

std::shared_ptr<const Authenticator::Table> Authenticator::MakeTable(const std::vector<TokenEntry>& tokens,
                                                                     bool allow_anonymous_loopback) {
  auto table = std::make_shared<Table>();
  table->allow_anonymous_loopback = allow_anonymous_loopback;
  table->entries.reserve(tokens.size());
  for (const TokenEntry& token : tokens) {
    // An empty secret would let everybody in who sends "Bearer ".
    if (token.secret.empty()) continue;
    table->entries.push_back(
        {Sha256(token.secret.Reveal()), token.name, token.role, std::make_shared<const RunnerRights>(token.runner)});
  }
  return table;
}

void Authenticator::Replace(const std::vector<TokenEntry>& tokens, bool allow_anonymous_loopback) {
  std::shared_ptr<const Table> table = MakeTable(tokens, allow_anonymous_loopback);
  std::lock_guard<std::mutex> lock(mutex_);
  table_.swap(table);
}

std::shared_ptr<const Authenticator::Table> Authenticator::Current() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return table_;
}

absl::Status Authenticator::Admit(std::string_view full_method, std::string_view authorization, std::string_view peer,
                                  Caller& caller) const {
  const auto needed = roles_.find(Abs(full_method));
  if (needed == roles_.end()) return errors::MethodNotInTable(full_method);
  const std::shared_ptr<const Table> table = Current();

  if (authorization.empty()) {
    if (!table->allow_anonymous_loopback || !IsLoopbackPeer(peer)) return errors::TokenMissing();
    caller = {"anonymous", Role::kViewer, true};
  } else {
    // The scheme's name is written in any case (RFC 7235).
    constexpr size_t kScheme = 7;
    if (authorization.size() <= kScheme ||
        !absl::EqualsIgnoreCase(absl::string_view(authorization.data(), kScheme), "bearer ")) {
      return errors::AuthorizationMalformed();
    }
    const Sha256Bytes digest = Sha256(authorization.substr(kScheme));
    // Every entry is looked at, so that the time tells nothing about which one matched.
    const Table::Entry* found = nullptr;
    for (const Table::Entry& entry : table->entries) {
      if (CRYPTO_memcmp(digest.data(), entry.digest.data(), digest.size()) == 0) found = &entry;
    }
    if (found == nullptr) return errors::TokenUnknown();
    caller = {found->name, found->role, false, found->runner};
  }
  if (!RoleSuffices(caller.role, needed->second)) {
    return errors::RoleTooLow(caller.name, RoleName(caller.role), RoleName(needed->second));
  }
  return absl::OkStatus();
}

}  // namespace yardmaster
