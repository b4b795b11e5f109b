#include "services/intake/sweeps/scheduled.h"

#include <chrono>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/repository_name.h"
#include "services/intake/sweeps/missed_deliveries.h"

namespace yardmaster {
namespace {

// The repositories that an entry of the configuration stands for.
absl::StatusOr<std::vector<std::string>> Names(const IntakeEnvironment& env, const RepositoryConfig& entry) {
  if (!entry.repository.ends_with("/*")) {
    return std::vector<std::string>{env.config.aliases->CurrentName(entry.forge, entry.repository)};
  }
  const auto account = env.forges.find(entry.forge);
  if (account == env.forges.end()) return std::vector<std::string>();
  absl::StatusOr<std::vector<std::string>> names = account->second->forge().ListRepositories(
      {.priority = ForgePriority::kSweep}, entry.repository.substr(0, entry.repository.size() - 2));
  if (!names.ok()) return names.status();
  // An earlier entry may name some of them.
  std::erase_if(*names,
                [&](const std::string& name) { return env.config.FindRepository(entry.forge, name) != &entry; });
  return names;
}

bool Fits(const RepositoryFilter& filter, const RepositoryConfig& entry, const std::string& name) {
  return (filter.forge.empty() || filter.forge == entry.forge) &&
         (filter.repository.empty() || RepositoryMatches(filter.repository, name));
}

}  // namespace

absl::StatusOr<std::string> SweepRepositories(const IntakeEnvironment& env, SweepRunner& sweeps,
                                              const RepositoryFilter& filter, const std::function<bool()>& stopping) {
  std::vector<std::string> outcomes;
  for (const RepositoryConfig& entry : env.config.repositories) {
    if (entry.packs.empty() || (!filter.forge.empty() && filter.forge != entry.forge)) continue;
    const absl::StatusOr<std::vector<std::string>> names = Names(env, entry);
    if (!names.ok()) {
      outcomes.push_back(absl::StrCat(entry.forge, ":", entry.repository, " ", names.status().message()));
      continue;
    }
    for (const std::string& name : *names) {
      if (!Fits(filter, entry, name)) continue;
      const auto run = sweeps.Request({entry.forge, name, entry.packs.front()}, 0);
      if (run == nullptr) return absl::CancelledError("the daemon is shutting down");
      SweepRunner::Run::State state = run->Now();
      while (!state.finished) {
        if (stopping()) return absl::CancelledError("the daemon is shutting down");
        state = run->WaitForChange(state.version, std::chrono::milliseconds(500));
      }
      outcomes.push_back(
          absl::StrCat(entry.forge, ":", name, " ",
                       state.status.ok() ? state.progress.Summary() : std::string(state.status.message())));
    }
  }
  return outcomes.empty() ? "no repository to sweep" : absl::StrJoin(outcomes, "; ");
}

absl::StatusOr<std::string> RedeliverAllMissed(const IntakeEnvironment& env, const std::string& forge) {
  std::vector<std::string> outcomes;
  for (const auto& [name, config] : env.config.forges) {
    if (!forge.empty() && forge != name) continue;
    for (const ForgeHook& hook : config.hooks) {
      const std::string what = absl::StrCat(name, ":", hook.repository, " hook ", hook.id);
      const absl::StatusOr<MissedDeliveries> missed =
          RedeliverMissed(*env.forges.find(name)->second, hook.repository, hook.id, env.inbox, env.clock);
      if (missed.ok()) {
        outcomes.push_back(absl::StrCat(what, " ", missed->ToString()));
        continue;
      }
      outcomes.push_back(absl::StrCat(what, " ", missed.status().message()));
      env.logger.Warning("missed deliveries can't be asked for",
                         {{"hook", what}, {"why", std::string(missed.status().message())}});
    }
  }
  return outcomes.empty() ? "no hooks are configured" : absl::StrJoin(outcomes, "; ");
}

}  // namespace yardmaster
