// What a run can't leave: its sandbox, its number of processes, its memory.
#ifndef YARDMASTER_SERVICES_YARDWORKER_CONTAINMENT_H_
#define YARDMASTER_SERVICES_YARDWORKER_CONTAINMENT_H_

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/process/process.h"
#include "services/worker/process/process_limit.h"
#include "services/yardworker/build_tree.h"
#include "services/yardworker/contained_starter.h"
#include "services/yardworker/run_cache.h"
#include "services/yardworker/run_folder.h"
#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

// What keeps a run within itself, while it runs.
struct Containment {
  std::unique_ptr<worker::ProcessLimit> processes;  // null: not limited, or by the sandbox
  std::unique_ptr<ContainedStarter> starter;        // null: not contained
  std::vector<std::string> notes;                   // what this machine lacks, for people
};

// What it may see and reach.
struct ContainmentScope {
  bool network = false;  // the suite asks for it; the order decides
  std::vector<std::filesystem::path> readable;
  const std::vector<worker::Device>& devices;
  const RunCache& cache;
  const BuildTree* tree;  // null: it builds in its folder
};

// `starter` outlives it. UNAVAILABLE: the pool asks for more than there is.
absl::StatusOr<Containment> Contain(const RunFolder& folder, const v1::RunOrder& order, ContainmentScope scope,
                                    worker::ProcessStarter& starter);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_CONTAINMENT_H_
