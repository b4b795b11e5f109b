// Whether the clauses of a message ask for the commands that they speak of: what forbids them, tells of them, asks how
// they work, or leaves a doubt about one that writes.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_MOOD_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_MOOD_H_

#include <vector>

#include "rules/engine/phrases/clauses.h"
#include "rules/engine/phrases/phrase_model.h"
#include "rules/engine/phrases/rule_hits.h"

namespace yardmaster::rules {

// Sets the mood of each hit. `hits` are those of FindHits, one for each clause.
void JudgeMoods(const PhraseSet::Impl& phrases, const ReadPhrase& read, std::vector<Hit>& hits);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_MOOD_H_
