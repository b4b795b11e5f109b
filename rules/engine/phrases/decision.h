// What a message asks for in all: the first command, those behind it, or a question back.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_DECISION_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_DECISION_H_

#include <string>
#include <vector>

#include "rules/engine/phrases/clauses.h"
#include "rules/engine/phrases/phrase_model.h"
#include "rules/engine/phrases/phrase_set.h"
#include "rules/engine/phrases/rule_hits.h"

namespace yardmaster::rules {

// `hits` are judged, one for each clause; `cut` says that the message is longer than what was read.
Interpretation Decide(const PhraseSet::Impl& phrases, const PhraseContext& context, const ReadPhrase& read,
                      std::vector<Hit> hits, bool cut);
// "none", with the reason.
Interpretation NothingAsked(std::string why);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_DECISION_H_
