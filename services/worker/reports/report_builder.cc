#include "services/worker/reports/report_builder.h"

#include <algorithm>
#include <utility>

#include "services/worker/reports/report_text.h"

namespace yardmaster::worker {
bool IsFailure(Outcome outcome) { return outcome != Outcome::kPassed && outcome != Outcome::kSkipped; }

bool ReportBuilder::Add(ReportTest test) {
  const auto place = places_.find(test.id);
  if (place == places_.end()) {
    if (tests_.size() >= kMaxReportTests) {
      full_ = true;
      return false;
    }
    if (IsFailure(test.outcome)) ++failed_;
    places_.emplace(test.id, tests_.size());
    tests_.push_back(std::move(test));
    return true;
  }
  ReportTest& known = tests_[place->second];
  if (!IsFailure(known.outcome) && IsFailure(test.outcome)) ++failed_;
  known.outcome = std::max(known.outcome, test.outcome);
  known.seconds += test.seconds;
  if (!test.message.empty() && test.message != known.message) {
    known.message = known.message.empty() ? std::move(test.message) : CutMessage(known.message + "\n" + test.message);
  }
  return true;
}

}  // namespace yardmaster::worker
