#include "rules/engine/phrases/rule_hits.h"

#include <algorithm>
#include <set>

#include "absl/algorithm/container.h"
#include "rules/engine/phrases/clause_facts.h"
#include "rules/engine/phrases/phrase_slots.h"

namespace yardmaster::rules {
namespace {

std::vector<uint16_t> Concepts(const PhraseClause& clause) {
  std::vector<uint16_t> concepts;
  concepts.reserve(clause.tokens.size());
  for (const PhraseToken& token : clause.tokens) concepts.push_back(token.concept_number);
  return concepts;
}

ConceptBits Bits(const std::vector<uint16_t>& concepts) {
  ConceptBits bits;
  for (const uint16_t number : concepts) bits.Add(number);
  return bits;
}

class Matcher {
 public:
  Matcher(const PhraseSet::Impl& phrases, ReadPhrase& read, std::vector<std::string>& used)
      : phrases_(phrases), read_(read), used_(used) {}

  std::vector<Hit> Find() {
    for (const PhraseClause& clause : read_.clauses) SpeakOf(clause);
    std::vector<Hit> hits;
    hits.reserve(read_.clauses.size());
    for (size_t i = 0; i < read_.clauses.size(); ++i) {
      PhraseClause& clause = read_.clauses[i];
      TakeOptions(clause);
      hits.push_back(clause.slash.empty() ? BestRule(clause) : CommandLine(clause));
      hits.back().clause = i;
      if (hits.back().rule != nullptr) Use(hits.back().rule->id);
    }
    return hits;
  }

 private:
  // Remembers every command that a clause may speak of: options belong to some of them only.
  void SpeakOf(const PhraseClause& clause) {
    if (!clause.slash.empty()) {
      spoken_.insert(clause.slash);
      // "/autogit pr --to 12 --no-rebase": its options are those of what it means with a pull request, too.
      if (const std::string* other = WithReference(clause)) spoken_.insert(*other);
    }
    const std::vector<uint16_t> concepts = Concepts(clause);
    const ConceptBits bits = Bits(concepts);
    for (const PhraseRule& rule : phrases_.rules) {
      if (rule.without.Meets(bits) || spoken_.count(rule.command) > 0) continue;
      ConceptPattern::Found found;
      for (const ConceptPattern& pattern : rule.patterns) {
        if (!pattern.Possible(bits) || !pattern.Match(concepts, found)) continue;
        spoken_.insert(rule.command);
        break;
      }
    }
  }

  // What the command of a line means with a pull request behind it; null where that is itself.
  const std::string* WithReference(const PhraseClause& clause) const {
    const PhraseCommandInfo* info = phrases_.Command(clause.slash);
    return info == nullptr || info->with_reference.empty() ? nullptr : &info->with_reference;
  }

  bool SpeaksOf(const std::vector<std::string>& commands) const {
    return absl::c_any_of(commands, [&](const std::string& command) { return spoken_.count(command) > 0; });
  }

  // Takes the options out of a clause: leftmost first, and each word once.
  void TakeOptions(PhraseClause& clause) {
    if (phrases_.options.empty()) return;
    std::set<const PhraseOption*> kept;
    for (int rounds = 0; rounds < 8; ++rounds) {
      const std::vector<uint16_t> concepts = Concepts(clause);
      const ConceptBits bits = Bits(concepts);
      ConceptPattern::Found place{concepts.size(), 0};
      const PhraseOption* best = nullptr;
      for (const PhraseOption& option : phrases_.options) {
        if (!option.pattern.Possible(bits) || kept.count(&option) > 0) continue;
        if (!option.commands.empty() && !SpeaksOf(option.commands)) continue;
        ConceptPattern::Found found;
        if (!option.pattern.Match(concepts, found)) continue;
        if (found.begin > place.begin || (found.begin == place.begin && found.end <= place.end)) continue;
        place = found;
        best = &option;
      }
      if (best == nullptr) return;
      for (const auto& [slot, value] : best->set.items()) clause.set.emplace_back(slot, value);
      Use(best->id);
      if (best->keep) {
        kept.insert(best);
      } else {
        TakeAway(clause, place);
      }
    }
  }

  // Puts one token for an option in the place of its words.
  void TakeAway(PhraseClause& clause, const ConceptPattern::Found& place) const {
    const auto first = clause.tokens.begin() + static_cast<long>(place.begin);
    const auto last = clause.tokens.begin() + static_cast<long>(place.end);
    if (first == last) return;
    // A reference inside of an option stays.
    for (auto token = first; token != last; ++token) first->taken = std::max(first->taken, token->taken);
    first->concept_number = phrases_.option;
    clause.tokens.erase(first + 1, last);
    RecountRoles(clause);
  }

  // Roles of what is left; those of words that patterns don't see can't be taken away.
  void RecountRoles(PhraseClause& clause) const {
    uint64_t visible = 0;
    for (const PhraseToken& token : clause.tokens) visible |= phrases_.roles[token.concept_number];
    clause.roles &=
        visible | ~RoleBits(PhraseRole::kNegation, PhraseRole::kDone, PhraseRole::kCancel, PhraseRole::kCondition);
  }

  // A line that begins with a command.
  Hit CommandLine(const PhraseClause& clause) const {
    Hit hit;
    hit.command = clause.slash;
    if (const std::string* other = WithReference(clause); other != nullptr && HasReference(read_, clause))
      hit.command = *other;
    return hit;
  }

  // The rule that says most about a clause; a hit without a command where none holds.
  Hit BestRule(const PhraseClause& clause) const {
    const std::vector<uint16_t> concepts = Concepts(clause);
    const ConceptBits bits = Bits(concepts);
    Hit best;
    for (const PhraseRule& rule : phrases_.rules) {
      if (best.rule != nullptr && rule.rank < best.rule->rank) continue;
      if (rule.forms == kFormQuestion && !IsQuestion(clause)) continue;
      if (rule.without.Meets(bits)) continue;
      if (rule.with.has_value() && !rule.with->Meets(bits)) continue;
      if (rule.anywhere.has_value() && !IsAnywhere(*rule.anywhere)) continue;
      for (const ConceptPattern& pattern : rule.patterns) {
        ConceptPattern::Found found;
        if (!pattern.Possible(bits) || !pattern.Match(concepts, found)) continue;
        if (best.rule != nullptr && rule.rank == best.rule->rank && found.end - found.begin <= best.end - best.begin)
          continue;
        best.rule = &rule;
        best.begin = found.begin;
        best.end = found.end;
      }
    }
    if (best.rule != nullptr) best.command = best.rule->command;
    return best;
  }

  bool IsAnywhere(const ConceptBits& concepts) const {
    return absl::c_any_of(read_.clauses, [&](const PhraseClause& clause) {
      return absl::c_any_of(clause.tokens,
                            [&](const PhraseToken& token) { return concepts.Has(token.concept_number); });
    });
  }

  void Use(const std::string& id) {
    if (!absl::c_linear_search(used_, id)) used_.push_back(id);
  }

  const PhraseSet::Impl& phrases_;
  ReadPhrase& read_;
  std::vector<std::string>& used_;
  std::set<std::string, std::less<>> spoken_;
};

}  // namespace

std::vector<Hit> FindHits(const PhraseSet::Impl& phrases, ReadPhrase& read, std::vector<std::string>& used) {
  return Matcher(phrases, read, used).Find();
}

}  // namespace yardmaster::rules
