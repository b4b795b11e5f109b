#include "services/dispatch/dispatcher.h"

#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/status_macros.h"
#include "services/dispatch/queue/errors.h"
#include "services/dispatch/queue/fit.h"
#include "services/dispatch/queue/states.h"
#include "services/dispatch/records.h"
#include "services/dispatch/runner_state.h"

namespace yardmaster::dispatch {
namespace {

constexpr std::chrono::milliseconds kDispatchTick{500};
// Jobs that have ended and are answered from memory.
constexpr size_t kEndedInMemory = 1'000;
constexpr int64_t kPageOfPastRuns = 500;
// Decisions of one commit: whoever waits at the head of the queue waits for the work of all of them.
constexpr size_t kMaxDecisionsTogether = 256;
const std::vector<double>& WaitBounds() {
  static const auto* const kBounds = new std::vector<double>{0.02, 0.1, 1, 5, 15, 60, 300, 900, 3'600, 14'400, 86'400};
  return *kBounds;
}

// True if a restart would not know them apart: a runner that only says that it is alive is not written.
bool SameOnDisk(const Runner& a, const Runner& b) {
  return a.session == b.session && a.pool == b.pool && a.labels == b.labels && a.devices == b.devices &&
         a.draining == b.draining && a.drained_by_people == b.drained_by_people && a.quarantined == b.quarantined &&
         a.quarantine_why == b.quarantine_why && a.environment == b.environment && a.online == b.online;
}

}  // namespace

Dispatcher::Dispatcher(store::Jobs& jobs, const Clock& clock, Metrics& metrics, Logger& logger, const Limits& limits,
                       const Engine& engine)
    : jobs_(jobs),
      clock_(clock),
      metrics_(metrics),
      logger_(logger),
      limits_(limits),
      queue_(limits, Moment{clock.Now(), clock.Monotonic()}, engine) {}

absl::StatusOr<std::unique_ptr<Dispatcher>> Dispatcher::Open(store::Jobs& jobs, const Clock& clock, Metrics& metrics,
                                                             Logger& logger, const Limits& limits,
                                                             const Engine& engine) {
  ASSIGN_OR_RETURN(const store::JobRows rows, jobs.LoadLive());
  ASSIGN_OR_RETURN(const Changes live, ChangesOf(rows));
  ASSIGN_OR_RETURN(const int64_t last, jobs.LastNumber());
  std::unique_ptr<Dispatcher> dispatcher(new Dispatcher(jobs, clock, metrics, logger, limits, engine));
  {
    const std::lock_guard<std::mutex> lock(dispatcher->mutex_);
    dispatcher->queue_.Apply(live);
    dispatcher->queue_.NumbersBeginAfter(last);
  }
  RETURN_IF_ERROR(dispatcher->ReadPastRuns());
  dispatcher->refresh_ = metrics.AddRefresh([self = dispatcher.get()] { self->MeasureNow(); });
  return dispatcher;
}

absl::Status Dispatcher::ReadPastRuns() {
  std::vector<Job> ended;
  for (store::PageRequest page; ended.size() < kPastRunsRead;) {
    page.limit = kPageOfPastRuns;
    ASSIGN_OR_RETURN(store::Page<Job> jobs, ListJobs({}, page));
    for (Job& job : jobs.items) {
      if (job.state == JobState::kEnded) ended.push_back(std::move(job));
    }
    if (jobs.next == 0) break;
    page.before = jobs.next;
  }
  // The newest come first, and are to count as the newest.
  for (auto job = ended.rbegin(); job != ended.rend(); ++job) past_runs_.Note(*job);
  return absl::OkStatus();
}

Dispatcher::~Dispatcher() {
  metrics_.RemoveRefresh(refresh_);
  Stop();
}

void Dispatcher::Start() {
  const std::lock_guard<std::mutex> lock(thread_mutex_);
  if (thread_.joinable() || stopping_) return;
  thread_ = std::thread([this] { Loop(); });
}

void Dispatcher::Stop() {
  {
    const std::lock_guard<std::mutex> lock(thread_mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Dispatcher::Loop() {
  std::unique_lock<std::mutex> lock(thread_mutex_);
  bool fails = false;
  while (!stopping_) {
    lock.unlock();
    // What can't be written now is decided again with the next tick.
    const absl::Status ticked = Tick();
    if (!ticked.ok() && !fails) {
      logger_.Error("changes of jobs can't be stored; it is tried all the time",
                    {{"error", std::string(ticked.message())}});
    } else if (ticked.ok() && fails) {
      logger_.Info("changes of jobs are stored again");
    }
    fails = !ticked.ok();
    TickListeners();
    lock.lock();
    wake_.wait_for(lock, kDispatchTick, [this] { return stopping_; });
  }
}

absl::Status Dispatcher::Tick() {
  return Decide([this](const Moment& now) -> absl::StatusOr<Changes> {
    {
      const std::lock_guard<std::mutex> lock(heard_mutex_);
      for (const auto& [runner, sign] : heard_) queue_.Hear(runner, sign.token, sign.at);
      heard_.clear();
    }
    return queue_.Expire(now);
  });
}

void Dispatcher::Hear(std::string_view runner, std::string_view token) {
  const auto now = clock_.Monotonic();
  const std::lock_guard<std::mutex> lock(heard_mutex_);
  heard_.insert_or_assign(std::string(runner), Sign{std::string(token), now});
}

void Dispatcher::NoteProgress(const RunnerReport& report) {
  std::set<Topic> topics;
  {
    const std::lock_guard<std::mutex> lock_queue(mutex_);
    const std::lock_guard<std::mutex> lock(progress_mutex_);
    for (const ReportedRun& run : report.runs) {
      const Lease* const lease = queue_.FindLease(run.job);
      if (run.progress.empty() || lease == nullptr || lease->fence != run.fence) continue;
      Said& said = progress_[run.job];
      if (said.fence == run.fence && said.progress == run.progress) continue;
      said = {run.fence, run.progress};
      topics.insert(Topic::OfJob(run.job));
      topics.insert(Topic::AllJobs());
    }
  }
  Notify(topics);
}

std::string Dispatcher::ProgressOf(std::string_view job) const {
  const std::lock_guard<std::mutex> lock(progress_mutex_);
  const auto said = progress_.find(job);
  return said == progress_.end() ? std::string() : said->second.progress;
}

bool Dispatcher::IsSignOfLife(const Changes& changes) const {
  if (changes.empty() || !changes.jobs.empty() || !changes.leases.empty() || !changes.ended.empty()) return false;
  return absl::c_all_of(changes.runners, [this](const Runner& runner) {
    const Runner* known = queue_.FindRunner(runner.name);
    return known != nullptr && SameOnDisk(*known, runner) && known->runs == runner.runs;
  });
}

Changes Dispatcher::DurableOf(const Changes& changes) const {
  Changes durable = changes;
  std::erase_if(durable.runners, [this](const Runner& runner) {
    const Runner* known = queue_.FindRunner(runner.name);
    return known != nullptr && SameOnDisk(*known, runner);
  });
  return durable;
}

void Dispatcher::AddTopics(const Changes& changes, std::set<Topic>& topics) const {
  for (const Job& job : changes.jobs) {
    topics.insert(Topic::OfJob(job.id));
    // Whoever has its run may have to end it.
    if (const Lease* lease = queue_.FindLease(job.id); lease != nullptr) topics.insert(Topic::OfRunner(lease->runner));
  }
  for (const EndedLease& ended : changes.ended) topics.insert(Topic::OfRunner(ended.lease.runner));
  for (const Lease& lease : changes.leases) topics.insert(Topic::OfRunner(lease.runner));
  for (const Runner& runner : changes.runners) topics.insert(Topic::OfRunner(runner.name));
  if (!changes.jobs.empty()) topics.insert(Topic::AllJobs());
}

absl::Status Dispatcher::TryTogether(const std::vector<Decision*>& decisions, std::set<Topic>& topics) {
  const Moment now = Now();
  std::vector<Former> former;
  store::JobRows rows;
  const auto apply = [&](const Changes& changes) {
    if (changes.empty()) return;
    const Changes durable = DurableOf(changes);
    AppendRows(durable, rows);
    former.push_back(queue_.FormerOf(changes));
    queue_.Apply(changes);
    if (!durable.empty()) AddTopics(durable, topics);
  };
  bool frees = false;
  for (Decision* const decision : decisions) {
    const absl::StatusOr<Changes> changes = (*decision->decide)(now);
    decision->status = changes.status();
    if (!changes.ok()) continue;
    frees = frees || !IsSignOfLife(*changes);
    apply(*changes);
  }
  if (frees) apply(queue_.Place(now));
  const bool is_new = decisions.front()->is_new;
  absl::Status stored = rows.empty() ? absl::OkStatus() : jobs_.Put(rows, is_new);
  if (!stored.ok()) {
    for (auto one = former.rbegin(); one != former.rend(); ++one) queue_.Restore(*one);
    return stored;
  }
  NoteChanged(former);
  return absl::OkStatus();
}

void Dispatcher::DecideTogether(const std::vector<Decision*>& decisions) {
  std::set<Topic> topics;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const absl::Status together = TryTogether(decisions, topics);
    if (!together.ok()) {
      topics.clear();
      for (Decision* const decision : decisions) {
        if (decisions.size() == 1) {
          decision->status = together;
          continue;
        }
        // One of them can't be stored: the others can.
        std::set<Topic> of_one;
        if (const absl::Status alone = TryTogether({decision}, of_one); alone.ok()) {
          topics.merge(of_one);
        } else {
          decision->status = alone;
        }
      }
    }
  }
  Notify(topics);
}

absl::Status Dispatcher::Decide(const DecideFunction& decide, bool is_new) {
  Decision mine{&decide, is_new, absl::OkStatus()};
  std::unique_lock<std::mutex> lock(decisions_mutex_);
  decisions_.push_back(&mine);
  while (!mine.done) {
    if (deciding_) {
      decided_.wait(lock);
      continue;
    }
    deciding_ = true;
    std::vector<Decision*> together;
    while (!decisions_.empty() && together.size() < kMaxDecisionsTogether &&
           (together.empty() || decisions_.front()->is_new == together.front()->is_new)) {
      together.push_back(decisions_.front());
      decisions_.pop_front();
    }
    lock.unlock();
    DecideTogether(together);
    lock.lock();
    deciding_ = false;
    for (Decision* const decision : together) decision->done = true;
    decided_.notify_all();
  }
  return mine.status;
}

void Dispatcher::NoteChanged(const std::vector<Former>& former) {
  // Each job once, as it was before the first of the changes.
  std::map<std::string_view, const std::optional<Job>*> before;
  for (const Former& one : former) {
    for (const auto& [id, job] : one.jobs) before.try_emplace(id, &job);
  }
  for (const auto& [id, known] : before) {
    const Job& job = *queue_.FindJob(id);
    if (job.started_at != WallTime() && (!known->has_value() || (*known)->started_at == WallTime())) {
      const std::chrono::duration<double> waited = job.started_at - job.queued_at;
      metrics_
          .Histogram("yardmaster_job_wait_seconds", "From the submission of a job to its first process.", WaitBounds())
          ->Observe(waited.count());
    }
    if (job.state == JobState::kEnded) {
      ended_.push_back(job.id);
      past_runs_.Note(job);
    }
    // What was said of it was said of its last run.
    if (queue_.FindLease(id) == nullptr) {
      const std::lock_guard<std::mutex> lock(progress_mutex_);
      progress_.erase(job.id);
    }
  }
  for (; ended_.size() > kEndedInMemory; ended_.pop_front()) queue_.Forget(ended_.front());
}

void Dispatcher::MeasureNow() {
  std::map<std::string_view, size_t> jobs;
  std::map<std::string_view, size_t> runners = {
      {"idle", 0}, {"busy", 0}, {"draining", 0}, {"offline", 0}, {"quarantined", 0}};
  std::map<std::pair<std::string_view, std::string_view>, size_t> devices;
  for (const std::string_view kind : {"cpu", "gpu", "npu"}) {
    for (const std::string_view state : {"free", "leased", "faulty"}) devices[{kind, state}] = 0;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const JobState state : {JobState::kQueued, JobState::kLeased, JobState::kRunning, JobState::kFinishing}) {
      jobs[StateName(state)] = queue_.CountOf(state);
    }
    for (const auto& [name, runner] : queue_.runners()) {
      const std::vector<const Lease*> leases = queue_.LeasesOf(name);
      ++runners[RunnerStateName(runner, !leases.empty())];
      std::set<std::string_view> leased;
      for (const Lease* lease : leases) leased.insert(lease->devices.begin(), lease->devices.end());
      for (const Device& device : runner.devices) {
        const std::string_view state = !device.InService() ? "faulty" : leased.contains(device.id) ? "leased" : "free";
        // Kinds are checked where reports come in.
        const std::string_view kind = device.kind == "npu" ? "npu" : device.kind == "gpu" ? "gpu" : "cpu";
        ++devices[{kind, state}];
      }
    }
  }
  for (const auto& [state, count] : jobs) {
    metrics_.Gauge("yardmaster_jobs", "Jobs that have not ended.", {{"state", std::string(state)}})
        ->Set(static_cast<double>(count));
  }
  for (const auto& [state, count] : runners) {
    metrics_.Gauge("yardmaster_runners", "Known runners.", {{"state", std::string(state)}})
        ->Set(static_cast<double>(count));
  }
  for (const auto& [key, count] : devices) {
    metrics_
        .Gauge("yardmaster_devices", "Devices of the known runners.",
               {{"kind", std::string(key.first)}, {"state", std::string(key.second)}})
        ->Set(static_cast<double>(count));
  }
}

absl::StatusOr<Job> Dispatcher::Submit(Job job) {
  const std::string id = job.id;
  RETURN_IF_ERROR(Submit(std::vector<Job>{std::move(job)}));
  return FindJob(id);
}

absl::Status Dispatcher::Submit(std::vector<Job> jobs) {
  const std::string& first = jobs.front().id;
  // One that ended before memory begins is known to the store only.
  if (FindJob(first).ok()) return absl::OkStatus();
  return Decide(
      [&](const Moment& now) -> absl::StatusOr<Changes> {
        if (queue_.FindJob(first) != nullptr) return Changes();
        return queue_.Submit(jobs, now);
      },
      /*is_new=*/true);
}

absl::StatusOr<Job> Dispatcher::Cancel(std::string_view job, std::string_view by) {
  ASSIGN_OR_RETURN(const Job known, FindJob(job));
  if (known.state == JobState::kEnded) return JobEnded(job, known.verdict);
  RETURN_IF_ERROR(Decide([&](const Moment& now) { return queue_.Cancel(job, by, now); }));
  return FindJob(job);
}

absl::Status Dispatcher::Report(const RunnerReport& report) {
  RETURN_IF_ERROR(Decide([&](const Moment& now) { return queue_.Report(report, now); }));
  NoteProgress(report);
  return absl::OkStatus();
}

absl::Status Dispatcher::Finish(std::string_view job, uint64_t fence, const RunOutcome& outcome) {
  ASSIGN_OR_RETURN(const Job known, FindJob(job));
  if (known.state == JobState::kEnded) {
    if (known.fence == fence && known.verdict == VerdictOf(known, outcome.verdict)) return absl::OkStatus();
    return LeaseNotLive(known, fence);
  }
  return Decide([&](const Moment& now) { return queue_.Finish(job, fence, outcome, now); });
}

absl::Status Dispatcher::Decline(std::string_view job, uint64_t fence, std::string_view why) {
  RETURN_IF_ERROR(CheckLive(job, fence));
  return Decide([&](const Moment& now) { return queue_.Decline(job, fence, why, now); });
}

absl::Status Dispatcher::GiveBack(std::string_view job, uint64_t fence, std::string_view why) {
  RETURN_IF_ERROR(CheckLive(job, fence));
  return Decide([&](const Moment& now) { return queue_.GiveBack(job, fence, why, now); });
}

absl::Status Dispatcher::SetDrained(std::string_view runner, bool drained) {
  return Decide([&](const Moment&) { return queue_.SetDrained(runner, drained); });
}

absl::Status Dispatcher::SetQuarantined(std::string_view runner, bool quarantined, std::string_view why) {
  return Decide([&](const Moment&) { return queue_.SetQuarantined(runner, quarantined, why); });
}

absl::Status Dispatcher::SetDeviceQuarantined(std::string_view runner, std::string_view device, bool quarantined,
                                              std::string_view why) {
  return Decide([&](const Moment&) { return queue_.SetDeviceQuarantined(runner, device, quarantined, why); });
}

std::set<std::string> Dispatcher::EnvironmentsFor(const Demand& demand) const {
  std::set<std::string> environments;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [name, runner] : queue_.runners()) {
    if (Missing(demand, runner).empty()) environments.insert(runner.environment);
  }
  return environments;
}

absl::Status Dispatcher::ForgetRunner(std::string_view runner) {
  return Decide([&](const Moment&) { return queue_.ForgetRunner(runner); });
}

absl::StatusOr<Waiting> Dispatcher::Explain(std::string_view job) const {
  ASSIGN_OR_RETURN(const Job known, FindJob(job));
  if (known.state == JobState::kEnded) return JobDoesNotWait(job, known.state);
  const std::lock_guard<std::mutex> lock(mutex_);
  return queue_.Explain(job, Now());
}

absl::StatusOr<Job> Dispatcher::FindJob(std::string_view job) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const Job* known = queue_.FindJob(job); known != nullptr) return *known;
  }
  ASSIGN_OR_RETURN(const store::JobRow row, jobs_.Get(job));
  return JobOfRecord(row.record);
}

