// What holds for the zones of every text, however strange.
#ifndef YARDMASTER_TESTS_SUPPORT_ZONE_INVARIANTS_H_
#define YARDMASTER_TESTS_SUPPORT_ZONE_INVARIANTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/text/zones.h"

namespace yardmaster::testing {

// The first thing that is wrong with the zones of `text`; empty if all is well: ascending order, no overlap, in range,
// not empty, every non-blank byte covered, languages on code only, overflow only past the limit.
inline std::string BrokenZoneInvariant(std::string_view text, const std::vector<rules::ZoneSpan>& spans) {
  size_t pos = 0;
  const auto blank = [&](size_t begin, size_t end) {
    return text.substr(begin, end - begin).find_first_not_of(" \t\r\n") == std::string_view::npos;
  };
  for (const rules::ZoneSpan& span : spans) {
    const std::string where = std::string(rules::ZoneName(span.zone)) + " [" + std::to_string(span.begin) + ", " +
                              std::to_string(span.end) + ")";
    if (span.begin < pos) return where + " overlaps the span before, or is out of order";
    if (span.end > text.size()) return where + " reaches past the text";
    if (span.begin >= span.end) return where + " is empty";
    if (blank(span.begin, span.end)) return where + " holds nothing";
    if (!blank(pos, span.begin)) return "text before " + where + " is in no zone";
    if (!span.language.empty() && span.zone != rules::Zone::kCode) return where + " has a language";
    if (span.language.size() > 32) return where + " has a language of more than 32 bytes";
    if (span.zone == rules::Zone::kTitle) return where + " is no title";
    if (span.zone == rules::Zone::kOverflow && (span.end != text.size() || text.size() <= rules::kMaxMarkdownBytes)) {
      return where + " is not past the limit";
    }
    if (span.zone != rules::Zone::kOverflow && span.end > rules::kMaxMarkdownBytes) return where + " is past the limit";
    pos = span.end;
  }
  if (!blank(pos, text.size())) return "text after byte " + std::to_string(pos) + " is in no zone";
  return "";
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_ZONE_INVARIANTS_H_
