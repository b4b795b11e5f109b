// Slots that the packs' finds take out of a message: references, branches, people, messages.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_TAKEN_SLOTS_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_TAKEN_SLOTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/phrases/phrase_model.h"

namespace yardmaster::rules {

// What one find took.
struct TakenSlots {
  const PhraseFind* find = nullptr;
  uint32_t begin = 0, end = 0;                                   // of the folded text
  std::vector<std::pair<std::string_view, std::string>> values;  // in the message's own words
};

// In the order of the text; none overlaps another, or reaches over the end of a line. `text` is that of `message`.
std::vector<TakenSlots> TakeSlots(const PhraseSet::Impl& phrases, std::string_view message, const PhraseText& text);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_TAKEN_SLOTS_H_