absl::Status Dispatcher::CheckLive(std::string_view job, uint64_t fence) const {
  ASSIGN_OR_RETURN(const Job known, FindJob(job));
  const std::lock_guard<std::mutex> lock(mutex_);
  const Lease* lease = queue_.FindLease(job);
  if (lease == nullptr || lease->fence != fence) return LeaseNotLive(known, fence);
  return absl::OkStatus();
}

absl::Status Dispatcher::CheckHolder(std::string_view job, uint64_t fence, std::string_view token) const {
  ASSIGN_OR_RETURN(const Job known, FindJob(job));
  const std::lock_guard<std::mutex> lock(mutex_);
  const Lease* const lease = queue_.FindLease(job);
  const bool live = lease != nullptr && lease->fence == fence;
  const Runner* const runner = queue_.FindRunner(live ? lease->runner : known.last_runner);
  if (runner == nullptr || runner->token.empty() || runner->token == token) return absl::OkStatus();
  return RunnerOfAnotherToken(runner->name, runner->token);
}

bool Dispatcher::HoldsLease(std::string_view token, std::string_view source) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return absl::c_any_of(queue_.runners(), [&](const auto& entry) {
    if (entry.second.token != token) return false;
    return absl::c_any_of(queue_.LeasesOf(entry.first), [&](const Lease* lease) {
      return source.empty() || queue_.FindJob(lease->job)->source == source;
    });
  });
}

