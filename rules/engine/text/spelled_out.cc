#include "rules/engine/text/spelled_out.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "rules/engine/text/needed_literals.h"
#include "services/core/absl_view.h"
#include "services/core/utf8.h"

namespace yardmaster::rules {
namespace {

// What stands in a text for "\b" and for "\w*" until it is complete. No pattern that is spelled out has these bytes.
constexpr char kBoundary = '\1';
constexpr char kWordBytes = '\2';

// Nobody nests deeper.
constexpr size_t kMaxNesting = 16;

using Texts = std::vector<std::string>;  // in the order in which they win

// Reads the part of RE2's syntax that has few texts; nothing for any other.
class Speller {
 public:
  explicit Speller(std::string_view pattern) : rest_(pattern) {}

  // Nothing where something follows that has no end or too many texts.
  std::optional<Texts> Read() {
    const std::optional<std::vector<Beginning>> all = ReadAll();
    if (!all.has_value() || absl::c_any_of(*all, [](const Beginning& one) { return one.closed; })) return std::nullopt;
    return TextsOf(*all);
  }

  // With one of them each text begins that the pattern matches.
  std::optional<Texts> ReadBeginnings() {
    const std::optional<std::vector<Beginning>> all = ReadAll();
    return all.has_value() ? std::optional(TextsOf(*all)) : std::nullopt;
  }

 private:
  // `closed`: something may follow that has no end or too many texts.
  struct Beginning {
    std::string text;
    bool closed = false;
  };

  static Texts TextsOf(const std::vector<Beginning>& all) {
    Texts texts;
    texts.reserve(all.size());
    for (const Beginning& one : all) texts.push_back(one.text);
    return texts;
  }

  std::optional<std::vector<Beginning>> ReadAll() {
    std::optional<std::vector<Beginning>> all = Alternatives();
    return rest_.empty() ? all : std::nullopt;
  }

  std::optional<std::vector<Beginning>> Alternatives() {
    std::vector<Beginning> all;
    do {
      std::optional<std::vector<Beginning>> one = Sequence();
      if (!one.has_value()) return std::nullopt;
      all.insert(all.end(), one->begin(), one->end());
      if (all.size() > kMaxSpelledOut) return std::nullopt;
    } while (Take("|"));
    return all;
  }

  std::optional<std::vector<Beginning>> Sequence() {
    std::vector<Beginning> all(1);
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      const std::string_view before = rest_;
      std::optional<std::vector<Beginning>> next = Item();
      if (next.has_value() && Take("?")) next->emplace_back();
      const bool repeated = !rest_.empty() && absl::StrContains("?*+{", rest_.front());
      if (!next.has_value() || repeated || all.size() * next->size() > kMaxSpelledOut) {
        for (Beginning& one : all) one.closed = true;
        rest_ = before;
        if (!SkipSequence()) return std::nullopt;
        break;
      }
      std::vector<Beginning> both;
      for (const Beginning& one : all) {
        if (one.closed) both.push_back(one);
        for (const Beginning& behind : *next) {
          if (!one.closed) both.push_back({one.text + behind.text, behind.closed});
        }
      }
      all = std::move(both);
    }
    return all;
  }

  std::optional<std::vector<Beginning>> Item() {
    if (Take("(?:")) {
      if (nesting_ == kMaxNesting) return std::nullopt;
      ++nesting_;
      std::optional<std::vector<Beginning>> all = Alternatives();
      --nesting_;
      return Take(")") ? all : std::nullopt;
    }
    std::optional<Texts> texts = Single();
    if (!texts.has_value()) return std::nullopt;
    std::vector<Beginning> all;
    for (std::string& text : *texts) all.push_back({std::move(text)});
    return all;
  }

  // To the end of the sequence, whatever it holds. False: that can't be told.
  bool SkipSequence() {
    size_t depth = 0;
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (depth == 0 && (c == '|' || c == ')')) return true;
      if (c == '\\' && (rest_.size() < 2 || absl::StrContains("QEC", rest_[1]))) return false;
      if (c == '[') {
        if (!SkipClass()) return false;
        continue;
      }
      if (c == '(') ++depth;
      if (c == ')') --depth;
      rest_.remove_prefix(c == '\\' ? 2 : 1);
    }
    return depth == 0;
  }

  bool SkipClass() {
    size_t at = rest_.starts_with("[^") ? 2 : 1;
    if (at < rest_.size() && rest_[at] == ']') ++at;
    while (at < rest_.size() && rest_[at] != ']') {
      if (rest_[at] == '[') return false;  // "[[:alpha:]]"
      at += rest_[at] == '\\' ? 2 : 1;
    }
    if (at >= rest_.size()) return false;
    rest_.remove_prefix(at + 1);
    return true;
  }

