#include "services/worker/run/capture.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxCapturedBytes = 1024 * 1024;
constexpr std::chrono::milliseconds kGrace{200};

}  // namespace

absl::StatusOr<Captured> Capture(ProcessStarter& processes, ProcessSpec spec, std::chrono::milliseconds timeout) {
  Captured captured;
  std::mutex mutex;
  spec.output = [&](Stream, std::string_view bytes) {
    const std::lock_guard lock(mutex);
    captured.out += bytes.substr(0, kMaxCapturedBytes - std::min(kMaxCapturedBytes, captured.out.size()));
  };
  ASSIGN_OR_RETURN(std::unique_ptr<Process> process, processes.Start(spec, nullptr));
  const std::optional<ProcessExit> exit = process->WaitUntil(std::chrono::steady_clock::now() + timeout);
  if (!exit.has_value()) process->Stop(kGrace);
  process.reset();
  if (!exit.has_value()) return errors::DeadlinePassed();
  captured.code = exit->code;
  return captured;
}

}  // namespace yardmaster::worker
