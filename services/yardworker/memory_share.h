// How much memory a run may have of what its worker may give: as its devices are a part of the worker's.
#ifndef YARDMASTER_SERVICES_YARDWORKER_MEMORY_SHARE_H_
#define YARDMASTER_SERVICES_YARDWORKER_MEMORY_SHARE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

// MiB of `all_mb`, at least 1. Kinds of devices have equal parts of it, and the devices of a kind equal parts of that:
// so runs that have all devices between them have no more than all memory. A device that the worker does not have any
// more counts as one of its run's.
uint64_t MemoryShareMb(uint64_t all_mb, const std::vector<v1::WorkerDevice>& of_worker,
                       const std::vector<std::string>& of_run);

// Lowers the order's limit of memory to that share. `all_mb` 0: no limit of the worker's.
void LimitMemory(uint64_t all_mb, const std::vector<v1::WorkerDevice>& of_worker, v1::RunOrder& order);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_MEMORY_SHARE_H_
