#include "rules/engine/checks/normalized.h"

#include "absl/strings/ascii.h"

namespace yardmaster::rules {

std::string Normalized(std::string_view code) {
  std::string out;
  out.reserve(code.size());
  for (const char c : code) {
    if (absl::ascii_isspace(static_cast<unsigned char>(c))) continue;
    const bool closes = c == ')' || c == ']' || c == '}';
    if (closes && out.ends_with(',')) out.pop_back();
    out += c == '\'' ? '"' : c;
  }
  return out;
}

}  // namespace yardmaster::rules
