// A pattern (the first line) and a text (the rest): what the pattern is spelled out to is found where RE2 finds the
// pattern, and so are its alternatives.
#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "rules/engine/text/alternatives.h"
#include "rules/engine/text/spelled_out.h"
#include "tests/fuzz/check.h"
#include "tests/support/spelled_places.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view pattern = input.substr(0, input.find('\n'));
  const std::string_view text = input.substr(std::min(input.size(), pattern.size() + 1));
  // Two letters that are no ASCII have one of ASCII as their other case.
  if (text.find("\xE2\x84\xAA") != text.npos || text.find("\xC5\xBF") != text.npos) return 0;
  const RE2 compiled(pattern, RE2::Quiet);
  if (compiled.error_code() == RE2::ErrorBadUTF8) return 0;  // no pack is read that has some
  const auto find = [&](const RE2& one, re2::StringPiece& match) {
    return one.Match(text, 0, text.size(), RE2::UNANCHORED, &match, 1);
  };
  re2::StringPiece match;
  const bool matches = compiled.ok() && find(compiled, match);

  const auto alternatives = yardmaster::rules::AlternativesOf(pattern);
  const bool all_ok = absl::c_all_of(alternatives, [](const auto& one) { return RE2(one, RE2::Quiet).ok(); });
  yardmaster::Check(all_ok || !compiled.ok(), "alternatives of a pattern are patterns");
  if (compiled.ok()) {
    re2::StringPiece joined;
    const bool matches_joined = find(RE2(absl::StrJoin(alternatives, "|"), RE2::Quiet), joined);
    yardmaster::Check(matches == matches_joined, "a pattern matches if one of its alternatives does");
    yardmaster::Check(!matches || (joined.data() == match.data() && joined.size() == match.size()),
                      "at the same place");
  }

  const auto spelled = yardmaster::rules::SpelledOut(pattern);
  if (spelled.empty()) return 0;
  yardmaster::Check(compiled.ok(), "what is spelled out is a pattern");
  const auto place = yardmaster::testing::FirstPlace(spelled, text);
  yardmaster::Check(matches == place.has_value(), "both match or neither");
  if (!matches) return 0;
  yardmaster::Check(match.data() == text.data() + place->first, "both at the same place");
  yardmaster::Check(match.size() == place->second - place->first, "both to the same end");
  return 0;
}
