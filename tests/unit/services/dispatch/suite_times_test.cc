#include "services/dispatch/suite_times.h"

#include <gtest/gtest.h>

namespace yardmaster::dispatch {
namespace {

using std::chrono::seconds;

TEST(SuiteTimes, EverythingThatMayRunCountsWithItsLimit) {
  rules::SuiteModel suite;
  suite.limits.build = seconds(100);
  suite.limits.step = seconds(10);
  suite.limits.grace = seconds(1);
  const seconds fetching = LimitOfSuite(suite);
  EXPECT_GT(fetching, seconds(100));

  suite.build.resize(2);
  EXPECT_EQ(LimitOfSuite(suite) - fetching, seconds(202));
  suite.build.clear();

  rules::SuiteStep step;
  step.axes = {"dtype"};
  step.shards = 2;
  step.retries = 1;
  suite.matrix.axes = {{"dtype", {"float32", "float64", "int8"}}};
  suite.layers.resize(1);
  suite.layers[0].steps = {step};
  EXPECT_EQ(LimitOfSuite(suite) - fetching, seconds(3 * 2 * 2 * 11));
  suite.layers[0].steps[0].timeout = seconds(500);
  EXPECT_EQ(LimitOfSuite(suite) - fetching, seconds(3 * 2 * 2 * 501));
  // Each recipe lets one step be tried once more.
  suite.recipes = {"a", "b"};
  EXPECT_EQ(LimitOfSuite(suite) - fetching, seconds(3 * 2 * 2 * 501 + 2 * 501));
}

}  // namespace
}  // namespace yardmaster::dispatch
