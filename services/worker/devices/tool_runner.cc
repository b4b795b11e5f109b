#include "services/worker/devices/tool_runner.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "services/core/status_macros.h"
#include "services/worker/devices/nvidia_smi.h"
#include "services/worker/errors.h"
#include "services/worker/process/process.h"

namespace yardmaster::worker {
namespace {

constexpr std::chrono::milliseconds kGrace{500};
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
    // The output comes from the process's own thread.
    struct Gathered {
      std::mutex mutex;
      ToolOutput output;
    };
    const auto gathered = std::make_shared<Gathered>();
    ProcessSpec spec;
    spec.argv = argv;
    spec.environment = ToolEnvironment();
    spec.directory = "/";
    spec.output = [gathered](Stream stream, std::string_view bytes) {
      const std::lock_guard<std::mutex> lock(gathered->mutex);
      std::string& text = stream == Stream::kStdout ? gathered->output.out : gathered->output.err;
      // One byte more than parsers accept, so that they see that it is too much.
      text += bytes.substr(0, kMaxToolOutputBytes + 1 - std::min(text.size(), kMaxToolOutputBytes + 1));
    };
    ASSIGN_OR_RETURN(std::unique_ptr<Process> process, processes_->Start(spec, nullptr));
    const std::optional<ProcessExit> exit = process->WaitUntil(std::chrono::steady_clock::now() + timeout_);
    if (!exit.has_value()) {
      process->Stop(kGrace);
      return worker_errors::ToolTooSlow(argv.empty() ? "" : argv[0],
                                        std::chrono::duration_cast<std::chrono::seconds>(timeout_).count());
    }
    process.reset();
    const std::lock_guard<std::mutex> lock(gathered->mutex);
    gathered->output.exit_code = exit->code;
    return std::move(gathered->output);
  }

 private:
  std::chrono::milliseconds timeout_;
  std::unique_ptr<ProcessStarter> processes_;
};

}  // namespace

std::unique_ptr<ToolRunner> MakeToolRunner(std::chrono::milliseconds timeout) {
  return std::make_unique<SystemToolRunner>(timeout);
}

std::unique_ptr<ToolRunner> MakeToolRunner() { return MakeToolRunner(kToolTimeout); }

}  // namespace yardmaster::worker
