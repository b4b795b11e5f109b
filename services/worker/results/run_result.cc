#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

std::string_view VerdictWord(Verdict verdict) {
  // As they are declared.
  constexpr std::string_view kWords[] = {"passed", "flaky", "not_run", "failed", "timed_out", "error", "cancelled"};
  return kWords[static_cast<size_t>(verdict)];
}

}  // namespace yardmaster::worker
