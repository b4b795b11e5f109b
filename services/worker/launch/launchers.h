// The launchers that start ranks by themselves: how they are called, and what they need.
#ifndef YARDMASTER_SERVICES_WORKER_LAUNCH_LAUNCHERS_H_
#define YARDMASTER_SERVICES_WORKER_LAUNCH_LAUNCHERS_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "rules/suites/suite_model.h"

namespace yardmaster::worker {

struct LauncherInput {
  rules::LauncherKind kind = rules::LauncherKind::kTorchrun;  // neither kNone nor kPlain
  size_t world_size = 1;
  std::string python;
  std::string address;
  std::string port;
  std::filesystem::path control;
};

// The launcher's command. Each rank it starts runs the script `control`/rank.sh, which finds out its rank, sends its
// output to the rank's pipes, notes begin and end, and runs `control`/rank.RANK.sh.
std::vector<std::string> LauncherWords(const LauncherInput& input);

// Variables that the launcher needs; what the suite says comes before them.
rules::Variables LauncherVariables(rules::LauncherKind kind);

// Path and text: rank.sh, and for msrun a Python file that runs it.
std::vector<std::pair<std::filesystem::path, std::string>> LauncherFiles(const LauncherInput& input);

// Logs that it writes itself: path and rank, -1 for its own.
std::vector<std::pair<std::filesystem::path, int>> LauncherLogs(const LauncherInput& input);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LAUNCH_LAUNCHERS_H_
