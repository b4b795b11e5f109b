// What single clauses say, whatever the command: questions and names among their words. Pure.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_CLAUSE_FACTS_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_CLAUSE_FACTS_H_

#include "rules/engine/phrases/clauses.h"
#include "rules/engine/phrases/phrase_model.h"

namespace yardmaster::rules {

// "Can …", and "可以提 PR" but not "可以提 PR 了".
inline bool MayAsk(const PhraseClause& clause) {
  return clause.Has(PhraseRole::kMaybe) || (clause.Has(PhraseRole::kPermit) && !clause.Has(PhraseRole::kPerfect));
}

// "… 吗", and nothing that asks whether it can be done.
inline bool AsksAtLast(const PhraseClause& clause) {
  return clause.Has(PhraseRole::kFinal) && !clause.can && !clause.Has(PhraseRole::kPermit);
}

inline bool HasQuestion(const PhraseClause& clause) {
  return clause.Has(PhraseRole::kQuestion) || MayAsk(clause) || clause.question_mark;
}

inline bool IsQuestion(const PhraseClause& clause) { return HasQuestion(clause) || clause.first_auxiliary; }

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_CLAUSE_FACTS_H_
