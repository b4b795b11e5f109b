// The good and bad cases that checks ship.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_CHECK_CASES_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_CHECK_CASES_H_

#include <vector>

#include "rules/engine/checks/compiled_checks.h"
#include "rules/engine/pack/pack_pieces.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// A case that is one text is a file of `role`; where that is null, one of the check's first language.
std::vector<CheckCase> ReadCheckCases(const PackPiece& check, const RoleInfo* role, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_CHECK_CASES_H_
