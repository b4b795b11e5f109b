// The queue, made durable and shared: nobody is answered before what he is told is on disk, and nobody sees what is
// not. Decisions that are asked for while others are committed are taken together and share the next commit. Leases are
// placed after everything that may free or bring a device or a job, in the same commit.
#ifndef YARDMASTER_SERVICES_DISPATCH_DISPATCHER_H_
#define YARDMASTER_SERVICES_DISPATCH_DISPATCHER_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
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
#include "services/core/logging.h"
#include "services/core/metrics.h"
#include "services/core/store/jobs.h"
#include "services/dispatch/past_runs.h"
#include "services/dispatch/queue/job_queue.h"

namespace yardmaster::dispatch {

// Told that something may have changed. Called under a lock of the dispatcher's: it only takes note.
class ChangeListener {
 public:
  virtual ~ChangeListener() = default;
  virtual void OnChange() = 0;
  // Comes all the time, as often as the dispatcher looks for silent runners: for what could not be done at once.
  virtual void OnTick() {}
};

// What a listener wants to hear of.
struct Topic {
  enum class Kind : uint8_t { kNothing, kAllJobs, kJob, kRunner };
  Kind kind = Kind::kNothing;
  std::string name;  // of the job or the runner

  static Topic AllJobs() { return {Kind::kAllJobs, ""}; }
  // The job and its log.
  static Topic OfJob(std::string_view job) { return {Kind::kJob, std::string(job)}; }
  // What the runner should do.
  static Topic OfRunner(std::string_view runner) { return {Kind::kRunner, std::string(runner)}; }
  friend auto operator<=>(const Topic&, const Topic&) = default;  // NOLINT(modernize-use-nullptr): it reads the 0
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
                                                          Logger& logger, const Limits& limits, const Engine& engine);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // Starts to look for silent runners. Idempotent; Stop ends it.
  void Start();
  void Stop();
  // What Start does all the time, once.
  absl::Status Tick();

  // Each as the queue's function of that name, see job_queue.h; jobs that ended long ago are known, too.
  absl::StatusOr<Job> Submit(Job job);
  // Several that belong together; where the first is known, none of them is new.
  absl::Status Submit(std::vector<Job> jobs);
  absl::StatusOr<Job> Cancel(std::string_view job, std::string_view by);
  absl::Status Report(const RunnerReport& report);
  absl::Status Finish(std::string_view job, uint64_t fence, const RunOutcome& outcome);
  absl::Status Decline(std::string_view job, uint64_t fence, std::string_view why);
  absl::Status GiveBack(std::string_view job, uint64_t fence, std::string_view why);
  absl::Status SetDrained(std::string_view runner, bool drained);
  absl::Status SetQuarantined(std::string_view runner, bool quarantined, std::string_view why);
  absl::Status SetDeviceQuarantined(std::string_view runner, std::string_view device, bool quarantined,
                                    std::string_view why);
  absl::Status ForgetRunner(std::string_view runner);
  absl::StatusOr<Waiting> Explain(std::string_view job) const;

  absl::StatusOr<Job> FindJob(std::string_view job) const;
  // OK if the lease is the live one, else what Finish would say.
  absl::Status CheckLive(std::string_view job, uint64_t fence) const;
  // OK if the lease, or the last one of a job that has ended, is or was of a runner with this token; PERMISSION_DENIED
  // if it is another's. NOT_FOUND for an unknown job.
  absl::Status CheckHolder(std::string_view job, uint64_t fence, std::string_view token) const;
  // Whether a live lease of a runner with this token is for a job with that source tree; an empty digest: any job.
  bool HoldsLease(std::string_view token, std::string_view source) const;
  // Whether a job that has not ended needs this source tree.
  bool NeedsSource(std::string_view digest) const;
  const PastRuns& past_runs() const { return past_runs_; }
  // Of the known runners that could ever do it: what they compute with.
  std::set<std::string> EnvironmentsFor(const Demand& demand) const;
  // What the worker said last about the run of a job: as it said it, empty if nothing, or the job does not run.
  std::string ProgressOf(std::string_view job) const;
  absl::StatusOr<store::Page<Job>> ListJobs(const store::JobFilter& filter, const store::PageRequest& page) const;
  RunnerOrders OrdersFor(std::string_view runner) const;
  std::vector<RunnerStatus> Runners() const;
  std::chrono::seconds lease() const { return limits_.lease; }
  // A runner has said something; what it is comes with its report. It is not silent, however long that takes.
  void Hear(std::string_view runner, std::string_view token);

