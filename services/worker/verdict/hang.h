// Where a step stood when it was stopped for want of progress.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_HANG_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_HANG_H_

#include <optional>
#include <vector>

#include "services/worker/verdict/finding.h"
#include "services/worker/verdict/rank_view.h"

namespace yardmaster::worker {

struct Hang {
  Finding finding;
  // Where each rank that was still there stood, or what it said last; of suspects both, and they come first.
  std::vector<LogLine> lines;
};

// Looks at the ranks that were still there when the step was stopped; those that had ended before are not the hang.
// Suspects are those that did not reach what others reached: the lowest number of completed collectives where they
// say one, else a last line that others went past.
Hang FindHang(const StepContext& context, const std::vector<RankView>& views);

// The ranks that had completed fewer collectives than the others, where every rank's watchdog says how many; else none.
std::vector<int> FewestCompleted(const StepContext& context, const std::vector<RankView>& views);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_HANG_H_
