// Which check takes the time of a file.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_CHECK_COST_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_CHECK_COST_H_

#include <chrono>
#include <string>

#include "rules/engine/checks/check_set.h"

namespace yardmaster::rules {

// Measures checks that run one after the other, within one budget.
class CheckCost {
 public:
  using Clock = std::chrono::steady_clock;

  // All that was measured is forgotten.
  void Start() { *this = {}; }
  void Add(const CheckInfo& check, Clock::duration took) {
    total_ += took;
    if (dearest_ != nullptr && took <= most_) return;
    dearest_ = &check;
    most_ = took;
  }

  // "OL12 took 1893 ms of it (95 %)": the one that took most; empty if none was measured.
  std::string Text() const;

 private:
  const CheckInfo* dearest_ = nullptr;
  Clock::duration most_{};
  Clock::duration total_{};
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_CHECK_COST_H_
