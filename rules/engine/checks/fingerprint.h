// What findings are known by in later versions of their files.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_FINGERPRINT_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_FINGERPRINT_H_

#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "rules/engine/checks/review.h"
#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

// Sets `fingerprint` and `anchor` of each. The fingerprint is 16 hex characters over rule, part, the code that it
// points at (normalized.h), the function or class around it, and how many findings of the file were equal in all that
// before it. Neither line nor path are in it, so it holds while lines shift, code is formatted anew and files are
// renamed; with the path it is unique in a review. `facts_of` gives what is known of a file; nullptr: nothing, then the
// message stands for the code. Findings are in the order of their places.
void SetFingerprints(std::vector<Finding>& findings,
                     absl::FunctionRef<const FileFacts*(std::string_view path)> facts_of);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_FINGERPRINT_H_
