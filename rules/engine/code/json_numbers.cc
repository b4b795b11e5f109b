#include "rules/engine/code/json_numbers.h"

#include <array>
#include <cstddef>

#include "absl/strings/ascii.h"

namespace yardmaster::rules {
namespace {

// The position behind the string that begins at `at`.
size_t BehindString(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1;
}

// Letters of a word: `NaNs` is no number.
bool IsWordAt(std::string_view json, size_t at, std::string_view word) {
  if (!json.substr(at).starts_with(word)) return false;
  const size_t end = at + word.size();
  const auto in_word = [&](size_t i) { return absl::ascii_isalnum(static_cast<unsigned char>(json[i])) != 0; };
  return (at == 0 || !in_word(at - 1)) && (end == json.size() || !in_word(end));
}

bool IsDigitAt(std::string_view json, size_t at) {
  return at < json.size() && absl::ascii_isdigit(static_cast<unsigned char>(json[at])) != 0;
}

}  // namespace

std::optional<std::string> NumbersForGrammar(std::string_view json) {
  static constexpr std::array<std::string_view, 2> kWords = {"NaN", "Infinity"};
  std::optional<std::string> changed;
  const auto replace = [&](size_t at, size_t count, char digit) {
    if (!changed.has_value()) changed.emplace(json);
    changed->replace(at, count, count, digit);
  };
  for (size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      at = BehindString(json, at);
      continue;
    }
    // A nought instead of the sign: 3e+38 and 3e038 have one meaning.
    const bool exponent = at >= 2 && json[at] == '+' && (json[at - 1] == 'e' || json[at - 1] == 'E');
    if (exponent && (IsDigitAt(json, at - 2) || json[at - 2] == '.') && IsDigitAt(json, at + 1)) replace(at, 1, '0');
    for (const std::string_view word : kWords) {
      if (IsWordAt(json, at, word)) replace(at, word.size(), '1');
    }
    ++at;
  }
  return changed;
}

}  // namespace yardmaster::rules
