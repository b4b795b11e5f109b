#include "services/dispatch/engines/engines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/services/dispatch/queue/dispatch_fixture.h"

namespace yardmaster::dispatch {
namespace {

TEST(Engines, EachIsFoundByItsName) {
  EXPECT_THAT(EngineNames(), ::testing::Contains(std::string(kUsualEngine)));
  for (const std::string& name : EngineNames()) EXPECT_EQ(FindEngine(name)->name(), name);
  EXPECT_EQ(FindEngine("none"), nullptr);
}

// Another one, as somebody would add it: whoever came last goes first, on its first devices.
class LastComesFirst final : public Engine {
 public:
  std::string_view name() const override { return "last"; }
  Round Place(PlacementInput input) const override {
    Round round;
    FairOrder order(input.waiting, input.usage);
    int64_t last = 0;
    for (int64_t number = order.Next(); number != 0; number = order.Next()) last = std::max(last, number);
    if (last != 0 && !input.candidates.empty()) {
      round.placed.push_back({&input.job_of(last), input.candidates.front().runner, {0}});
    }
    return round;
  }
};

TEST(Engines, TheQueueTakesWhatItsEngineSays) {
  const Moment now{WallTime(std::chrono::hours(1)), std::chrono::steady_clock::time_point(std::chrono::hours(1))};
  const LastComesFirst engine;
  JobQueue queue(Limits(), now, engine);
  queue.Apply(*queue.Report(ReportOf("r", 1), now));
  queue.Apply(*queue.Submit(JobOf("first"), now));
  queue.Apply(*queue.Submit(JobOf("last"), now));
  queue.Apply(queue.Place(now));
  EXPECT_EQ(queue.FindLease("first"), nullptr);
  EXPECT_NE(queue.FindLease("last"), nullptr);
}

}  // namespace
}  // namespace yardmaster::dispatch
