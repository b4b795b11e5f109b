// Starts the processes of one step, watches them, stops them, and says how they ended.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_STEP_RUNNER_H_
#define YARDMASTER_SERVICES_WORKER_RUN_STEP_RUNNER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "services/worker/launch/launch.h"
#include "services/worker/logs/log.h"
#include "services/worker/process/process.h"
#include "services/worker/run/run.h"
#include "services/worker/run/step_follower.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {

struct StepRequest {
  const rules::SuiteStep* step = nullptr;
  std::string name;  // with cell and shard
  std::string layer;
  LaunchPlan plan;
  std::filesystem::path log;      // to be made
  std::filesystem::path control;  // as in LaunchRequest
  // The file systems whose free space is watched.
  std::vector<std::filesystem::path> disks;
  std::chrono::seconds timeout{0};
  std::chrono::seconds silence{0};  // 0: no limit
  std::chrono::seconds grace{0};
  uint64_t memory_bytes = 0;  // 0: no limit
  std::vector<std::string> secrets;
  // The suite's sources, lines of which are shown with stacks.
  std::filesystem::path source;
  // As in RunDependencies.
  ProcessStarter* tools = nullptr;
  bool debuggers = true;
  // Where devices are leased: a line of the output that says that one is lost ends the step.
  const Signatures* device_signatures = nullptr;
  std::chrono::steady_clock::time_point run_began;
};

struct StepOutcome {
  // Everything but reports and tensors; times are since the run began. `log` there points to the one below.
  StepEvidence evidence;
  std::unique_ptr<LogReader> log;
  std::unique_ptr<StepFollower> follower;
  std::vector<std::string> notes;
  uint64_t peak_memory_bytes = 0;  // 0: unknown
};

// Blocks until nothing of the step runs any more, whatever happens.
StepOutcome RunStep(const StepRequest& request, ProcessStarter& processes, RunObserver& observer,
                    const std::atomic<bool>& cancel);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_STEP_RUNNER_H_
