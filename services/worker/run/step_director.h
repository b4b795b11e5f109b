// Runs one step in one cell: checks what it needs, leases devices and ports, runs it, gathers what it left, has it
// judged, tries it once more where that is sensible, and cleans up.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_STEP_DIRECTOR_H_
#define YARDMASTER_SERVICES_WORKER_RUN_STEP_DIRECTOR_H_

#include <optional>
#include <string>
#include <vector>

#include "services/worker/run/step_cells.h"
#include "services/worker/run/step_runner.h"
#include "services/worker/run/suite_context.h"

namespace yardmaster::worker {

class StepDirector {
 public:
  explicit StepDirector(SuiteContext& context) : context_(context) {}

  // The step's result; its tests and tensors go into the run's.
  StepResult Run(const StepCell& cell);

 private:
  // What a step needs before it can be started.
  struct Needs {
    size_t world_size = 1;
    std::vector<Device> devices;        // leased: GPUs and NPUs
    std::optional<StepResult> instead;  // it can't be started
  };

  std::vector<const rules::Requirement*> RequirementsOf(const StepCell& cell) const;
  Needs Prepare(const StepCell& cell);
  bool LeaseDevices(const StepCell& cell, Needs& needs);
  bool CheckToolkit(const StepCell& cell, Needs& needs);
  StepJudgement Try(const StepCell& cell, const Needs& needs, int number);
  absl::StatusOr<LaunchPlan> Plan(const StepCell& cell, const Needs& needs, const std::filesystem::path& folder,
                                  const std::filesystem::path& temp, const std::string& port);
  void ProbeDevices(const Needs& needs, StepEvidence& evidence);
  // Whether a retry that the suite asks for makes sense.
  bool MayRetry(const StepCell& cell, const StepJudgement& last) const;
  bool MayTryAgain(const StepJudgement& first, std::string& recipe);
  bool Apply(const rules::RecoveryRecipe& recipe);

  SuiteContext& context_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_STEP_DIRECTOR_H_
