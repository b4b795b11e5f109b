#include "services/yardworker/toolchain.h"

#include <chrono>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/toolkits.h"
#include "services/worker/run/host_info.h"
#include "services/worker/run/requirements.h"

namespace yardmaster::yardworker {
namespace {

constexpr std::chrono::seconds kToolPatience{10};

}  // namespace

std::string ToolchainOfHost() {
  std::vector<std::string> parts = {worker::ThisHost().system};
  const auto add = [&](const char* name, const std::string& version) {
    if (!version.empty()) parts.push_back(absl::StrCat(name, " ", version));
  };
  add("cann", worker::CannVersion({}));
  add("cuda", worker::CudaVersion());
  const std::unique_ptr<worker::ToolRunner> tools = worker::MakeToolRunner(kToolPatience);
  for (const char* tool : {"cmake", "g++", "nvcc", "python3"}) {
    const absl::StatusOr<worker::ToolOutput> said = tools->Run({tool, "--version"});
    if (said.ok() && said->exit_code == 0) add(tool, worker::VersionIn(absl::StrCat(said->out, said->err)));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace yardmaster::yardworker