bool Dispatcher::NeedsSource(std::string_view digest) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return queue_.NeedsSource(digest);
}

absl::StatusOr<store::Page<Job>> Dispatcher::ListJobs(const store::JobFilter& filter,
                                                      const store::PageRequest& page) const {
  ASSIGN_OR_RETURN(const store::Page<store::JobRow> rows, jobs_.List(filter, page));
  store::Page<Job> jobs;
  jobs.next = rows.next;
  jobs.items.reserve(rows.items.size());
  for (const store::JobRow& row : rows.items) {
    ASSIGN_OR_RETURN(Job job, JobOfRecord(row.record));
    jobs.items.push_back(std::move(job));
  }
  return jobs;
}

RunnerOrders Dispatcher::OrdersFor(std::string_view runner) const {
  RunnerOrders out;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Lease* lease : queue_.LeasesOf(runner)) out.orders.push_back({*lease, *queue_.FindJob(lease->job)});
  const Runner* known = queue_.FindRunner(runner);
  out.drained = known != nullptr && (known->drained_by_people || known->quarantined);
  return out;
}

std::vector<RunnerStatus> Dispatcher::Runners() const {
  std::vector<RunnerStatus> all;
  const std::lock_guard<std::mutex> lock(mutex_);
  all.reserve(queue_.runners().size());
  for (const auto& [name, runner] : queue_.runners()) {
    RunnerStatus status;
    status.runner = runner;
    for (const Lease* lease : queue_.LeasesOf(name)) status.leases.push_back(*lease);
    all.push_back(std::move(status));
  }
  return all;
}

