// Makes what people wrote harmless before the bot says it again: mentions notify nobody, numbers link nothing, markup
// has no effect.
#ifndef YARDMASTER_SERVICES_CORE_DEFANG_H_
#define YARDMASTER_SERVICES_CORE_DEFANG_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace yardmaster {

// Longer echoes are cut and end in "…".
inline constexpr size_t kMaxEchoBytes = 160;

// `text` as a Markdown code span of one line: valid UTF-8 without control characters and marks of writing direction,
// cut near `max_bytes`; longer runs of backticks than the text has around it. Forges that link inside of code, too,
// find nothing: an invisible character stands behind "@", "#", "!" and "&" and inside of "://" and "www.". An empty
// text gives an empty string.
std::string EchoCode(std::string_view text, size_t max_bytes = kMaxEchoBytes);

// The same as a block of code: its lines as they are.
std::string EchoBlock(std::string_view text, size_t max_bytes);

// The same as running text: every character that Markdown or HTML could take for markup is escaped.
std::string EchoText(std::string_view text, size_t max_bytes = kMaxEchoBytes);

// Markdown as one cell of a table: a bar would end it, in a code span, too. EchoText is safe there as it is.
std::string TableCell(std::string_view markdown);

// Whether a text is written in Chinese as far as an answer should be: it holds at least one ideograph.
bool IsChinese(std::string_view text);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_DEFANG_H_
