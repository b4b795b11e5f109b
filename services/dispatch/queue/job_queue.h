// All jobs, leases and runners, and every decision about them. A decision is a const function that answers what would
// change; its caller makes the changes durable and then applies them. So what is in memory is what is on disk, whenever
// the daemon dies, and a test runs the same code on a clock of its own.
//
// What holds at any time:
//  * a job has at most one live lease, whose fencing number is the job's and larger than those of all its leases
//  before;
//  * a result counts once, and only with the number of the live lease;
//  * a device belongs to at most one live lease, and to none while its runner reports another run on it;
//  * a job that has ended does not change.
#ifndef YARDMASTER_SERVICES_DISPATCH_QUEUE_JOB_QUEUE_H_
#define YARDMASTER_SERVICES_DISPATCH_QUEUE_JOB_QUEUE_H_

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/dispatch/queue/engine.h"
#include "services/dispatch/queue/fair_order.h"
#include "services/dispatch/queue/model.h"

namespace yardmaster::dispatch {

// What a worker says of a run that has ended.
struct RunOutcome {
  Verdict verdict = Verdict::kNone;
  Cause cause;
  std::vector<std::string> notes;
  std::string result;
};

// Why a job waits.
struct Waiting {
  std::string reason;
  size_t position = 0;  // from 1, in the order of turns
  std::string nearest_runner;
  std::vector<std::string> nearest_missing;
  std::optional<std::chrono::seconds> estimate;  // until it starts; nullopt: nobody knows
};

// What a change replaced, to take it back.
struct Former {
  std::vector<std::pair<std::string, std::optional<Job>>> jobs;  // by name; nullopt: there was none
  std::vector<std::pair<std::string, std::optional<Lease>>> leases;
  std::vector<std::pair<std::string, std::optional<Runner>>> runners;
};

// Not thread-safe.
class JobQueue {
 public:
  // `begun`: leases of an earlier daemon are silent from then on; its own downtime is nobody's silence. `engine`
  // outlives the queue.
  JobQueue(const Limits& limits, const Moment& begun, const Engine& engine)
      : limits_(limits), begun_(begun), engine_(engine) {}

  // --- Decisions. Errors: NOT_FOUND for an unknown job or runner, FAILED_PRECONDITION as said. ---

  // A job as its submitter described it. Ended at once, with the reason, if no known runner could ever do it and the
  // runners have been the same for a while; as passed, if it says which job answers for it.
  absl::StatusOr<Changes> Submit(Job job, const Moment& now) const;
  // The same with several, in their order: all of them or none.
  absl::StatusOr<Changes> Submit(std::vector<Job> jobs, const Moment& now) const;
  // FAILED_PRECONDITION if it has ended. A run under way is asked to end and the job ends with it.
  absl::StatusOr<Changes> Cancel(std::string_view id, std::string_view by, const Moment& now) const;
  // A runner says what it is and does. ABORTED if a newer process has its name, PERMISSION_DENIED if the name is
  // another token's.
  absl::StatusOr<Changes> Report(const RunnerReport& report, const Moment& now) const;
  // A run has ended. Said again, it changes nothing. FAILED_PRECONDITION if its lease is not the live one. An error of
  // the infrastructure gives the job another run, as far as it has any left. What passes after it failed before is
  // flaky: the failure was real, and so is the pass.
  absl::StatusOr<Changes> Finish(std::string_view id, uint64_t fence, const RunOutcome& outcome,
                                 const Moment& now) const;
  // The runner can't begin the run: it is tried again later. FAILED_PRECONDITION if its lease is not the live one, or
  // the run has begun.
  absl::StatusOr<Changes> Decline(std::string_view id, uint64_t fence, std::string_view why, const Moment& now) const;
  // The runner has ended the processes of the run and gives it back. FAILED_PRECONDITION as above.
  absl::StatusOr<Changes> GiveBack(std::string_view id, uint64_t fence, std::string_view why, const Moment& now) const;
  // People take a runner out of service, or put it back.
  absl::StatusOr<Changes> SetDrained(std::string_view name, bool drained) const;
  absl::StatusOr<Changes> SetQuarantined(std::string_view name, bool quarantined, std::string_view why) const;
  // The same with one of its devices, or with all of them if `device` is empty. NOT_FOUND if it has none of that name.
  absl::StatusOr<Changes> SetDeviceQuarantined(std::string_view name, std::string_view device, bool quarantined,
                                               std::string_view why) const;
  // Forgets a runner. FAILED_PRECONDITION if it is online or has leases.
  absl::StatusOr<Changes> ForgetRunner(std::string_view name) const;
  // Runners that were silent too long are offline, and their runs lost, as are runs that pass their time. What waits
  // too long, or none of the runners could ever do, ends.
  Changes Expire(const Moment& now) const;
  // Leases for waiting jobs.
  Changes Place(const Moment& now) const;