void Dispatcher::SetListener(ChangeListener& listener, const Topic& topic) {
  const std::lock_guard<std::mutex> lock(listeners_mutex_);
  RemoveListenerLocked(listener);
  listeners_[topic].insert(&listener);
  topics_[&listener] = topic;
}

void Dispatcher::RemoveListener(ChangeListener& listener) {
  const std::lock_guard<std::mutex> lock(listeners_mutex_);
  RemoveListenerLocked(listener);
}

void Dispatcher::RemoveListenerLocked(ChangeListener& listener) {
  const auto topic = topics_.find(&listener);
  if (topic == topics_.end()) return;
  const auto those = listeners_.find(topic->second);
  those->second.erase(&listener);
  if (those->second.empty()) listeners_.erase(those);
  topics_.erase(topic);
}

void Dispatcher::LogHasGrown(std::string_view job) { Notify({Topic::OfJob(job)}); }

void Dispatcher::Notify(const std::set<Topic>& topics) {
  const std::lock_guard<std::mutex> lock(listeners_mutex_);
  for (const Topic& topic : topics) {
    const auto those = listeners_.find(topic);
    if (those == listeners_.end()) continue;
    for (ChangeListener* listener : those->second) listener->OnChange();
  }
}

void Dispatcher::TickListeners() {
  const std::lock_guard<std::mutex> lock(listeners_mutex_);
  for (const auto& [listener, topic] : topics_) listener->OnTick();
}

}  // namespace yardmaster::dispatch
