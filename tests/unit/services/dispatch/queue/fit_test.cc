#include "services/dispatch/queue/fit.h"

#include "tests/unit/services/dispatch/queue/dispatch_fixture.h"

namespace yardmaster::dispatch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Runner RunnerWith(size_t devices, size_t group_size = 0) {
  const RunnerReport report = ReportOf("r", devices, group_size);
  Runner runner;
  runner.name = report.name;
  runner.labels = {"lab"};
  runner.devices = report.devices;
  return runner;
}

const auto kAll = [](size_t) { return true; };

TEST(Fit, EachConditionIsNamedWhenItIsWhatLacks) {
  const Runner runner = RunnerWith(4, 2);
  EXPECT_THAT(Missing(DemandOf(4), runner), IsEmpty());
  EXPECT_THAT(Missing(DemandOf(5), runner), ElementsAre("1 more of kind npu (4 there, 5 asked for)"));
  EXPECT_THAT(Missing(DemandOf(1, "gpu"), runner), ElementsAre("1 more of kind gpu (0 there, 1 asked for)"));
  Demand demand = DemandOf(2);
  demand.models = {"Ascend310*", "A3"};
  EXPECT_THAT(Missing(demand, runner), ElementsAre("2 more of the model Ascend310* or A3"));
  demand.models = {"ascend910b?"};
  EXPECT_THAT(Missing(demand, runner), IsEmpty());
  demand.memory_mib = 100'000;
  EXPECT_THAT(Missing(demand, runner), ElementsAre("2 more with 100000 MiB of memory or more"));
  demand = DemandOf(3);
  demand.same_group = true;
  EXPECT_THAT(Missing(demand, runner), ElementsAre("3 in one group (the largest has 2)"));
  demand = DemandOf(1);
  demand.pool = "untrusted";
  demand.labels = {"lab", "ib"};
  EXPECT_THAT(Missing(demand, runner),
              ElementsAre("it is in the pool \"trusted\", not \"untrusted\"", "the label \"ib\""));
}

TEST(Fit, AComputeCapabilityIsAConditionOfItsOwn) {
  Runner runner = RunnerWith(2);
  for (Device& device : runner.devices) device.kind = "gpu";
  Demand demand = DemandOf(2, "gpu");
  demand.capability = {">=8.0", "!=9.0"};
  EXPECT_THAT(Missing(demand, runner), ElementsAre("2 more of compute capability >=8.0 and !=9.0"));
  runner.devices[0].capability = "8.6";
  runner.devices[1].capability = "9.0";
  EXPECT_THAT(Missing(demand, runner), ElementsAre("1 more of compute capability >=8.0 and !=9.0"));
  EXPECT_TRUE(DeviceFits(demand, runner.devices[0]));
  EXPECT_FALSE(DeviceFits(demand, runner.devices[1]));
}

TEST(Fit, ADeviceThatIsSickIsStillKnown) {
  Runner runner = RunnerWith(2);
  runner.devices[0].healthy = false;
  EXPECT_THAT(Missing(DemandOf(2), runner), IsEmpty());
}

TEST(Fit, DevicesOfOneGroupComeBeforeAMixture) {
  const Runner runner = RunnerWith(6, 2);
  const auto but_first = [](size_t i) { return i != 0; };
  EXPECT_THAT(ChooseDevices(DemandOf(2), runner, but_first), ElementsAre(2, 3));
  EXPECT_THAT(ChooseDevices(DemandOf(3), runner, but_first), ElementsAre(1, 2, 3));
}

TEST(Fit, SmallJobsLeaveLargeGroupsWhole) {
  Runner runner = RunnerWith(6, 4);  // groups of 4 and 2
  EXPECT_THAT(ChooseDevices(DemandOf(1), runner, kAll), ElementsAre(4));
}

TEST(Fit, AGangThatNeedsOneGroupGetsNothingElse) {
  const Runner runner = RunnerWith(4, 2);
  Demand demand = DemandOf(2);
  demand.same_group = true;
  EXPECT_THAT(ChooseDevices(demand, runner, [](size_t i) { return i == 1 || i == 2; }), IsEmpty());
  EXPECT_THAT(ChooseDevices(demand, runner, kAll), ElementsAre(0, 1));
  // Where groups are not known, one device is a group by itself.
  demand.count = 1;
  EXPECT_THAT(ChooseDevices(demand, RunnerWith(1), kAll), ElementsAre(0));
}

}  // namespace
}  // namespace yardmaster::dispatch
