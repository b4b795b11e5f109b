// Slots of commands: what the finds took out of a message, given to the command that takes it.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_SLOTS_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_SLOTS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/phrases/clauses.h"
#include "rules/engine/phrases/phrase_model.h"

namespace yardmaster::rules {

// A pull request that is named; its repository where that is named too.
struct Reference {
  std::string pr, repo;
};

// Adds the references of a clause, each once.
void AddReferences(const ReadPhrase& read, const PhraseClause& clause, std::vector<Reference>& list);
bool HasReference(const ReadPhrase& read, const PhraseClause& clause);
// A bare number that stands where the number of a pull request does, as the last word of the clause; empty for none.
std::string BareNumber(const PhraseSet::Impl& phrases, const ReadPhrase& read, const PhraseClause& clause);

bool Takes(const PhraseCommandInfo& info, std::string_view slot);
void PutReference(const Reference& reference, const PhraseCommandInfo& info, nlohmann::ordered_json& slots);
// Puts what a clause gives into the slots of a command. What options say holds over what is there already where the
// clause is the command's own.
void FillSlots(const ReadPhrase& read, const PhraseClause& clause, const PhraseCommandInfo& info, bool own,
               nlohmann::ordered_json& slots);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_SLOTS_H_
