#include "rules/engine/phrases/phrase_slots.h"

#include <cstdlib>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {
namespace {

using nlohmann::ordered_json;

void AddOnce(std::vector<Reference>& list, Reference one) {
  for (const Reference& other : list) {
    if (other.pr == one.pr && (other.repo == one.repo || other.repo.empty() || one.repo.empty())) return;
  }
  list.push_back(std::move(one));
}

// What stands between the names of a list: commas, "、", "和", "跟", "与", "＠", and what is ASCII but no part of a
// name.
bool IsNamePart(char32_t c) {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.')
    return true;
  static constexpr char32_t kBetween[] = {0x3000, 0x3001, 0xFF0C, 0xFF20, 0x548C, 0x8DDF, 0x4E0E};
  return c > 0x2FFF && !absl::c_linear_search(kBetween, c);
}

// People, one by one.
ordered_json People(const std::string& text) {
  ordered_json list = ordered_json::array();
  std::string name;
  const auto put = [&] {
    if (!name.empty() && name != "and") list.push_back(name);
    name.clear();
  };
  for (size_t pos = 0; pos < text.size();) {
    size_t next = pos;
    if (IsNamePart(NextCodePoint(text, next))) {
      name.append(text, pos, next - pos);
    } else {
      put();
    }
    pos = next;
  }
  put();
  return list;
}

void AddPeople(const std::string& text, ordered_json& slots) {
  ordered_json people = People(text);
  if (people.empty()) return;
  ordered_json& list = slots["reviewers"];
  if (list.is_null()) list = ordered_json::array();
  for (ordered_json& one : people) {
    if (!absl::c_linear_search(list, one)) list.push_back(std::move(one));
  }
}

}  // namespace

void AddReferences(const ReadPhrase& read, const PhraseClause& clause, std::vector<Reference>& list) {
  for (const PhraseToken& token : clause.tokens) {
    if (token.taken < 0) continue;
    const auto& values = read.taken[static_cast<size_t>(token.taken)].values;
    const auto repo = absl::c_find_if(values, [](const auto& one) { return one.first == "repo"; });
    for (const auto& [name, value] : values) {
      if (name == "pr") AddOnce(list, {value, repo == values.end() ? std::string() : repo->second});
    }
  }
}

bool HasReference(const ReadPhrase& read, const PhraseClause& clause) {
  return absl::c_any_of(clause.tokens, [&](const PhraseToken& token) {
    if (token.taken < 0) return false;
    const auto& values = read.taken[static_cast<size_t>(token.taken)].values;
    return absl::c_any_of(values, [](const auto& one) { return one.first == "pr"; });
  });
}

std::string BareNumber(const PhraseSet::Impl& phrases, const ReadPhrase& read, const PhraseClause& clause) {
  const auto number =
      absl::c_find_if(clause.tokens, [&](const PhraseToken& token) { return token.concept_number == phrases.number; });
  if (number == clause.tokens.end()) return {};
  if (number + 1 != clause.tokens.end() && (number + 1)->concept_number != phrases.option) return {};
  const std::string& text = read.text.text;
  size_t end = number->begin;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  constexpr size_t kMaxDigits = 9;
  return end - number->begin > kMaxDigits ? std::string() : text.substr(number->begin, end - number->begin);
}

bool Takes(const PhraseCommandInfo& info, std::string_view slot) { return absl::c_linear_search(info.slots, slot); }

void PutReference(const Reference& reference, const PhraseCommandInfo& info, ordered_json& slots) {
  if (!Takes(info, "pr")) return;
  constexpr size_t kMaxDigits = 18;  // of an int64
  if (reference.pr.size() <= kMaxDigits) slots["pr"] = std::strtoll(reference.pr.c_str(), nullptr, 10);
  if (!reference.repo.empty()) slots["repo"] = reference.repo;
}

void FillSlots(const ReadPhrase& read, const PhraseClause& clause, const PhraseCommandInfo& info, bool own,
               ordered_json& slots) {
  for (const PhraseToken& token : clause.tokens) {
    if (token.taken < 0) continue;
    for (const auto& [name, value] : read.taken[static_cast<size_t>(token.taken)].values) {
      if (name == "pr" || name == "repo" || value.empty()) continue;
      const std::string slot = name == "ref" ? info.ref : name == "bare" ? info.bare : std::string(name);
      if (slot.empty() || !Takes(info, slot)) continue;
      if (slot == "reviewers") {
        AddPeople(value, slots);
      } else if (!slots.contains(slot)) {
        slots[slot] = value;
      }
    }
  }
  for (const auto& [slot, value] : clause.set) {
    if (Takes(info, slot) && (own || !slots.contains(slot))) slots[slot] = value;
  }
}

}  // namespace yardmaster::rules
