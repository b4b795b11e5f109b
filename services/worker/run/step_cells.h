// A step once for each cell of the matrix and each shard.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_STEP_CELLS_H_
#define YARDMASTER_SERVICES_WORKER_RUN_STEP_CELLS_H_

#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/cells.h"
#include "rules/suites/suite_model.h"
#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

struct StepCell {
  const rules::SuiteStep* step = nullptr;
  const rules::SuiteLayer* layer = nullptr;  // null: a build step, or fetching the source
  std::string layer_id;
  rules::Cell cell;
  size_t shard = 0;
  std::string
      name;  // "all_reduce[dtype=float32,world_size=8]", "slow[shard=2/4]": shards are counted from 1 for people
};

std::vector<StepCell> CellsOf(const rules::SuiteModel& suite, const rules::SuiteStep& step,
                              const rules::SuiteLayer* layer, std::string_view layer_id);

// The result of one that was not started.
StepResult NotRunStep(const StepCell& cell, std::string reason);
// The result of one that could not be started, for a cause of the machine or its set-up.
StepResult ErrorStep(const StepCell& cell, rules::FailureClass cls, std::string signature, std::string message,
                     std::string advice);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_STEP_CELLS_H_
