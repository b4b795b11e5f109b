// What is wrong with one rank by itself. Which of it is to blame is decided where ranks are merged.
#include "services/worker/verdict/rank_findings.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/verdict/priorities.h"

namespace yardmaster::worker {

using rules::FailureClass;

Finding On(const RankView& view, Finding finding) {
  finding.rank = view.rank;
  finding.micros = view.end_micros;
  return finding;
}

Finding Make(const RankView& view, int priority, FailureClass cls, std::string_view signature, std::string what) {
  return On(view, MakeFinding(priority, cls, signature, std::move(what)));
}

void FindInRank(const StepContext& context, RankView& view) {
  if (view.evidence == nullptr || view.silent) {
    // Nothing is known of it. What the step as a whole says (a launcher that failed) may explain it.
    if (context.evidence->stopped == Stopped::kNot) {
      view.findings.push_back(Make(view, kNoEvidence, FailureClass::kEnvironment, "no-evidence",
                                   "left neither output nor a report nor an exit code"));
    }
    return;
  }
  const bool tensors_off =
      absl::c_any_of(view.evidence->tensors, [](const TensorResult& tensor) { return !tensor.ok(); });
  FindInTests(context, view, tensors_off);
  if (view.EndedBadly()) {
    if (view.end->signal != 0) {
      FindInSignal(context, view);
    } else if (view.failed == 0 || view.ran == 0) {
      FindInExitCode(context, view);
    }
  }
  // How it ended may be unknown, or what a launcher made of it: a missing report or a launcher that failed says enough.
  const bool lost =
      !view.evidence->missing_reports.empty() || (!view.end.has_value() && LauncherFailed(*context.evidence));
  if (view.failed > 0 || view.EndedBadly() || view.hung || lost) FindInLog(context, view);
  FindInTensors(context, view);
  FindInMarks(view);
  FindDroppedComparison(context, view);
  // One that was stopped or died had no time for its report.
  if (!view.hung && !view.skipped_by_code && !view.EndedBadly()) FindInReports(view);
}

}  // namespace yardmaster::worker
