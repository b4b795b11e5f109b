// Jobs and runners as tests of the queue write them.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_DISPATCH_QUEUE_DISPATCH_FIXTURE_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_DISPATCH_QUEUE_DISPATCH_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/dispatch/engines/local_engine.h"
#include "services/dispatch/queue/job_queue.h"

namespace yardmaster::dispatch {

inline Demand DemandOf(uint32_t count, std::string kind = "npu") {
  Demand demand;
  demand.kind = std::move(kind);
  demand.count = count;
  return demand;
}

inline Job JobOf(std::string id, uint32_t count = 1) {
  Job job;
  job.id = std::move(id);
  job.repository = "github:o/r";
  job.submitter = "ann";
  job.demand = DemandOf(count);
  return job;
}

// With devices "0", "1", …, those of `group_size` following each other in one group (0: in none).
inline RunnerReport ReportOf(std::string name, size_t devices, size_t group_size = 0) {
  RunnerReport report;
  report.name = std::move(name);
  report.session = "s1";
  report.pool = "trusted";
  for (size_t i = 0; i < devices; ++i) {
    Device device;
    device.id = absl::StrCat(i);
    device.kind = "npu";
    device.model = "910B3";
    device.memory_mib = 65'536;
    if (group_size > 0) device.group = absl::StrCat("g", i / group_size);
    report.devices.push_back(std::move(device));
  }
  return report;
}

// A queue whose decisions are applied at once, on a clock of its own.
class DispatchFixture : public ::testing::Test {
 protected:
  Moment Now() const {
    return {WallTime(std::chrono::hours(480'000) + passed_), std::chrono::steady_clock::time_point(passed_)};
  }
  void Pass(std::chrono::seconds by) { passed_ += by; }

  absl::Status Do(const absl::StatusOr<Changes>& changes) {
    if (changes.ok()) queue_.Apply(*changes);
    return changes.status();
  }
  void Submit(Job job) { ASSERT_TRUE(Do(queue_.Submit(std::move(job), Now())).ok()); }
  void Report(const RunnerReport& report) { ASSERT_TRUE(Do(queue_.Report(report, Now())).ok()); }
  // The runner says that it has this run and how far it is.
  void ReportRun(RunnerReport report, const std::string& job, RunPhase phase) {
    const Lease* lease = queue_.FindLease(job);
    ASSERT_NE(lease, nullptr);
    report.runs.push_back({job, lease->fence, phase, lease->devices});
    Report(report);
  }
  void Place() { queue_.Apply(queue_.Place(Now())); }
  // The runners that are known stay the same until nobody waits for more.
  void Settle() {
    Pass(Limits().runners_settle);
    for (const auto& [name, runner] : std::map(queue_.runners())) queue_.Hear(name, runner.token, Now().steady);
  }
  void Expire() { queue_.Apply(queue_.Expire(Now())); }
  const Job& JobNow(std::string_view id) { return *queue_.FindJob(id); }

  std::chrono::seconds passed_{1'000};
  LocalEngine engine_;
  JobQueue queue_{Limits(), Now(), engine_};
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_DISPATCH_QUEUE_DISPATCH_FIXTURE_H_
