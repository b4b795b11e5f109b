// The sentence that tells people what would have changed the outcome for a label.
#ifndef YARDMASTER_RULES_ENGINE_WOULD_CHANGE_H_
#define YARDMASTER_RULES_ENGINE_WOULD_CHANGE_H_

#include <string>

#include "rules/engine/compiled_pack_impl.h"

namespace yardmaster::rules {

// One sentence about `label`, whose result is filled but for this; empty where nothing sensible can be said.
std::string WouldChange(const CompiledPack::Impl& impl, const Facts& facts, uint32_t label, const LabelResult& result);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_WOULD_CHANGE_H_
