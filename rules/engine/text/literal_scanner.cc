#include "rules/engine/text/literal_scanner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

static_assert(std::endian::native == std::endian::little, "the first byte of a text is the lowest of a number");

constexpr uint32_t kNoState = UINT32_MAX;

uint8_t Folded(char c) { return static_cast<uint8_t>(absl::ascii_tolower(static_cast<unsigned char>(c))); }

// The next seven bytes of `text` as the upper ones of a number, without the bit that tells the cases of a letter apart.
uint64_t BehindOf(std::string_view text, size_t at) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, text.data() + at, std::min<size_t>(text.size() - at, sizeof(bytes) - 1));
  return (bytes | 0x2020202020202020U) << 8;
}

// Whether a text begins with a literal of which so many bytes stand there in some case.
bool HasRest(const Literal& literal, size_t scanned, std::string_view text) {
  if (text.size() < literal.text.size()) return false;
  const std::string_view there = text.substr(0, literal.text.size());
  if (!literal.fold_case) return there == literal.text;
  return absl::EqualsIgnoreCase(Abs(there.substr(scanned)), Abs(literal.text).substr(scanned));
}

// How many bytes of each literal become states: the first ones, which tell most of them from what texts hold, and more
// where many literals begin alike ("torch.distributed"), as far as only a few are left.
std::vector<size_t> ScannedOf(const std::vector<Literal>& literals) {
  constexpr size_t kLeft = 8;
  constexpr size_t kDeepest = 10;
  // However many literals there are, states are numbers of 16 bits.
  const size_t first = std::clamp<size_t>(UINT16_MAX / std::max<size_t>(literals.size(), 1), 1, 4);
  std::vector<size_t> scanned;
  scanned.reserve(literals.size());
  for (const Literal& literal : literals) scanned.push_back(std::min(literal.text.size(), first));
  size_t states = 0;
  for (const size_t bytes : scanned) states += bytes;
  for (size_t depth = first; depth < kDeepest; ++depth) {
    std::map<std::string, std::vector<uint32_t>> alike;
    for (uint32_t i = 0; i < literals.size(); ++i) {
      if (scanned[i] != depth || literals[i].text.size() <= depth) continue;
      alike[absl::AsciiStrToLower(Abs(literals[i].text).substr(0, depth))].push_back(i);
    }
    for (const auto& [beginning, those] : alike) {
      if (those.size() <= kLeft || states + those.size() > UINT16_MAX) continue;
      for (const uint32_t i : those) ++scanned[i];
      states += those.size();
    }
  }
  return scanned;
}

}  // namespace

// Each state waits for the one before it, mostly for memory. Four parts of the text are gone through at once, which is
// nearly as quick as one: to know the state in the middle of a text, a few bytes before suffice.
void LiteralScanner::Run(std::string_view text, size_t begin, size_t size, uint16_t* states) const {
  constexpr size_t kParts = 4;
  const uint16_t* const next = next_.data();
  const uint8_t* const class_of = class_of_.data();
  const unsigned row_bits = row_bits_;
  const auto step = [&](uint32_t state, size_t at) -> uint32_t {
    return next[(state << row_bits) + class_of[static_cast<uint8_t>(text[at])]];
  };
  const size_t part = size / kParts;
  std::array<uint32_t, kParts> state{};
  for (size_t k = 0; k < kParts; ++k) {
    const size_t first = begin + k * part;
    for (size_t at = first - std::min(first, deepest_ - 1); at < first; ++at) state[k] = step(state[k], at);
  }
  for (size_t i = 0; i < part; ++i) {
    for (size_t k = 0; k < kParts; ++k) {
      state[k] = step(state[k], begin + k * part + i);
      states[k * part + i] = static_cast<uint16_t>(state[k]);
    }
  }
  for (size_t i = kParts * part; i < size; ++i) {
    state.back() = step(state.back(), begin + i);
    states[i] = static_cast<uint16_t>(state.back());
  }
}

void LiteralScanner::Scan(std::string_view text, std::vector<Found>& found) const {
  std::array<uint16_t, 1024> states;
  const uint32_t first_ending = first_ending_;
  for (size_t begin = 0; begin < text.size(); begin += states.size()) {
    const size_t size = std::min(states.size(), text.size() - begin);
    Run(text, begin, size, states.data());
    for (size_t i = 0; i < size; ++i) {
      if (states[i] >= first_ending) Compare(text, begin + i + 1, states[i] - first_ending, found);
    }
  }
}

void LiteralScanner::Compare(std::string_view text, size_t end, size_t state, std::vector<Found>& found) const {
  const uint64_t behind = BehindOf(text, end);
  const Ending* const last = endings_.data() + endings_begin_[state + 1];
  for (const Ending* ending = endings_.data() + endings_begin_[state]; ending != last; ++ending) {
    if (behind << ending->shift != ending->behind) continue;
    const size_t begin = end - ending->scanned;
    if (ending->starts_at_word && !IsWordBoundary(text, begin)) continue;
    size_t literal_end = end;
    if (ending->compares) {
      const Literal& literal = literals_[ending->literal];
      if (!HasRest(literal, ending->scanned, text.substr(begin))) continue;
      literal_end = begin + literal.text.size();
    }
    if (ending->ends_at_word && !IsWordBoundary(text, literal_end)) continue;
    found.push_back({ending->literal, static_cast<uint32_t>(begin), static_cast<uint32_t>(literal_end)});
  }
}

