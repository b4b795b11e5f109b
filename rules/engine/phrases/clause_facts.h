// What single clauses say, whatever the command: questions and names among their words. Pure.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_CLAUSE_FACTS_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_CLAUSE_FACTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "rules/engine/phrases/clauses.h"
#include "rules/engine/phrases/phrase_model.h"

namespace yardmaster::rules {

// A role of a word among tokens [begin, end).
inline bool HasRole(const PhraseSet::Impl& phrases, const PhraseClause& clause, PhraseRole role, size_t begin = 0,
                    size_t end = SIZE_MAX) {
  for (size_t i = begin; i < std::min(end, clause.tokens.size()); ++i) {
    if (phrases.Has(clause.tokens[i].concept_number, role)) return true;
  }
  return false;
}

// A word that we don't know among tokens [begin, end).
inline bool HasUnknown(const PhraseSet::Impl& phrases, const PhraseClause& clause, size_t begin = 0,
                       size_t end = SIZE_MAX) {
  for (size_t i = begin; i < std::min(end, clause.tokens.size()); ++i) {
    if (clause.tokens[i].concept_number == phrases.unknown) return true;
  }
  return false;
}

// A find took something out of it.
inline bool HasTaken(const PhraseClause& clause) {
  return absl::c_any_of(clause.tokens, [](const PhraseToken& token) { return token.taken >= 0; });
}

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
