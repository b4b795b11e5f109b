#include "rules/engine/text/alternatives.h"

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

// "(?i)", "(?ms)"; empty: it begins with none.
std::string_view FlagsOf(std::string_view pattern) {
  if (!pattern.starts_with("(?")) return {};
  const size_t end = pattern.find_first_not_of("ims", 2);
  return end != std::string_view::npos && end > 2 && pattern[end] == ')' ? pattern.substr(0, end + 1)
                                                                         : std::string_view();
}

// What "|" separates outside of groups and classes. Nothing where brackets don't match, which only RE2 explains, and
// where there are marks that reach across them.
std::vector<std::string_view> SplitAlternation(std::string_view pattern) {
  std::vector<std::string_view> parts;
  size_t depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    switch (pattern[i]) {
      case '\\':
        if (++i == pattern.size() || pattern[i] == 'Q') return {};
        break;
      case '[':
        i += pattern.substr(i).starts_with("[^") ? 2 : 1;
        // A bracket that stands first is one of the class.
        for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); ++i, first = false) {
          if (pattern[i] == '[') return {};
          if (pattern[i] == '\\') ++i;
        }
        if (i >= pattern.size()) return {};
        break;
      case '(':
        ++depth;
        if (!FlagsOf(pattern.substr(i)).empty()) return {};
        break;
      case ')':
        if (depth-- == 0) return {};
        break;
      case '|':
        if (depth > 0) break;
        parts.push_back(pattern.substr(begin, i - begin));
        begin = i + 1;
        break;
      default:
        break;
    }
  }
  if (depth != 0) return {};
  parts.push_back(pattern.substr(begin));
  return parts;
}

}  // namespace

std::vector<std::string> AlternativesOf(std::string_view pattern) {
  const std::string_view flags = FlagsOf(pattern);
  std::string_view inner = pattern.substr(flags.size());
  std::string_view before;
  std::string_view behind;
  std::vector<std::string_view> parts = SplitAlternation(inner);
  if (parts.size() == 1) {
    // "\b(?:…)\b"
    if (inner.starts_with("\\b")) before = inner.substr(0, 2);
    inner.remove_prefix(before.size());
    if (inner.ends_with(")\\b")) behind = inner.substr(inner.size() - 2);
    inner.remove_suffix(behind.size());
    if (inner.starts_with("(?:") && inner.ends_with(')')) {
      parts = SplitAlternation(inner.substr(3, inner.size() - 4));
    }
  }
  if (parts.size() < 2) return {std::string(pattern)};
  std::vector<std::string> out;
  out.reserve(parts.size());
  for (const std::string_view part : parts) {
    out.push_back(absl::StrCat(Abs(flags), Abs(before), "(?:", Abs(part), ")", Abs(behind)));
  }
  return out;
}

}  // namespace yardmaster::rules
