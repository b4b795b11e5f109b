// Reports of real programs, and short names for what the tests compare.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_WORKER_REPORTS_SAMPLES_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_WORKER_REPORTS_SAMPLES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/reports/report.h"
#include "tests/support/source_path.h"

namespace yardmaster::worker {

// A file of tests/data/reports.
inline std::string Sample(const std::string& name) {
  std::string text = yardmaster::testing::SourceText("tests/data/reports/" + name);
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

// The test of this id; one with an empty id if there is none.
inline ReportTest Find(const Report& report, std::string_view id) {
  for (const ReportTest& test : report.tests) {
    if (test.id == id) return test;
  }
  ADD_FAILURE() << "no test " << id;
  return {};
}

inline std::vector<std::string> Ids(const Report& report) {
  std::vector<std::string> ids;
  ids.reserve(report.tests.size());
  for (const ReportTest& test : report.tests) ids.push_back(test.id);
  return ids;
}

inline size_t Count(const Report& report, Outcome outcome) {
  return static_cast<size_t>(std::count_if(report.tests.begin(), report.tests.end(),
                                           [outcome](const ReportTest& test) { return test.outcome == outcome; }));
}

// Gives a report all lines of a text.
inline void Feed(LineReport& report, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    report.Line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace yardmaster::worker

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_WORKER_REPORTS_SAMPLES_H_
