// The text that stops the writer of a file: read by people and by programs that look for its fixed lines.
//
//   <first line>
//   [OL01][S0] demo_impl.py:4 message
//   blocking_rules: OL01, OL08
//   fix_hints:
//   - OL01: hint
//   <last line>
#ifndef YARDMASTER_SERVICES_REVIEW_BLOCK_TEXT_H_
#define YARDMASTER_SERVICES_REVIEW_BLOCK_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "services/review/report.h"

namespace yardmaster {

enum class TextLanguage : uint8_t { kEnglish, kChinese };

// First and last line of the text: a pack may give its own as the lists "block_en" and "block_zh". `checks` may be
// null.
struct BlockFrame {
  std::string first;
  std::string last;
};
BlockFrame BlockFrameOf(const rules::CheckSet* checks, TextLanguage language);

// Whether a finding keeps its writer from going on.
bool IsBlocking(const rules::Finding& finding);

// The text; empty if no finding that stands is blocking. Line ends and control characters of messages become blanks, so
// that no message can look like another line.
std::string BlockText(const ReviewReport& report, const BlockFrame& frame, TextLanguage language);

// Everything that stands, for the writer's context: blocking findings, others, remarks; one line each, in three parts.
// Empty if there is nothing.
std::string ContextText(const ReviewReport& report, TextLanguage language);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_BLOCK_TEXT_H_
