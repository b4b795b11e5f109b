#include "rules/engine/phrases/concept_pattern.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {

void ConceptPattern::Add(Item item) {
  if (item.repeat == Repeat::kOnce || item.repeat == Repeat::kPlus) {
    if (item.concepts.size() == 1 && alone_count_ < alone_.size()) {
      alone_[alone_count_++] = item.concepts.front();
    } else {
      ConceptBits need;
      for (const uint16_t number : item.concepts) need.Add(number);
      needs_.push_back(need);
    }
  }
  items_.push_back(std::move(item));
}

bool ConceptPattern::Possible(const ConceptBits& bits) const {
  for (size_t i = 0; i < alone_count_; ++i) {
    if (!bits.Has(alone_[i])) return false;
  }
  return absl::c_all_of(needs_, [&bits](const ConceptBits& need) { return need.Meets(bits); });
}

bool ConceptPattern::Holds(const Item& item, uint16_t number) { return absl::c_linear_search(item.concepts, number); }

bool ConceptPattern::MatchFrom(const std::vector<uint16_t>& concepts, size_t item, size_t at, size_t& end) const {
  if (item == items_.size()) {
    end = at;
    return !at_end_ || at == concepts.size();
  }
  const Item& one = items_[item];
  const auto holds = [&](size_t i) { return i < concepts.size() && Holds(one, concepts[i]); };
  switch (one.repeat) {
    case Repeat::kOnce:
      return holds(at) && MatchFrom(concepts, item + 1, at + 1, end);
    case Repeat::kOptional:
      return (holds(at) && MatchFrom(concepts, item + 1, at + 1, end)) || MatchFrom(concepts, item + 1, at, end);
    case Repeat::kStar:
    case Repeat::kPlus: {
      size_t most = at;
      while (holds(most)) ++most;
      const size_t least = at + (one.repeat == Repeat::kPlus ? 1 : 0);
      for (size_t next = most + 1; next-- > least;) {
        if (MatchFrom(concepts, item + 1, next, end)) return true;
      }
      return false;
    }
    case Repeat::kGap:
      for (size_t next = at; next <= std::min(at + one.most, concepts.size()); ++next) {
        if (MatchFrom(concepts, item + 1, next, end)) return true;
      }
      return false;
  }
  return false;
}

bool ConceptPattern::Match(const std::vector<uint16_t>& concepts, Found& found) const {
  const size_t starts = at_begin_ ? 1 : concepts.size() + 1;
  for (size_t begin = 0; begin < starts; ++begin) {
    if (!MatchFrom(concepts, 0, begin, found.end)) continue;
    found.begin = begin;
    return true;
  }
  return false;
}

}  // namespace yardmaster::rules
