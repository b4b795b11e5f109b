// Whole lives of jobs on a virtual clock: workers that die, are cut off, come back with or without their processes, a
// control plane that dies before or after it wrote, answers that are lost, results that come late and twice, people who
// cancel and drain, a wall clock that jumps. One seed is one schedule. A seed that fails is run again by
// YARD_DISPATCH_SEED=N; YARD_DISPATCH_SCHEDULES=N runs that many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/dispatch/engines/local_engine.h"
#include "services/dispatch/queue/job_queue.h"
#include "services/dispatch/queue/states.h"
#include "tests/support/rounds.h"

namespace yardmaster::dispatch {
namespace {

constexpr size_t kSchedules = 400;
constexpr std::chrono::seconds kFaultsLast{600};
constexpr std::chrono::seconds kEverythingEndsBy{24 * 3'600};

// What a disk holds: the newest of everything that was committed.
struct Disk {
  std::map<std::string, Job> jobs;
  std::map<std::string, Lease> leases;
  std::map<std::string, Runner> runners;

  void Write(const Changes& changes) {
    for (const Job& job : changes.jobs) {
      const auto known = jobs.find(job.id);
      if (known != jobs.end()) {
        ASSERT_NE(known->second.state, JobState::kEnded) << job.id << " was changed after its end";
        ASSERT_GE(job.fence, known->second.fence);
      }
      jobs[job.id] = job;
    }
    for (const EndedLease& ended : changes.ended) leases.erase(ended.lease.job);
    for (const Lease& lease : changes.leases) leases[lease.job] = lease;
    for (Runner runner : changes.runners) {
      runner.online = false;
      runner.runs.clear();
      runner.seen = {};
      runners[runner.name] = std::move(runner);
    }
  }

  Changes All() const {
    Changes all;
    for (const auto& [id, job] : jobs) all.jobs.push_back(job);
    for (const auto& [id, lease] : leases) all.leases.push_back(lease);
    for (const auto& [name, runner] : runners) all.runners.push_back(runner);
    return all;
  }
};

struct Process {
  std::string job;
  uint64_t fence = 0;
  std::vector<std::string> devices;
  std::chrono::seconds begins{0};  // prepared until then
  std::chrono::seconds ends{0};
  std::chrono::seconds dead_at{-1};  // told to end: gone by then
  bool cancelled = false;

  bool alive(std::chrono::seconds now) const { return dead_at.count() < 0 ? now < ends : now < dead_at; }
};

struct Machine {
  std::string name;
  size_t devices = 0;
  bool up = true;
  int session = 1;
  std::chrono::seconds down_until{0};
  std::chrono::seconds cut_until{0};
  std::chrono::seconds next_report{0};
  std::map<std::pair<std::string, uint64_t>, Process> runs;
};

struct LateResult {
  std::chrono::seconds at;
  std::string job;
  uint64_t fence;
  RunOutcome outcome;
};

class World {
 public:
  explicit World(uint64_t seed) : random_(seed) {
    const size_t machines = 1 + Pick(3);
    for (size_t i = 0; i < machines; ++i) {
      Machine machine;
      machine.name = absl::StrCat("r", i);
      machine.devices = 1 + Pick(4);
      machines_.push_back(std::move(machine));
    }
    jobs_to_submit_ = 2 + Pick(8);
    limits_.lease = std::chrono::seconds(10 + 10 * Pick(3));
    StartServer();
  }

  void Run() {
    for (; now_ < kEverythingEndsBy && !::testing::Test::HasFatalFailure(); now_ += std::chrono::seconds(1)) {
      const bool faults = now_ < kFaultsLast;
      if (faults) {
        Faults();
        People();
      } else if (queue_ != nullptr && now_ < kFaultsLast + std::chrono::seconds(120)) {
        ResumeAll();
        if (submitted_ < jobs_to_submit_) Submit();
      } else if (AllEnded()) {
        break;
      }
      if (queue_ == nullptr && now_ >= server_down_until_) StartServer();
      for (Machine& machine : machines_) Work(machine);
      DeliverLate();
      if (queue_ != nullptr) Commit(queue_->Expire(Now()));
      if (queue_ != nullptr) Commit(queue_->Place(Now()));
      CheckQueue();
    }
    ASSERT_TRUE(AllEnded()) << "jobs are left after a day without faults: " << Left();
    for (const auto& [id, job] : disk_.jobs) {
      ASSERT_NE(job.verdict, Verdict::kNone);
      ASSERT_LE(job.attempt, limits_.max_attempts);
      ASSERT_LE(counted_[id], 1U) << "two results of " << id << " were counted";
      // What the submitter was told is what was executed.
      if (job.verdict == Verdict::kPassed) ASSERT_TRUE(passed_.contains({id, job.fence})) << id;
    }
    for (const std::string& id : acknowledged_) ASSERT_TRUE(disk_.jobs.contains(id)) << id << " is lost";
  }

 private:
  size_t Pick(size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random_); }
  bool Chance(size_t one_in) { return Pick(one_in) == 0; }

  Moment Now() const {
    return {std::chrono::system_clock::time_point(std::chrono::hours(500'000) + now_ + wall_jump_),
            std::chrono::steady_clock::time_point(std::chrono::hours(10) + now_)};
  }

  bool AllEnded() const {
    if (disk_.jobs.size() < jobs_to_submit_) return false;
    for (const auto& [id, job] : disk_.jobs) {
      if (job.state != JobState::kEnded) return false;
    }
    return true;
  }

  std::string Left() const {
    std::string left = absl::StrCat(disk_.jobs.size(), " of ", jobs_to_submit_, " are known");
    for (const auto& [id, job] : disk_.jobs) {
      if (job.state == JobState::kEnded) continue;
      const absl::StatusOr<Waiting> why = queue_->Explain(id, Now());
      absl::StrAppend(&left, "; ", id, " ", std::string(StateName(job.state)), ": ",
                      why.ok() ? why->reason : std::string(why.status().message()));
    }
    return left;
  }

  void StartServer() {
    queue_ = std::make_unique<JobQueue>(limits_, Now(), engine_);
    queue_->Apply(disk_.All());
  }

  void KillServer() {
    queue_.reset();
    server_down_until_ = now_ + std::chrono::seconds(Pick(60));
  }

  // False: the control plane died, before or after it wrote; the caller has no answer.
  bool Commit(const Changes& changes) {
    if (changes.empty()) return true;
    const bool faults = now_ < kFaultsLast;
    if (faults && Chance(200)) {
      KillServer();
      return false;
    }
    if (faults && Chance(150)) {
      // The store takes nothing: what was decided is taken back.
      const Former former = queue_->FormerOf(changes);
      queue_->Apply(changes);
      queue_->Restore(former);
      return false;
    }
    disk_.Write(changes);
    if (faults && Chance(200)) {
      KillServer();
      return false;
    }
    queue_->Apply(changes);
    return true;
  }

  void Faults() {
    if (Chance(150)) wall_jump_ += std::chrono::seconds(static_cast<int64_t>(Pick(7'200)) - 3'600);
    Machine& machine = machines_[Pick(machines_.size())];
    if (machine.up && Chance(80)) {
      machine.up = false;
      machine.down_until = now_ + std::chrono::seconds(Pick(90));
      // The machine itself went down, or only the worker: then its supervisors go on.
      if (Chance(2)) machine.runs.clear();
    }
    if (Chance(80)) machine.cut_until = now_ + std::chrono::seconds(Pick(90));
    if (queue_ != nullptr && Chance(200)) KillServer();
  }

  void People() {
    if (queue_ == nullptr) return;
    if (submitted_ < jobs_to_submit_ && Chance(20)) Submit();
    if (queue_ != nullptr && submitted_ > 0 && Chance(100)) {
      const absl::StatusOr<Changes> changes = queue_->Cancel(absl::StrCat("j", Pick(submitted_)), "ann", Now());
      if (changes.ok()) Commit(*changes);
    }
    if (queue_ != nullptr && Chance(100)) {
      const absl::StatusOr<Changes> changes = queue_->SetDrained(machines_[Pick(machines_.size())].name, Chance(2));
      if (changes.ok()) Commit(*changes);
    }
  }

  // Whoever drained a runner puts it back.
  void ResumeAll() {
    for (const Machine& machine : machines_) {
      const absl::StatusOr<Changes> changes = queue_->SetDrained(machine.name, false);
      if (changes.ok()) Commit(*changes);
    }
  }

  void Submit() {
    Job job;
    job.id = absl::StrCat("j", submitted_);
    job.repository = absl::StrCat("repository", Pick(2));
    job.submitter = absl::StrCat("person", Pick(2));
    job.priority = static_cast<Priority>(Pick(3));
    job.demand.count = static_cast<uint32_t>(1 + Pick(3));
    job.expected = std::chrono::seconds(Pick(2) * 40);
    job.limit = std::chrono::seconds(Pick(2) * 60);
    const absl::StatusOr<Changes> changes = queue_->Submit(std::move(job), Now());
    if (!changes.ok()) {
      // Sent again after an answer that was lost.
      ASSERT_EQ(changes.status().code(), absl::StatusCode::kAlreadyExists);
    } else if (!Commit(*changes)) {
      return;
    }
    acknowledged_.insert(absl::StrCat("j", submitted_));
    ++submitted_;
  }

  RunnerReport ReportOf(const Machine& machine) const {
    RunnerReport report;
    report.name = machine.name;
    report.session = absl::StrCat("s", machine.session);
    report.pool = "trusted";
    for (size_t i = 0; i < machine.devices; ++i) {
      Device device;
      device.id = absl::StrCat("cpu-", i);
      device.kind = "cpu";
      report.devices.push_back(std::move(device));
    }
    for (const auto& [key, process] : machine.runs) {
      const RunPhase phase = now_ < process.begins ? RunPhase::kPreparing
                             : process.alive(now_) ? RunPhase::kRunning
                                                   : RunPhase::kFinishing;
      report.runs.push_back({process.job, process.fence, phase, process.devices});
    }
    return report;
  }

  RunOutcome OutcomeOf(const Process& process) {
    RunOutcome outcome;
    if (process.cancelled) {
      outcome.verdict = Verdict::kCancelled;
    } else if (process.fence % 5 == 4) {
      outcome.verdict = Verdict::kError;
      outcome.cause = {"infrastructure", "a device was lost"};
    } else {
      outcome.verdict = Verdict::kPassed;
      passed_.insert({process.job, process.fence});
    }
    return outcome;
  }

  // Gives a result to the control plane. True: the worker need not say it again.
  bool Deliver(const std::string& job, uint64_t fence, const RunOutcome& outcome) {
    if (queue_ == nullptr) return false;
    const bool ended_before = disk_.jobs.at(job).state == JobState::kEnded;
    const absl::StatusOr<Changes> changes = queue_->Finish(job, fence, outcome, Now());
    if (!changes.ok()) return true;  // refused: the run is nobody's any more
    const bool counts = !changes->empty();
    if (counts) EXPECT_FALSE(ended_before);
    const bool answered = Commit(*changes);
    if (counts && disk_.jobs.at(job).state == JobState::kEnded) ++counted_[job];
    return answered;
  }

  void DeliverLate() {
    while (!late_.empty() && late_.front().at <= now_) {
      const LateResult result = late_.front();
      late_.pop_front();
      Deliver(result.job, result.fence, result.outcome);
    }
  }

  void Work(Machine& machine) {
    if (!machine.up) {
      if (now_ < machine.down_until) return;
      machine.up = true;
      ++machine.session;
      machine.next_report = now_;
    }
    if (now_ < machine.cut_until || queue_ == nullptr || now_ < machine.next_report) return;
    machine.next_report = now_ + std::chrono::seconds(1 + Pick(4));

    // Results first: they end what the report would tell of.
    for (auto run = machine.runs.begin(); run != machine.runs.end() && queue_ != nullptr;) {
      const Process& process = run->second;
      if (process.alive(now_)) {
        ++run;
        continue;
      }
      const RunOutcome outcome = OutcomeOf(process);
      const size_t copies = Chance(4) ? 2 : 1;
      if (Chance(6)) {
        const LateResult late{now_ + std::chrono::seconds(Pick(60)), process.job, process.fence, outcome};
        late_.insert(std::upper_bound(late_.begin(), late_.end(), late,
                                      [](const LateResult& a, const LateResult& b) { return a.at < b.at; }),
                     late);
      }
      bool settled = false;
      for (size_t i = 0; i < copies && queue_ != nullptr; ++i) {
        settled = Deliver(process.job, process.fence, outcome) || settled;
      }
      run = settled ? machine.runs.erase(run) : std::next(run);
    }
    if (queue_ == nullptr) return;

    const absl::StatusOr<Changes> changes = queue_->Report(ReportOf(machine), Now());
    ASSERT_TRUE(changes.ok()) << changes.status();
    if (!Commit(*changes) || !Commit(queue_->Place(Now()))) return;
    if (now_ < kFaultsLast && Chance(20)) return;  // the answer is lost
    TakeOrders(machine);
  }

  void TakeOrders(Machine& machine) {
    std::set<std::pair<std::string, uint64_t>> wanted;
    for (const Lease* lease : queue_->LeasesOf(machine.name)) {
      wanted.insert({lease->job, lease->fence});
      const auto running = machine.runs.find({lease->job, lease->fence});
      const bool cancel = queue_->FindJob(lease->job)->cancel_requested;
      if (running != machine.runs.end()) {
        if (cancel && running->second.dead_at.count() < 0) {
          running->second.cancelled = running->second.alive(now_);
          running->second.dead_at = now_ + std::chrono::seconds(Pick(5));
        }
        continue;
      }
      if (lease->accepted) continue;  // reported as lost with the next report
      // No process may be on these devices, whichever run it belongs to.
      for (const auto& [key, other] : machine.runs) {
        for (const std::string& device : lease->devices) {
          ASSERT_THAT(other.devices, ::testing::Not(::testing::Contains(device)))
              << machine.name << " " << device << ": " << lease->job << " and " << other.job;
        }
      }
      Process process;
      process.job = lease->job;
      process.fence = lease->fence;
      process.devices = lease->devices;
      process.begins = now_ + std::chrono::seconds(Pick(5));
      process.ends = process.begins + std::chrono::seconds(1 + Pick(80));
      machine.runs[{process.job, process.fence}] = std::move(process);
    }
    for (auto run = machine.runs.begin(); run != machine.runs.end();) {
      if (!wanted.contains(run->first)) {
        if (run->second.dead_at.count() < 0) run->second.dead_at = now_ + std::chrono::seconds(Pick(5));
        // Nobody wants its result.
        if (!run->second.alive(now_)) {
          run = machine.runs.erase(run);
          continue;
        }
      }
      ++run;
    }
  }

  void CheckQueue() {
    if (queue_ == nullptr) return;
    std::set<std::pair<std::string, std::string>> devices;
    for (const auto& [id, lease] : queue_->leases()) {
      const Job* job = queue_->FindJob(id);
      ASSERT_NE(job, nullptr);
      ASSERT_EQ(job->fence, lease.fence);
      ASSERT_EQ(job->state, StateOf(lease.state));
      for (const std::string& device : lease.devices) {
        ASSERT_TRUE(devices.emplace(lease.runner, device).second) << device << " is in two leases";
      }
    }
    for (const auto& [id, job] : queue_->jobs()) {
      if (job.state == JobState::kLeased || job.state == JobState::kRunning || job.state == JobState::kFinishing) {
        ASSERT_NE(queue_->FindLease(id), nullptr) << id;
      }
    }
  }

  std::mt19937_64 random_;
  Limits limits_;
  LocalEngine engine_;
  std::chrono::seconds now_{0};
  std::chrono::seconds wall_jump_{0};
  Disk disk_;
  std::unique_ptr<JobQueue> queue_;
  std::chrono::seconds server_down_until_{0};
  std::vector<Machine> machines_;
  std::deque<LateResult> late_;
  size_t jobs_to_submit_ = 0;
  size_t submitted_ = 0;
  std::set<std::string> acknowledged_;
  std::map<std::string, size_t> counted_;
  std::set<std::pair<std::string, uint64_t>> passed_;
};

TEST(DispatchSimulation, NothingIsLostDoneTwiceOrSharedWhateverFails) {
  const uint64_t only = testing::Rounds("YARD_DISPATCH_SEED", 0);
  const uint64_t first = only != 0 ? only : 1;
  const uint64_t last = only != 0 ? only : testing::Rounds("YARD_DISPATCH_SCHEDULES", kSchedules);
  for (uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(absl::StrCat("YARD_DISPATCH_SEED=", seed));
    World(seed).Run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace yardmaster::dispatch
