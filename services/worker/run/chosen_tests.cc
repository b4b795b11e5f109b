#include "services/worker/run/chosen_tests.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"

namespace yardmaster::worker {
namespace {

// A choice of tests that is longer than that would not fit into a variable.
constexpr size_t kMaxChoiceBytes = 60'000;
constexpr std::string_view kPytestVariable = "PYTEST_ADDOPTS";
constexpr std::string_view kGoogleTestFilter = "GTEST_FILTER";

bool IsWord(std::string_view text) {
  return !text.empty() &&
         absl::c_all_of(text, [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

// "a or b": the functions of tests "path::Class::name[param]". Empty: one of them has no such name.
std::string PytestExpression(const std::vector<std::string>& tests) {
  std::set<std::string> names;
  for (const std::string& test : tests) {
    const size_t colons = test.rfind("::");
    const std::string name = test.substr(colons == std::string::npos ? 0 : colons + 2);
    const std::string function = name.substr(0, name.find('['));
    if (!IsWord(function)) return {};
    names.insert(function);
  }
  return absl::StrJoin(names, " or ");
}

// "A.one:B/A.two/0". Empty: one of them has a name that a filter would read in another way.
std::string GoogleTestFilter(const std::vector<std::string>& tests) {
  for (const std::string& test : tests) {
    if (test.find('.') == std::string::npos || test.find_first_of(":-*? ") != std::string::npos) return {};
  }
  return absl::StrJoin(tests, ":");
}

}  // namespace

void ChooseTests(const std::vector<std::string>& tests, rules::SuiteStep& step) {
  if (tests.empty()) return;
  const auto reads = [&](rules::ReportFormat format) {
    return absl::c_any_of(step.reports, [&](const rules::ReportModel& report) { return report.format == format; });
  };
  std::string name;
  std::string value;
  if (reads(rules::ReportFormat::kGoogleTest)) {
    name = kGoogleTestFilter;
    value = GoogleTestFilter(tests);
  } else if (reads(rules::ReportFormat::kJunit)) {
    // What the suite says there stays: launching joins all that is said of this variable.
    name = kPytestVariable;
    value = PytestExpression(tests);
    if (!value.empty()) value = "-k '" + value + "'";
  }
  if (value.empty() || value.size() > kMaxChoiceBytes) return;
  step.variables.emplace_back(name, value);
  step.tests_at_least = std::min<size_t>(step.tests_at_least, 1);
}

}  // namespace yardmaster::worker