  // --- What is known ---

  // FAILED_PRECONDITION if the job does not wait.
  absl::StatusOr<Waiting> Explain(std::string_view id, const Moment& now) const;
  const Job* FindJob(std::string_view id) const;
  const Lease* FindLease(std::string_view job) const;
  const Runner* FindRunner(std::string_view name) const;
  std::vector<const Lease*> LeasesOf(std::string_view runner) const;
  // Whether a job that has not ended has this source tree.
  bool NeedsSource(std::string_view digest) const { return sources_.contains(digest); }
  // How many jobs are in the state.
  size_t CountOf(JobState state) const { return counts_[static_cast<size_t>(state)]; }
  const std::map<std::string, Runner, std::less<>>& runners() const { return runners_; }
  const std::map<std::string, Lease, std::less<>>& leases() const { return leases_; }
  const std::map<std::string, Job, std::less<>>& jobs() const { return jobs_; }
  int64_t last_number() const { return last_number_; }
  // When Expire has something to do next; nullopt: no runner is online and no lease live.
  std::optional<std::chrono::steady_clock::time_point> NextExpiry() const;

  // --- Changes ---

  void Apply(const Changes& changes);
  // What `changes` would replace as things are now.
  Former FormerOf(const Changes& changes) const;
  // Takes back changes that could not be made durable, the newest first.
  void Restore(const Former& former);
  // A runner has shown a sign of life at `at`, by this token; what it says is to come. No effect on runners that are
  // not known, or not the token's.
  void Hear(std::string_view runner, std::string_view token, std::chrono::steady_clock::time_point at);
  // The numbers up to this one were given to jobs that are not known here any more.
  void NumbersBeginAfter(int64_t last) { last_number_ = std::max(last_number_, last); }
  // Forgets a job that has ended: who asks for it then is answered from the store. No effect on others.
  void Forget(std::string_view job);

 private:
  std::chrono::steady_clock::time_point SilentSince(std::string_view runner) const;
  absl::StatusOr<std::pair<Job, Lease>> LiveRun(std::string_view id, uint64_t fence) const;
  // The job goes back to the queue, or ends if it was cancelled or has no run left.
  void EndRun(Job job, const Lease& lease, LeaseEnd end, std::string_view why, const Moment& now,
              Changes& changes) const;
  // Whether the runners have been the same long enough to say what none of them could ever do.
  bool RunnersAreSettled(const Moment& now) const {
    return !runners_.empty() && now.steady - runners_changed_ >= limits_.runners_settle;
  }
  // Why a live lease has had its time; empty: it has not.
  std::string Overdue(const Lease& lease, const Moment& now) const;
  bool HasWaitedTooLong(const Job& job, const Moment& now) const {
    return now.wall - job.waiting_since >= limits_.queue;
  }
  void ExpireWaiting(const Moment& now, Changes& changes) const;
  // Ends the job if runners are known and none of them could ever do it. True if so.
  bool EndIfUnsatisfiable(Job& job, WallTime now) const;
  std::vector<Candidate> Candidates(WallTime now) const;
  Round PlaceNow(const Moment& now) const;
  const Job& WaitingJob(int64_t number) const { return *waiting_jobs_.at(number); }
  // Counts what a live lease uses, or no more.
  void Count(const Lease& lease, bool begins);
  void PutJob(const Job& job);
  void DropJob(std::string_view id);
  void PutLease(const Lease& lease);
  void DropLease(std::string_view job);
  void LeaveQueue(const Job& job);
  void CountSource(const Job& job, bool begins);

  const Limits limits_;
  const Moment begun_;
  const Engine& engine_;
  std::map<std::string, Job, std::less<>> jobs_;
  std::map<std::string, size_t, std::less<>> sources_;  // of jobs that have not ended: how many have each
  std::array<size_t, kJobStates> counts_{};             // of jobs_, by state
  std::map<std::string, Lease, std::less<>> leases_;    // live ones, by job
  std::map<std::string, std::set<std::string>, std::less<>> leased_jobs_;  // of them, by runner
  std::map<std::string, Runner, std::less<>> runners_;
  std::set<std::pair<std::string, std::string>> replaced_;  // runner, session
  WaitingJobs waiting_;
  std::map<int64_t, const Job*> waiting_jobs_;  // in jobs_, by number
  // What live leases use: for people and repositories, and runner → device → when its run is expected to end.
  Usage usage_;
  std::map<std::string, std::map<std::string, WallTime, std::less<>>, std::less<>> in_use_;
  // Jobs that wait and have not been held against the runners as they are now.
  mutable std::set<int64_t> unchecked_;
  std::chrono::steady_clock::time_point runners_changed_ = begun_.steady;
  int64_t last_number_ = 0;
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_QUEUE_JOB_QUEUE_H_
