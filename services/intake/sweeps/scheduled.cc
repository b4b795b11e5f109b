#include "services/intake/sweeps/scheduled.h"

#include <chrono>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/defang.h"
#include "services/core/repository_name.h"
#include "services/core/status_macros.h"
#include "services/intake/sweeps/announce.h"
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

absl::StatusOr<std::string> EachRepository(
    const IntakeEnvironment& env, const JobTurn& turn,
    const std::function<absl::StatusOr<std::string>(const RepositoryConfig& entry, const v1::Subject& repository)>&
        visit) {
  const RepositoryFilter filter = turn.filter();
  std::vector<std::string> outcomes;
  size_t failed = 0;
  const auto note = [&](const std::string& name, const absl::StatusOr<std::string>& said) {
    if (!said.ok()) ++failed;
    outcomes.push_back(absl::StrCat(name, " ", said.ok() ? *said : std::string(said.status().message())));
  };
  for (const RepositoryConfig& entry : env.config.repositories) {
    if (entry.packs.empty() || (!filter.forge.empty() && filter.forge != entry.forge)) continue;
    if (!env.forges.contains(entry.forge)) continue;
    const absl::StatusOr<std::vector<std::string>> names = Names(env, entry);
    if (!names.ok()) {
      note(absl::StrCat(entry.forge, ":", entry.repository), names.status());
      continue;
    }
    for (const std::string& name : *names) {
      if (!Fits(filter, entry, name)) continue;
      if (turn.stopping()) return absl::CancelledError("cut short");
      v1::Subject repository;
      repository.set_forge(entry.forge);
      repository.set_repository(name);
      repository.set_kind(v1::SUBJECT_KIND_ISSUE);
      note(absl::StrCat(entry.forge, ":", name), visit(entry, repository));
    }
  }
  if (outcomes.empty()) return absl::FailedPreconditionError("no repository of the configuration fits");
  std::string summary = absl::StrJoin(outcomes, "; ");
  if (failed > 0) return absl::UnavailableError(summary);
  return summary;
}

absl::StatusOr<std::string> SweepAndTell(const JobEnvironment& env, const JobTurn& turn) {
  return EachRepository(
      env.intake, turn,
      [&](const RepositoryConfig& entry, const v1::Subject& repository) -> absl::StatusOr<std::string> {
        const auto run = env.sweeps.Request({entry.forge, repository.repository(), entry.packs.front()}, 0);
        if (run == nullptr) return absl::CancelledError("the daemon is shutting down");
        SweepRunner::Run::State state = run->Now();
        while (!state.finished) {
          if (turn.stopping()) return absl::CancelledError("cut short");
          state = run->WaitForChange(state.version, std::chrono::milliseconds(500));
        }
        std::string summary = state.status.ok() ? state.progress.Summary() : std::string(state.status.message());
        const std::string name = EchoCode(absl::StrCat(entry.forge, ":", repository.repository()));
        RETURN_IF_ERROR(TellOf(env, turn, repository, "", "",
                               {absl::StrCat("Sweep of ", name, ": ", EchoText(summary)),
                                absl::StrCat("巡检 ", name, "：",
                                             state.status.ok() ? state.progress.ChineseSummary() : EchoText(summary))})
                            .status());
        if (!state.status.ok()) return state.status;
        return summary;
      });
}

absl::StatusOr<std::string> RedeliverAllMissed(const JobEnvironment& job, const JobTurn& turn) {
  const IntakeEnvironment& env = job.intake;
  const RepositoryFilter filter = turn.filter();
  std::vector<std::string> outcomes;
  size_t failed = 0;
  for (const auto& [name, config] : env.config.forges) {
    const auto account = env.forges.find(name);
    if ((!filter.forge.empty() && filter.forge != name) || account == env.forges.end()) continue;
    for (const ForgeHook& hook : config.hooks) {
      if (!filter.repository.empty() && !RepositoryMatches(filter.repository, hook.repository)) continue;
      if (turn.stopping()) return absl::CancelledError("cut short");
      const std::string what = absl::StrCat(name, ":", hook.repository, " hook ", hook.id);
      const absl::StatusOr<MissedDeliveries> missed =
          RedeliverMissed(*account->second, hook.repository, hook.id, env.inbox, env.clock);
      if (missed.ok()) {
        outcomes.push_back(absl::StrCat(what, " ", missed->ToString()));
        continue;
      }
      if (!absl::IsUnimplemented(missed.status())) ++failed;
      outcomes.push_back(absl::StrCat(what, " ", missed.status().message()));
      env.logger.Warning("missed deliveries can't be asked for",
                         {{"hook", what}, {"why", std::string(missed.status().message())}});
    }
  }
  if (outcomes.empty()) return std::string("no hooks are configured");
  std::string summary = absl::StrJoin(outcomes, "; ");
  if (failed > 0) return absl::UnavailableError(summary);
  return summary;
}

}  // namespace yardmaster
