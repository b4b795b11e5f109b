// Colours, where a person looks at a terminal.
#ifndef YARDMASTER_CLIENTS_CLI_STYLE_H_
#define YARDMASTER_CLIENTS_CLI_STYLE_H_

#include <string>
#include <string_view>

namespace yardmaster::cli {

// By meaning, so that one place decides how each looks.
enum class Style { kPlain, kTitle, kStrong, kFaint, kGood, kWarning, kBad, kName };

// `text` between the escape sequences of its style; as it is if `color` is false or the style is plain.
inline std::string Paint(std::string_view text, Style style, bool color) {
  if (!color || text.empty()) return std::string(text);
  std::string_view code;
  switch (style) {
    case Style::kPlain:
      return std::string(text);
    case Style::kTitle:
      code = "\x1b[1m";
      break;
    case Style::kStrong:
      code = "\x1b[1m";
      break;
    case Style::kFaint:
      code = "\x1b[2m";
      break;
    case Style::kGood:
      code = "\x1b[32m";
      break;
    case Style::kWarning:
      code = "\x1b[33m";
      break;
    case Style::kBad:
      code = "\x1b[31m";
      break;
    case Style::kName:
      code = "\x1b[36m";
      break;
  }
  return std::string(code).append(text).append("\x1b[0m");
}

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_STYLE_H_
