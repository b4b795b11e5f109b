// Decisions of the queue of dispatch with 1,000 workers of eight devices, all in use, and 100,000 jobs that wait: what
// a sign of life, a new job and the end of a run cost, each with the placing that follows. Nothing is written.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/dispatch/engines/local_engine.h"
#include "services/dispatch/queue/job_queue.h"

namespace yardmaster::bench {
namespace {

using dispatch::JobQueue;

constexpr int kWorkers = 1'000;
constexpr int kDevices = 8;
constexpr int kWaiting = 100'000;

dispatch::Moment At(int64_t milliseconds) {
  return {dispatch::WallTime(std::chrono::hours(500'000) + std::chrono::milliseconds(milliseconds)),
          std::chrono::steady_clock::time_point(std::chrono::hours(10) + std::chrono::milliseconds(milliseconds))};
}

dispatch::RunnerReport ReportOf(const JobQueue& queue, int worker) {
  dispatch::RunnerReport report;
  report.name = absl::StrCat("w", worker);
  report.session = "s";
  report.pool = "trusted";
  for (int i = 0; i < kDevices; ++i) {
    dispatch::Device device;
    device.id = absl::StrCat("npu-", i);
    device.kind = "npu";
    device.model = worker % 2 == 0 ? "910B3" : "910B4";
    report.devices.push_back(std::move(device));
  }
  for (const dispatch::Lease* lease : queue.LeasesOf(report.name)) {
    report.runs.push_back({lease->job, lease->fence, dispatch::RunPhase::kRunning, lease->devices});
  }
  return report;
}

dispatch::Job JobOf(int64_t number) {
  constexpr uint32_t kCounts[] = {1, 1, 2, 1, 4, 8};
  dispatch::Job job;
  job.id = absl::StrCat("j-", number);
  job.repository = absl::StrCat("o/r", number % 20);
  job.submitter = absl::StrCat("p", number % 100);
  job.demand.kind = "npu";
  job.demand.count = kCounts[number % std::size(kCounts)];
  if (number % 3 == 0) job.demand.models = {"910B3"};
  job.limit = std::chrono::seconds(3'600);
  job.expected = std::chrono::seconds(600 + number % 600);
  return job;
}

// Nothing of what waits here has waited too long.
dispatch::Limits Patient() {
  dispatch::Limits limits;
  limits.queue = std::chrono::hours(1'000);
  return limits;
}

// Resident memory of this process.
double ResidentMib() {
  std::ifstream statm("/proc/self/statm");
  size_t all = 0;
  size_t resident = 0;
  statm >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

class FullQueue {
 public:
  FullQueue() : queue_(std::make_unique<JobQueue>(Patient(), At(0), engine_)) {
    for (int i = 0; i < kWorkers; ++i) queue_->Apply(*queue_->Report(ReportOf(*queue_, i), At(0)));
    for (int64_t i = 0; i < kWaiting; ++i) queue_->Apply(*queue_->Submit(JobOf(jobs_++), At(i)));
    while (true) {
      const dispatch::Changes placed = queue_->Place(At(kWaiting));
      if (placed.empty()) break;
      queue_->Apply(placed);
    }
    // As many wait as before.
    while (jobs_ < kWaiting + static_cast<int64_t>(queue_->leases().size())) {
      queue_->Apply(*queue_->Submit(JobOf(jobs_++), At(kWaiting)));
    }
    for (int i = 0; i < kWorkers; ++i) queue_->Apply(*queue_->Report(ReportOf(*queue_, i), At(kWaiting)));
  }

  JobQueue& queue() { return *queue_; }
  dispatch::Moment Next() { return At(kWaiting + ++now_); }
  dispatch::Job NewJob() { return JobOf(jobs_++); }
  int NextWorker() { return static_cast<int>(now_ % kWorkers); }

 private:
  const dispatch::LocalEngine engine_;
  std::unique_ptr<JobQueue> queue_;
  int64_t jobs_ = 0;
  int64_t now_ = 0;
};

FullQueue& Full() {
  static FullQueue full;
  return full;
}

template <typename Decide>
void Measure(benchmark::State& state, Decide decide) {
  FullQueue& full = Full();
  std::vector<double> times;
  for (auto _ : state) {
    const auto began = std::chrono::steady_clock::now();
    decide(full);
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
  }
  std::sort(times.begin(), times.end());
  if (times.empty()) return;
  state.counters["p50_ms"] = times[times.size() / 2];
  state.counters["p99_ms"] = times[times.size() * 99 / 100];
  state.counters["resident_mib"] = ResidentMib();
}

// The report is made outside of what is measured; it is a worker's work.
void SignOfLife(benchmark::State& state) {
  const dispatch::RunnerReport report = ReportOf(Full().queue(), 7);
  Measure(state, [&](FullQueue& full) { full.queue().Apply(*full.queue().Report(report, full.Next())); });
}
BENCHMARK(SignOfLife)->Unit(benchmark::kMillisecond)->Iterations(300);

void NewJob(benchmark::State& state) {
  Measure(state, [](FullQueue& full) {
    const dispatch::Moment now = full.Next();
    full.queue().Apply(*full.queue().Submit(full.NewJob(), now));
    full.queue().Apply(full.queue().Place(now));
  });
}
BENCHMARK(NewJob)->Unit(benchmark::kMillisecond)->Iterations(100);

void EndOfARun(benchmark::State& state) {
  Measure(state, [](FullQueue& full) {
    const dispatch::Moment now = full.Next();
    const dispatch::Lease lease = full.queue().leases().begin()->second;
    dispatch::RunOutcome outcome;
    outcome.verdict = dispatch::Verdict::kPassed;
    full.queue().Apply(*full.queue().Finish(lease.job, lease.fence, outcome, now));
    full.queue().Apply(full.queue().Place(now));
    full.queue().Forget(lease.job);
  });
}
BENCHMARK(EndOfARun)->Unit(benchmark::kMillisecond)->Iterations(100);

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
