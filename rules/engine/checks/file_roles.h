// What a file is under a pack, by its path.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_FILE_ROLES_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_FILE_ROLES_H_

#include <string>

#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/unit.h"

namespace yardmaster::rules {

// Whether a role's pattern matches the path.
bool HasRole(const CheckSet::Impl& checks, const std::string& path);

// Sets the unit's role and groups: of the first role whose pattern matches its path. `forced`, if not empty, is its
// role whatever it is called. `op` is the operator that the caller knows; may be empty.
void AssignRole(const CheckSet::Impl& checks, const std::string& forced, const std::string& op, Unit& unit);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_FILE_ROLES_H_
