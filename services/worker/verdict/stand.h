// From what was seen of a rank's processes when its step was stopped to where it stood.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_STAND_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_STAND_H_

#include <optional>
#include <string>

#include "services/worker/results/run_result.h"
#include "services/worker/verdict/rank_view.h"
#include "services/worker/verdict/stack.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {

Stand StandOfProcess(const ProcessAtStop& process);
// By all processes of a rank; unknown where nothing could look at them.
Stand StandAtStop(const std::vector<ProcessAtStop>& processes);

// For the result; nullopt: none of its processes was looked at.
std::optional<RankStand> DescribeStand(const RankView& view);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_STAND_H_
