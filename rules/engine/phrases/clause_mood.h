// The mood of one clause, by its own words and by what its sentence said before it.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_CLAUSE_MOOD_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_CLAUSE_MOOD_H_

#include <vector>

#include "rules/engine/phrases/clauses.h"
#include "rules/engine/phrases/phrase_model.h"
#include "rules/engine/phrases/rule_hits.h"

namespace yardmaster::rules {

// What the sentence that a clause stands in says about all that it asks for.
struct SentenceFacts {
  bool conditional = false;  // it depends on something
  bool deferred = false;     // it depends on what the writer will do
  bool waits = false;        // it has to wait for what the sentence names
  bool named = false;        // it may name somebody whom it is said to
  bool told = false;         // it names who or what says so
};

// Sets the mood of `hit`, which has a rule. It is one of `hits`, those of the whole message; the ones behind it have no
// mood yet.
void JudgeClause(const PhraseSet::Impl& phrases, const ReadPhrase& read, const SentenceFacts& sentence,
                 const std::vector<Hit>& hits, Hit& hit);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_CLAUSE_MOOD_H_
