#include "services/core/problem.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

TEST(Problem, EveryPartIsWritten) {
  const Problem problem{"p/rubric.json", "/signals/3", 12, 5, "expected a string"};
  EXPECT_EQ(problem.ToString(), "p/rubric.json:12:5: /signals/3: expected a string");
}

TEST(Problem, MissingPartsLeaveNoPunctuationBehind) {
  EXPECT_EQ((Problem{"p/pack.json", "", 0, 0, "missing"}).ToString(), "p/pack.json: missing");
  EXPECT_EQ((Problem{"p/pack.json", "", 7, 0, "odd"}).ToString(), "p/pack.json:7: odd");
  EXPECT_EQ((Problem{"", "", 0, 0, "missing"}).ToString(), "missing");
  EXPECT_EQ((Problem{"", "/a", 1, 2, "odd"}).ToString(), "1:2: /a: odd");
}

TEST(SortProblems, ProblemsComeByFileAndLineAndEqualOnesOnce) {
  Problems problems = {
      {"b", "", 1, 1, "x"}, {"a", "", 9, 1, "x"}, {"a", "", 2, 8, "y"}, {"a", "", 2, 3, "z"}, {"a", "", 9, 1, "x"}};
  SortProblems(problems);
  const Problems expected = {{"a", "", 2, 3, "z"}, {"a", "", 2, 8, "y"}, {"a", "", 9, 1, "x"}, {"b", "", 1, 1, "x"}};
  EXPECT_EQ(problems, expected);
}

}  // namespace
}  // namespace yardmaster
