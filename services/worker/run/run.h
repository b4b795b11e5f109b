// Runs one suite on this machine: checks what it needs, builds, starts its layers in order, judges, and leaves a result
// directory behind and nothing else: no process, no port, no file outside of it, no shared memory.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_RUN_H_
#define YARDMASTER_SERVICES_WORKER_RUN_RUN_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/suites/selection.h"
#include "rules/suites/suite_model.h"
#include "services/core/clock.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/launch/launcher.h"
#include "services/worker/process/process.h"
#include "services/worker/results/run_result.h"
#include "services/worker/verdict/earlier_run.h"

namespace yardmaster::worker {

// What happens, as it happens. Calls come from several threads, one at a time.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void LayerBegins(std::string_view /*layer*/, size_t /*number*/, size_t /*layers*/) {}
  virtual void StepBegins(std::string_view /*layer*/, std::string_view /*step*/) {}
  // Tests of the step that were seen in its output so far; `expected` 0: unknown.
  virtual void Progress(std::string_view /*step*/, size_t /*done*/, size_t /*failed*/, size_t /*expected*/) {}
  virtual void Output(std::string_view /*step*/, const LogLine& /*line*/) {}
  // The tests of a step that was started, right before it ends.
  virtual void TestsEnd(const std::vector<TestResult>& /*tests*/) {}
  virtual void StepEnds(const StepResult& /*step*/) {}
  virtual void LayerEnds(const LayerResult& /*layer*/) {}
  virtual void Note(std::string_view /*text*/) {}
};

// A step that is run, by name with its cell, and which of its tests; none: all.
struct StepChoice {
  std::string step;
  std::vector<std::string> tests;
};

struct RunOptions {
  std::filesystem::path out;         // the result directory: must not exist, or be empty
  std::filesystem::path source;      // a checkout to use instead of fetching; empty: the manifest's own source
  std::filesystem::path own_suites;  // where our own suites lie (tests/suites, share/yardmaster/suites)
  std::filesystem::path cache;  // build folders and fetched sources that may be kept for the next run; empty: in `out`
  // Where to build; empty: in the cache or in `out`. If it is not empty, an earlier run has built there, and a build
  // that does not pass is begun again from nothing.
  std::filesystem::path build;
  // Where objects of fetched repositories are kept, each in a bare one; each run then has a fresh tree of its own.
  // Empty: the tree itself is kept in the cache.
  std::filesystem::path objects;
  rules::Selection select;
  std::vector<std::string> layers;                                // only these and what they come after; empty: all
  std::vector<StepChoice> steps;                                  // of `layers`: only these; empty: all
  rules::LayersBefore before_layers = rules::LayersBefore::kAll;  // of those that `layers` come after
  rules::DeviceOverride devices;
  std::map<std::string, std::string> variables;  // set for every command, over the manifest's
  std::vector<std::string> secrets;              // texts that must not appear in a log
  bool local = false;                // for somebody at this machine: the suite may name a folder of it as its source
  bool keep_going = false;           // layers whose predecessors failed are run all the same
  size_t cpu_devices = 0;            // 0: the number of processors
  uint64_t memory_mb = 0;            // of all processes of a step, whatever the suite allows; 0: as the suite says
  std::string job;                   // empty: NewJob()
  std::optional<EarlierRun> before;  // that is done again
};

struct RunDependencies {
  ProcessStarter* processes = nullptr;
  // Starts what looks at the run's processes from outside, where `processes` shuts in what it starts; null: that does.
  ProcessStarter* tools = nullptr;
  // False: what runs is a stranger's, and no debugger reads its programs outside of their sandbox.
  bool debuggers = true;
  std::vector<DeviceProbe*> probes;
  LauncherTable launchers = Launchers();
  const Clock* clock = nullptr;
};

// "20260102-030405-9f3c": in the order of time (UTC), and two that begin in the same second differ.
std::string NewJob(const Clock& clock);

// INVALID_ARGUMENT: the options don't fit the suite (unknown axis, value or layer), the result directory is not empty.
// Whatever goes wrong later is in the result. `cancel` true: everything is stopped, the verdict is "cancelled".
// The files of the result directory are written by services/worker/results.
absl::StatusOr<RunResult> RunSuite(const rules::SuiteSet& set, const rules::SuiteModel& suite,
                                   const RunOptions& options, const RunDependencies& dependencies,
                                   RunObserver& observer, const std::atomic<bool>& cancel);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_RUN_H_
