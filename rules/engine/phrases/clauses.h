// A message cut into clauses of concepts.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_CLAUSES_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_CLAUSES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/phrases/phrase_model.h"
#include "rules/engine/phrases/taken_slots.h"

namespace yardmaster::rules {

struct PhraseToken {
  uint16_t concept_number = 0;
  uint32_t begin = 0;  // in the folded text
  int32_t taken = -1;  // index into `ReadPhrase::taken`
};

struct PhraseClause {
  std::vector<PhraseToken> tokens;  // without those that patterns don't see
  uint64_t roles = 0;               // of all of its words
  bool first_auxiliary = false;     // begins like a question
  bool question_mark = false;
  bool first_is_noun = false;  // begins with an article
  bool for_others = false;     // addressed to another bot or to a person
  bool after = false;          // the next clause comes behind it in time
  bool leads_after = false;    // begins with "after"
  bool can = false;            // asks whether it can be done: a question like kMaybe, not at the end
  bool before = false;         // only says that the next clause comes before it
  bool time_only = false;      // "before …", "after …": when another clause happens
  bool joined = false;         // follows on the clause before it with "and"
  bool new_sentence = false;
  size_t take_before = SIZE_MAX;                            // token that what takes the object stands in front of
  size_t want_before = SIZE_MAX;                            // token that the first word of wanting stands in front of
  size_t please_before = SIZE_MAX;                          // token that the first word of asking stands in front of
  uint64_t articles = 0;                                    // tokens (up to 64) that an article stands in front of
  bool thanks_first = false;                                // begins with thanks
  bool maybe_name = false;                                  // one word that we don't know and that may be a name
  std::string slash;                                        // the command that a line begins with
  std::vector<std::pair<std::string, nlohmann::json>> set;  // by options

  // A word of it plays one of these roles.
  template <typename... Roles>
  bool Has(Roles... any) const {
    return (roles & RoleBits(any...)) != 0;
  }
};

struct ReadPhrase {
  PhraseText text;
  std::vector<TakenSlots> taken;
  std::vector<PhraseClause> clauses;
  bool too_many = false;
  bool misspelt = false;
};

ReadPhrase ReadClauses(const PhraseSet::Impl& phrases, std::string_view message);

// " a b c ", with the index of the token that begins behind each space.
std::string ClauseText(const PhraseSet::Impl& phrases, const PhraseClause& clause);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_CLAUSES_H_
