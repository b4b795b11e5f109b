#include "services/packs/backtest_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(BacktestText, TellsLabelsAndIssuesThatDiffer) {
  BacktestResult result;
  result.cases = 40;
  result.labels = {{"bug", 10, 12, 3, 1}, {"same", 5, 5, 0, 0}};
  result.issues.resize(25);
  for (size_t i = 0; i < 25; ++i) result.issues[i].index = i;
  result.issues[0].added = {"bug"};
  result.issues[1].removed = {"@maria"};
  std::vector<int64_t> numbers(40, 100);
  const auto [text, chinese] = BacktestText("p", "0123456789abcdef", "fedcba9876543210", result, numbers);
  EXPECT_THAT(text, HasSubstr("`0123456789ab` in service"));
  EXPECT_THAT(text, HasSubstr("the last 40 issues: 25 would come out differently"));
  EXPECT_THAT(text, HasSubstr("| `bug` | 10 | 12 | 3 | 1 |"));
  EXPECT_THAT(text, Not(HasSubstr("same")));
  EXPECT_THAT(text, Not(HasSubstr("@maria")));
  EXPECT_THAT(text, HasSubstr("and 5 more"));
  EXPECT_THAT(chinese, HasSubstr("最近 40 个 issue 中 25 个结果会不同"));
  EXPECT_THAT(chinese, HasSubstr("| `bug` | 10 | 12 | 3 | 1 |"));
  EXPECT_THAT(chinese, Not(HasSubstr("@maria")));
}

}  // namespace
}  // namespace yardmaster
