// Puts a pack and the packs that it extends together.
#ifndef YARDMASTER_RULES_ENGINE_PACK_PACK_MERGE_H_
#define YARDMASTER_RULES_ENGINE_PACK_PACK_MERGE_H_

#include <vector>

#include "rules/engine/pack/pack_model.h"
#include "rules/engine/pack/pack_part.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// `parts` begins with the pack that extends nothing and ends with the pack itself. What a later part defines under the
// same id or name replaces the earlier one in its place, what is new comes after; "remove" acts first. Adds what does
// not fit together. The revision is left to the caller.
PackModel MergeParts(std::vector<PackPart> parts, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_PACK_MERGE_H_
