// Turns the friendly forms of a signal (words, phrases, imports, …) into one RE2 pattern.
#ifndef YARDMASTER_RULES_ENGINE_SIGNAL_PATTERN_H_
#define YARDMASTER_RULES_ENGINE_SIGNAL_PATTERN_H_

#include <string>
#include <string_view>

#include "rules/engine/pack/pack_model.h"

namespace yardmaster::rules {

// One alternation over everything that the signal looks for; empty for a derived signal. Where several alternatives
// match at the same place the order of the forms decides; for scores it makes no difference.
std::string SignalPattern(const SignalModel& signal);

// The single forms, each a complete RE2 pattern.
std::string WordPattern(std::string_view word, bool fold_case);
std::string PhrasePattern(std::string_view phrase);
std::string ImportPattern(std::string_view module);
std::string FramePattern(std::string_view path);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SIGNAL_PATTERN_H_
