// What packs that are compiled together share.
#ifndef YARDMASTER_RULES_ENGINE_COMPILED_PARTS_H_
#define YARDMASTER_RULES_ENGINE_COMPILED_PARTS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rules/engine/matcher.h"
#include "rules/engine/pack/pack_model.h"
#include "rules/engine/text/zones.h"
#include "services/core/memo.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// Packs inherit most of what is costly to compile and large when it is compiled: their zones and signals. Those whose
// rules are the same get the same object. Only needed while packs are compiled; safe to use from many threads at once.
class CompiledParts {
 public:
  // As ZoneSplitter::Create. Bad rules are looked at again for each pack, so that each tells of them.
  std::shared_ptr<const ZoneSplitter> Splitter(const ZoneRules& rules, Problems& problems);
  // As Matcher::Create, of which the same holds.
  std::shared_ptr<const Matcher> SignalMatcher(const std::vector<SignalModel>& signals,
                                               const std::vector<std::string>& negations, Problems& problems);

 private:
  Memo<ZoneRules, ZoneSplitter> splitters_;
  Memo<std::pair<std::vector<SignalModel>, std::vector<std::string>>, Matcher> matchers_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_COMPILED_PARTS_H_