LiteralScanner::Ending LiteralScanner::EndingOf(uint32_t index, size_t scanned) const {
  const Literal& literal = literals_[index];
  const std::string_view rest = std::string_view(literal.text).substr(scanned);
  Ending ending{.literal = index, .scanned = static_cast<uint8_t>(scanned)};
  ending.shift = static_cast<uint8_t>(56 - 8 * std::min<size_t>(rest.size(), 7));
  ending.behind = BehindOf(rest, 0) << ending.shift;
  ending.starts_at_word = literal.starts_at_word;
  ending.compares = !literal.fold_case || !rest.empty();
  ending.ends_at_word = literal.ends_at_word;
  return ending;
}

LiteralScanner::LiteralScanner(std::vector<Literal> literals) : literals_(std::move(literals)) {
  const std::vector<size_t> scanned = ScannedOf(literals_);
  deepest_ = scanned.empty() ? 1 : *std::max_element(scanned.begin(), scanned.end());
  std::array<bool, 256> used{};
  for (uint32_t i = 0; i < literals_.size(); ++i) {
    for (const char c : std::string_view(literals_[i].text).substr(0, scanned[i])) used[Folded(c)] = true;
  }
  // What texts are full of comes first: it shares a line of the cache in each row.
  uint32_t classes = 1;
  const auto add_class = [&](uint8_t byte) {
    if (used[byte] && class_of_[byte] == 0) class_of_[byte] = static_cast<uint8_t>(classes++);
  };
  for (const char c : std::string_view(" abcdefghijklmnopqrstuvwxyz_.-")) add_class(static_cast<uint8_t>(c));
  for (uint32_t byte = 0; byte < used.size(); ++byte) add_class(static_cast<uint8_t>(byte));
  for (char c = 'A'; c <= 'Z'; ++c) class_of_[static_cast<uint8_t>(c)] = class_of_[Folded(c)];

  while ((1U << row_bits_) < classes) ++row_bits_;
  const size_t row_size = size_t{1} << row_bits_;

  // The tree of the beginnings, by numbers of states.
  std::vector<uint32_t> tree(row_size, kNoState);
  std::vector<std::vector<uint32_t>> endings(1);
  for (uint32_t i = 0; i < literals_.size(); ++i) {
    uint32_t state = 0;
    for (const char c : std::string_view(literals_[i].text).substr(0, scanned[i])) {
      const size_t edge = state * row_size + class_of_[static_cast<uint8_t>(c)];
      if (tree[edge] == kNoState) {
        tree[edge] = static_cast<uint32_t>(endings.size());
        endings.emplace_back();
        tree.resize(tree.size() + row_size, kNoState);
      }
      state = tree[edge];
    }
    endings[state].push_back(i);
  }

  // Breadth first: a state's longest suffix that is a state, too, is shallower, and says what its missing edges do.
  const auto states = static_cast<uint32_t>(endings.size());
  std::vector<uint32_t> suffix(states, 0);
  std::vector<uint32_t> order = {0};
  order.reserve(states);
  for (size_t k = 0; k < order.size(); ++k) {
    const uint32_t state = order[k];
    const auto& inherited = endings[suffix[state]];
    if (state != 0) endings[state].insert(endings[state].end(), inherited.begin(), inherited.end());
    for (size_t c = 0; c < row_size; ++c) {
      uint32_t& edge = tree[state * row_size + c];
      const uint32_t otherwise = state == 0 ? 0 : tree[suffix[state] * row_size + c];
      if (edge == kNoState) {
        edge = otherwise;
      } else {
        suffix[edge] = otherwise;
        order.push_back(edge);
      }
    }
  }

  // States in which something ends come last, so that one comparison tells them; shallow ones lie together.
  std::vector<uint32_t> renumbered(states, 0);
  uint32_t numbers = 0;
  for (const bool ending : {false, true}) {
    if (ending) first_ending_ = numbers;
    for (const uint32_t state : order) {
      if (endings[state].empty() != ending) renumbered[state] = numbers++;
    }
  }
  next_.resize(tree.size());
  for (const uint32_t state : order) {
    for (size_t c = 0; c < row_size; ++c) {
      next_[renumbered[state] * row_size + c] = static_cast<uint16_t>(renumbered[tree[state * row_size + c]]);
    }
    if (endings[state].empty()) continue;
    endings_begin_.push_back(static_cast<uint32_t>(endings_.size()));
    for (const uint32_t i : endings[state]) endings_.push_back(EndingOf(i, scanned[i]));
  }
  endings_begin_.push_back(static_cast<uint32_t>(endings_.size()));
}

}  // namespace yardmaster::rules
