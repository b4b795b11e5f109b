// MindSpore's launcher.
#include "absl/strings/str_cat.h"
#include "services/worker/launch/launcher.h"

namespace yardmaster::worker {
namespace {

// It starts Python files only. Its scheduler runs the same file without being a rank, and must live as long as the
// ranks: it joins the cluster, as importing and initialising the framework does, and leaves when told.
constexpr const char* kRankProgram = R"(import os
import sys

if os.environ.get("MS_ROLE") == "MS_SCHED":
    from mindspore.communication import init

    init()
    sys.exit(0)
os.environ.setdefault("RANK_ID", os.environ.get("MS_NODE_ID", ""))
os.execvp("bash", ["bash", os.path.join(os.path.dirname(os.path.abspath(__file__)), "rank.sh")])
)";

std::vector<std::string> MsrunCommand(const LauncherInput& input) {
  // Without --join it returns at once with 0, whatever becomes of the ranks.
  return {"msrun",
          absl::StrCat("--worker_num=", input.world_size),
          absl::StrCat("--local_worker_num=", input.world_size),
          absl::StrCat("--master_addr=", input.address),
          absl::StrCat("--master_port=", input.port),
          absl::StrCat("--log_dir=", (input.control / "msrun").native()),
          "--join=True",
          (input.control / "rank.py").native()};
}

std::vector<std::pair<std::filesystem::path, std::string>> Files(const LauncherInput& input) {
  return {{input.control / "rank.py", kRankProgram}};
}

std::vector<std::pair<std::filesystem::path, int>> Logs(const LauncherInput& input) {
  const std::filesystem::path folder = input.control / "msrun";
  std::vector<std::pair<std::filesystem::path, int>> logs = {{folder / "scheduler.log", kNoRank}};
  for (size_t rank = 0; rank < input.world_size; ++rank) {
    logs.emplace_back(folder / absl::StrCat("worker_", rank, ".log"), static_cast<int>(rank));
  }
  return logs;
}

}  // namespace

Launcher Msrun() {
  return {.name = "msrun", .rank_variable = "RANK_ID", .command = MsrunCommand, .files = Files, .logs = Logs};
}

}  // namespace yardmaster::worker
