#include "rules/engine/checks/check_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "rules/engine/checks/review.h"

namespace yardmaster::rules {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

CheckInfo CheckCalled(const std::string& rule, const std::string& part) {
  CheckInfo check;
  check.rule = rule;
  check.part = part;
  return check;
}

TEST(CheckCost, NamesTheDearestAndItsShare) {
  const CheckInfo cheap = CheckCalled("R1", "");
  const CheckInfo dear = CheckCalled("R2", "deep");
  CheckCost cost;
  EXPECT_EQ(cost.Text(), "");
  cost.Add(cheap, milliseconds(50));
  cost.Add(dear, milliseconds(150));
  cost.Add(cheap, milliseconds(0));
  EXPECT_EQ(cost.Text(), "R2.deep took 150 ms of it (75 %)");
  cost.Start();
  cost.Add(cheap, milliseconds(0));
  EXPECT_EQ(cost.Text(), "R1 took 0 ms of it (100 %)");
}

TEST(CheckCost, AReviewThatTakesTooLongNamesTheCheck) {
  Problems problems;
  const auto set =
      LoadChecks({{"p/pack.json", R"json({"name": "p", "title": "test"})json"}, {"p/checks/a.json", R"json({"checks": [
      {"id": "C1", "title": "t", "severity": "S3", "message": "m", "each": "call", "where": {"name": "g"}, "good": [""], "bad": ["g()"]},
      {"id": "C2", "title": "t", "severity": "S3", "message": "m", "each": "call", "good": [""], "bad": ["g()"],
       "where": {"count": {"each": "call", "where": {"count": {"each": "call", "where": {"name": "x"}, "at_least": 1}}, "at_least": 1}}}]})json"}},
                 "p", problems);
  ASSERT_NE(set, nullptr) << problems.front().ToString();
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "f()\n";
  ReviewOptions options;
  options.check_limit = milliseconds(50);
  const ReviewResult result = Review(*set, {{"a.py", text, {}, "", false}}, options);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].message, "the checks took longer than 50 ms or too much memory; the rest was left out");
  EXPECT_EQ(result.findings[0].rule_id, kLimitRule);
  EXPECT_THAT(result.findings[0].fix, StartsWith("C2 took "));
  EXPECT_THAT(result.findings[0].fix, HasSubstr(" ms of it ("));
}

}  // namespace
}  // namespace yardmaster::rules
