// Launchers that start the ranks of a step by themselves. Each has a file of its own in this folder, which holds all
// that is particular to it, a line in the table of launchers.cc, and its name in rules/schema/suites.schema.json.
#ifndef YARDMASTER_SERVICES_WORKER_LAUNCH_LAUNCHER_H_
#define YARDMASTER_SERVICES_WORKER_LAUNCH_LAUNCHER_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "rules/suites/suite_model.h"
#include "services/worker/logs/log.h"

namespace yardmaster::worker {

struct LauncherInput {
  size_t world_size = 1;
  std::string python;
  std::string address;  // where the ranks meet
  std::string port;
  std::filesystem::path control;      // a folder of the step's own
  std::filesystem::path rank_script;  // for bash; each rank runs it, and it needs no arguments
};

// How one rank ended.
struct RankEnd {
  int code = 0;    // 128 + signal where it was killed
  int signal = 0;  // 0: it exited by itself
};

// What a launcher says at its end about its ranks. Exit codes and signals are facts; which rank it names as the root
// cause is a hint: torchrun names the rank that it happened to look at first.
struct LauncherReport {
  std::map<int, RankEnd> ends;
  int blamed = kNoRank;

  // The first end of a rank counts; one of no rank is left out.
  void AddEnd(int rank, RankEnd end);
};

struct Launcher {
  std::string_view name;  // as manifests have it
  // The variable by which it tells a process its rank.
  std::string_view rank_variable;
  // It sets RANK and LOCAL_RANK for each rank, which would otherwise be set for it.
  bool sets_rank = true;
  std::vector<std::string> (*command)(const LauncherInput& input) = nullptr;

  // What follows may be null: it needs none.

  // Variables; what the suite says comes before them.
  rules::Variables (*variables)() = nullptr;
  // Files to write before the start, besides the script of the ranks.
  std::vector<std::pair<std::filesystem::path, std::string>> (*files)(const LauncherInput& input) = nullptr;
  // Logs that it writes by itself: path and rank, kNoRank for its own.
  std::vector<std::pair<std::filesystem::path, int>> (*logs)(const LauncherInput& input) = nullptr;
  // Reads the last lines that it printed itself.
  LauncherReport (*read)(const std::vector<LogLine>& lines) = nullptr;
};

using LauncherTable = absl::Span<const Launcher>;

// All launchers of this program.
LauncherTable Launchers();

// Null: the table has none of this name.
const Launcher* FindLauncher(LauncherTable table, std::string_view name);

// What the launcher's own lines (those of no rank) say, of which only the end matters.
LauncherReport ReadLauncherLog(const Launcher& launcher, LogReader& log);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LAUNCH_LAUNCHER_H_
