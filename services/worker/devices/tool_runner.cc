#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/nvidia_smi.h"
#include "services/worker/errors.h"
#include "services/worker/process/capture.h"
#include "services/worker/process/process.h"

namespace yardmaster::worker {
namespace {

constexpr const char* kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// What tools need, in a language that parsers know. Nothing else of our environment reaches them.
std::vector<std::string> ToolEnvironment() {
  const char* path = std::getenv("PATH");
  std::vector<std::string> environment = {"PATH=" + std::string(path == nullptr ? kDefaultPath : path), "LC_ALL=C",
                                          "HOME=/"};
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH")) {
    environment.push_back("LD_LIBRARY_PATH=" + std::string(libraries));
  }
  return environment;
}

class SystemToolRunner : public ToolRunner {
 public:
  explicit SystemToolRunner(std::chrono::milliseconds timeout) : timeout_(timeout), processes_(MakeProcessStarter()) {}

  absl::StatusOr<ToolOutput> Run(const std::vector<std::string>& argv) override {
    ProcessSpec spec;
    spec.argv = argv;
    spec.environment = ToolEnvironment();
    spec.directory = "/";
    // One byte more than parsers accept, so that they see that it is too much.
    absl::StatusOr<Captured> captured = Capture(*processes_, std::move(spec), timeout_, kMaxToolOutputBytes + 1);
    if (captured.ok()) return ToolOutput{captured->code, std::move(captured->out), std::move(captured->err)};
    if (captured.status().code() != absl::StatusCode::kDeadlineExceeded) return captured.status();
    return worker_errors::ToolTooSlow(argv.empty() ? "" : argv[0],
                                      std::chrono::duration_cast<std::chrono::seconds>(timeout_).count());
  }

 private:
  std::chrono::milliseconds timeout_;
  std::unique_ptr<ProcessStarter> processes_;
};

}  // namespace

std::unique_ptr<ToolRunner> MakeToolRunner(std::chrono::milliseconds timeout) {
  return std::make_unique<SystemToolRunner>(timeout);
}

}  // namespace yardmaster::worker
