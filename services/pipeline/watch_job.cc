#include "services/pipeline/watch_job.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "rules/engine/pipeline/diagnose.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/core/limits.h"
#include "services/core/repository_name.h"
#include "services/core/status_macros.h"
#include "services/intake/sweeps/announce.h"
#include "services/pipeline/gate_source.h"
#include "services/pipeline/profile_choice.h"

namespace yardmaster {
namespace {

// Phases are kept in so many rows of the store for each repository.
constexpr int64_t kPhaseRows = 64;
constexpr size_t kMaxWhyBytes = 300;

std::string PhaseRow(const v1::Subject& repository, int64_t row) {
  return absl::StrCat("gates ", row, " of ", QualifiedName(repository.forge(), repository.repository()));
}

// What was seen of one repository, and what is seen now.
class SeenPhases {
 public:
  SeenPhases(store::Schedules& schedules, const v1::Subject& repository)
      : schedules_(schedules), repository_(repository) {}

  absl::Status Load() {
    for (int64_t row = 0; row < kPhaseRows; ++row) {
      ASSIGN_OR_RETURN(const std::optional<store::Schedule> kept, schedules_.Get(PhaseRow(repository_, row)));
      if (!kept.has_value()) continue;
      before_[row] = kept->cursor;
      for (auto& [number, phase] : PhasesFromText(kept->cursor)) seen_[number] = std::move(phase);
    }
    return absl::OkStatus();
  }
  // Empty: it was not seen.
  std::string Of(int64_t number) const {
    const auto found = seen_.find(number);
    return found == seen_.end() ? std::string() : found->second;
  }
  void Note(int64_t number, const std::string& phase) { now_[number] = phase; }
  absl::Status Save() {
    std::map<int64_t, std::map<int64_t, std::string>> rows;
    for (const auto& [row, text] : before_) rows[row];
    for (const auto& [number, phase] : now_) rows[number % kPhaseRows][number] = phase;
    for (auto& [row, phases] : rows) {
      std::string text = PhasesToText(phases);
      // The oldest are forgotten where there are too many.
      while (text.size() > kMaxCursorBytes && !phases.empty()) {
        phases.erase(phases.begin());
        text = PhasesToText(phases);
      }
      const auto old = before_.find(row);
      if (old != before_.end() && old->second == text) continue;
      RETURN_IF_ERROR(schedules_.SetCursor(PhaseRow(repository_, row), text));
    }
    return absl::OkStatus();
  }

