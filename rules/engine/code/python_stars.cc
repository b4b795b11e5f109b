#include "rules/engine/code/python_stars.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"

namespace yardmaster::rules {
namespace {

// The position behind the string that begins at `at`.
size_t BehindPythonString(std::string_view python, size_t at) {
  const char quote = python[at];
  const std::string triple(3, quote);
  const bool is_triple = python.substr(at).starts_with(triple);
  for (at += is_triple ? 3 : 1; at < python.size(); ++at) {
    if (python[at] == '\\') {
      ++at;
    } else if (is_triple) {
      if (python.substr(at).starts_with(triple)) return at + 3;
    } else if (python[at] == quote || python[at] == '\n') {
      return at + 1;
    }
  }
  return python.size();
}

bool EndsWithWord(std::string_view text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  text.remove_suffix(word.size());
  return text.empty() || (absl::ascii_isalnum(static_cast<unsigned char>(text.back())) == 0 && text.back() != '_');
}

// Whether an element of a list without brackets can begin behind `before`.
bool BeginsElement(std::string_view before) {
  const size_t last = before.find_last_not_of(" \t");
  if (last == std::string_view::npos) return false;
  before = before.substr(0, last + 1);
  return before.ends_with(',') || before.ends_with('=') || EndsWithWord(before, "return") ||
         EndsWithWord(before, "yield") || EndsWithWord(before, "in");
}

bool BeginsBracketsOrString(std::string_view after) {
  const size_t first = after.find_first_not_of(" \t");
  return first != std::string_view::npos && std::string_view("([{'\"").find(after[first]) != std::string_view::npos;
}

}  // namespace

std::optional<std::string> StarsForGrammar(std::string_view python) {
  std::optional<std::string> changed;
  size_t depth = 0;
  for (size_t at = 0; at < python.size();) {
    const char c = python[at];
    if (c == '\'' || c == '"') {
      at = BehindPythonString(python, at);
      continue;
    }
    if (c == '#') {
      at = std::min(python.find('\n', at), python.size());
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    if (c == '*' && depth == 0 && BeginsElement(python.substr(0, at)) &&
        BeginsBracketsOrString(python.substr(at + 1))) {
      if (!changed.has_value()) changed.emplace(python);
      (*changed)[at] = ' ';
    }
    ++at;
  }
  return changed;
}

}  // namespace yardmaster::rules
