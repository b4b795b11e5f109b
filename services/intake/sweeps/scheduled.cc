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

void JobOutcomes::Note(const std::string& name, const absl::StatusOr<std::string>& said) {
  failed_ = failed_ || !said.ok();
  outcomes_.push_back(absl::StrCat(name, " ", said.ok() ? *said : std::string(said.status().message())));
}

absl::StatusOr<std::string> JobOutcomes::Summary() const {
  std::string summary = absl::StrJoin(outcomes_, "; ");
  if (failed_) return absl::UnavailableError(summary);
  return summary;
}

bool IsAbout(const ScheduleConfig& schedule, const v1::Subject& repository) {
  return schedule.forge.empty() ||
         (schedule.forge == repository.forge() && RepositoryMatches(schedule.repository, repository.repository()));
}

v1::Subject RepositorySubject(const std::string& forge, const std::string& repository) {
  v1::Subject subject;
  subject.set_forge(forge);
  subject.set_repository(repository);
  subject.set_kind(v1::SUBJECT_KIND_ISSUE);
  return subject;
}

absl::StatusOr<std::string> EachRepository(
    const IntakeEnvironment& env, const JobTurn& turn,
    const std::function<absl::StatusOr<std::string>(const RepositoryConfig& entry, const v1::Subject& repository)>&
        visit) {
  const RepositoryFilter filter = turn.filter();
  JobOutcomes outcomes;
  for (const RepositoryConfig& entry : env.config.repositories) {
    if (entry.packs.empty() || (!filter.forge.empty() && filter.forge != entry.forge)) continue;
    if (!env.forges.contains(entry.forge)) continue;
    const absl::StatusOr<std::vector<std::string>> names = Names(env, entry);
    if (!names.ok()) {
      outcomes.Note(QualifiedName(entry.forge, entry.repository), names.status());
      continue;
    }
    for (const std::string& name : *names) {
      if (!Fits(filter, entry, name)) continue;
      if (turn.stopping()) return absl::CancelledError("cut short");
      outcomes.Note(QualifiedName(entry.forge, name), visit(entry, RepositorySubject(entry.forge, name)));
    }
  }
  if (outcomes.empty()) return absl::FailedPreconditionError("no repository of the configuration fits");
  return outcomes.Summary();
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
        const std::string name = EchoCode(QualifiedName(entry.forge, repository.repository()));
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
  JobOutcomes outcomes;
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
        outcomes.Note(what, missed->ToString());
        continue;
      }
      // That a forge keeps no record is no failure.
      const bool no_record = absl::IsUnimplemented(missed.status());
      outcomes.Note(what, no_record ? absl::StatusOr<std::string>(std::string(missed.status().message()))
                                    : absl::StatusOr<std::string>(missed.status()));
      env.logger.Warning("missed deliveries can't be asked for",
                         {{"hook", what}, {"why", std::string(missed.status().message())}});
    }
  }
  if (outcomes.empty()) return std::string("no hooks are configured");
  return outcomes.Summary();
}

}  // namespace yardmaster