 private:
  store::Schedules& schedules_;
  const v1::Subject& repository_;
  std::map<int64_t, std::string> before_;  // by row
  std::map<int64_t, std::string> seen_;
  std::map<int64_t, std::string> now_;
};

absl::StatusOr<std::string> WatchRepository(const JobEnvironment& env, const JobTurn& turn,
                                            const v1::Subject& repository) {
  const std::shared_ptr<const PackSet> packs = env.packs.Current();
  const std::shared_ptr<const rules::PipelineProfile> profile =
      ProfileFor(env.intake.config, *packs, repository, turn.schedule.pack);
  if (profile == nullptr) return std::string("no pack of it tells about a gate");
  ForgePulls* const pulls = env.intake.forges.find(repository.forge())->second->pulls();
  if (pulls == nullptr || env.gates == nullptr) return absl::UnavailableError("its pull requests can't be listed");
  ASSIGN_OR_RETURN(const std::vector<ForgePull> open,
                   pulls->ListOpenPulls({.priority = ForgePriority::kSweep}, repository.repository()));
  SeenPhases phases(env.store.schedules(), repository);
  RETURN_IF_ERROR(phases.Load());
  SaidText text;
  size_t changed = 0;
  size_t unread = 0;
  for (const ForgePull& pull : open) {
    if (turn.stopping()) return absl::CancelledError("cut short");
    v1::Subject subject = repository;
    subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
    subject.set_number(pull.number);
    const std::string before = phases.Of(pull.number);
    const absl::StatusOr<rules::PipelineSignals> signals = env.gates->Read(subject, *profile);
    if (!signals.ok()) {
      // Not known is not changed.
      ++unread;
      if (!before.empty()) phases.Note(pull.number, before);
      continue;
    }
    const rules::PipelineReport report = rules::Diagnose(*profile, *signals, env.intake.clock.Now());
    const std::string phase(rules::PipelinePhaseName(report.phase));
    phases.Note(pull.number, phase);
    if (before.empty() || before == phase) continue;
    ++changed;
    const std::string change =
        absl::StrCat("- ", EchoCode(absl::StrCat("#", pull.number)), " ", before, " → **", phase);
    const std::string next = absl::StrCat("`", Abs(rules::PipelineActionName(report.action)), "`");
    text.Append(absl::StrCat(change, "**, next ", next, ": ", EchoText(report.why, kMaxWhyBytes), "\n"),
                absl::StrCat(change, "**，下一步 ", next, "：", EchoText(report.why_zh, kMaxWhyBytes), "\n"));
  }
  if (changed > 0) {
    const std::string name = EchoCode(QualifiedName(repository.forge(), repository.repository()));
    RETURN_IF_ERROR(TellOf(env, turn, repository, kGateTopic, "gates",
                           {absl::StrCat("**Gates of ", name, "**\n\n", text.en),
                            absl::StrCat("**", name, " 的门禁**\n\n", text.zh)})
                        .status());
  }
  RETURN_IF_ERROR(phases.Save());
  const std::string summary = absl::StrCat(open.size(), " open, ", changed, " changed",
                                           unread > 0 ? absl::StrCat(", ", unread, " can't be read") : "");
  if (unread > 0) return absl::UnavailableError(summary);
  return summary;
}

}  // namespace

std::string PhasesToText(const std::map<int64_t, std::string>& phases) {
  std::string text;
  for (const auto& [number, phase] : phases) absl::StrAppend(&text, text.empty() ? "" : " ", number, "=", phase);
  return text;
}

std::map<int64_t, std::string> PhasesFromText(std::string_view text) {
  std::map<int64_t, std::string> phases;
  for (const auto part : absl::StrSplit(Abs(text), ' ', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> one = absl::StrSplit(part, absl::MaxSplits('=', 1));
    int64_t number = 0;
    if (absl::SimpleAtoi(one.first, &number) && number > 0 && !one.second.empty()) phases[number] = one.second;
  }
  return phases;
}

bool IsWatched(const Config& config, const v1::Subject& repository) {
  return absl::c_any_of(config.schedules, [&](const ScheduleConfig& one) {
    return one.run == kPipelineWatch && IsAbout(one, repository);
  });
}

bool HasGateToWatch(const Config& config, const PackSet& packs, const v1::Subject& repository) {
  if (ProfileFor(config, packs, repository, "") != nullptr) return true;
  return absl::c_any_of(config.schedules, [&](const ScheduleConfig& one) {
    return one.run == kPipelineWatch && IsAbout(one, repository) && packs.FindPipeline(one.pack) != nullptr;
  });
}

absl::StatusOr<std::string> WatchSubscribedGates(const JobEnvironment& env, const JobTurn& turn) {
  ASSIGN_OR_RETURN(const std::vector<store::Subscription> all, env.store.subscriptions().List());
  std::map<std::string, v1::Subject> wanted;  // by name: several channels may be told of one
  for (const store::Subscription& one : all) {
    if (one.topic != kGateTopic) continue;
    const v1::Subject repository = RepositorySubject(one.forge, one.repository);
    // What a schedule watches is told by it; and the operator may have taken the repository out, or the forge.
    const bool ours = env.intake.config.FindRepository(one.forge, one.repository) != nullptr &&
                      env.intake.forges.contains(one.forge) && !IsWatched(env.intake.config, repository);
    if (ours) wanted.emplace(QualifiedName(one.forge, absl::AsciiStrToLower(one.repository)), repository);
  }
  JobOutcomes outcomes;
  for (const auto& [name, repository] : wanted) {
    if (turn.stopping()) return absl::CancelledError("cut short");
    outcomes.Note(name, WatchRepository(env, turn, repository));
  }
  if (outcomes.empty()) return std::string("no channel waits for the gates of a repository that no schedule watches");
  return outcomes.Summary();
}

absl::StatusOr<std::string> WatchGates(const JobEnvironment& env, const JobTurn& turn) {
  return EachRepository(env.intake, turn, [&](const RepositoryConfig&, const v1::Subject& repository) {
    return WatchRepository(env, turn, repository);
  });
}

}  // namespace yardmaster
