// Runs the good and bad cases of a pack's review checks.
#ifndef YARDMASTER_SERVICES_PACKS_CHECK_TEST_H_
#define YARDMASTER_SERVICES_PACKS_CHECK_TEST_H_

#include "rules/engine/checks/check_set.h"
#include "services/packs/pack_test.h"

namespace yardmaster {

// Adds the cases of the checks that the pack defines itself to `result`. A check is a rule; it is covered if all of its
// cases pass, at least one good and one bad one among them.
void TestChecks(const rules::CheckSet& checks, PackTest& result);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_CHECK_TEST_H_
