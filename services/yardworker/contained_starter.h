// Starts the processes of a run in a sandbox.
#ifndef YARDMASTER_SERVICES_YARDWORKER_CONTAINED_STARTER_H_
#define YARDMASTER_SERVICES_YARDWORKER_CONTAINED_STARTER_H_

#include <memory>
#include <string>
#include <string_view>

#include "services/worker/process/process.h"
#include "services/yardworker/sandbox.h"

namespace yardmaster::yardworker {

class ContainedStarter final : public worker::ProcessStarter {
 public:
  // `inner` must outlive this object.
  // What is started without a group of memory of its own is in `memory`, if that is not null.
  ContainedStarter(worker::ProcessStarter& inner, SandboxPolicy policy, std::unique_ptr<worker::MemoryGroup> memory)
      : inner_(inner), policy_(std::move(policy)), memory_(std::move(memory)) {}

  absl::StatusOr<std::unique_ptr<worker::Process>> Start(const worker::ProcessSpec& spec,
                                                         worker::MemoryGroup* memory) override;
  std::unique_ptr<worker::MemoryGroup> MakeMemoryGroup(std::string_view name, uint64_t limit_bytes,
                                                       std::string& reason) override {
    return inner_.MakeMemoryGroup(name, limit_bytes, reason);
  }
  // With a network of its own, unless the run has the host's: in it the ranks of a step meet.
  std::unique_ptr<worker::SharedMemory> MakeSharedMemory(std::string& reason) override;

 private:
  worker::ProcessStarter& inner_;
  const SandboxPolicy policy_;
  const std::unique_ptr<worker::MemoryGroup> memory_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_CONTAINED_STARTER_H_
