// What is wrong with a step as a whole: what its ranks can't say, each by itself.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_STEP_FINDINGS_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_STEP_FINDINGS_H_

#include <string>
#include <vector>

#include "services/worker/verdict/finding.h"
#include "services/worker/verdict/rank_view.h"

namespace yardmaster::worker {

// True if anything but a clean pass is possible: only then is the log read, which may be long.
bool NeedsLog(const StepContext& context);

// Nothing was started, devices, disk, memory, the launcher.
std::vector<Finding> FindInStep(const StepContext& context, std::vector<RankView>& views);

// Too few tests, ranks that disagree on what is skipped. Only for steps that ended by themselves.
std::vector<Finding> FindInTotals(const StepContext& context, const std::vector<RankView>& views);

// Symptoms of recipes in the log. `applicable` becomes the first that matched and can be applied.
std::vector<Finding> FindSymptoms(const StepContext& context, const std::vector<const rules::RecoveryRecipe*>& recipes,
                                  const rules::RecoveryRecipe*& applicable);

// True if nothing ran because everything was skipped; `reason` then says why.
bool AllSkipped(const std::vector<RankView>& views, std::string& reason);

// The tests of all ranks, with those in which a rank died or hung.
std::vector<TestResult> TestsOf(const StepContext& context, const std::vector<RankView>& views);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_STEP_FINDINGS_H_
