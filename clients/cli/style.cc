#include "clients/cli/style.h"

#include <array>
#include <cstddef>

namespace yardmaster::cli {

std::string Paint(std::string_view text, Style style, bool color) {
  constexpr std::array<std::string_view, 8> kSequences = {"",         "\x1b[1m",  "\x1b[1m",  "\x1b[2m",
                                                          "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[36m"};
  if (!color || text.empty() || style == Style::kPlain) return std::string(text);
  return std::string(kSequences.at(static_cast<size_t>(style))).append(text).append("\x1b[0m");
}

}  // namespace yardmaster::cli
