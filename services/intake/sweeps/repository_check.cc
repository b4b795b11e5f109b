#include "services/intake/sweeps/repository_check.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/reasons.h"
#include "services/core/repository_aliases.h"
#include "services/core/repository_name.h"
#include "services/core/status_macros.h"
#include "services/intake/notices.h"

namespace yardmaster {
namespace {

// Deliveries that are looked through for those that came under the new name.
constexpr int64_t kMaxIgnored = 500;

// What was ignored before the new name was known is worked on.
absl::Status RequeueIgnored(const IntakeEnvironment& env, const std::string& forge, const std::string& repository) {
  store::DeliveryFilter filter;
  filter.state = store::DeliveryState::kIgnored;
  filter.subject.emplace();
  filter.subject->set_forge(forge);
  filter.subject->set_repository(repository);
  ASSIGN_OR_RETURN(const store::Page<store::Delivery> ignored, env.inbox.List(filter, {0, kMaxIgnored}));
  for (auto it = ignored.items.rbegin(); it != ignored.items.rend(); ++it) {
    if (!it->body_kept || reasons::CodeOf(it->reason) != reasons::kNoPack) continue;
    RETURN_IF_ERROR(env.inbox.Requeue(it->id));
  }
  return absl::OkStatus();
}

absl::Status NoteName(const IntakeEnvironment& env, const RepositoryConfig& entry, const std::string& current) {
  const std::string configured = QualifiedName(entry.forge, entry.repository);
  const std::string key = absl::StrCat("name of ", configured);
  if (absl::EqualsIgnoreCase(entry.repository, current)) {
    env.config.aliases->Note(entry.forge, entry.repository, current);
    env.notices.Clear(key);
    return absl::OkStatus();
  }
  env.notices.Raise(key, absl::StrCat(configured, " is called ", current, " now. Both names work until you write \"",
                                      current, "\" in the configuration: in \"repositories\" (line ", entry.line,
                                      "), and in \"webhook_secrets\", \"hooks\" and \"schedules\" that name it"));
  if (!env.config.aliases->Note(entry.forge, entry.repository, current)) return absl::OkStatus();
  return RequeueIgnored(env, entry.forge, current);
}

}  // namespace

absl::StatusOr<std::string> CheckRepositories(const IntakeEnvironment& env, const std::function<bool()>& stopping) {
  int64_t found = 0;
  int64_t renamed = 0;
  int64_t unreadable = 0;
  for (const RepositoryConfig& entry : env.config.repositories) {
    if (stopping()) return absl::CancelledError("the daemon is shutting down");
    const auto account = env.forges.find(entry.forge);
    if (entry.repository.ends_with("/*") || account == env.forges.end()) continue;
    const absl::StatusOr<ForgeRepository> repository =
        account->second->forge().GetRepository({.priority = ForgePriority::kSweep}, entry.repository);
    if (!repository.ok()) {
      ++unreadable;
      const std::optional<ForgeError> error = ForgeErrorOf(repository.status());
      if (error.has_value() && (error->reason == ForgeReason::kNotFound || error->reason == ForgeReason::kForbidden)) {
        NoteNoAccess(env.notices, entry.forge, entry.repository, std::string(repository.status().message()));
      }
      continue;
    }
    ++found;
    NoteAccess(env.notices, entry.forge, entry.repository);
    if (repository->full_name.empty()) continue;
    if (!absl::EqualsIgnoreCase(entry.repository, repository->full_name)) ++renamed;
    RETURN_IF_ERROR(NoteName(env, entry, repository->full_name));
  }
  return absl::StrCat(found, " found, ", renamed, " of them renamed, ", unreadable, " can't be read");
}

}  // namespace yardmaster
