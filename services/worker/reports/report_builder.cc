#include "services/worker/reports/report_builder.h"

#include <utility>

#include "services/worker/reports/report_text.h"

namespace yardmaster::worker {
namespace {

// A skip counts for more than a pass: who says both has not run everything.
int Badness(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return 0;
    case Outcome::kSkipped:
      return 1;
    case Outcome::kNotStarted:
      return 2;
    case Outcome::kTimedOut:
      return 3;
    case Outcome::kFailed:
      return 4;
    case Outcome::kUnfinished:
      return 5;
  }
  return 5;
}

}  // namespace

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
  if (Badness(test.outcome) > Badness(known.outcome)) known.outcome = test.outcome;
  known.seconds += test.seconds;
  if (!test.message.empty() && test.message != known.message) {
    known.message = known.message.empty() ? std::move(test.message) : CutMessage(known.message + "\n" + test.message);
  }
  return true;
}

}  // namespace yardmaster::worker
