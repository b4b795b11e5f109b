// How much room is left.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_DISK_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_DISK_H_

#include <cstdint>
#include <filesystem>

#include "absl/status/statusor.h"

namespace yardmaster::worker {

// Bytes that we may still write on the disk of `path`; what only root may use does not count. A path that does not
// exist yet is asked about where it would be made. NOT_FOUND if it can't be told.
absl::StatusOr<uint64_t> FreeDiskBytes(const std::filesystem::path& path);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_DISK_H_
