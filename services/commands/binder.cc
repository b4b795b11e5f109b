#include "services/commands/binder.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "rules/engine/commands/pull_reference.h"
#include "services/commands/problem_texts.h"
#include "services/core/absl_view.h"
#include "services/core/characters.h"
#include "services/core/limits.h"
#include "services/core/readable.h"

namespace yardmaster::commands {
namespace {

using rules::CommandModel;
using rules::CommandParameter;
using rules::CommandParameterType;
using rules::SlotValue;

size_t DashesOf(const LineToken& word) {
  if (word.quoted) return 0;
  const std::string& plain = word.plain;
  size_t dashes = 0;
  while (dashes < 2 && dashes < plain.size() && plain[dashes] == '-') ++dashes;
  return dashes > 0 && dashes < plain.size() && absl::ascii_isalpha(plain[dashes]) ? dashes : 0;
}

// What stands before "=" or ":", or all of the word, without dashes, in lower case.
std::string NameIn(const LineToken& word, size_t dashes) {
  const size_t end = word.separator == 0 ? word.plain.size() : word.plain_value - 1;
  // -m"…" has no separator of its own.
  const bool glued = word.separator != 0 && (end < dashes + 1 || (word.plain[end] != '=' && word.plain[end] != ':'));
  return Lower(std::string_view(word.plain).substr(dashes, (glued ? word.plain_value : end) - dashes));
}

bool TakesTheRest(const CommandParameter& parameter) {
  return parameter.positional &&
         (parameter.type == CommandParameterType::kText || parameter.type == CommandParameterType::kLabels);
}

bool HasInvisible(std::string_view text) {
  for (size_t pos = 0; pos < text.size();) {
    const Character c = CharacterAt(text, pos);
    if (IsInvisible(c.code)) return true;
    pos += c.length;
  }
  return false;
}

// One word for other programs: nothing that hides, nothing that they could take for an option.
bool IsGoodWord(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes && text[0] != '-' && !HasInvisible(text);
}

// A word that names files and could hardly stand in a sentence: with a folder, a wildcard or an ending.
bool IsPathWord(std::string_view text) {
  static const RE2 kPath(R"((?:[^\s:]*[/*][^\s:]*|[^\s:]*[A-Za-z0-9_-]\.[A-Za-z][A-Za-z0-9_]*))");
  return IsGoodWord(text) && RE2::FullMatch(text, kPath);
}

// A word that nobody says: with a digit, or in capitals with a dash, as the codes that the bot gives out.
bool IsMadeUp(std::string_view plain) {
  if (!absl::c_all_of(plain, [](char c) { return c > 0; })) return false;
  if (absl::c_any_of(plain, absl::ascii_isdigit)) return true;
  const bool capitals = absl::c_all_of(plain, [](char c) { return absl::ascii_isupper(c) || c == '-'; });
  return capitals && absl::StrContains(Abs(plain), '-');
}

std::optional<bool> Truth(std::string_view plain) {
  const std::string word = Lower(plain);
  for (std::string_view yes : {"true", "yes", "on", "1"}) {
    if (word == yes) return true;
  }
  for (std::string_view no : {"false", "no", "off", "0"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

// "160", and behind the parameter's own name: "pr160", "PR#160".
std::optional<rules::PullReference> ReferenceIn(const CommandParameter& parameter, std::string_view plain) {
  std::optional<rules::PullReference> reference = rules::ParsePullReference(plain);
  const size_t name = parameter.name.size();
  if (!reference && plain.size() > name && Lower(plain.substr(0, name)) == parameter.name &&
      !absl::ascii_isalpha(plain[name]))
    reference = rules::ParsePullReference(plain.substr(name));
  if (reference && reference->issue && parameter.type != CommandParameterType::kIssue) return std::nullopt;
  return reference;
}

// One value as it was written.
struct Piece {
  std::string_view text;
  std::string_view plain;
  bool quoted = false;
  bool after_comma = false;
  size_t begin = 0;  // [begin, end) of the line
  size_t end = 0;
};

Piece WholeWord(const LineToken& word) {
  return {word.text, word.plain, word.quoted, word.after_comma, word.begin, word.end};
}

// What stands behind "=" in the word.
Piece ValueIn(const LineToken& word) {
  Piece piece = WholeWord(word);
  piece.text.remove_prefix(word.text_value);
  piece.plain.remove_prefix(word.plain_value);
  piece.quoted = word.value_quoted;
  piece.begin = word.begin + word.text_value;
  return piece;
}

class Binder {
 public:
  Binder(const rules::CommandTable& table, const CommandModel& command, std::string_view line,
         const std::vector<LineToken>& words, ParsedCommand& out)
      : table_(table), command_(command), line_(line), words_(words), out_(out) {
    takes_rest_ = absl::c_any_of(command.parameters, TakesTheRest);
  }

  bool Run(size_t first) {
    positional_.reserve(words_.size() - std::min(first, words_.size()));
    for (size_t i = first; i < words_.size(); ++i) {
      if (!TakeOption(i)) positional_.push_back(i);
    }
    TakePositional();
    for (const CommandParameter& parameter : command_.parameters) {
      if (parameter.required && !IsFilled(parameter)) out_.missing.push_back(&parameter);
    }
    return clear_;
  }

 private:
  void Add(CommandProblem problem) {
    constexpr size_t kMaxProblems = 8;
    if (out_.problems.size() < kMaxProblems) out_.problems.push_back(std::move(problem));
  }

  bool IsFilled(const CommandParameter& parameter) const {
    return out_.slots.find(parameter.slot) != out_.slots.end() || absl::c_linear_search(tried_, &parameter);
  }

  const CommandParameter* Named(std::string_view name) const {
    const CommandParameter* parameter = command_.Parameter(name);
    return parameter != nullptr && parameter->named ? parameter : nullptr;
  }

  // Takes words_[i], and the words of its value, if it is an option. `i` is left at the last word taken.
  bool TakeOption(size_t& i) {
    const LineToken& word = words_[i];
    if (word.quoted) return false;
    const size_t dashes = DashesOf(word);
    if (dashes == 0 && word.separator == 0) return false;
    const std::string name = NameIn(word, dashes);
    const CommandParameter* parameter = Named(name);
    bool negated = false;
    if (parameter == nullptr && dashes > 0 && name.substr(0, 3) == "no-") {
      parameter = Named(std::string_view(name).substr(3));
      negated = parameter != nullptr && parameter->type == CommandParameterType::kFlag;
      if (!negated) parameter = nullptr;
    }
    if (parameter == nullptr) return UnknownName(i, dashes, name);
    // Inside of a text that goes on to the end of the line, only dashes make an option.
    if (dashes == 0 && takes_rest_ && !positional_.empty()) return false;
    tried_.push_back(parameter);
    if (parameter->type == CommandParameterType::kFlag) {
      TakeFlag(*parameter, word, negated);
    } else {
      TakeValue(*parameter, i, dashes);
    }
    return true;
  }

  // A name that the command does not have. False: the word is an ordinary one.
  bool UnknownName(size_t& i, size_t dashes, std::string_view name) {
    const LineToken& word = words_[i];
    if (takes_rest_) return false;
    // "https://…", "owner/repo:tag": no names. "module:" is none either, "base=" is.
    const bool is_name =
        !name.empty() && absl::ascii_isalpha(name[0]) && name.find_first_of("/#!.:") == std::string_view::npos;
    if (dashes == 0 && (word.separator != '=' || !is_name)) return false;
    std::vector<std::string_view> known;
    for (const CommandParameter& parameter : command_.parameters) {
      if (!parameter.named) continue;
      known.push_back(parameter.name);
      for (const std::string& alias : parameter.aliases) known.push_back(alias);
    }
    const std::string_view nearest = name.size() < 3 ? std::string_view() : NearestName(name, known);
    const std::string_view shown = std::string_view(word.plain).substr(0, dashes + name.size());
    Add(UnknownOption(shown, nearest.empty() ? std::string() : "--" + std::string(nearest)));
    // Its value is no second mistake.
    if (dashes > 0 && word.separator == 0 && i + 1 < words_.size() && DashesOf(words_[i + 1]) == 0) ++i;
    return true;
  }

  void TakeFlag(const CommandParameter& parameter, const LineToken& word, bool negated) {
    if (word.separator != 0) {
      const std::string_view value = std::string_view(word.plain).substr(word.plain_value);
      const std::optional<bool> truth = Truth(value);
      if (!truth) {
        Add(BadValue(parameter, value));
        return;
      }
      negated = negated == *truth;
    }
    for (const auto& [slot, value] : parameter.sets) {
      if (!negated) {
        SetSlot(parameter, slot, value);
      } else if (const bool* yes = std::get_if<bool>(&value); yes != nullptr) {
        SetSlot(parameter, slot, !*yes);
      } else {
        Add(BadValue(parameter, "false"));
        return;
      }
    }
  }

  void TakeValue(const CommandParameter& parameter, size_t& i, size_t dashes) {
    const LineToken& word = words_[i];
    std::vector<Piece> pieces;
    if (word.separator != 0 && (word.value_quoted || word.plain_value < word.plain.size())) {
      pieces.push_back(ValueIn(word));
    } else if ((word.separator == 0 || dashes == 0) && i + 1 < words_.size() && DashesOf(words_[i + 1]) == 0) {
      pieces.push_back(WholeWord(words_[++i]));
    } else {
      Add(MissingValue(parameter));
      return;
    }
    // Commas go on with it.
    while (i + 1 < words_.size() && words_[i + 1].after_comma && DashesOf(words_[i + 1]) == 0) {
      const LineToken& next = words_[++i];
      // "-m fix, 160": is the number part of the text?
      if (parameter.type == CommandParameterType::kText &&
          (pieces[0].quoted || BlankBetween(pieces.back().end, next.begin))) {
        Add(OneValueOnly(parameter, next.text));
        return;
      }
      pieces.push_back(WholeWord(next));
    }
    SetValue(parameter, pieces);
  }

  void TakePositional() {
    for (size_t at = 0; at < positional_.size(); ++at) {
      const LineToken& word = words_[positional_[at]];
      if (TakeBareFlag(word) || TakeMarked(word)) continue;
      const CommandParameter* unfit = nullptr;
      const CommandParameter* taker = nullptr;
      for (const CommandParameter& parameter : command_.parameters) {
        if (!parameter.positional || IsFilled(parameter)) continue;
        // "PR 160", "to r2.6"
        if (at + 1 < positional_.size() && IsNameOf(parameter, word) && Fits(parameter, words_[positional_[at + 1]])) {
          ++at;
          taker = &parameter;
          break;
        }
        if (Fits(parameter, word)) {
          taker = &parameter;
          break;
        }
        if (unfit == nullptr) unfit = &parameter;
      }
      if (taker == nullptr) {
        clear_ = false;
        if (unfit == nullptr) {
          Add(TooManyValues(word.text));
          return;
        }
        tried_.push_back(unfit);
        AddUnfit(*unfit, word);
        continue;
      }
      Give(*taker, at);
    }
  }

  // Gives words_[positional_[at]], and for some parameters all that follow, to `parameter`.
  void Give(const CommandParameter& parameter, size_t& at) {
    tried_.push_back(&parameter);
    std::vector<Piece> pieces;
    const bool all = TakesTheRest(parameter) || parameter.type == CommandParameterType::kWords;
    do {
      const LineToken& word = words_[positional_[at]];
      // A word of a list may be a flag: "alice, bob detailed".
      if (!pieces.empty() && parameter.type == CommandParameterType::kWords && TakeBareFlag(word)) continue;
      pieces.push_back(WholeWord(word));
      if (!IsClear(parameter, word)) clear_ = false;
    } while (all && ++at < positional_.size());
    SetValue(parameter, pieces);
  }

  bool TakeBareFlag(const LineToken& word) {
    if (word.quoted) return false;
    const std::string name = Lower(word.plain);
    const CommandParameter* parameter = command_.Parameter(name);
    if (parameter == nullptr || parameter->type != CommandParameterType::kFlag || !parameter->bare) return false;
    TakeFlag(*parameter, LineToken(), false);
    return true;
  }

  // "#160" and URLs are what they are, wherever they stand.
  bool TakeMarked(const LineToken& word) {
    if (word.quoted || !rules::IsMarkedReference(word.plain)) return false;
    for (const CommandParameter& parameter : command_.parameters) {
      if (!parameter.positional || !IsReference(parameter) || IsFilled(parameter)) continue;
      if (!ReferenceIn(parameter, word.plain)) continue;
      tried_.push_back(&parameter);
      SetValue(parameter, {WholeWord(word)});
      return true;
    }
    return false;
  }

  static bool IsNameOf(const CommandParameter& parameter, const LineToken& word) {
    if (word.quoted || !parameter.named || parameter.type == CommandParameterType::kText ||
        parameter.type == CommandParameterType::kLabels)
      return false;
    const std::string name = Lower(word.plain);
    return name == parameter.name ||
           (name.size() > 1 && absl::c_find(parameter.aliases, name) != parameter.aliases.end());
  }

  static bool Fits(const CommandParameter& parameter, const LineToken& word) {
    switch (parameter.type) {
      case CommandParameterType::kPull:
      case CommandParameterType::kIssue:
        return ReferenceIn(parameter, word.plain).has_value();
      case CommandParameterType::kNumber:
        return NumberIn(word.plain).has_value();
      case CommandParameterType::kWord:
        return parameter.values.empty() || ValueOf(parameter, word.plain).has_value();
      case CommandParameterType::kPath:
        return IsPathWord(word.plain);
      case CommandParameterType::kFlag:
        return false;
      case CommandParameterType::kWords:
      case CommandParameterType::kText:
      case CommandParameterType::kLabels:
        return true;
    }
    return false;
  }

  void AddUnfit(const CommandParameter& parameter, const LineToken& word) {
    if (IsReference(parameter)) {
      Add(NotAPull(parameter, word.text));
    } else if (parameter.type == CommandParameterType::kNumber) {
      Add(NotANumber(parameter, word.text));
    } else {
      Add(BadValue(parameter, word.text));
    }
  }

  // Could the word stand in a sentence?
  bool IsClear(const CommandParameter& parameter, const LineToken& word) const {
    if (word.quoted || IsReference(parameter) || parameter.type == CommandParameterType::kNumber ||
        !parameter.values.empty())
      return true;
    if (parameter.type == CommandParameterType::kLabels && table_.IsPeopleLabel(word.text)) return true;
    return parameter.type == CommandParameterType::kWord && IsMadeUp(word.plain);
  }

  static std::optional<int64_t> NumberIn(std::string_view plain) {
    constexpr size_t kMaxDigits = 9;
    if (plain.empty() || plain.size() > kMaxDigits || !absl::c_all_of(plain, absl::ascii_isdigit)) return std::nullopt;
    int64_t value = 0;
    for (char c : plain) value = value * 10 + (c - '0');
    return value;
  }

  // The value of a list that the word stands for.
  static std::optional<std::string> ValueOf(const CommandParameter& parameter, std::string_view plain) {
    std::string word = Lower(plain);
    if (absl::c_linear_search(parameter.values, word)) return word;
    for (const auto& [alias, value] : parameter.value_aliases) {
      if (alias == word) return value;
    }
    return std::nullopt;
  }

  void SetValue(const CommandParameter& parameter, const std::vector<Piece>& pieces) {
    switch (parameter.type) {
      case CommandParameterType::kText:
        SetText(parameter, pieces);
        return;
      case CommandParameterType::kWords:
        SetWords(parameter, pieces);
        return;
      case CommandParameterType::kLabels:
        SetLabels(parameter, pieces);
        return;
      default:
        break;
    }
    if (pieces.size() > 1) {
      Add(OneValueOnly(parameter, pieces[1].text));
      return;
    }
    const Piece& piece = pieces[0];
    switch (parameter.type) {
      case CommandParameterType::kPull:
      case CommandParameterType::kIssue: {
        const std::optional<rules::PullReference> reference = ReferenceIn(parameter, piece.plain);
        if (!reference) {
          Add(NotAPull(parameter, piece.text));
          return;
        }
        SetSlot(parameter, parameter.slot, reference->number);
        if (!reference->repo.empty()) SetSlot(parameter, "repo", reference->repo);
        if (!reference->host.empty()) out_.host = reference->host;
        return;
      }
      case CommandParameterType::kNumber: {
        const std::optional<int64_t> number = NumberIn(piece.plain);
        if (!number) {
          Add(NotANumber(parameter, piece.text));
          return;
        }
        SetSlot(parameter, parameter.slot, *number);
        return;
      }
      case CommandParameterType::kPath:
        if (!IsPathWord(piece.plain)) {
          Add(BadValue(parameter, piece.text));
          return;
        }
        SetSlot(parameter, parameter.slot, std::string(piece.plain));
        return;
      default:
        SetWord(parameter, piece);
    }
  }

  void SetWord(const CommandParameter& parameter, const Piece& piece) {
    std::string value(piece.plain);
    if (!parameter.values.empty()) {
      std::optional<std::string> known = ValueOf(parameter, piece.plain);
      if (!known) {
        Add(BadValue(parameter, piece.text));
        return;
      }
      value = *std::move(known);
    }
    if (!IsGoodWord(value)) {
      Add(value.empty() ? MissingValue(parameter) : BadValue(parameter, piece.text));
      return;
    }
    SetSlot(parameter, parameter.slot, std::move(value));
  }

  // A text is what stands in the line, commas and all; in quotes it is what is inside.
  void SetText(const CommandParameter& parameter, const std::vector<Piece>& pieces) {
    std::string text;
    if (pieces.size() == 1) {
      text = pieces[0].text;
    } else {
      // Words that options stood between are put together again.
      size_t begin = pieces[0].begin;
      for (size_t i = 1; i <= pieces.size(); ++i) {
        const bool ends = i == pieces.size() || OptionBetween(pieces[i - 1].end, pieces[i].begin);
        if (!ends) continue;
        if (!text.empty()) text += ' ';
        text += line_.substr(begin, pieces[i - 1].end - begin);
        if (i < pieces.size()) begin = pieces[i].begin;
      }
    }
    if (text.find_first_not_of(" \t") == std::string::npos) {
      Add(MissingValue(parameter));
      return;
    }
    SetSlot(parameter, parameter.slot, std::move(text));
  }

  bool BlankBetween(size_t begin, size_t end) const { return SomeBetween(begin, end, true); }
  bool OptionBetween(size_t begin, size_t end) const { return SomeBetween(begin, end, false); }

  // Whether a blank, or anything but blanks and commas, is in [begin, end) of the line.
  bool SomeBetween(size_t begin, size_t end, bool blank) const {
    for (size_t pos = begin; pos < end;) {
      const Character c = CharacterAt(line_, pos);
      if (blank ? IsBlank(c.code) : !IsBlank(c.code) && AsciiOf(c.code) != ',') return true;
      pos += c.length;
    }
    return false;
  }

  void SetWords(const CommandParameter& parameter, const std::vector<Piece>& pieces) {
    std::vector<std::string> values;
    values.reserve(pieces.size());
    for (const Piece& piece : pieces) {
      // A quoted list is a list as well: --reviewer "alice, bob".
      const std::vector<std::string> inside =
          piece.quoted ? SplitAtCommas(piece.plain) : std::vector<std::string>{std::string(piece.plain)};
      for (std::string_view value : inside) {
        while (!value.empty() && value[0] == '@') value.remove_prefix(1);
        if (!IsGoodWord(value)) {
          Add(BadValue(parameter, piece.text));
          return;
        }
        if (!absl::c_linear_search(values, value)) values.emplace_back(value);
      }
    }
    AddToList(parameter, std::move(values));
  }

  static std::vector<std::string> SplitAtCommas(std::string_view text) {
    const std::string plain = Plain(text);
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= plain.size();) {
      const size_t end = std::min(plain.find(',', begin), plain.size());
      const size_t first = plain.find_first_not_of(" \t", begin);
      if (first < end) {
        const size_t last = plain.find_last_not_of(" \t", end - 1);
        parts.push_back(plain.substr(first, last + 1 - first));
      }
      begin = end + 1;
    }
    return parts;
  }

  void SetLabels(const CommandParameter& parameter, const std::vector<Piece>& pieces) {
    std::vector<std::string> labels;
    for (size_t i = 0; i < pieces.size();) {
      if (pieces[i].quoted) {
        labels.emplace_back(pieces[i++].text);
        continue;
      }
      // Unquoted words up to the next comma: one name with blanks, or several names that people may set.
      size_t end = i + 1;
      while (end < pieces.size() && !pieces[end].after_comma && !pieces[end].quoted) ++end;
      TakeLabels(pieces, i, end, labels);
      i = end;
    }
    std::vector<std::string> values;
    values.reserve(labels.size());
    for (std::string& label : labels) {
      if (label.empty() || label.size() > kMaxLabelBytes || HasInvisible(label)) {
        Add(BadValue(parameter, label));
        return;
      }
      if (!absl::c_linear_search(values, label)) values.push_back(std::move(label));
    }
    AddToList(parameter, std::move(values));
  }

  // The name of pieces [begin, end), in the width in which the pack has it.
  std::string LabelOf(const std::vector<Piece>& pieces, size_t begin, size_t end) const {
    std::string text;
    std::string plain;
    for (size_t i = begin; i < end; ++i) {
      if (i > begin) {
        text += ' ';
        plain += ' ';
      }
      text += pieces[i].text;
      plain += pieces[i].plain;
    }
    return !table_.IsPeopleLabel(text) && table_.IsPeopleLabel(plain) ? plain : text;
  }

  void TakeLabels(const std::vector<Piece>& pieces, size_t begin, size_t end, std::vector<std::string>& labels) const {
    constexpr size_t kMaxWordsOfLabel = 8;
    std::string whole = LabelOf(pieces, begin, end);
    if (end - begin == 1 || table_.IsPeopleLabel(whole)) {
      labels.push_back(std::move(whole));
      return;
    }
    // Several names without commas: only if each of them is known.
    std::vector<std::string> several;
    for (size_t i = begin; i < end;) {
      size_t next = i;
      for (size_t to = std::min(end, i + kMaxWordsOfLabel); to > i && next == i; --to) {
        std::string name = LabelOf(pieces, i, to);
        if (!table_.IsPeopleLabel(name)) continue;
        several.push_back(std::move(name));
        next = to;
      }
      if (next == i) {
        labels.push_back(std::move(whole));
        return;
      }
      i = next;
    }
    for (std::string& name : several) labels.push_back(std::move(name));
  }

  void AddToList(const CommandParameter& parameter, std::vector<std::string> values) {
    if (values.empty()) {
      Add(MissingValue(parameter));
      return;
    }
    const auto [it, added] = out_.slots.try_emplace(parameter.slot, std::vector<std::string>());
    std::vector<std::string>* list = std::get_if<std::vector<std::string>>(&it->second);
    if (list == nullptr) {
      Add(Contradiction(parameter, parameter.slot));
      return;
    }
    for (std::string& value : values) {
      if (!absl::c_linear_search(*list, value)) list->push_back(std::move(value));
    }
  }

  void SetSlot(const CommandParameter& parameter, std::string_view slot, SlotValue value) {
    const auto it = out_.slots.find(slot);
    if (it == out_.slots.end()) {
      out_.slots.emplace(slot, std::move(value));
    } else if (it->second != value) {
      Add(Contradiction(parameter, slot));
    }
  }

  const rules::CommandTable& table_;
  const CommandModel& command_;
  std::string_view line_;
  const std::vector<LineToken>& words_;
  ParsedCommand& out_;
  bool takes_rest_ = false;
  bool clear_ = true;
  std::vector<size_t> positional_;              // indexes of words that no option took
  std::vector<const CommandParameter*> tried_;  // given, well or badly
};

}  // namespace

bool IsGiven(const CommandModel& command, std::string_view parameter, const std::vector<LineToken>& words,
             size_t first) {
  const CommandParameter* wanted = command.Parameter(parameter);
  if (wanted == nullptr || !wanted->named) return false;
  for (size_t i = first; i < words.size(); ++i) {
    const size_t dashes = DashesOf(words[i]);
    if (words[i].quoted || (dashes == 0 && words[i].separator == 0)) continue;
    if (command.Parameter(NameIn(words[i], dashes)) == wanted) return true;
  }
  return false;
}

bool Bind(const rules::CommandTable& table, const CommandModel& command, std::string_view line,
          const std::vector<LineToken>& words, size_t first, ParsedCommand& out) {
  return Binder(table, command, line, words, out).Run(first);
}

}  // namespace yardmaster::commands
