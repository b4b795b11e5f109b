#include "rules/engine/pipeline/trunk.h"

#include <chrono>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/pipeline/questions.h"

namespace yardmaster::rules {
namespace {

constexpr std::chrono::hours kTrunkAge{72};
// One other pull request may have broken the test by itself.
constexpr size_t kWitnesses = 2;

}  // namespace

std::string TestName(const LogFailure& failure) {
  return failure.file.empty() ? failure.test : absl::StrCat(failure.file, "::", failure.test);
}

bool WantsTrunk(const PipelineProfile& profile, const PipelineSignals& signals) {
  if (!signals.files.has_value() || !signals.builds.has_value()) return false;
  return absl::c_any_of(*signals.builds, [&](const PipelineBuild& build) {
    if (!build.console.has_value() || PullOfBuild(profile, build.description) != signals.number) return false;
    const LogReport log = ReadConsoleLog(profile.log, *build.console);
    return absl::c_any_of(log.failures, [&](const LogFailure& failure) {
      return !failure.test.empty() && ChangesBuild(profile, signals).value == Answer::Value::kNo &&
             ReachesChange(profile, signals, failure).value == Answer::Value::kNo;
    });
  });
}

TrunkHistory ReadTrunk(const PipelineProfile& profile, const PipelineSignals& signals, const PipelineFacts& facts) {
  TrunkHistory history;
  const bool known = signals.builds.has_value() && facts.newest != nullptr && facts.newest->started.has_value();
  if (!known) return history;
  for (const PipelineBuild& build : *signals.builds) {
    const std::optional<int64_t> pull = PullOfBuild(profile, build.description);
    if (!pull || *pull == signals.number || !build.started.has_value()) continue;
    if (std::chrono::abs(*build.started - *facts.newest->started) > kTrunkAge) continue;
    if (StateOf(build) == BuildState::kPassed && build.duration > profile.build_gate.bypass) {
      if (history.passed == nullptr || *build.started > *history.passed->started) history.passed = &build;
    } else if (StateOf(build) == BuildState::kFailed && build.console.has_value()) {
      TrunkHistory::Failed& failed = history.failed[*pull];
      if (failed.build != nullptr && *failed.build->started >= *build.started) continue;
      failed = {&build, {}};
      for (const LogFailure& failure : ReadConsoleLog(profile.log, *build.console).failures) {
        if (!failure.test.empty()) failed.tests.insert(TestName(failure));
      }
    }
  }
  return history;
}

std::optional<TrunkEvidence> TestOnTrunk(const TrunkHistory& history, std::string_view test) {
  std::string why = "it fails, too, in";
  size_t witnesses = 0;
  bool passed_since = false;
  for (const auto& [pull, failed] : history.failed) {
    if (!failed.tests.contains(test)) continue;
    absl::StrAppend(&why, witnesses == 0 ? "" : ",", " build #", failed.build->number, " of #", pull);
    ++witnesses;
    passed_since = passed_since || (history.passed != nullptr && *history.passed->started > *failed.build->started);
  }
  if (witnesses >= kWitnesses && !passed_since) return TrunkEvidence{false, why};
  if (history.passed == nullptr) return std::nullopt;
  return TrunkEvidence{true, absl::StrCat("build #", history.passed->number, " of another pull request passed")};
}

}  // namespace yardmaster::rules
