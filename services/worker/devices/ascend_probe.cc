#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/core/status_macros.h"
#include "services/worker/devices/device_health.h"
#include "services/worker/devices/npu_smi.h"
#include "services/worker/devices/vendor_probes.h"
#include "services/worker/errors.h"

namespace yardmaster::worker {
namespace {

// Where installers put it, where PATH does not have them.
constexpr std::string_view kTools[] = {"npu-smi", "/usr/local/sbin/npu-smi", "/usr/local/bin/npu-smi"};
// Libraries of the driver that npu-smi itself needs.
constexpr std::string_view kLibraries =
    "LD_LIBRARY_PATH=/usr/local/Ascend/driver/lib64:/usr/local/Ascend/driver/lib64/common:"
    "/usr/local/Ascend/driver/lib64/driver";

class AscendProbe : public DeviceProbe {
 public:
  AscendProbe(std::shared_ptr<ToolRunner> tools, SystemPaths paths)
      : tools_(std::move(tools)), paths_(std::move(paths)) {}

  rules::DeviceKind kind() const override { return rules::DeviceKind::kNpu; }

  absl::StatusOr<Discovery> Discover() override {
    Discovery discovery;
    discovery.source = "npu-smi";
    const std::vector<std::string> nodes = AscendNodes(paths_);
    std::vector<std::string> command;
    const absl::StatusOr<ToolOutput> info = FindAndRun(command);
    if (info.status().code() == absl::StatusCode::kNotFound) {
      if (nodes.empty()) return discovery;
      return worker_errors::NpuSmiMissing(nodes.front());
    }
    if (!info.ok()) return worker_errors::ToolUnanswered("npu-smi", info.status());
    if (info->exit_code != 0) {
      // The tool may be installed where there is no device.
      if (nodes.empty()) return discovery;
      return worker_errors::ToolFailed("npu-smi", info->exit_code, info->err.empty() ? info->out : info->err);
    }
    ASSIGN_OR_RETURN(NpuTable table, ParseNpuSmiTable(info->out));
    const auto mapping = ParseNpuSmiMapping(Ask(command, {"-m"}));
    RETURN_IF_ERROR(Complete(table, command, mapping.size(), nodes.size()));

    discovery.source = "npu-smi (" + table.shape + ")";
    const std::string driver = table.version.empty() ? AscendDriverVersion(paths_) : table.version;
    for (NpuChip& chip : table.chips) {
      chip.device.driver = driver;
      const auto logical = mapping.find({chip.npu, chip.chip});
      if (logical != mapping.end()) chip.device.visible_as = std::to_string(logical->second);
      if (chip.device.health != DeviceHealth::kOk) {
        const std::string why = ParseNpuSmiHealth(
            Ask(command, {"-t", "health", "-i", std::to_string(chip.npu), "-c", std::to_string(chip.chip)}));
        if (!why.empty()) Worsen(chip.device, chip.device.health, why);
      }
      discovery.devices.push_back(std::move(chip.device));
    }
    return discovery;
  }

 private:
  // `npu-smi info`, wherever it is; `command` is then how it was called, without "info".
  absl::StatusOr<ToolOutput> FindAndRun(std::vector<std::string>& command) {
    absl::StatusOr<ToolOutput> output = worker_errors::ToolNotFound("npu-smi", "it is in no folder of PATH");
    for (const std::string_view tool : kTools) {
      command = {std::string(tool)};
      output = tools_->Run({std::string(tool), "info"});
      if (output.status().code() == absl::StatusCode::kNotFound) continue;
      if (!output.ok() || output->exit_code == 0) return output;
      if ((output->err + output->out).find("cannot open shared object file") == std::string::npos) return output;
      command = {"env", std::string(kLibraries), std::string(tool)};
      return tools_->Run({"env", std::string(kLibraries), std::string(tool), "info"});
    }
    return output;
  }

  // Empty if it does not answer: these questions only check and refine.
  std::string Ask(std::vector<std::string> command, const std::vector<std::string>& options) {
    command.emplace_back("info");
    command.insert(command.end(), options.begin(), options.end());
    absl::StatusOr<ToolOutput> output = tools_->Run(command);
    return output.ok() && output->exit_code == 0 ? std::move(output->out) : std::string();
  }

  // The table is cut off on hosts with many cards: others must count the same.
  absl::Status Complete(const NpuTable& table, const std::vector<std::string>& command, size_t mapped, size_t nodes) {
    std::set<uint64_t> cards;
    for (const NpuChip& chip : table.chips) cards.insert(chip.npu);
    const std::optional<uint64_t> counted = ParseNpuSmiCount(Ask(command, {"-l"}));
    if (counted.has_value() && *counted != cards.size()) {
      return worker_errors::NpuCountsDiffer(cards.size(), *counted, "cards", "npu-smi info -l");
    }
    if (mapped > table.chips.size()) {
      return worker_errors::NpuCountsDiffer(table.chips.size(), mapped, "chips", "npu-smi info -m");
    }
    if (!counted.has_value() && mapped == 0 && nodes > table.chips.size()) {
      return worker_errors::NpuCountsDiffer(table.chips.size(), nodes, "chips", "/dev/davinci*");
    }
    return absl::OkStatus();
  }

  std::shared_ptr<ToolRunner> tools_;
  SystemPaths paths_;
};

}  // namespace

std::unique_ptr<DeviceProbe> MakeAscendProbe(std::shared_ptr<ToolRunner> tools, SystemPaths paths) {
  return std::make_unique<AscendProbe>(std::move(tools), std::move(paths));
}

std::unique_ptr<DeviceProbe> MakeAscendProbe(std::shared_ptr<ToolRunner> tools) {
  return MakeAscendProbe(std::move(tools), SystemPaths{});
}

}  // namespace yardmaster::worker
