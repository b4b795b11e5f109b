// Runs a small program of ours for its answer.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_CAPTURE_H_
#define YARDMASTER_SERVICES_WORKER_RUN_CAPTURE_H_

#include <chrono>
#include <string>

#include "absl/status/statusor.h"
#include "services/worker/process/process.h"

namespace yardmaster::worker {

struct Captured {
  int code = 0;
  std::string out;  // both streams, at most 1 MiB
};

// The starter's errors; DEADLINE_EXCEEDED where it did not end in time.
absl::StatusOr<Captured> Capture(ProcessStarter& processes, ProcessSpec spec, std::chrono::milliseconds timeout);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_CAPTURE_H_
