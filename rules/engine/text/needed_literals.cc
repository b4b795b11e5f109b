#include "rules/engine/text/needed_literals.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace yardmaster::rules {
namespace {

// What a third group would save costs as much.
constexpr size_t kMaxGroups = 2;

// The second group is worth nothing where it has a literal that is shorter: such are in nearly every text.
constexpr size_t kShortestOfSecond = 3;

// True if a text may match that holds these literals and no others.
bool MayMatchWith(const re2::FilteredRE2& pattern, const std::vector<int>& atoms) {
  std::vector<int> passed;
  pattern.AllPotentials(atoms, &passed);
  return !passed.empty();
}

// The characters of ASCII that stand in a pattern for themselves, and some more, which does no harm. Nothing where one
// may match that does not stand there in its own case.
std::optional<std::bitset<128>> LettersOf(std::string_view pattern) {
  std::bitset<128> letters;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '(' && i + 1 < pattern.size() && pattern[i + 1] == '?') {
      // The flags of a group, or its name.
      for (i += 2; i < pattern.size() && absl::ascii_isalpha(static_cast<unsigned char>(pattern[i])); ++i) {
        if (pattern[i] == 'i') return std::nullopt;
      }
      --i;
    } else if (c == '\\' && i + 1 < pattern.size()) {
      const char kind = pattern[++i];
      // Written as a number, by its name, or quoted.
      if (absl::StrContains("0123456789xpPQC", kind)) return std::nullopt;
    } else if (c == '[' && i + 1 < pattern.size() && pattern[i + 1] == ':') {
      return std::nullopt;
    } else if (c == '-' && i > 0 && i + 1 < pattern.size()) {
      // May be a range of a class.
      const size_t last = std::min<size_t>(static_cast<uint8_t>(pattern[i + 1]), letters.size() - 1);
      for (size_t letter = static_cast<uint8_t>(pattern[i - 1]); letter <= last; ++letter) letters.set(letter);
    } else if (absl::ascii_isascii(static_cast<unsigned char>(c))) {
      letters.set(static_cast<size_t>(c));
    }
  }
  return letters;
}

// `atom` in the only case in which it can be matched where its letters stand in a pattern; folded if there are two.
NeededLiteral InItsCase(std::string_view atom, const std::optional<std::bitset<128>>& letters) {
  NeededLiteral literal{std::string(atom), true};
  if (!letters.has_value()) return literal;
  for (char& c : literal.text) {
    if (!absl::ascii_isalpha(static_cast<unsigned char>(c))) continue;
    const char upper = absl::ascii_toupper(static_cast<unsigned char>(c));
    const bool may_be_upper = letters->test(static_cast<size_t>(upper));
    if (may_be_upper == letters->test(static_cast<size_t>(c))) return {std::string(atom), true};
    if (may_be_upper) c = upper;
  }
  literal.fold_case = false;
  return literal;
}

}  // namespace

// Letters of other scripts that have case lie below U+2E80; Chinese has none.
bool HasNoOtherCase(std::string_view text) {
  return absl::c_none_of(text,
                         [](char c) { return static_cast<uint8_t>(c) >= 0xC2 && static_cast<uint8_t>(c) < 0xE3; });
}

NeededLiterals NeededLiteralsOf(re2::FilteredRE2& pattern) {
  std::vector<std::string> atoms;
  pattern.Compile(&atoms);
  if (!absl::c_all_of(atoms, HasNoOtherCase)) return {};
  // Short ones are common, so that a group does without them first.
  std::vector<int> candidates(atoms.size());
  std::iota(candidates.begin(), candidates.end(), 0);
  const auto size_of = [&](int atom) { return atoms[static_cast<size_t>(atom)].size(); };
  absl::c_stable_sort(candidates, [&](int a, int b) { return size_of(a) < size_of(b); });

  const std::optional<std::bitset<128>> letters = LettersOf(pattern.GetRE2(0).pattern());
  NeededLiterals groups;
  std::vector<int> used;  // by groups before: a text may hold them
  while (groups.size() < kMaxGroups && !MayMatchWith(pattern, used)) {
    // Whatever leaves no way to match joins the group.
    std::vector<int> without = used;
    std::vector<int> group;
    for (const int atom : candidates) {
      without.push_back(atom);
      if (!MayMatchWith(pattern, without)) continue;
      without.pop_back();
      group.push_back(atom);
    }
    const bool is_common = absl::c_any_of(group, [&](int atom) { return size_of(atom) < kShortestOfSecond; });
    if (group.empty() || (!groups.empty() && is_common)) break;
    std::vector<NeededLiteral>& literals = groups.emplace_back();
    for (const int atom : group) literals.push_back(InItsCase(atoms[static_cast<size_t>(atom)], letters));
    std::erase_if(candidates, [&](int atom) { return absl::c_linear_search(group, atom); });
    used.insert(used.end(), group.begin(), group.end());
  }
  return groups;
}

}  // namespace yardmaster::rules