  std::optional<Texts> Single() {
    if (Take("[")) return Class();
    if (Take("\\d")) return Texts{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    if (Take("\\b")) return Texts{std::string(1, kBoundary)};
    if (Take("\\w*")) return rest_.starts_with('?') ? std::nullopt : std::optional(Texts{std::string(1, kWordBytes)});
    if (Take("\\")) return Quoted();
    if (absl::StrContains(".^$()*+?{", rest_.front())) return std::nullopt;
    return Texts{std::string(Character())};
  }

  std::optional<Texts> Class() {
    Texts all;
    while (!Take("]")) {
      if (rest_.empty() || !absl::ascii_isascii(static_cast<unsigned char>(rest_.front())) ||
          absl::StrContains("^[\\", rest_.front())) {
        return std::nullopt;
      }
      const char first = Character().front();
      char last = first;
      if (rest_.size() > 1 && rest_.front() == '-' && rest_[1] != ']') {
        last = rest_[1];
        rest_.remove_prefix(2);
      }
      if (!absl::ascii_isascii(static_cast<unsigned char>(last)) || last == '\\' || last < first) return std::nullopt;
      for (unsigned c = static_cast<unsigned char>(first); c <= static_cast<unsigned char>(last); ++c) {
        all.emplace_back(1, static_cast<char>(c));
      }
    }
    return all.empty() ? std::nullopt : std::optional(all);
  }

  std::optional<Texts> Quoted() {
    if (rest_.empty() || !absl::ascii_ispunct(static_cast<unsigned char>(rest_.front()))) return std::nullopt;
    return Texts{std::string(Character())};
  }

  std::string_view Character() {
    const std::string_view character = FirstCodePoints(rest_, 1);
    rest_.remove_prefix(character.size());
    return character;
  }

  bool Take(std::string_view syntax) {
    if (!rest_.starts_with(syntax)) return false;
    rest_.remove_prefix(syntax.size());
    return true;
  }

  std::string_view rest_;
  size_t nesting_ = 0;
};

bool TakeFront(std::string_view& text, char mark) {
  const bool has = text.starts_with(mark);
  if (has) text.remove_prefix(1);
  return has;
}

bool TakeBack(std::string_view& text, char mark) {
  const bool has = text.ends_with(mark);
  if (has) text.remove_suffix(1);
  return has;
}

// Takes out the boundaries between two characters, which are there or not whatever the text is. False: not there.
bool SettleInnerBoundaries(std::string& text) {
  for (size_t at = text.find(kBoundary); at != std::string::npos; at = text.find(kBoundary, at)) {
    text.erase(at, 1);
    if (!IsWordBoundary(text, at)) return false;
  }
  return true;
}

// Appends what `text` stands for; nothing where it can't be found anywhere. False: it is more than a literal.
bool Complete(std::string_view text, bool fold_case, std::vector<SpelledText>& out) {
  SpelledText one;
  one.literal.fold_case = fold_case;
  while (TakeFront(text, kBoundary)) one.literal.starts_at_word = true;
  while (TakeBack(text, kBoundary)) one.literal.ends_at_word = true;
  one.goes_on = TakeBack(text, kWordBytes);
  if (absl::StrContains(Abs(text), kWordBytes)) return false;
  one.literal.text = std::string(text);
  if (one.goes_on) {
    if (text.empty() || !IsWordByte(text.back())) return false;
    one.literal.ends_at_word = false;  // a word ends behind all word bytes
  }
  if (!SettleInnerBoundaries(one.literal.text)) return true;
  if (one.literal.text.size() < kShortestNeeded) return false;
  out.push_back(std::move(one));
  return true;
}

// Takes "(?i)" off. False: it can't be read.
bool TakeFlags(std::string_view& pattern, bool& fold_case) {
  fold_case = pattern.starts_with("(?i)");
  if (fold_case) pattern.remove_prefix(4);
  const auto is_mark = [](char c) { return c == kBoundary || c == kWordBytes; };
  return absl::c_none_of(pattern, is_mark) && (!fold_case || HasNoOtherCase(pattern));
}

}  // namespace

std::vector<Literal> BeginningsOf(std::string_view pattern) {
  bool fold_case = false;
  if (!TakeFlags(pattern, fold_case)) return {};
  std::optional<Texts> texts = Speller(pattern).ReadBeginnings();
  if (!texts.has_value()) return {};
  std::vector<Literal> all;
  for (const std::string& text : *texts) {
    std::string_view left = text;
    Literal one;
    one.fold_case = fold_case;
    while (TakeFront(left, kBoundary)) one.starts_at_word = true;
    left = left.substr(0, left.find(kWordBytes));
    while (TakeBack(left, kBoundary)) continue;
    one.text = std::string(left);
    if (!SettleInnerBoundaries(one.text)) continue;
    const bool digit = !one.text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(one.text.front()));
    if (one.text.empty() || one.text.size() + (one.starts_at_word ? 1 : 0) + (digit ? 1 : 0) < kShortestBeginning) {
      return {};
    }
    all.push_back(std::move(one));
  }
  // Where a shorter one stands for it, a longer one says nothing more.
  absl::c_sort(all, [](const Literal& a, const Literal& b) {
    return std::pair(a.starts_at_word, a.text.size()) < std::pair(b.starts_at_word, b.text.size());
  });
  std::vector<Literal> kept;
  for (Literal& one : all) {
    const bool covered = absl::c_any_of(kept, [&](const Literal& shorter) {
      const bool begins =
          fold_case ? absl::StartsWithIgnoreCase(one.text, shorter.text) : one.text.starts_with(shorter.text);
      return begins && (!shorter.starts_at_word || one.starts_at_word);
    });
    if (!covered) kept.push_back(std::move(one));
  }
  return kept;
}

std::vector<SpelledText> SpelledOut(std::string_view pattern) {
  bool fold_case = false;
  if (!TakeFlags(pattern, fold_case)) return {};
  const std::optional<Texts> texts = Speller(pattern).Read();
  if (!texts.has_value()) return {};
  std::vector<SpelledText> out;
  const bool complete = absl::c_all_of(*texts, [&](const auto& text) { return Complete(text, fold_case, out); });
  return complete ? out : std::vector<SpelledText>();
}

}  // namespace yardmaster::rules
