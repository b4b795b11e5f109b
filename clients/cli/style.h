// Colours, where a person looks at a terminal.
#ifndef YARDMASTER_CLIENTS_CLI_STYLE_H_
#define YARDMASTER_CLIENTS_CLI_STYLE_H_

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace yardmaster::cli {

// By meaning, so that one place decides how each looks.
enum class Style { kPlain, kTitle, kStrong, kFaint, kGood, kWarning, kBad, kName };

// `text` between the escape sequences of its style; as it is if `color` is false or the style is plain.
inline std::string Paint(std::string_view text, Style style, bool color) {
  constexpr std::array<std::string_view, 8> kSequences = {"",         "\x1b[1m",  "\x1b[1m",  "\x1b[2m",
                                                          "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[36m"};
  if (!color || text.empty() || style == Style::kPlain) return std::string(text);
  return std::string(kSequences.at(static_cast<size_t>(style))).append(text).append("\x1b[0m");
}

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_STYLE_H_
