// Runs a small program for its answer.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_CAPTURE_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_CAPTURE_H_

#include <chrono>
#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "services/worker/process/process.h"

namespace yardmaster::worker {

struct Captured {
  int code = 0;
  std::string out;
  std::string err;
};

// At most `max_bytes` of each stream are kept. The starter's errors; DEADLINE_EXCEEDED where it did not end in time.
absl::StatusOr<Captured> Capture(ProcessStarter& processes, ProcessSpec spec, std::chrono::milliseconds timeout,
                                 size_t max_bytes = 1024 * 1024);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_CAPTURE_H_
