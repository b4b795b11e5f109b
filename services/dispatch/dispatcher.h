// The book, made durable and shared: each decision is taken under one lock, committed, and then applied, so that nobody
// is answered before what he is told is on disk. Leases are placed after everything that may free or bring a device or
// a job.
#ifndef YARDMASTER_SERVICES_DISPATCH_DISPATCHER_H_
#define YARDMASTER_SERVICES_DISPATCH_DISPATCHER_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/clock.h"
#include "services/core/metrics.h"
#include "services/core/store/jobs.h"
#include "services/dispatch/book/book.h"

namespace yardmaster::dispatch {

// Told that something may have changed. Called under a lock of the dispatcher's: it only takes note.
class ChangeListener {
 public:
  virtual ~ChangeListener() = default;
  virtual void OnChange() = 0;
};

// A lease that its runner should have, with its job.
struct Order {
  Lease lease;
  Job job;
};

struct RunnerOrders {
  std::vector<Order> orders;
  bool drained = false;
};

// A runner with the leases it has.
struct RunnerStatus {
  Runner runner;
  std::vector<Lease> leases;
};

// Thread-safe.
class Dispatcher {
 public:
  // Reads what is live. Everything must outlive this object. DATA_LOSS if it can't be read.
  static absl::StatusOr<std::unique_ptr<Dispatcher>> Open(store::Jobs& jobs, const Clock& clock, Metrics& metrics,
                                                          const Limits& limits);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // Starts to look for silent runners. Idempotent; Stop ends it.
  void Start();
  void Stop();
  // What Start does all the time, once.
  absl::Status Tick();

  // Each as the book's function of that name, see book.h; jobs that ended long ago are known, too.
  absl::StatusOr<Job> Submit(Job job);
  absl::StatusOr<Job> Cancel(std::string_view job, std::string_view by);
  absl::Status Report(const RunnerReport& report);
  absl::Status Finish(std::string_view job, uint64_t fence, const RunOutcome& outcome);
  absl::Status Decline(std::string_view job, uint64_t fence, std::string_view why);
  absl::Status GiveBack(std::string_view job, uint64_t fence, std::string_view why);
  absl::Status SetDrained(std::string_view runner, bool drained);
  absl::Status SetQuarantined(std::string_view runner, bool quarantined, std::string_view why);
  absl::StatusOr<Waiting> Explain(std::string_view job) const;

  absl::StatusOr<Job> FindJob(std::string_view job) const;
  // OK if the lease is the live one, else what Finish would say.
  absl::Status CheckLive(std::string_view job, uint64_t fence) const;
  absl::StatusOr<store::Page<Job>> ListJobs(const store::JobFilter& filter, const store::PageRequest& page) const;
  RunnerOrders OrdersFor(std::string_view runner) const;
  std::vector<RunnerStatus> Runners() const;
  std::chrono::seconds lease() const { return limits_.lease; }

  // Until it is removed. After RemoveListener it is not called any more.
  void AddListener(ChangeListener& listener);
  void RemoveListener(ChangeListener& listener);
  // Something that is not in the book has changed: a log has grown.
  void NotifyListeners();

 private:
  Dispatcher(store::Jobs& jobs, const Clock& clock, Metrics& metrics, const Limits& limits);

  Moment Now() const { return {clock_.Now(), clock_.Monotonic()}; }
  // Makes what `decide(now)` answers durable, applies it, places what can be, and tells the listeners.
  absl::Status Decide(const std::function<absl::StatusOr<Changes>(const Moment&)>& decide, bool is_new = false);
  // True if runners say only that they are alive: nothing has come free by it, and placing costs more than all else.
  // What waits for a time is placed by Tick.
  bool IsSignOfLife(const Changes& changes) const;
  // True if there was something to write.
  absl::StatusOr<bool> CommitLocked(const Changes& changes, bool is_new);
  void CountLocked();
  void Loop();

  store::Jobs& jobs_;
  const Clock& clock_;
  Metrics& metrics_;
  const Limits limits_;
  mutable std::mutex mutex_;  // guards what follows
  Book book_;
  std::deque<std::string> ended_;  // in memory, the oldest first

  std::mutex listeners_mutex_;
  std::set<ChangeListener*> listeners_;

  std::mutex thread_mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_DISPATCHER_H_
