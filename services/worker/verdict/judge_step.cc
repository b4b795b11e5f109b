#include <algorithm>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/cause.h"
#include "services/worker/verdict/hang.h"
#include "services/worker/verdict/priorities.h"
#include "services/worker/verdict/rank_view.h"
#include "services/worker/verdict/ranks.h"
#include "services/worker/verdict/stand.h"
#include "services/worker/verdict/step_findings.h"
#include "services/worker/verdict/text.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {
namespace {

using rules::FailureClass;

StepContext MakeContext(const StepEvidence& evidence, const Signatures& signatures) {
  StepContext context;
  context.evidence = &evidence;
  context.signatures = &signatures;
  context.phase = evidence.layer == kBuildLayer || evidence.layer == kFetchLayer ? std::string_view(evidence.layer)
                                                                                 : std::string_view("test");
  context.ranked = evidence.expected_ranks > 0;
  context.launched = evidence.launched_by != nullptr || evidence.launcher.has_value();
  context.begin_micros = evidence.begin_micros;
  return context;
}

bool TimedOut(const StepEvidence& evidence) {
  return evidence.stopped == Stopped::kTimeout || evidence.stopped == Stopped::kSilence;
}

Verdict VerdictOf(const StepEvidence& evidence, const Finding& cause) {
  if (evidence.stopped == Stopped::kCancelled) return Verdict::kCancelled;
  if (IsOfMachine(cause.cls)) return Verdict::kError;
  return TimedOut(evidence) || cause.time_limit ? Verdict::kTimedOut : Verdict::kFailed;
}

// Every rank that failed says that another one did. Those that said nothing are the ones to look at.
void ExplainVictimsOnly(const StepContext& context, const std::vector<RankView>& views, Finding& cause) {
  std::vector<int> left;
  std::vector<int> running;
  for (const RankView& view : views) {
    const bool stopped_last =
        absl::c_any_of(view.findings, [](const Finding& finding) { return finding.priority == kStoppedLast; });
    if (view.hung || stopped_last) running.push_back(view.rank);
    if (!view.silent && view.end.has_value() && !view.EndedBadly() && view.findings.empty()) left.push_back(view.rank);
  }
  cause.cls = FailureClass::kCode;
  cause.signature = kHangId;
  cause.generic = false;
  if (running.empty() || !context.ranked) {
    std::string what = "a collective failed, and no rank says why: each that failed says that another one did";
    if (const std::vector<int> fewest = FewestCompleted(context, views); !fewest.empty()) {
      what = Concat("a collective failed: ", RankList(fewest), " had completed fewer than the others");
      cause.rank = fewest.front();
    }
    if (!left.empty()) {
      what += Concat("; ", RankList(left), left.size() == 1 ? " had" : " had all", " ended before with exit code 0");
    }
    cause.what = Concat(what, "; first: ", cause.what);
    return;
  }
  const std::string first = cause.rank == kNoRank ? cause.what : Concat("rank ", cause.rank, ": ", cause.what);
  LogReader* log = context.evidence->log;
  cause.test = UnfinishedTest(context, running.front());
  cause.what =
      Concat("hung", cause.test.empty() ? "" : " in ", cause.test, ": still there when the others had given up waiting",
             running.size() == 1 ? "" : Concat(" (", RankList(running), ")"), "; first of them ", first);
  cause.rank = running.front();
  cause.line.reset();
  cause.search.clear();
  if (log == nullptr) return;
  const absl::StatusOr<std::vector<LogLine>> last = log->TailUntil(1, cause.rank, LastCountedMicros(context));
  if (last.ok() && !last->empty()) cause.line = last->front();
}

Verdict VerdictOfRank(const StepContext& context, const RankView& view) {
  if (view.hung) {
    if (context.evidence->stopped == Stopped::kCancelled) return Verdict::kCancelled;
    if (TimedOut(*context.evidence)) return Verdict::kTimedOut;
    return context.evidence->stopped == Stopped::kNot ? Verdict::kFailed : Verdict::kError;
  }
  if (view.skipped_by_code || (view.findings.empty() && view.ran == 0 && view.skipped > 0)) return Verdict::kNotRun;
  if (view.findings.empty()) {
    if (view.silent) return Verdict::kNotRun;
    return view.EndedBadly() ? Verdict::kFailed : Verdict::kPassed;
  }
  const FailureClass cls = view.findings.front().cls;
  return IsOfMachine(cls) ? Verdict::kError : Verdict::kFailed;
}

RankResult ResultOfRank(const StepContext& context, const RankView& view) {
  RankResult result;
  result.rank = view.rank;
  if (view.end.has_value()) {
    result.exit_code = view.end->code;
    result.signal = view.end->signal;
  }
  if (view.evidence != nullptr) {
    result.begin_micros = view.evidence->begin_micros;
    result.end_micros = view.evidence->end_micros;
    const int64_t last = view.evidence->last_line_micros;
    if (last >= 0) result.last_output_micros = context.begin_micros + last;
  }
  int64_t first = kUnknownTime;
  for (const Finding& finding : view.findings) first = std::min(first, finding.micros);
  if (first != kUnknownTime) result.first_error_micros = context.begin_micros + first;
  result.verdict = VerdictOfRank(context, view);
  result.victim = view.victim;
  result.stood = DescribeStand(view);
  return result;
}

void AddNotes(const StepEvidence& evidence, const LauncherReport& launcher, const StepJudgement& judgement,
              std::vector<std::string>& notes) {
  if (evidence.strays > 0) {
    notes.push_back(Concat(evidence.name, ": ", evidence.strays, evidence.strays == 1 ? " process" : " processes",
                           " outlived the step and had to be killed"));
  }
  if (judgement.result.verdict == Verdict::kPassed && evidence.oom_kills > 0) {
    notes.push_back(Concat(evidence.name, ": passed, although the kernel killed ", evidence.oom_kills,
                           " times for want of memory"));
  }
  if (judgement.result.cause.has_value() && launcher.blamed != kNoRank && judgement.result.cause->rank != kNoRank &&
      launcher.blamed != judgement.result.cause->rank) {
    notes.push_back(
        Concat(evidence.name, ": the launcher names rank ", launcher.blamed, ", which is not where it began"));
  }
}

// What tells of the code among the lines of a launcher that passes on the output of its ranks.
void GiveToFailedRank(StepContext& context, std::vector<RankView>& views) {
  const auto failed = absl::c_find_if(views, [](const RankView& view) { return view.in_launchers_output; });
  if (failed == views.end()) return;
  std::vector<Signatures::Hit> left;
  for (Signatures::Hit& hit : context.step_hits) {
    const bool of_launcher = IsOfMachine(hit.signature->cls) || hit.signature->id == kChildFailedId;
    (of_launcher ? left : failed->hits).push_back(std::move(hit));
  }
  context.step_hits = std::move(left);
}

}  // namespace

