#include "services/worker/run/chosen_tests.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster::worker {
namespace {

std::string VariableOf(const rules::SuiteStep& step) {
  return step.variables.empty() ? "" : step.variables.back().first + "=" + step.variables.back().second;
}

TEST(ChooseTests, PytestAndGoogleTestAreToldWhichAndOthersRunAll) {
  rules::SuiteStep step;
  step.tests_at_least = 50;
  step.reports.push_back({.format = rules::ReportFormat::kJunit});
  ChooseTests(
      {"tests/test_a.py::test_add[float32-1]", "tests/test_a.py::TestB::test_sub", "tests/test_a.py::test_add[x]"},
      step);
  EXPECT_EQ(VariableOf(step), "PYTEST_ADDOPTS=-k 'test_add or test_sub'");
  EXPECT_EQ(step.tests_at_least, 1u);

  rules::SuiteStep google;
  google.reports.push_back({.format = rules::ReportFormat::kGoogleTest});
  ChooseTests({"Sum.IsRight", "All/Sum.OfTypes/0"}, google);
  EXPECT_EQ(VariableOf(google), "GTEST_FILTER=Sum.IsRight:All/Sum.OfTypes/0");

  for (const std::vector<std::string>& tests : std::vector<std::vector<std::string>>{
           {}, {"tests/test_a.py::test_add; rm -rf /"}, {"test_a.py::test 'x'"}, {"a::" + std::string(100'000, 'x')}}) {
    rules::SuiteStep whole;
    whole.reports.push_back({.format = rules::ReportFormat::kJunit});
    ChooseTests(tests, whole);
    EXPECT_EQ(VariableOf(whole), "");
  }
  rules::SuiteStep ctest;
  ctest.reports.push_back({.format = rules::ReportFormat::kCtest});
  ChooseTests({"one"}, ctest);
  EXPECT_EQ(VariableOf(ctest), "");
}

}  // namespace
}  // namespace yardmaster::worker
