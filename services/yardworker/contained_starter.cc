#include "services/yardworker/contained_starter.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "services/worker/errors.h"
#include "services/worker/process/program_path.h"
#include "services/worker/process/shared_memory.h"

namespace yardmaster::yardworker {

absl::StatusOr<std::unique_ptr<worker::Process>> ContainedStarter::Start(const worker::ProcessSpec& spec,
                                                                         worker::MemoryGroup* memory) {
  if (spec.argv.empty() || spec.argv[0].empty()) return worker::worker_errors::NoProgramGiven();
  // Inside, a program that is missing would look like one that failed.
  const std::string_view path = worker::EnvironmentValue(spec.environment, "PATH");
  const std::vector<std::string> candidates = worker::ProgramCandidates(spec.argv[0], path);
  const bool there = std::any_of(candidates.begin(), candidates.end(), [&](const std::string& candidate) {
    return ::access((spec.directory / candidate).c_str(), X_OK) == 0;
  });
  if (!there) return worker::worker_errors::ProgramNotFound(spec.argv[0], path);
  worker::ProcessSpec contained = spec;
  contained.argv = SandboxCommand(policy_, spec);
  contained.environment.assign(std::begin(kSandboxEnvironment), std::end(kSandboxEnvironment));
  return inner_.Start(contained, memory != nullptr ? memory : memory_.get());
}

std::unique_ptr<worker::SharedMemory> ContainedStarter::MakeSharedMemory(std::string& reason) {
  return worker::NamespacedSharedMemory::Make(reason, /*as_user=*/false, /*own_network=*/!policy_.network);
}

}  // namespace yardmaster::yardworker
