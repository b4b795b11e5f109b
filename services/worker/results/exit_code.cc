#include "services/worker/results/exit_code.h"

namespace yardmaster::worker {

int ExitCodeOf(Verdict verdict, bool allow_flaky) {
  constexpr int kDone = 0;
  constexpr int kNegative = 1;
  constexpr int kSystem = 4;
  if (verdict == Verdict::kPassed || (verdict == Verdict::kFlaky && allow_flaky)) return kDone;
  const bool tested = verdict == Verdict::kFlaky || verdict == Verdict::kFailed || verdict == Verdict::kTimedOut;
  return tested ? kNegative : kSystem;
}

}  // namespace yardmaster::worker
