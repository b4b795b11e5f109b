#include "rules/engine/pipeline/triage.h"

#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/pipeline/patch_places.h"
#include "rules/engine/pipeline/questions.h"
#include "rules/engine/pipeline/result_table.h"
#include "rules/engine/pipeline/trunk.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

FailureTriage Triage(const PipelineProfile& profile, const PipelineSignals& signals, const TrunkHistory& trunk,
                     const LogFailure& failure) {
  using Value = Answer::Value;
  if (failure.test.empty()) return {"pr_induced", "a check of the code itself", {}};
  const Answer build = ChangesBuild(profile, signals);
  const Answer reach = ReachesChange(profile, signals, failure);
  const Answer base = PassesOnBase(signals, trunk, failure);
  FailureTriage triage{"needs_evidence", "", {AnswerText(build), AnswerText(reach), AnswerText(base)}};
  if (build.value == Value::kYes || reach.value == Value::kYes) {
    triage.verdict = "pr_induced";
    triage.why = build.value == Value::kYes ? build.why : reach.why;
  } else if (build.value == Value::kUnknown || reach.value == Value::kUnknown) {
    triage.why = build.value == Value::kUnknown ? build.why : reach.why;
  } else {
    triage.why = absl::StrCat(reach.why, base.value == Value::kUnknown ? "; " : ", and ", base.why);
    if (base.value != Value::kUnknown) triage.verdict = base.value == Value::kYes ? "flaky" : "base_broken";
  }
  return triage;
}

std::string FixOf(const PipelineProfile& profile, const LogFailure& failure) {
  for (const FixRecipe& fix : profile.fixes) {
    if ((fix.stage.empty() || fix.stage == failure.stage) && (fix.rule.empty() || fix.rule == failure.rule)) {
      return fix.fix;
    }
  }
  return {};
}

// Failed stages of the newest table that a trusted bot wrote about this head.
std::vector<LogFailure> FailuresOfRows(const PipelineProfile& profile, const PipelineSignals& signals) {
  const PipelineComment* newest = nullptr;
  std::vector<LogFailure> failures;
  for (const PipelineComment& comment : signals.comments) {
    const bool trusted = absl::c_any_of(profile.trusted_authors, [&](const std::string& login) {
      return absl::EqualsIgnoreCase(login, comment.author);
    });
    if (!trusted || (newest != nullptr && comment.at < newest->at)) continue;
    if (signals.head_at.has_value() && comment.at.has_value() && *comment.at < *signals.head_at) continue;
    const std::vector<ResultRow> rows = ReadResultTable(profile.build_gate, comment.body);
    if (rows.empty()) continue;
    std::vector<LogFailure> found;
    for (const ResultRow& row : rows) {
      if (!row.failed()) continue;
      LogFailure failure;
      failure.stage = row.stage;
      failure.message = absl::StrCat(row.stage, ": ", row.result, ", as the bot's table says");
      found.push_back(std::move(failure));
    }
    newest = &comment;
    failures = std::move(found);
  }
  return failures;
}

std::set<std::string> FailedTests(const LogReport& log) {
  std::set<std::string> out;
  for (const LogFailure& failure : log.failures) {
    if (!failure.test.empty()) out.insert(TestName(failure));
  }
  return out;
}

// The build before the newest, of the same head, that failed and whose log is there.
const PipelineBuild* PreviousFailed(const PipelineSignals& signals, const PipelineFacts& facts) {
  for (const PipelineBuild* build : facts.builds) {
    if (build == facts.newest || StateOf(*build) != BuildState::kFailed || !build->console.has_value()) continue;
    const bool older = signals.head_at.has_value() && build->started.has_value() && *build->started < *signals.head_at;
    return older ? nullptr : build;
  }
  return nullptr;
}

// Compares what failed now with what failed before.
std::string Flakiness(const PipelineReport& report, const LogReport& log, const LogReport* before) {
  if (FailedTests(log).empty()) return "none";
  const bool known = absl::c_all_of(report.failures, [](const ReportedFailure& one) {
    return one.triage.verdict == "flaky" || one.triage.verdict == "base_broken";
  });
  if (before != nullptr) {
    for (const std::string& test : FailedTests(*before)) {
      if (FailedTests(log).contains(test)) return "sticky";
    }
  }
  return known ? "random" : "needs_evidence";
}

}  // namespace

