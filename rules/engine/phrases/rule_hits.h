// The commands that the clauses of a message speak of: options are taken out of each clause, then the rule that says
// most about what is left is chosen. Whether the clause asks for the command is decided in mood.h.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_RULE_HITS_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_RULE_HITS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rules/engine/phrases/clauses.h"
#include "rules/engine/phrases/phrase_model.h"

namespace yardmaster::rules {

// What a clause wants of the command that it speaks of.
enum class Mood : uint8_t {
  kOff,        // it forbids it, tells of it, or asks how it works
  kStatement,  // it tells how things are; the writer may want to know more
  kDoubt,      // it may ask for it
  kAct,        // it asks for it
};

struct Hit {
  size_t clause = 0;
  const PhraseRule* rule = nullptr;  // null for the command of a line that begins with one
  std::string command;               // "ask" too; empty for none
  size_t begin = 0, end = 0;         // tokens that the rule speaks of
  Mood mood = Mood::kOff;
  bool negated = false;
  bool conditional = false;
  std::string because;

  bool HoldsFor(PhraseForm form) const { return rule != nullptr && (rule->forms & form) != 0; }
};

// One hit for each clause, in order, without moods. Ids of the options and rules that were used are added to `used`.
std::vector<Hit> FindHits(const PhraseSet::Impl& phrases, ReadPhrase& read, std::vector<std::string>& used);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_RULE_HITS_H_
