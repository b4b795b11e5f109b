// What the ranks of one step say together: the first that failed is to blame, and those that failed only because of it
// are its victims.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_RANKS_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_RANKS_H_

#include <vector>

#include "services/worker/verdict/finding.h"
#include "services/worker/verdict/rank_view.h"

namespace yardmaster::worker {

// Weighs the findings of the ranks against each other, adds those of the step as a whole, and returns all of them, the
// one to blame first. Marks victims in `views`.
std::vector<Finding> MergeRanks(std::vector<RankView>& views, std::vector<Finding> of_step);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_RANKS_H_
