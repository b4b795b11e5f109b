// From a step of a suite to the processes that run it. Pure: nothing is started, read or written here.
#ifndef YARDMASTER_SERVICES_WORKER_LAUNCH_LAUNCH_H_
#define YARDMASTER_SERVICES_WORKER_LAUNCH_LAUNCH_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/suites/placeholders.h"
#include "rules/suites/suite_model.h"
#include "services/worker/launch/launcher.h"
#include "services/worker/process/process.h"

namespace yardmaster::worker {

// NAME → value.
using Environment = std::map<std::string, std::string>;

struct LaunchRequest {
  const rules::SuiteStep* step = nullptr;
  LauncherTable launchers = Launchers();
  // Ranks of this cell; 1 for a step without ranks.
  size_t world_size = 1;
  // Of this shard.
  size_t shard = 0;
  // All placeholders but those of a rank: SOURCE, BUILD, PYTHON, JOBS, PORT, DEVICES, matrix.AXIS.
  rules::PlaceholderValues values;
  // Build steps know no ${OUT}, ${RANK}, …
  bool build = false;
  // The environment's fixed part, as it is.
  Environment environment;
  // Then these, with placeholders, and those of the step.
  rules::Variables variables;
  // Last, as they are: they win over everything but the variables of ranks.
  Environment overrides;
  std::vector<std::string> scripts;  // placeholders are allowed
  std::vector<std::string> unset;
  std::filesystem::path source;
  // ${OUT} is `folder`/ranks/RANK, or `folder`/out for a step without ranks; both are made by the caller.
  std::filesystem::path folder;
  // A folder of the step's own for what passes between us and the ranks of launchers. Short and absolute.
  std::filesystem::path control;
  // Of the machine: ranks share them.
  size_t processors = 1;
};

// Where one rank works.
struct RankPlace {
  int rank = -1;  // -1: a step without ranks
  std::filesystem::path out;
  std::filesystem::path tensors;
  // Of each report of the step, in its order; empty for markers.
  std::vector<std::filesystem::path> reports;
};

struct PlannedProcess {
  int rank = -1;     // -1: the launcher, or a step without ranks
  ProcessSpec spec;  // without `output`
};

struct LaunchPlan {
  std::vector<PlannedProcess> processes;
  // That starts the ranks: there is one process then. Null: the worker starts them.
  const Launcher* launcher = nullptr;
  std::vector<RankPlace> places;  // by rank
  // Files to write before the start.
  std::vector<std::pair<std::filesystem::path, std::string>> files;
  // Logs that the launcher writes by itself, to be read at the end: path and rank (-1: its own).
  std::vector<std::pair<std::filesystem::path, int>> logs;
};

// INVALID_ARGUMENT: a placeholder or a launcher that is not known here.
absl::StatusOr<LaunchPlan> PlanLaunch(const LaunchRequest& request);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LAUNCH_LAUNCH_H_
