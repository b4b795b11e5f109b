// What is wrong with one rank by itself, by what shows it. Each function adds to `view.findings`.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_RANK_FINDINGS_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_RANK_FINDINGS_H_

#include <string>
#include <string_view>

#include "services/worker/verdict/finding.h"
#include "services/worker/verdict/rank_view.h"

namespace yardmaster::worker {

// On this rank, at its end.
Finding On(const RankView& view, Finding finding);
Finding Make(const RankView& view, int priority, rules::FailureClass cls, std::string_view signature, std::string what);

// Failed tests of its reports. `tensors_off`: the worker's own comparison shows that numbers differ.
void FindInTests(const StepContext& context, RankView& view, bool tensors_off);
// How it ended: by a signal, or with an exit code.
void FindInSignal(const StepContext& context, RankView& view);
void FindInExitCode(const StepContext& context, RankView& view);
// The lines of its log.
void FindInLog(const StepContext& context, RankView& view);
// What it left behind.
void FindInTensors(const StepContext& context, RankView& view);
void FindInMarks(RankView& view);
void FindDroppedComparison(const StepContext& context, RankView& view);
void FindInReports(RankView& view);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_RANK_FINDINGS_H_
