#include "services/worker/process/capture.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster::worker {
namespace {

constexpr std::chrono::milliseconds kGrace{200};

}  // namespace

absl::StatusOr<Captured> Capture(ProcessStarter& processes, ProcessSpec spec, std::chrono::milliseconds timeout,
                                 size_t max_bytes) {
  Captured captured;
  spec.output = [&](Stream stream, std::string_view bytes) {
    std::string& text = stream == Stream::kStdout ? captured.out : captured.err;
    text += bytes.substr(0, max_bytes - std::min(max_bytes, text.size()));
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
