// Colours, where a person looks at a terminal.
#ifndef YARDMASTER_CLIENTS_CLI_STYLE_H_
#define YARDMASTER_CLIENTS_CLI_STYLE_H_

#include <string>
#include <string_view>

namespace yardmaster::cli {

// By meaning, so that one place decides how each looks.
enum class Style { kPlain, kTitle, kStrong, kFaint, kGood, kWarning, kBad, kName };

// `text` between the escape sequences of its style; as it is if `color` is false or the style is plain.
std::string Paint(std::string_view text, Style style, bool color);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_STYLE_H_