  // Until it is removed. After RemoveListener it is not called any more. A listener has one topic: the newest.
  void SetListener(ChangeListener& listener, const Topic& topic);
  void RemoveListener(ChangeListener& listener);
  // Something that is not in the queue has changed: the log of a job has grown.
  void LogHasGrown(std::string_view job);

 private:
  using DecideFunction = std::function<absl::StatusOr<Changes>(const Moment&)>;
  // A decision that somebody waits for.
  struct Decision {
    const DecideFunction* decide;
    bool is_new;
    absl::Status status;
    bool done = false;
  };

  Dispatcher(store::Jobs& jobs, const Clock& clock, Metrics& metrics, Logger& logger, const Limits& limits,
             const Engine& engine);

  Moment Now() const { return {clock_.Now(), clock_.Monotonic()}; }
  // Makes what `decide(now)` answers durable, places what can be, and tells the listeners. `decide` may run on another
  // thread, which decides for this one, too.
  absl::Status Decide(const DecideFunction& decide, bool is_new = false);
  // All of them in one commit, or each by itself where that fails. All are new, or none.
  void DecideTogether(const std::vector<Decision*>& decisions);
  // The lock is held. OK if what they decided is committed; else nothing has changed.
  absl::Status TryTogether(const std::vector<Decision*>& decisions, std::set<Topic>& topics);
  // True if runners say only that they are alive: nothing has come free by it, and placing costs more than all else.
  // What waits for a time is placed by Tick.
  bool IsSignOfLife(const Changes& changes) const;
  // Of `changes`, what a restart needs.
  Changes DurableOf(const Changes& changes) const;
  // After the commit: counts what is measured, and forgets old jobs.
  void NoteChanged(const std::vector<Former>& former);
  void AddTopics(const Changes& changes, std::set<Topic>& topics) const;
  void MeasureNow();
  // Keeps what runs of the report say about how far they are, and tells those who follow them.
  void NoteProgress(const RunnerReport& report);
  void Notify(const std::set<Topic>& topics);
  void TickListeners();
  void RemoveListenerLocked(ChangeListener& listener);
  void Loop();
  // Reads what past_runs_ remembers.
  absl::Status ReadPastRuns();

  store::Jobs& jobs_;
  const Clock& clock_;
  Metrics& metrics_;
  Logger& logger_;
  const Limits limits_;
  int refresh_ = 0;  // of the metrics

  std::mutex decisions_mutex_;  // guards what follows
  std::condition_variable decided_;
  std::deque<Decision*> decisions_;
  bool deciding_ = false;

  mutable std::mutex mutex_;  // guards what follows
  JobQueue queue_;
  std::deque<std::string> ended_;  // in memory, the oldest first

  PastRuns past_runs_;

  struct Sign {
    std::string token;
    std::chrono::steady_clock::time_point at;
  };
  std::mutex heard_mutex_;             // guards what follows
  std::map<std::string, Sign> heard_;  // by runner

  struct Said {
    uint64_t fence = 0;
    std::string progress;
  };
  mutable std::mutex progress_mutex_;                  // guards what follows
  std::map<std::string, Said, std::less<>> progress_;  // by job, of live leases

  std::mutex listeners_mutex_;  // guards what follows
  std::map<Topic, std::set<ChangeListener*>> listeners_;
  std::map<ChangeListener*, Topic> topics_;

  std::mutex thread_mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_DISPATCHER_H_
