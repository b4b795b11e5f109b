#include "rules/engine/checks/check_cost.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace yardmaster::rules {

std::string CheckCost::Text() const {
  if (dearest_ == nullptr) return "";
  using Milliseconds = std::chrono::duration<double, std::milli>;
  const double most = Milliseconds(most_).count();
  const double total = Milliseconds(total_).count();
  const double share = total > 0 ? most / total : 1;
  return absl::StrCat(RuleAndPart(dearest_->rule, dearest_->part), " took ", std::lround(most), " ms of it (",
                      std::lround(share * 100), " %)");
}

}  // namespace yardmaster::rules
