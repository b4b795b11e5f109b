// The threads that run the pipe in the daemon.
#ifndef YARDMASTER_SERVICES_INTAKE_PIPELINE_PIPELINE_THREADS_H_
#define YARDMASTER_SERVICES_INTAKE_PIPELINE_PIPELINE_THREADS_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "services/core/store/inbox.h"
#include "services/intake/pipeline/pipeline.h"

namespace yardmaster {

// Work on a subject mostly waits for its forge, so there are more threads than cores.
inline constexpr size_t kPipelineThreads = 8;

class PipelineThreads {
 public:
  // Starts. `pipeline` and `inbox` outlive this object.
  PipelineThreads(Pipeline& pipeline, store::Inbox& inbox, const Clock& clock, size_t threads = kPipelineThreads);
  // Stops.
  ~PipelineThreads();
  PipelineThreads(const PipelineThreads&) = delete;
  PipelineThreads& operator=(const PipelineThreads&) = delete;

  // Something may be there to do.
  void Wake();
  // Nothing more is begun; does not wait.
  void BeginStop();
  // Waits until nothing is in progress, at most `timeout`. True if nothing is. After BeginStop.
  bool WaitIdle(std::chrono::milliseconds timeout);
  // Lets work in progress end and starts nothing more. Clients of forges should be stopped before, so that nobody waits
  // for them. Idempotent.
  void Stop();

 private:
  void Work();

  Pipeline& pipeline_;
  store::Inbox& inbox_;
  const Clock& clock_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::condition_variable idle_;
  size_t working_ = 0;
  uint64_t wakes_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PIPELINE_PIPELINE_THREADS_H_
