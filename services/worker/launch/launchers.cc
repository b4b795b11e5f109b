#include "absl/algorithm/container.h"
#include "services/worker/launch/launcher.h"

// The table: a line for each launcher, which is the name of the function that its file defines.
#define YARD_LAUNCHERS(LAUNCHER) \
  LAUNCHER(Mpirun)               \
  LAUNCHER(Msrun)                \
  LAUNCHER(Torchrun)

namespace yardmaster::worker {

#define YARD_DECLARE(Name) Launcher Name();
YARD_LAUNCHERS(YARD_DECLARE)

namespace {

// Lines of the launcher that are read, from its end: more than the summary of some hundred ranks.
constexpr size_t kMaxLauncherLines = 4000;
constexpr int kMaxRank = 1'000'000;

}  // namespace

LauncherTable Launchers() {
#define YARD_CALL(Name) Name(),
  static const Launcher kTable[] = {YARD_LAUNCHERS(YARD_CALL)};
  return kTable;
}

const Launcher* FindLauncher(LauncherTable table, std::string_view name) {
  const auto found = absl::c_find_if(table, [&](const Launcher& row) { return row.name == name; });
  return found == table.end() ? nullptr : &*found;
}

void LauncherReport::AddEnd(int rank, RankEnd end) {
  if (rank >= 0 && rank <= kMaxRank) ends.emplace(rank, end);
}

LauncherReport ReadLauncherLog(const Launcher& launcher, LogReader& log) {
  if (launcher.read == nullptr) return {};
  const absl::StatusOr<std::vector<LogLine>> lines = log.Tail(kMaxLauncherLines, kNoRank);
  return lines.ok() ? launcher.read(*lines) : LauncherReport();
}

}  // namespace yardmaster::worker
