// PyTorch's launcher: python -m torch.distributed.run.
#include <re2/re2.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "services/worker/launch/launcher.h"

namespace yardmaster::worker {
namespace {

std::vector<std::string> TorchrunCommand(const LauncherInput& input) {
  // Options with underscores: 1.13 knows no others, and later versions know both. Redirects are given because 1.13
  // can't read its own default on Python 3.11, where no flag of two bits is found by its number; what ranks print goes
  // to their pipes all the same.
  return {input.python,
          "-m",
          "torch.distributed.run",
          "--nnodes=1",
          "--node_rank=0",
          absl::StrCat("--nproc_per_node=", input.world_size),
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
          input.rank_script.native()};
}

LauncherReport ReadTorchrunOutput(const std::vector<LogLine>& lines) {
  static const RE2 kRank(R"(^\s*rank\s*:\s*(\d{1,7}) \(local_rank: \d+\))");
  static const RE2 kCode(R"(^\s*exitcode\s*:\s*(-?\d{1,4}) )");
  static const RE2 kRootCause(R"(^Root Cause \(first observed failure\):)");
  LauncherReport report;
  int rank = kNoRank;
  bool root_cause = false;
  for (const LogLine& line : lines) {
    int number = 0;
    if (RE2::PartialMatch(line.text, kRootCause)) {
      root_cause = true;
    } else if (RE2::PartialMatch(line.text, kRank, &number)) {
      rank = number;
      if (root_cause) report.blamed = number;
    } else if (RE2::PartialMatch(line.text, kCode, &number)) {
      // A signal is a negative exit code.
      const RankEnd end = number < 0 ? RankEnd{128 - number, -number} : RankEnd{number, 0};
      report.AddEnd(std::exchange(rank, kNoRank), end);
    }
  }
  return report;
}

}  // namespace

Launcher Torchrun() {
  return {.name = "torchrun", .rank_variable = "RANK", .command = TorchrunCommand, .read = ReadTorchrunOutput};
}

}  // namespace yardmaster::worker
