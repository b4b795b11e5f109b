#include "services/worker/results/words.h"

namespace yardmaster::worker {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitNegative = 1;
constexpr int kExitSystem = 4;

}  // namespace

std::string_view VerdictWord(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "passed";
    case Verdict::kFlaky:
      return "flaky";
    case Verdict::kNotRun:
      return "not_run";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kTimedOut:
      return "timed_out";
    case Verdict::kError:
      return "error";
    case Verdict::kCancelled:
      return "cancelled";
  }
  return "error";
}

int ExitCodeOf(Verdict verdict, bool allow_flaky) {
  switch (verdict) {
    case Verdict::kPassed:
      return kExitDone;
    case Verdict::kFlaky:
      return allow_flaky ? kExitDone : kExitNegative;
    case Verdict::kFailed:
    case Verdict::kTimedOut:
      return kExitNegative;
    case Verdict::kNotRun:
    case Verdict::kError:
    case Verdict::kCancelled:
      return kExitSystem;
  }
  return kExitSystem;
}

}  // namespace yardmaster::worker
