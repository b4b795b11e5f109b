// Tests of a report as they come: one entry for each id, with its worst outcome.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_BUILDER_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_BUILDER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "services/worker/reports/report.h"

namespace yardmaster::worker {

// True for what keeps a suite from passing.
bool IsFailure(Outcome outcome);

class ReportBuilder {
 public:
  // False: there are kMaxReportTests already, and the test was not added. A test that is named again (a test that fails
  // and whose clean-up fails too is two entries of pytest's) keeps the worse outcome and both messages.
  bool Add(ReportTest test);
  bool Has(std::string_view id) const { return places_.count(std::string(id)) != 0; }
  size_t size() const { return tests_.size(); }
  size_t failed() const { return failed_; }
  bool full() const { return full_; }
  const std::vector<ReportTest>& tests() const { return tests_; }
  // The tests themselves; the builder is of no use afterwards.
  std::vector<ReportTest> Release() { return std::move(tests_); }

 private:
  std::vector<ReportTest> tests_;
  std::unordered_map<std::string, size_t> places_;
  size_t failed_ = 0;
  bool full_ = false;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_BUILDER_H_