StepJudgement JudgeStep(const StepEvidence& evidence, const Signatures& signatures,
                        const std::vector<const rules::RecoveryRecipe*>& recipes) {
  StepContext context = MakeContext(evidence, signatures);

  // What everybody left behind.
  LauncherReport launcher;
  if (evidence.launched_by != nullptr && context.ranked && evidence.log != nullptr) {
    launcher = ReadLauncherLog(*evidence.launched_by, *evidence.log);
  }
  std::vector<Signatures::Hit> of_ranks;
  if (NeedsLog(context)) {
    for (Signatures::Hit& hit : signatures.FindByRank(*evidence.log, context.phase)) {
      // What is said when the worker ends it follows from that.
      if (TimedOut(evidence) && hit.line.micros > evidence.stopped_micros - evidence.begin_micros) continue;
      (context.ranked && hit.line.rank == kNoRank ? context.step_hits : of_ranks).push_back(std::move(hit));
    }
  }
  std::vector<RankView> views = ViewRanks(context, launcher, std::move(of_ranks));
  GiveToFailedRank(context, views);

  // What is wrong with it.
  for (RankView& view : views) FindInRank(context, view);
  std::vector<Finding> findings = FindInStep(context, views);
  Hang hang;
  if (TimedOut(evidence)) {
    hang = FindHang(context, views);
    findings.push_back(hang.finding);
  }
  if (evidence.stopped == Stopped::kNot && evidence.start_error.ok()) {
    for (Finding& finding : FindInTotals(context, views)) findings.push_back(std::move(finding));
  }
  const rules::RecoveryRecipe* applicable = nullptr;
  const bool failed =
      !findings.empty() || absl::c_any_of(views, [](const RankView& view) { return !view.findings.empty(); });
  if (failed) {
    for (Finding& finding : FindSymptoms(context, recipes, applicable)) findings.push_back(std::move(finding));
  }
  findings = MergeRanks(views, std::move(findings));

  // Who is to blame.
  StepJudgement judgement;
  StepResult& result = judgement.result;
  if (evidence.step != nullptr) result.id = evidence.step->id;
  result.name = evidence.name;
  result.layer = evidence.layer;
  result.log = evidence.log_path;
  if (evidence.stopped == Stopped::kCancelled) {
    result.verdict = Verdict::kCancelled;
    result.reason = "cancelled";
  } else if (!findings.empty()) {
    Finding& cause = findings.front();
    if (cause.cls == FailureClass::kVictim) ExplainVictimsOnly(context, views, cause);
    result.verdict = VerdictOf(evidence, cause);
    result.cause = MakeCause(context, cause, views);
    if (cause.signature == hang.finding.signature && !hang.lines.empty()) {
      result.cause->excerpt = hang.lines;
      if (result.cause->excerpt.size() > kMaxExcerptLines) result.cause->excerpt.resize(kMaxExcerptLines);
    }
    result.reason = result.cause->message;
    judgement.device_lost = absl::c_any_of(findings, [](const Finding& finding) { return finding.device_fatal; });
    if (cause.cls == FailureClass::kEnvironment) judgement.recipe = applicable;
  } else if (AllSkipped(views, result.reason)) {
    result.verdict = Verdict::kNotRun;
  } else {
    result.verdict = Verdict::kPassed;
  }

  for (const RankView& view : views) result.ranks.push_back(ResultOfRank(context, view));
  judgement.tests = TestsOf(context, views);
  for (const RankEvidence& rank : evidence.ranks) {
    judgement.tensors.insert(judgement.tensors.end(), rank.tensors.begin(), rank.tensors.end());
    for (const Report& report : rank.reports) {
      for (const Measured& number : report.numbers) {
        judgement.numbers.push_back({evidence.name, rank.rank, number.name, number.value, number.unit});
      }
    }
  }
  AddNotes(evidence, launcher, judgement, judgement.notes);
  return judgement;
}

}  // namespace yardmaster::worker
