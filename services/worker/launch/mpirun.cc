// Open MPI's launcher.
#include <re2/re2.h>

#include <utility>

#include "services/worker/launch/launcher.h"

namespace yardmaster::worker {
namespace {

std::vector<std::string> MpirunCommand(const LauncherInput& input) {
  // Slots are ours to count, not Open MPI's. Ranks are not bound: with more ranks than processors they would share the
  // first.
  return {"mpirun", "--oversubscribe",         "--bind-to", "none", "-np", std::to_string(input.world_size),
          "bash",   input.rank_script.native()};
}

rules::Variables Variables() {
  // It refuses to run as root unless told twice. Everything is on this machine: no other way out is tried.
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"OMPI_MCA_oob_tcp_if_include", "lo"},
          {"OMPI_MCA_btl_tcp_if_include", "lo"}};
}

LauncherReport ReadMpirunOutput(const std::vector<LogLine>& lines) {
  static const RE2 kSignal(R"(mpirun noticed that process rank (\d{1,7}) .* exited on signal (\d{1,3}))");
  static const RE2 kName(R"(^\s*Process name: \[\[\d+,\d+\],(\d{1,7})\])");
  static const RE2 kCode(R"(^\s*Exit code:\s+(\d{1,4}))");
  static const RE2 kAbort(R"(^MPI_ABORT was invoked on rank (\d{1,7}) in communicator MPI_COMM_WORLD)");
  static const RE2 kAbortCode(R"(^with errorcode (\d{1,9})\.)");
  LauncherReport report;
  int rank = kNoRank;
  for (const LogLine& line : lines) {
    int number = 0;
    int signal = 0;
    if (RE2::PartialMatch(line.text, kSignal, &number, &signal)) {
      report.blamed = number;
      report.AddEnd(number, {128 + signal, signal});
    } else if (RE2::PartialMatch(line.text, kName, &number) || RE2::PartialMatch(line.text, kAbort, &number)) {
      rank = report.blamed = number;
    } else if (RE2::PartialMatch(line.text, kCode, &number) || RE2::PartialMatch(line.text, kAbortCode, &number)) {
      report.AddEnd(std::exchange(rank, kNoRank), {number, 0});
    }
  }
  return report;
}

}  // namespace

Launcher Mpirun() {
  return {.name = "mpirun",
          .rank_variable = "OMPI_COMM_WORLD_RANK",
          .sets_rank = false,
          .command = MpirunCommand,
          .variables = Variables,
          .read = ReadMpirunOutput};
}

}  // namespace yardmaster::worker
