// Step 8 of the schema: what effects write was kept as JSON, in a form of each kind's own, and is kept as an Action
// now.
#ifndef YARDMASTER_SERVICES_CORE_STORE_EFFECT_PAYLOADS_H_
#define YARDMASTER_SERVICES_CORE_STORE_EFFECT_PAYLOADS_H_

#include <soci/soci.h>

#include <string_view>

#include "yardmaster/v1/plan.pb.h"

namespace yardmaster::store {

// What an effect of step 7 or before writes; no action set if it can't be read.
v1::Action ActionOfOldPayload(std::string_view kind, std::string_view payload);

// Converts every row; keys stay. Throws as sql.h says.
void ConvertEffectPayloads(soci::session& sql);

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_EFFECT_PAYLOADS_H_
