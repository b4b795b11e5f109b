#include "services/core/auth.h"

#include <openssl/crypto.h>

#include "absl/strings/match.h"
#include "services/core/errors.h"
#include "services/core/sha256.h"

namespace yardmaster {
namespace {

// What an RPC needs, by service. Reads and dry runs: viewer. What changes the daemon or may write to a forge: operator.
constexpr MethodRule kMethodRules[] = {
    {"/yardmaster.v1.CommandsService/Interpret", Role::kViewer},
    {"/yardmaster.v1.CommandsService/ListCommands", Role::kViewer},
    {"/yardmaster.v1.IntakeService/FindSimilar", Role::kViewer},
    {"/yardmaster.v1.IntakeService/GetPending", Role::kViewer},
    {"/yardmaster.v1.IntakeService/ListDeadLetters", Role::kViewer},
    {"/yardmaster.v1.IntakeService/ListDecisions", Role::kViewer},
    {"/yardmaster.v1.IntakeService/ListDeliveries", Role::kViewer},
    {"/yardmaster.v1.IntakeService/ListEffects", Role::kViewer},
    {"/yardmaster.v1.IntakeService/ListNotices", Role::kViewer},
    {"/yardmaster.v1.IntakeService/ReplayDelivery", Role::kOperator},
    {"/yardmaster.v1.IntakeService/RequeueDeadLetters", Role::kOperator},
    {"/yardmaster.v1.IntakeService/ShowDelivery", Role::kViewer},
    {"/yardmaster.v1.IntakeService/ShowEffect", Role::kViewer},
    {"/yardmaster.v1.IntakeService/Sweep", Role::kOperator},
    {"/yardmaster.v1.ReviewService/GetGateStatus", Role::kViewer},
    {"/yardmaster.v1.ReviewService/ListChecks", Role::kViewer},
    {"/yardmaster.v1.ReviewService/ReviewFile", Role::kViewer},
    {"/yardmaster.v1.ReviewService/SubmitForVerify", Role::kOperator},
    {"/yardmaster.v1.RulesService/Backtest", Role::kViewer},
    {"/yardmaster.v1.RulesService/ListPacks", Role::kViewer},
    {"/yardmaster.v1.RulesService/ReloadPacks", Role::kOperator},
    {"/yardmaster.v1.RulesService/ShowRule", Role::kViewer},
    {"/yardmaster.v1.RulesService/TestPack", Role::kViewer},
    {"/yardmaster.v1.RulesService/ValidatePack", Role::kViewer},
    {"/yardmaster.v1.TriageService/EvaluateCases", Role::kViewer},
    {"/yardmaster.v1.TriageService/ExplainDecision", Role::kViewer},
    {"/yardmaster.v1.TriageService/TriageIssue", Role::kViewer},
};

const MethodRule* FindRule(std::string_view full_method) {
  for (const MethodRule& rule : kMethodRules) {
    if (rule.full_method == full_method) return &rule;
  }
  return nullptr;
}

}  // namespace

struct Authenticator::Table {
  struct Entry {
    Sha256Bytes digest;
    std::string name;
    Role role;
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
  }
  return "viewer";
}

std::optional<Role> RoleFromName(std::string_view name) {
  for (Role role : {Role::kViewer, Role::kOperator, Role::kAdmin}) {
    if (name == RoleName(role)) return role;
  }
  return std::nullopt;
}

absl::Span<const MethodRule> MethodRules() { return kMethodRules; }

bool IsLoopbackPeer(std::string_view peer) {
  // gRPC writes "ipv4:127.0.0.1:5000", "ipv6:%5B::1%5D:5000" (older: "ipv6:[::1]:5000"), "unix:/path", "unix:".
  if (peer.starts_with("unix:") || peer.starts_with("unix-abstract:")) return true;
  if (peer.starts_with("ipv4:127.")) return true;
  for (std::string_view prefix : {"ipv6:%5B::1%5D:", "ipv6:[::1]:", "ipv6:%5B::ffff:127.", "ipv6:[::ffff:127."}) {
    if (peer.starts_with(prefix)) return true;
  }
  return false;
}

Authenticator::Authenticator(const std::vector<TokenEntry>& tokens, bool allow_anonymous_loopback)
    : table_(MakeTable(tokens, allow_anonymous_loopback)) {}

std::shared_ptr<const Authenticator::Table> Authenticator::MakeTable(const std::vector<TokenEntry>& tokens,
                                                                     bool allow_anonymous_loopback) {
  auto table = std::make_shared<Table>();
  table->allow_anonymous_loopback = allow_anonymous_loopback;
  table->entries.reserve(tokens.size());
  for (const TokenEntry& token : tokens) {
    // An empty secret would let everybody in who sends "Bearer ".
    if (token.secret.empty()) continue;
    table->entries.push_back({Sha256(token.secret.Reveal()), token.name, token.role});
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
  const MethodRule* rule = FindRule(full_method);
  if (rule == nullptr) return errors::MethodNotInTable(full_method);
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
    caller = {found->name, found->role, false};
  }
  if (caller.role < rule->role) return errors::RoleTooLow(caller.name, RoleName(caller.role), RoleName(rule->role));
  return absl::OkStatus();
}

}  // namespace yardmaster
