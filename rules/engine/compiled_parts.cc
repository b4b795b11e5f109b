#include "rules/engine/compiled_parts.h"

namespace yardmaster::rules {

std::shared_ptr<const ZoneSplitter> CompiledParts::Splitter(const ZoneRules& rules, Problems& problems) {
  return splitters_.Get(rules,
                        [&] { return std::shared_ptr<const ZoneSplitter>(ZoneSplitter::Create(rules, problems)); });
}

std::shared_ptr<const Matcher> CompiledParts::SignalMatcher(const std::vector<SignalModel>& signals,
                                                            const std::vector<std::string>& negations,
                                                            Problems& problems) {
  return matchers_.Get({signals, negations},
                       [&] { return std::shared_ptr<const Matcher>(Matcher::Create(signals, negations, problems)); });
}

}  // namespace yardmaster::rules
