// Why a check found nothing: what nearly was a finding, for people who write checks.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_NEAR_MISS_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_NEAR_MISS_H_

#include <string>
#include <vector>

#include "rules/engine/checks/compiled_checks.h"
#include "rules/engine/checks/run.h"

namespace yardmaster::rules {

// The row for which the most conditions of a check hold, of those that are no findings: the first of them, in the order
// of files and rows.
struct NearMiss {
  RowRef row;         // none: no row was looked at, or all conditions hold for every one
  size_t looked = 0;  // rows
  size_t held = 0;
  const RuleCondition* stopped = nullptr;  // the first condition that does not hold
  std::string seen;                        // what it saw; may be empty
};

// Goes over the rows of the check in `units`. `lines`, if not empty, are the lines in which it looks.
NearMiss FindNearMiss(Run& run, const CompiledRule& rule, const RuleBody& body, const std::vector<const Unit*>& units,
                      const std::vector<uint32_t>& lines);

// What the check goes over where there is no such row: "there is no call in lines 3, 4".
std::string NoRowText(const CheckSet::Impl& checks, const CompiledRule& rule, const std::vector<uint32_t>& lines);

// One line: place, text, how many conditions hold, and the one that stopped it.
std::string NearMissText(const NearMiss& near, const RuleBody& body);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_NEAR_MISS_H_
