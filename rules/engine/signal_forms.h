// Turns the friendly forms of a signal (words, phrases, imports, …) into what is searched for: literals, and an RE2
// pattern for imports. Patterns stay what they are.
#ifndef YARDMASTER_RULES_ENGINE_SIGNAL_FORMS_H_
#define YARDMASTER_RULES_ENGINE_SIGNAL_FORMS_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pack/pack_model.h"
#include "rules/engine/text/literal_scanner.h"

namespace yardmaster::rules {

// The other words of a phrase, with any white space, "-" or "_" before each; nothing for a single word.
struct PhraseRest {
  std::vector<std::string> words;  // in either case
  bool ends_at_word = false;
};

struct SignalLiteral {
  Literal first;
  PhraseRest rest;
};

struct SignalForms {
  std::vector<SignalLiteral> literals;
  // Of imports: where a text has not one of each group, no import is. Empty groups: there are no imports.
  std::array<std::vector<SignalLiteral>, 2> imported;
  // One alternation over such imports; empty if there are none.
  std::string import_pattern;
};

SignalForms FormsOf(const SignalModel& signal);

// First byte of a rest that has words, in lower case; 0 where it could be taken for what separates words.
char FirstByteOf(const PhraseRest& rest);

// Whether a word that begins with `first`, in lower case, follows: cheaper than EndOf() where it does not.
bool IsNextWord(std::string_view text, size_t at, char first);

// Where the rest ends that begins at `at`; npos if it is not there.
size_t EndOf(const PhraseRest& rest, std::string_view text, size_t at);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SIGNAL_FORMS_H_
