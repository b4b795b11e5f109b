#include "services/dispatch/queue/job_queue.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"
#include "services/dispatch/queue/errors.h"
#include "services/dispatch/queue/fit.h"
#include "services/dispatch/queue/states.h"

namespace yardmaster::dispatch {
namespace {

constexpr std::string_view kInfrastructure = "infrastructure";
constexpr std::string_view kEnvironment = "environment";
constexpr std::chrono::seconds kDeclinedWait{5};

void End(Job& job, Verdict verdict, Cause cause, WallTime now) {
  job.state = JobState::kEnded;
  job.verdict = verdict;
  job.cause = std::move(cause);
  job.ended_at = now;
}

LeaseState StateOfPhase(RunPhase phase) {
  switch (phase) {
    case RunPhase::kPreparing:
      return LeaseState::kGranted;
    case RunPhase::kRunning:
      return LeaseState::kRunning;
    case RunPhase::kFinishing:
      return LeaseState::kFinishing;
  }
  return LeaseState::kGranted;
}

// The runner that lacks the least, and what; nullptr: none is known.
const Runner* Nearest(const Demand& demand, const std::map<std::string, Runner, std::less<>>& runners,
                      std::vector<std::string>& missing) {
  const Runner* nearest = nullptr;
  for (const auto& [name, runner] : runners) {
    std::vector<std::string> lacks = Missing(demand, runner);
    if (nearest != nullptr && lacks.size() >= missing.size()) continue;
    nearest = &runner;
    missing = std::move(lacks);
  }
  return nearest;
}

bool TakesRuns(const Runner& runner) {
  return runner.online && !runner.draining && !runner.drained_by_people && !runner.quarantined;
}

// What keeps a runner that could do it from doing it now; empty: only that its devices are in use.
std::string_view OutOfService(const Runner& runner) {
  if (runner.quarantined) return "it is quarantined";
  if (!runner.online) return "it is offline";
  if (runner.draining || runner.drained_by_people) return "it is draining";
  return "";
}

}  // namespace

const Job* JobQueue::FindJob(std::string_view id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

const Lease* JobQueue::FindLease(std::string_view job) const {
  const auto found = leases_.find(job);
  return found == leases_.end() ? nullptr : &found->second;
}

const Runner* JobQueue::FindRunner(std::string_view name) const {
  const auto found = runners_.find(name);
  return found == runners_.end() ? nullptr : &found->second;
}

std::vector<const Lease*> JobQueue::LeasesOf(std::string_view runner) const {
  std::vector<const Lease*> all;
  const auto jobs = leased_jobs_.find(runner);
  if (jobs == leased_jobs_.end()) return all;
  all.reserve(jobs->second.size());
  for (const std::string& job : jobs->second) all.push_back(&leases_.find(job)->second);
  return all;
}

absl::StatusOr<Changes> JobQueue::Submit(Job job, const Moment& now) const {
  return Submit(std::vector<Job>{std::move(job)}, now);
}

absl::StatusOr<Changes> JobQueue::Submit(std::vector<Job> jobs, const Moment& now) const {
  int64_t number = last_number_;
  for (Job& job : jobs) {
    if (jobs_.contains(job.id)) return JobExists(job.id);
    job.number = ++number;
    job.state = JobState::kQueued;
    job.queued_at = now.wall;
    job.waiting_since = now.wall;
    if (!job.answered_by.empty()) {
      End(job, Verdict::kPassed, {}, now.wall);
    } else if (RunnersAreSettled(now)) {
      // Else it is looked at with all that wait.
      EndIfUnsatisfiable(job, now.wall);
    }
  }
  Changes changes;
  changes.jobs = std::move(jobs);
  return changes;
}

bool JobQueue::EndIfUnsatisfiable(Job& job, WallTime now) const {
  std::vector<std::string> missing;
  const Runner* nearest = Nearest(job.demand, runners_, missing);
  if (nearest == nullptr || missing.empty()) return false;
  End(job, Verdict::kError,
      {std::string(kInfrastructure), absl::StrCat("unsatisfiable: no known runner could ever do it; the nearest is \"",
                                                  nearest->name, "\", which lacks: ", absl::StrJoin(missing, "; "))},
      now);
  return true;
}

absl::StatusOr<Changes> JobQueue::Cancel(std::string_view id, std::string_view by, const Moment& now) const {
  const Job* known = FindJob(id);
  if (known == nullptr) return JobUnknown(id);
  if (known->state == JobState::kEnded) {
    return JobEnded(id, known->verdict);
  }
  Changes changes;
  if (known->cancel_requested) return changes;
  Job job = *known;
  job.cancel_requested = true;
  job.notes.push_back(absl::StrCat("cancelled by ", Abs(by)));
  if (job.state == JobState::kQueued) End(job, Verdict::kCancelled, {}, now.wall);
  changes.jobs.push_back(std::move(job));
  return changes;
}

void JobQueue::EndRun(Job job, const Lease& lease, LeaseEnd end, std::string_view why, const Moment& now,
                      Changes& changes) const {
  job.notes.push_back(absl::StrCat("run ", lease.attempt, " on ", lease.runner, ": ", Abs(why)));
  if (job.cancel_requested) {
    End(job, Verdict::kCancelled, {}, now.wall);
  } else if (end == LeaseEnd::kDeclined) {
    job.attempt -= 1;  // it never began
    job.declined += 1;
    if (job.declined >= limits_.max_declines) {
      End(job, Verdict::kError, {std::string(kEnvironment), absl::StrCat("no runner begins it: ", Abs(why))}, now.wall);
    } else {
      job.state = JobState::kQueued;
      job.ready_at = now.steady + kDeclinedWait * job.declined;
    }
  } else if (job.attempt >= limits_.max_attempts) {
    End(job, Verdict::kError,
        {std::string(kInfrastructure), absl::StrCat("given up after ", job.attempt, " runs; the last: ", Abs(why))},
        now.wall);
  } else {
    job.state = JobState::kQueued;
  }
  job.last_runner = lease.runner;
  if (job.state == JobState::kQueued) job.waiting_since = now.wall;
  changes.ended.push_back({lease, end, std::string(why), now.wall});
  changes.jobs.push_back(std::move(job));
}

// What the worker named before and does not name now is out of order: it may be back soon, and what needs it waits.
void KeepGoneDevices(const Runner& known, const Moment& now, std::chrono::hours kept, std::vector<Device>& devices) {
  const auto same = [](const Device& a, const Device& b) { return a.id == b.id; };
  if (absl::c_equal(known.devices, devices, same)) return;
  for (const Device& device : known.devices) {
    const bool named = absl::c_any_of(devices, [&](const Device& one) { return one.id == device.id; });
    const bool forgotten = device.gone_at != WallTime() && now.wall - device.gone_at >= kept;
    if (named || forgotten) continue;
    Device& gone = devices.emplace_back(device);
    if (gone.gone_at == WallTime()) gone.gone_at = now.wall;
    gone.healthy = false;
    gone.why = "it is gone: its worker does not name it any more";
  }
}

// What people took out of service stays out, whatever its worker says.
void KeepQuarantines(const Runner& known, std::vector<Device>& devices) {
  for (const Device& before : known.devices) {
    if (!before.quarantined) continue;
    for (Device& device : devices) {
      if (device.id != before.id) continue;
      device.quarantined = true;
      device.quarantine_why = before.quarantine_why;
    }
  }
}

absl::StatusOr<Changes> JobQueue::Report(const RunnerReport& report, const Moment& now) const {
  if (replaced_.contains({report.name, report.session})) {
    return RunnerReplaced(report.name);
  }
  const Runner* const before = FindRunner(report.name);
  if (before != nullptr && !before->token.empty() && before->token != report.token) {
    return RunnerOfAnotherToken(report.name, before->token);
  }
  Changes changes;
  Runner runner;
  if (before != nullptr) runner = *before;
  runner.name = report.name;
  runner.token = report.token;
  runner.session = report.session;
  runner.pool = report.pool;
  runner.labels = report.labels;
  runner.devices = report.devices;
  runner.environment = report.environment;
  if (before != nullptr) KeepQuarantines(*before, runner.devices);
  if (before != nullptr) KeepGoneDevices(*before, now, limits_.gone_devices, runner.devices);
  runner.draining = report.draining;
  runner.runs = report.runs;
  runner.online = true;
  runner.seen = now.steady;
  runner.last_seen = now.wall;
  changes.runners.push_back(std::move(runner));

  for (const Lease* live : LeasesOf(report.name)) {
    const auto run = absl::c_find_if(
        report.runs, [&](const ReportedRun& one) { return one.job == live->job && one.fence == live->fence; });
    const Job& known = jobs_.find(live->job)->second;
    if (run == report.runs.end()) {
      // Told, but not yet taken: it will be told again.
      if (live->accepted) EndRun(known, *live, LeaseEnd::kLost, "the worker has lost it", now, changes);
      continue;
    }
    Lease lease = *live;
    lease.accepted = true;
    lease.state = std::max(lease.state, StateOfPhase(run->phase));
    if (lease.accepted == live->accepted && lease.state == live->state) continue;
    if (lease.state != live->state) lease.since = now.steady;
    const JobState state = StateOf(lease.state);
    if (state != known.state) {
      RETURN_IF_ERROR(CheckTransition(known.state, state));
      Job job = known;
      job.state = state;
      if (job.started_at == WallTime()) job.started_at = now.wall;
      if (job.run_began_at == WallTime()) job.run_began_at = now.wall;
      changes.jobs.push_back(std::move(job));
    }
    changes.leases.push_back(std::move(lease));
  }
  return changes;
}

absl::StatusOr<std::pair<Job, Lease>> JobQueue::LiveRun(std::string_view id, uint64_t fence) const {
  const Job* job = FindJob(id);
  if (job == nullptr) return JobUnknown(id);
  const Lease* lease = FindLease(id);
  if (lease == nullptr || lease->fence != fence) {
    return LeaseNotLive(*job, fence);
  }
  return std::pair(*job, *lease);
}

absl::StatusOr<Changes> JobQueue::Finish(std::string_view id, uint64_t fence, const RunOutcome& outcome,
                                         const Moment& now) const {
  if (outcome.verdict == Verdict::kNone) return VerdictMissing();
  const Job* known = FindJob(id);
  const Verdict verdict = known == nullptr ? outcome.verdict : VerdictOf(*known, outcome.verdict);
  // The answer to the first may have been lost.
  if (known != nullptr && known->state == JobState::kEnded && known->fence == fence && known->verdict == verdict) {
    return Changes();
  }
  ASSIGN_OR_RETURN(auto run, LiveRun(id, fence));
  auto& [job, lease] = run;
  RETURN_IF_ERROR(CheckTransition(job.state, JobState::kEnded));
  Changes changes;
  if (verdict != outcome.verdict) {
    job.notes.push_back(absl::StrCat("it passed after the failure of the job ", job.failed_before, ": 'yard test show ",
                                     job.failed_before, "' has what failed"));
  }
  absl::c_copy(outcome.notes, std::back_inserter(job.notes));
  job.result = outcome.result;
  if (job.started_at == WallTime()) job.started_at = now.wall;
  if (job.run_began_at == WallTime()) job.run_began_at = now.wall;
  if (outcome.verdict == Verdict::kError && outcome.cause.class_name == kInfrastructure && !job.cancel_requested &&
      job.attempt < limits_.max_attempts) {
    EndRun(std::move(job), lease, LeaseEnd::kFinished, outcome.cause.text, now, changes);
    return changes;
  }
  End(job, verdict, outcome.cause, now.wall);
  job.last_runner = lease.runner;
  changes.ended.push_back({lease, job.cancel_requested ? LeaseEnd::kCancelled : LeaseEnd::kFinished, "", now.wall});
  changes.jobs.push_back(std::move(job));
  return changes;
}

absl::StatusOr<Changes> JobQueue::Decline(std::string_view id, uint64_t fence, std::string_view why,
                                          const Moment& now) const {
  ASSIGN_OR_RETURN(auto run, LiveRun(id, fence));
  if (run.second.state != LeaseState::kGranted) {
    return RunHasBegun(id);
  }
  Changes changes;
  EndRun(std::move(run.first), run.second, LeaseEnd::kDeclined, why, now, changes);
  return changes;
}

absl::StatusOr<Changes> JobQueue::GiveBack(std::string_view id, uint64_t fence, std::string_view why,
                                           const Moment& now) const {
  ASSIGN_OR_RETURN(auto run, LiveRun(id, fence));
  Changes changes;
  EndRun(std::move(run.first), run.second, LeaseEnd::kGivenBack, why, now, changes);
  return changes;
}

absl::StatusOr<Changes> JobQueue::SetDrained(std::string_view name, bool drained) const {
  const Runner* known = FindRunner(name);
  if (known == nullptr) return RunnerUnknown(name);
  Changes changes;
  if (known->drained_by_people == drained) return changes;
  changes.runners.push_back(*known);
  changes.runners.back().drained_by_people = drained;
  return changes;
}

absl::StatusOr<Changes> JobQueue::SetQuarantined(std::string_view name, bool quarantined, std::string_view why) const {
  const Runner* known = FindRunner(name);
  if (known == nullptr) return RunnerUnknown(name);
  Changes changes;
  changes.runners.push_back(*known);
  changes.runners.back().quarantined = quarantined;
  changes.runners.back().quarantine_why = quarantined ? std::string(why) : "";
  return changes;
}

absl::StatusOr<Changes> JobQueue::SetDeviceQuarantined(std::string_view name, std::string_view device, bool quarantined,
                                                       std::string_view why) const {
  const Runner* known = FindRunner(name);
  if (known == nullptr) return RunnerUnknown(name);
  Changes changes;
  Runner& runner = changes.runners.emplace_back(*known);
  bool found = false;
  for (Device& one : runner.devices) {
    if (!device.empty() && one.id != device) continue;
    found = true;
    one.quarantined = quarantined;
    one.quarantine_why = quarantined ? std::string(why) : "";
  }
  if (!found && !device.empty()) return DeviceUnknown(name, device);
  return changes;
}

absl::StatusOr<Changes> JobQueue::ForgetRunner(std::string_view name) const {
  const Runner* known = FindRunner(name);
  if (known == nullptr) return RunnerUnknown(name);
  if (known->online || !LeasesOf(name).empty()) return RunnerInService(name);
  Changes changes;
  changes.forgotten.emplace_back(name);
  return changes;
}

std::chrono::steady_clock::time_point JobQueue::SilentSince(std::string_view runner) const {
  const Runner* known = FindRunner(runner);
  return known == nullptr ? begun_.steady : std::max(begun_.steady, known->seen);
}

Changes JobQueue::Expire(const Moment& now) const {
  Changes changes;
  const auto silent = [&](std::string_view runner) { return now.steady - SilentSince(runner) >= limits_.lease; };
  const std::string why = absl::StrCat("no sign of life for ", limits_.lease.count(), " s");
  for (const auto& [id, lease] : leases_) {
    const std::string overdue = silent(lease.runner) ? why : Overdue(lease, now);
    if (!overdue.empty()) EndRun(jobs_.find(id)->second, lease, LeaseEnd::kLost, overdue, now, changes);
  }
  for (const auto& [name, runner] : runners_) {
    if (!runner.online || !silent(name)) continue;
    changes.runners.push_back(runner);
    changes.runners.back().online = false;
  }
  ExpireWaiting(now, changes);
  if (RunnersAreSettled(now)) {
    for (auto number = unchecked_.begin(); number != unchecked_.end();) {
      Job job = WaitingJob(*number);
      if (HasWaitedTooLong(job, now)) {
        ++number;  // it has ended above
      } else if (EndIfUnsatisfiable(job, now.wall)) {
        changes.jobs.push_back(std::move(job));
        ++number;  // until it has ended
      } else {
        number = unchecked_.erase(number);
      }
    }
  }
  return changes;
}

std::string JobQueue::Overdue(const Lease& lease, const Moment& now) const {
  const auto had = now.steady - std::max(begun_.steady, lease.since);
  const auto minutes = [](std::chrono::seconds time) {
    return absl::StrCat(std::chrono::ceil<std::chrono::minutes>(time).count(), " minutes");
  };
  const std::chrono::seconds limit = jobs_.find(lease.job)->second.limit;
  const std::chrono::seconds run = limit.count() > 0 ? limit : limits_.run;
  switch (lease.state) {
    case LeaseState::kGranted:
      if (had >= limits_.start) return absl::StrCat("no process of it began within ", minutes(limits_.start));
      break;
    case LeaseState::kRunning:
      if (had >= run) return absl::StrCat("it did not end within ", minutes(run), ", which is more than it may take");
      break;
    case LeaseState::kFinishing:
      if (had >= limits_.finish) return absl::StrCat("its results did not come within ", minutes(limits_.finish));
      break;
  }
  return {};
}

void JobQueue::ExpireWaiting(const Moment& now, Changes& changes) const {
  // In the order of submission: whoever was submitted later has not waited longer.
  for (const auto& [number, job] : waiting_jobs_) {
    if (now.wall - job->queued_at < limits_.queue) break;
    if (!HasWaitedTooLong(*job, now)) continue;
    changes.jobs.push_back(*job);
    const auto hours = std::chrono::duration<double, std::ratio<3600>>(limits_.queue).count();
    End(changes.jobs.back(), Verdict::kError,
        {std::string(kInfrastructure),
         absl::StrCat("timed out in the queue: it waited for devices for ", hours, " hours")},
        now.wall);
  }
}

std::optional<std::chrono::steady_clock::time_point> JobQueue::NextExpiry() const {
  std::optional<std::chrono::steady_clock::time_point> next;
  const auto note = [&](std::string_view runner) {
    const auto at = SilentSince(runner) + limits_.lease;
    if (!next.has_value() || at < *next) next = at;
  };
  for (const auto& [id, lease] : leases_) note(lease.runner);
  for (const auto& [name, runner] : runners_) {
    if (runner.online) note(name);
  }
  return next;
}

std::vector<Candidate> JobQueue::Candidates(WallTime now) const {
  std::vector<Candidate> candidates;
  candidates.reserve(runners_.size());
  for (const auto& [name, runner] : runners_) {
    if (!TakesRuns(runner)) continue;
    Candidate candidate;
    candidate.runner = &runner;
    candidate.busy_until.resize(runner.devices.size());
    candidate.out.resize(runner.devices.size());
    const auto uses = in_use_.find(name);
    for (size_t i = 0; i < runner.devices.size(); ++i) {
      const Device& device = runner.devices[i];
      candidate.out[i] = !device.InService();
      if (uses != in_use_.end()) {
        const auto use = uses->second.find(device.id);
        if (use != uses->second.end()) candidate.busy_until[i] = std::max(use->second, now + kOverdueRun);
      }
      if (candidate.busy_until[i].has_value()) continue;
      // Also what belongs to no lease any more: its processes may still be there.
      const bool reported = absl::c_any_of(
          runner.runs, [&](const ReportedRun& run) { return absl::c_linear_search(run.devices, device.id); });
      if (reported) candidate.busy_until[i] = now + kOverdueRun;
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

void JobQueue::Count(const Lease& lease, bool begins) {
  const Job& job = jobs_.find(lease.job)->second;
  const auto devices = static_cast<int64_t>(lease.devices.size());
  usage_.Add(job, begins ? devices : -devices);
  auto& uses = in_use_[lease.runner];
  const WallTime end = lease.granted_at + (job.expected.count() > 0 ? job.expected : kUnknownRun);
  for (const std::string& device : lease.devices) {
    if (begins) {
      uses[device] = end;
    } else {
      uses.erase(device);
    }
  }
  if (uses.empty()) in_use_.erase(lease.runner);
}

Round JobQueue::PlaceNow(const Moment& now) const {
  const std::function<const Job&(int64_t)> job_of = [this](int64_t number) -> const Job& { return WaitingJob(number); };
  return engine_.Place({waiting_, job_of, Candidates(now.wall), usage_, now});
}

Changes JobQueue::Place(const Moment& now) const {
  Changes changes;
  if (waiting_.size() == 0) return changes;
  for (const Placed& placed : PlaceNow(now).placed) {
    Job job = *placed.job;
    job.state = JobState::kLeased;
    job.attempt += 1;
    job.fence += 1;
    job.last_runner = placed.runner->name;
    job.model = placed.devices.empty() ? "" : placed.runner->devices[placed.devices.front()].model;
    job.environment = placed.runner->environment;
    job.run_began_at = WallTime();
    Lease lease;
    lease.job = job.id;
    lease.fence = job.fence;
    lease.attempt = job.attempt;
    lease.runner = placed.runner->name;
    lease.granted_at = now.wall;
    lease.since = now.steady;
    lease.devices.reserve(placed.devices.size());
    for (const size_t device : placed.devices) lease.devices.push_back(placed.runner->devices[device].id);
    changes.leases.push_back(std::move(lease));
    changes.jobs.push_back(std::move(job));
  }
  return changes;
}

absl::StatusOr<Waiting> JobQueue::Explain(std::string_view id, const Moment& now) const {
  const Job* job = FindJob(id);
  if (job == nullptr) return JobUnknown(id);
  if (job->state != JobState::kQueued) {
    return JobDoesNotWait(id, job->state);
  }
  Waiting waiting;
  FairOrder order(waiting_, usage_);
  for (int64_t number = order.Next(); number != 0; number = order.Next()) {
    ++waiting.position;
    if (number == job->number) break;
  }
  const Runner* nearest = Nearest(job->demand, runners_, waiting.nearest_missing);
  if (nearest == nullptr) {
    waiting.reason = "no runner is known yet";
    return waiting;
  }
  waiting.nearest_runner = nearest->name;
  if (!waiting.nearest_missing.empty()) {
    waiting.reason = "no known runner could ever do it";
    return waiting;
  }
  if (job->ready_at > now.steady) {
    waiting.reason = "a runner gave it back; it is tried again soon";
    waiting.estimate = std::chrono::ceil<std::chrono::seconds>(job->ready_at - now.steady);
    return waiting;
  }
  // One that is in service is nearer than one that is not.
  std::string_view out;
  for (const auto& [name, runner] : runners_) {
    if (!Missing(job->demand, runner).empty()) continue;
    waiting.nearest_runner = name;
    out = OutOfService(runner);
    if (out.empty()) break;
  }
  if (!out.empty()) {
    waiting.reason = "no runner that could do it takes runs now";
    waiting.nearest_missing.emplace_back(out);
    return waiting;
  }
  const Round round = PlaceNow(now);
  if (absl::c_any_of(round.placed, [&](const Placed& placed) { return placed.job == job; })) {
    waiting.reason = "it is about to be placed";
    waiting.estimate = std::chrono::seconds(0);
    return waiting;
  }
  waiting.nearest_missing.push_back(
      absl::StrCat(job->demand.count, " free ", job->demand.kind, job->demand.count == 1 ? "" : ", all at once"));
  const auto reserved = absl::c_find_if(round.reserved, [&](const Reserved& one) { return one.job == job->number; });
  if (reserved != round.reserved.end()) {
    waiting.reason = "its devices are in use; the first to be free are set aside for it";
    waiting.nearest_runner = reserved->runner->name;
    waiting.estimate =
        std::max(std::chrono::seconds(0), std::chrono::ceil<std::chrono::seconds>(reserved->at - now.wall));
  } else {
    waiting.reason = "its devices are in use or set aside for jobs whose turn is earlier";
  }
  return waiting;
}

void JobQueue::Apply(const Changes& changes) {
  for (const std::string& name : changes.forgotten) {
    if (runners_.erase(name) == 0) continue;
    std::erase_if(replaced_, [&](const auto& one) { return one.first == name; });
    for (const auto& [number, job] : waiting_jobs_) unchecked_.insert(number);
  }
  for (const Runner& runner : changes.runners) {
    Runner& known = runners_[runner.name];
    if (!known.session.empty() && known.session != runner.session) replaced_.emplace(runner.name, known.session);
    if (known.pool != runner.pool || known.labels != runner.labels || known.devices != runner.devices) {
      runners_changed_ = std::max(runners_changed_, runner.seen);
      for (const auto& [number, job] : waiting_jobs_) unchecked_.insert(number);
    }
    known = runner;
  }
  // Before the leases, which count for them.
  for (const Job& job : changes.jobs) PutJob(job);
  for (const EndedLease& ended : changes.ended) {
    const auto live = leases_.find(ended.lease.job);
    if (live != leases_.end() && live->second.fence == ended.lease.fence) DropLease(ended.lease.job);
  }
  for (const Lease& lease : changes.leases) PutLease(lease);
}

void JobQueue::LeaveQueue(const Job& job) {
  waiting_.Remove(job);
  waiting_jobs_.erase(job.number);
  unchecked_.erase(job.number);
}

void JobQueue::CountSource(const Job& job, bool begins) {
  if (job.source.empty() || job.state == JobState::kEnded) return;
  const auto uses = sources_.try_emplace(job.source, 0).first;
  uses->second += begins ? 1 : -1;
  if (uses->second == 0) sources_.erase(uses);
}

void JobQueue::PutJob(const Job& job) {
  Job& known = jobs_[job.id];
  if (known.number != 0) {
    --counts_[static_cast<size_t>(known.state)];
    CountSource(known, /*begins=*/false);
    if (known.state == JobState::kQueued) LeaveQueue(known);
  }
  known = job;
  CountSource(job, /*begins=*/true);
  ++counts_[static_cast<size_t>(job.state)];
  last_number_ = std::max(last_number_, job.number);
  if (job.state == JobState::kQueued) {
    waiting_.Add(job);
    waiting_jobs_[job.number] = &known;
    unchecked_.insert(job.number);
  }
}

void JobQueue::DropJob(std::string_view id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  --counts_[static_cast<size_t>(found->second.state)];
  CountSource(found->second, /*begins=*/false);
  if (found->second.state == JobState::kQueued) LeaveQueue(found->second);
  jobs_.erase(found);
}

void JobQueue::PutLease(const Lease& lease) {
  DropLease(lease.job);
  Count(lease, /*begins=*/true);
  leased_jobs_[lease.runner].insert(lease.job);
  leases_[lease.job] = lease;
}

void JobQueue::DropLease(std::string_view job) {
  const auto live = leases_.find(job);
  if (live == leases_.end()) return;
  Count(live->second, /*begins=*/false);
  const auto of_runner = leased_jobs_.find(live->second.runner);
  of_runner->second.erase(live->first);
  if (of_runner->second.empty()) leased_jobs_.erase(of_runner);
  leases_.erase(live);
}

Former JobQueue::FormerOf(const Changes& changes) const {
  const auto value = [](const auto* known) { return known == nullptr ? std::nullopt : std::make_optional(*known); };
  Former former;
  for (const Job& job : changes.jobs) former.jobs.emplace_back(job.id, value(FindJob(job.id)));
  for (const EndedLease& ended : changes.ended) {
    former.leases.emplace_back(ended.lease.job, value(FindLease(ended.lease.job)));
  }
  // One that has ended and begins anew in the same change is noted already.
  for (const Lease& lease : changes.leases) former.leases.emplace_back(lease.job, value(FindLease(lease.job)));
  for (const Runner& runner : changes.runners) former.runners.emplace_back(runner.name, value(FindRunner(runner.name)));
  for (const std::string& name : changes.forgotten) former.runners.emplace_back(name, value(FindRunner(name)));
  return former;
}

void JobQueue::Restore(const Former& former) {
  // Leases count for jobs: those that must go, go first, and those that come back come last.
  for (const auto& [job, lease] : former.leases) DropLease(job);
  for (const auto& [id, job] : former.jobs) {
    if (job.has_value()) {
      PutJob(*job);
    } else {
      DropJob(id);
    }
  }
  for (const auto& [job, lease] : former.leases) {
    if (lease.has_value()) PutLease(*lease);
  }
  for (const auto& [name, runner] : former.runners) {
    if (runner.has_value()) {
      replaced_.erase({name, runner->session});
      runners_.insert_or_assign(name, *runner);
    } else {
      runners_.erase(name);
    }
  }
}

void JobQueue::Hear(std::string_view runner, std::string_view token, std::chrono::steady_clock::time_point at) {
  const auto known = runners_.find(runner);
  if (known == runners_.end() || known->second.token != token) return;
  known->second.seen = std::max(known->second.seen, at);
}

void JobQueue::Forget(std::string_view job) {
  const Job* known = FindJob(job);
  if (known != nullptr && known->state == JobState::kEnded) DropJob(job);
}

}  // namespace yardmaster::dispatch
