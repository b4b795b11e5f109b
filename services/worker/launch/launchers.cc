#include "services/worker/launch/launchers.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "services/worker/launch/shell_text.h"

namespace yardmaster::worker {
namespace {

using rules::LauncherKind;

// The variable by which a launcher tells a process its rank.
std::string_view RankVariable(LauncherKind kind) {
  if (kind == LauncherKind::kMpirun) return "OMPI_COMM_WORLD_RANK";
  if (kind == LauncherKind::kMsrun) return "RANK_ID";
  return "RANK";
}

// Runs as each rank. The rank's own script is a child, not an exec, since nobody else would tell us how it ended:
// launchers give one exit code for all. A signal to this shell is handed on; bash runs a trap only between two waits,
// so it waits until the child is really gone. At the end it dies as its child died, for the launcher to see.
constexpr std::string_view kRankScript = R"(
case $rank in
  ''|*[!0-9]*) echo 'a process was started without a rank' >&2; exit 126;;
esac
exec >"$control/rank.$rank.out" 2>"$control/rank.$rank.err"
printf '%s\n' "${EPOCHREALTIME/,/.}" >"$control/rank.$rank.begin"
bash "$control/rank.$rank.sh" &
child=$!
trap 'kill -TERM "$child" 2>/dev/null' TERM HUP
trap 'kill -INT "$child" 2>/dev/null' INT
code=0
wait "$child"; code=$?
while kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
printf '%s %s\n' "${EPOCHREALTIME/,/.}" "$code" >"$control/rank.$rank.end"
trap - TERM HUP INT
if [ "$code" -gt 128 ]; then ulimit -c 0; kill -s $((code - 128)) "$$" 2>/dev/null; fi
exit "$code"
)";

// msrun starts Python files only. Its scheduler runs the same file without being a rank, and must live as long as the
// ranks: it joins the cluster, as importing and initialising the framework does, and leaves when told.
constexpr std::string_view kMsrunScript = R"(import os
import sys

if os.environ.get("MS_ROLE") == "MS_SCHED":
    from mindspore.communication import init

    init()
    sys.exit(0)
os.environ.setdefault("RANK_ID", os.environ.get("MS_NODE_ID", ""))
os.execvp("bash", ["bash", os.path.join(os.path.dirname(os.path.abspath(__file__)), "rank.sh")])
)";

}  // namespace

std::vector<std::string> LauncherWords(const LauncherInput& input) {
  const std::string count = std::to_string(input.world_size);
  const std::string script = (input.control / "rank.sh").native();
  switch (input.kind) {
    case LauncherKind::kMpirun:
      // Slots are ours to count, not Open MPI's. Ranks are not bound: with more ranks than processors they would share
      // the first.
      return {"mpirun", "--oversubscribe", "--bind-to", "none", "-np", count, "bash", script};
    case LauncherKind::kMsrun:
      // Without --join it returns at once with 0, whatever becomes of the ranks.
      return {"msrun",
              absl::StrCat("--worker_num=", count),
              absl::StrCat("--local_worker_num=", count),
              absl::StrCat("--master_addr=", input.address),
              absl::StrCat("--master_port=", input.port),
              absl::StrCat("--log_dir=", (input.control / "msrun").native()),
              "--join=True",
              (input.control / "rank.py").native()};
    default:
      // Options with underscores: 1.13 knows no others, and later versions know both. Redirects are given because 1.13
      // can't read its own default on Python 3.11, where no flag of two bits is found by its number; what ranks print
      // goes to their pipes all the same.
      return {input.python,
              "-m",
              "torch.distributed.run",
              "--nnodes=1",
              "--node_rank=0",
              absl::StrCat("--nproc_per_node=", count),
              absl::StrCat("--master_addr=", input.address),
              absl::StrCat("--master_port=", input.port),
              "--max_restarts=0",
              "-r",
              "1",
              "-t",
              "2",
              absl::StrCat("--log_dir=", (input.control / "torchrun").native()),
              "--no_python",
              "bash",
              script};
  }
}

rules::Variables LauncherVariables(LauncherKind kind) {
  if (kind != LauncherKind::kMpirun) return {};
  // It refuses to run as root unless told twice. Everything is on this machine: no other way out is tried.
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"OMPI_MCA_oob_tcp_if_include", "lo"},
          {"OMPI_MCA_btl_tcp_if_include", "lo"}};
}

std::vector<std::pair<std::filesystem::path, std::string>> LauncherFiles(const LauncherInput& input) {
  std::vector<std::pair<std::filesystem::path, std::string>> files;
  files.emplace_back(input.control / "rank.sh",
                     absl::StrCat("control=", ShellQuoted(input.control.native()), "\nrank=${",
                                  std::string(RankVariable(input.kind)), ":-}", std::string(kRankScript)));
  if (input.kind == LauncherKind::kMsrun) files.emplace_back(input.control / "rank.py", std::string(kMsrunScript));
  return files;
}

std::vector<std::pair<std::filesystem::path, int>> LauncherLogs(const LauncherInput& input) {
  std::vector<std::pair<std::filesystem::path, int>> logs;
  if (input.kind != LauncherKind::kMsrun) return logs;
  logs.emplace_back(input.control / "msrun" / "scheduler.log", -1);
  for (size_t rank = 0; rank < input.world_size; ++rank) {
    logs.emplace_back(input.control / "msrun" / absl::StrCat("worker_", rank, ".log"), static_cast<int>(rank));
  }
  return logs;
}

}  // namespace yardmaster::worker
