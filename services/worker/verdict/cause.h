// From the finding to blame to the cause that people read: one sentence, and the lines that show it.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_CAUSE_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_CAUSE_H_

#include <cstddef>
#include <vector>

#include "services/worker/results/run_result.h"
#include "services/worker/verdict/finding.h"
#include "services/worker/verdict/rank_view.h"

namespace yardmaster::worker {

inline constexpr size_t kMaxExcerptLines = 12;

Cause MakeCause(const StepContext& context, const Finding& finding, const std::vector<RankView>& views);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_CAUSE_H_
