// Where a pattern matches, as found by the texts that it is spelled out to.
#ifndef YARDMASTER_TESTS_SUPPORT_SPELLED_PLACES_H_
#define YARDMASTER_TESTS_SUPPORT_SPELLED_PLACES_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "rules/engine/text/spelled_out.h"

namespace yardmaster::testing {

// Begin and end of the first match, which is also the one that wins there; nothing: there is none.
inline std::optional<std::pair<size_t, size_t>> FirstPlace(const std::vector<rules::SpelledText>& spelled,
                                                           std::string_view text) {
  std::vector<rules::Literal> literals;
  literals.reserve(spelled.size());
  for (const rules::SpelledText& one : spelled) literals.push_back(one.literal);
  std::vector<rules::LiteralScanner::Found> found;
  rules::LiteralScanner(std::move(literals)).Scan(text, found);
  const rules::LiteralScanner::Found* first = nullptr;
  for (const rules::LiteralScanner::Found& place : found) {
    if (first == nullptr || std::tie(place.begin, place.literal) < std::tie(first->begin, first->literal)) {
      first = &place;
    }
  }
  if (first == nullptr) return std::nullopt;
  size_t end = first->end;
  while (spelled[first->literal].goes_on && end < text.size() && rules::IsWordByte(text[end])) ++end;
  return {{first->begin, end}};
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_SPELLED_PLACES_H_
