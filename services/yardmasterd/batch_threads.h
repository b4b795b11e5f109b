// Threads that work for throughput.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_BATCH_THREADS_H_
#define YARDMASTER_SERVICES_YARDMASTERD_BATCH_THREADS_H_

namespace yardmaster {

// Threads that this thread starts while the object lives, and those that they start, have the policy SCHED_BATCH (see
// sched(7)): one that wakes up does not interrupt a thread that is running, but takes the next free processor or waits
// for the end of a time slice (some milliseconds). Where the system refuses it, or the process has another policy than
// the default one, nothing changes.
class BatchThreads {
 public:
  BatchThreads();
  ~BatchThreads();
  BatchThreads(const BatchThreads&) = delete;
  BatchThreads& operator=(const BatchThreads&) = delete;

 private:
  bool changed_ = false;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_BATCH_THREADS_H_