void TriageFailures(const PipelineProfile& profile, const PipelineSignals& signals, const PipelineFacts& facts,
                    PipelineReport& report) {
  LogReport log;
  std::optional<LogReport> before;
  const PipelineBuild* previous = nullptr;
  if (facts.newest != nullptr && StateOf(*facts.newest) == BuildState::kFailed) {
    if (facts.newest->console.has_value()) log = ReadConsoleLog(profile.log, *facts.newest->console);
    if (log.failures.empty()) log.failures = FailuresOfRows(profile, signals);
    previous = PreviousFailed(signals, facts);
    if (previous != nullptr) before = ReadConsoleLog(profile.log, *previous->console);
  }
  for (const PipelineCheck* check : facts.failed_checks) {
    LogFailure failure;
    failure.stage = Readable(check->name, kMaxCheckNameBytes);
    failure.message = check->url.empty() ? "the check failed" : Readable(check->url, kMaxCheckNameBytes);
    for (const std::string& job : check->failed) {
      failure.message = Readable(job, kMaxCheckNameBytes);
      log.failures.push_back(failure);
    }
    if (check->failed.empty()) log.failures.push_back(std::move(failure));
  }
  const TrunkHistory trunk = ReadTrunk(profile, signals, facts);
  for (LogFailure& failure : log.failures) {
    if (failure.file.empty() && !failure.function.empty()) FindInPatches(signals.patches, failure);
    if (!failure.stage.empty() && !absl::c_linear_search(log.stages, failure.stage)) {
      log.stages.push_back(failure.stage);
    }
    ReportedFailure reported;
    reported.triage = Triage(profile, signals, trunk, failure);
    if (!failure.test.empty() && facts.newest != nullptr) {
      reported.builds.push_back({facts.newest->number, facts.newest->url});
      if (before.has_value() && FailedTests(*before).contains(TestName(failure))) {
        reported.builds.push_back({previous->number, previous->url});
      }
    }
    reported.fix = FixOf(profile, failure);
    reported.failure = failure;
    report.failures.push_back(std::move(reported));
  }
  report.flaky = Flakiness(report, log, before.has_value() ? &*before : nullptr);
  report.failed_stages = std::move(log.stages);
  report.excerpt = std::move(log.excerpt);
  report.markers = std::move(log.markers);
  report.infrastructure = std::move(log.infrastructure);
  if (!log.complete) {
    report.AddNote({"only the end of the log, or a part of what it tells, was read", "只读取了日志的末尾或其中一部分"});
  }
}

FailureRoute RouteFailures(const PipelineProfile& profile, const PipelineSignals& signals, const PipelineFacts& facts,
                           const PipelineReport& report) {
  if (!report.infrastructure.empty() && report.failures.empty()) {
    const PipelineBuild* previous = PreviousFailed(signals, facts);
    if (previous == nullptr) return FailureRoute::kInfrastructure;
    const LogReport before = ReadConsoleLog(profile.log, *previous->console);
    const bool again = absl::c_any_of(
        before.infrastructure, [&](const std::string& id) { return absl::c_linear_search(report.infrastructure, id); });
    return again ? FailureRoute::kSameInfrastructure : FailureRoute::kInfrastructure;
  }
  const bool unrelated = !report.failures.empty() && absl::c_all_of(report.failures, [](const ReportedFailure& one) {
    return one.triage.verdict == "flaky" || one.triage.verdict == "base_broken";
  });
  if (!unrelated) return FailureRoute::kFix;
  const bool broken =
      absl::c_any_of(report.failures, [](const ReportedFailure& one) { return one.triage.verdict == "base_broken"; });
  return broken || report.flaky == "sticky" ? FailureRoute::kSticky : FailureRoute::kRetest;
}

}  // namespace yardmaster::rules
