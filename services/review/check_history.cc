#include "services/review/check_history.h"

namespace yardmaster {

CheckHistory::CheckHistory(const std::vector<v1::Action>& written) {
  for (const v1::Action& action : written) {
    if (!action.has_report_check()) continue;
    const v1::ReportCheck& check = action.report_check();
    const bool concluded = check.conclusion() != v1::ReportCheck::CONCLUSION_UNSPECIFIED;
    const auto [known, added] = by_head_.try_emplace(check.head(), Latest{check.attempt(), concluded});
    Latest& latest = known->second;
    if (check.attempt() > latest.attempt) latest = {check.attempt(), false};
    if (check.attempt() == latest.attempt) latest.concluded = latest.concluded || concluded;
  }
}

int64_t CheckHistory::NextAttempt(std::string_view head) const {
  const auto known = by_head_.find(head);
  if (known == by_head_.end()) return 0;
  return known->second.attempt + (known->second.concluded ? 1 : 0);
}

std::vector<std::pair<std::string, int64_t>> CheckHistory::Unfinished() const {
  std::vector<std::pair<std::string, int64_t>> unfinished;
  for (const auto& [head, latest] : by_head_) {
    if (!latest.concluded) unfinished.emplace_back(head, latest.attempt);
  }
  return unfinished;
}

}  // namespace yardmaster
