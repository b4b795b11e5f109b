#include "rules/engine/commands/command_table.h"

#include <charconv>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

// Longer words are no form of any command.
constexpr size_t kMaxFormBytes = 128;

std::string Lower(std::string_view text) { return absl::AsciiStrToLower(Abs(text)); }

// Values of the {places} of `pattern` in `word`, both lower case. A place takes at least one character, and as many as
// what stands behind it leaves.
std::optional<Slots> MatchPattern(std::string_view pattern, std::string_view word) {
  Slots slots;
  while (true) {
    const size_t open = pattern.find('{');
    if (open == std::string_view::npos) {
      if (pattern != word) return std::nullopt;
      return slots;
    }
    const std::string_view before = pattern.substr(0, open);
    if (!word.starts_with(before)) return std::nullopt;
    word.remove_prefix(before.size());
    const size_t close = pattern.find('}', open);
    const std::string name(pattern.substr(open + 1, close - open - 1));
    pattern.remove_prefix(close + 1);
    const std::string_view behind = pattern.substr(0, pattern.find('{'));
    const size_t end = behind.empty() ? word.size() : word.rfind(behind);
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    slots[name] = std::string(word.substr(0, end));
    word.remove_prefix(end);
  }
}

// The values of places, as the types of the command's parameters want them. False if one does not fit.
bool TypeSlots(const CommandModel& command, Slots& slots) {
  for (auto& [name, value] : slots) {
    const CommandParameter* parameter = command.ParameterOfSlot(name);
    if (parameter == nullptr) continue;
    const std::string text = std::get<std::string>(value);
    if (!parameter->values.empty() && !absl::c_linear_search(parameter->values, text)) {
      return false;
    }
    if (parameter->type != CommandParameterType::kNumber) continue;
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return false;
    value = number;
  }
  return true;
}

// Characters of a pattern that are no places: the more of them, the more exactly it says what it means.
size_t FixedCharacters(std::string_view pattern) {
  size_t fixed = 0;
  bool inside = false;
  for (const char c : pattern) {
    if (c == '{') inside = true;
    if (!inside) ++fixed;
    if (c == '}') inside = false;
  }
  return fixed;
}

bool Contains(const std::vector<std::string>& list, std::string_view item) { return absl::c_linear_search(list, item); }

}  // namespace

CommandTable::CommandTable(CommandsModel model) : model_(std::move(model)) {
  for (const CommandModel& command : model_.commands) {
    by_id_[command.id] = &command;
    for (const CommandForm& form : command.forms) {
      if (form.words.empty()) continue;
      if (form.pattern && form.words.front().find('{') != std::string::npos) {
        patterns_.push_back({&command, &form});
      } else {
        by_first_word_[form.words.front()].push_back({&command, &form});
      }
      if (form.pattern || command.hidden || Contains(form_texts_, form.text)) continue;
      form_texts_.push_back(form.text);
      form_words_.push_back(Lower(std::string_view(form.text).substr(1)));
    }
  }
  // The most exact first.
  const auto before = [](const Entry& a, const Entry& b) {
    if (a.form->words.size() != b.form->words.size()) return a.form->words.size() > b.form->words.size();
    if (a.form->pattern != b.form->pattern) return b.form->pattern;
    return a.form->needs.empty() < b.form->needs.empty();
  };
  for (auto& [word, entries] : by_first_word_) absl::c_stable_sort(entries, before);
  absl::c_stable_sort(patterns_, [&](const Entry& a, const Entry& b) {
    const size_t fixed_a = FixedCharacters(a.form->words.front());
    const size_t fixed_b = FixedCharacters(b.form->words.front());
    return fixed_a != fixed_b ? fixed_a > fixed_b : before(a, b);
  });
}

const CommandModel* CommandTable::Find(std::string_view id) const {
  if (id.size() > kMaxFormBytes) return nullptr;
  std::string name(id);
  absl::c_replace(name, '-', '_');
  const auto it = by_id_.find(name);
  return it == by_id_.end() ? nullptr : it->second;
}

std::vector<CommandMatch> CommandTable::FindWords(std::span<const std::string_view> words) const {
  std::vector<CommandMatch> out;
  if (words.empty() || words.front().size() > kMaxFormBytes) return out;
  const std::string first = Lower(words.front());
  const auto add = [&](const Entry& entry) {
    const CommandForm& form = *entry.form;
    if (form.words.size() > words.size()) return;
    CommandMatch match = {entry.command, &form, form.words.size(), {}};
    for (size_t i = 0; i < form.words.size(); ++i) {
      const std::string& wanted = form.words[i];
      if (i > 0 && words[i].size() > kMaxFormBytes) return;
      const std::string written = i == 0 ? first : Lower(words[i]);
      if (!form.pattern || wanted.find('{') == std::string::npos) {
        if (wanted != written) return;
        continue;
      }
      std::optional<Slots> slots = MatchPattern(wanted, written);
      if (!slots || !TypeSlots(*entry.command, *slots)) return;
      match.slots.merge(*slots);
    }
    for (const auto& [slot, value] : form.sets) match.slots[slot] = value;
    out.push_back(std::move(match));
  };
  if (const auto it = by_first_word_.find(first); it != by_first_word_.end()) {
    for (const Entry& entry : it->second) add(entry);
  }
  if (out.empty()) {
    for (const Entry& entry : patterns_) add(entry);
  }
  return out;
}

bool CommandTable::IsPrefix(std::string_view first_word) const {
  if (first_word.size() > kMaxFormBytes) return false;
  const auto it = by_first_word_.find(Lower(first_word));
  return it != by_first_word_.end() && it->second.front().form->words.size() > 1;
}

std::string_view CommandTable::Nearest(std::string_view written) const {
  if (written.size() > kMaxFormBytes) return {};
  const std::vector<std::string_view> known(form_words_.begin(), form_words_.end());
  const std::string lower = Lower(written);
  const std::string_view nearest = NearestName(lower, known);
  if (nearest.empty()) return {};
  const auto it = absl::c_find(form_words_, nearest);
  return form_texts_[static_cast<size_t>(it - form_words_.begin())];
}

bool CommandTable::IsOtherBotsCommand(std::string_view first_word) const {
  if (first_word.size() > kMaxFormBytes) return false;
  const std::string word = Lower(first_word);
  return absl::c_any_of(model_.bot_commands, [&](const std::string& bot) {
    if (bot.ends_with('*')) return word.starts_with(std::string_view(bot).substr(0, bot.size() - 1));
    return word == bot;
  });
}

bool CommandTable::IsOtherBotsLogin(std::string_view login) const {
  return login.size() <= kMaxFormBytes && Contains(model_.bot_logins, Lower(login));
}

bool CommandTable::IsPeopleLabel(std::string_view label) const { return Contains(model_.people_labels, label); }

}  // namespace yardmaster::rules
