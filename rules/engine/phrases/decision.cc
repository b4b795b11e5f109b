#include "rules/engine/phrases/decision.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/phrases/clause_facts.h"
#include "rules/engine/phrases/phrase_slots.h"

namespace yardmaster::rules {
namespace {

using nlohmann::ordered_json;

// Rules up to this rank only keep a message from being taken for nothing.
constexpr int kVague = 10;

std::string Why(const Hit& hit) {
  return (hit.rule == nullptr ? std::string("command-line") : hit.rule->id) + ": " + hit.because;
}

bool Asks(const Hit* hit) { return hit->command == "ask"; }

class Decision {
 public:
  Decision(const PhraseSet::Impl& phrases, const PhraseContext& context, const ReadPhrase& read, std::vector<Hit> hits,
           bool cut)
      : phrases_(phrases), context_(context), read_(read), hits_(std::move(hits)), cut_(cut) {}

  Interpretation Decide() {
    Withdraw();
    JoinConditions();
    Collect();
    Absorb();
    for (const PhraseClause& clause : read_.clauses) {
      if (!clause.for_others) AddReferences(read_, clause, references_);
    }
    if (const Hit* unclear = Unclear(); unclear != nullptr) return AskAmong(acts_, Why(*unclear));
    if (acts_.empty()) {
      if (!doubts_.empty()) return AskAmong(doubts_, Why(*doubts_.front()));
      if (statement_ == nullptr || forbidden_) return NothingAsked(NoneWhy());
      acts_.push_back(statement_);
    }
    return Command();
  }

 private:
  bool IsWrite(const Hit& hit) const { return phrases_.IsWrite(hit.command); }

  // ---- what is asked for, forbidden or unclear

  // Words that take back what was said before.
  void Withdraw() {
    for (size_t i = 0; i < hits_.size(); ++i) {
      const PhraseClause& clause = read_.clauses[i];
      corrected_ = corrected_ || clause.Has(PhraseRole::kCorrect);
      const bool nothing_else = !HasTaken(clause) && !HasRole(phrases_, clause, PhraseRole::kVerb);
      const bool short_no = clause.Has(PhraseRole::kNegation) && clause.tokens.size() <= 2;
      if (!nothing_else || !hits_[i].command.empty() || clause.for_others ||
          (!clause.Has(PhraseRole::kCancel) && !short_no))
        continue;
      // "先不用改": forbids what else might be done, not the look that was asked for.
      const bool all = clause.Has(PhraseRole::kCancel) || clause.tokens.size() == 1;
      for (size_t j = 0; j < i; ++j) {
        if (hits_[j].mood == Mood::kOff || (!all && !IsWrite(hits_[j]))) continue;
        hits_[j].mood = Mood::kOff;
        hits_[j].because = "taken back";
      }
    }
  }

  // A condition behind a command that was asked for is a sequence.
  void JoinConditions() {
    bool any_before = false;
    for (Hit& hit : hits_) {
      if (hit.mood == Mood::kDoubt && hit.conditional && any_before) {
        hit.mood = Mood::kAct;
        hit.because = "asked for, if the step before allows it";
      }
      any_before = any_before || (hit.mood == Mood::kAct && (!hit.conditional || hit.rule == nullptr));
    }
  }

  void Collect() {
    for (const Hit& hit : hits_) {
      if (hit.command == "none") continue;
      if (hit.mood == Mood::kAct) CollectAct(hit);
      if (hit.mood == Mood::kDoubt) doubts_.push_back(&hit);
      if (hit.mood == Mood::kStatement && statement_ == nullptr) statement_ = &hit;
      forbidden_ = forbidden_ || Forbids(hit);
    }
  }

  void CollectAct(const Hit& hit) {
    acts_.push_back(&hit);
    if (hit.rule == nullptr) return;
    for (const std::string& next : hit.rule->then) {
      besides_.push_back(hit);
      besides_.back().command = next;
      acts_.push_back(&besides_.back());
    }
  }

  // A clause that wants nothing to be done about what the message tells.
  bool Forbids(const Hit& hit) const {
    const PhraseClause& clause = read_.clauses[hit.clause];
    // "今天不 sync 了，master 编译挂着呢": a reason, told as well.
    const bool negation = hit.command.empty() && clause.Has(PhraseRole::kNegation);
    if (hit.negated || (negation && clause.Has(PhraseRole::kDeed))) return true;
    // "门禁挂了，我自己查", "…，别管": the writer sees to it, or nobody need.
    const bool behind = statement_ != nullptr && statement_->clause < hit.clause && hit.mood == Mood::kOff;
    return behind && (clause.Has(PhraseRole::kPlan) || (negation && clause.tokens.size() <= 2));
  }

  // Commands that are options of others.
  void Absorb() {
    for (const PhraseAbsorb& absorb : phrases_.absorbs) {
      const auto into = absl::c_find_if(acts_, [&](const Hit* hit) { return hit->command == absorb.into; });
      if (into == acts_.end()) continue;
      const size_t taker = (*into)->clause;
      for (const Hit& hit : hits_) {
        if (hit.command != absorb.command || hit.clause == taker || HasReference(read_, read_.clauses[hit.clause]))
          continue;
        if (hit.negated && !absorb.negated.empty()) {
          Set(absorb.negated);
        } else if ((hit.mood == Mood::kAct || hit.mood == Mood::kDoubt) && !absorb.set.empty()) {
          Set(absorb.set);
          std::erase(acts_, &hit);
          std::erase(doubts_, &hit);
        }
      }
    }
  }

  void Set(const ordered_json& slots) {
    for (const auto& [slot, value] : slots.items()) set_.emplace_back(slot, value);
  }

  // What asks back, where that is the answer. Behind something clear it is left out: a question back is only for a
  // message that asks for nothing clear.
  const Hit* Unclear() {
    const auto unclear = absl::c_find_if(acts_, Asks);
    if (unclear == acts_.end()) return nullptr;
    const Hit* hit = *unclear;
    if (absl::c_all_of(acts_, Asks)) return hit;
    const bool first = acts_.front() == hit && hit->rule->rank > kVague;
    std::erase_if(acts_, Asks);
    return first ? hit : nullptr;
  }

  // ---- slots

  // Slots of a command: what its own clause says, then what the rest of the message says, then the thread.
  PhraseCommand Fill(const std::string& command, size_t clause, bool first) const {
    PhraseCommand out;
    out.command = command;
    const PhraseCommandInfo* info = phrases_.Command(command);
    if (info == nullptr) return out;
    const PhraseClause& own = read_.clauses[clause];
    std::vector<Reference> here;
    AddReferences(read_, own, here);
    if (here.empty()) {
      if (const std::string number = BareNumber(phrases_, read_, own); !number.empty()) here.push_back({number, ""});
    }
    if (here.empty() && references_.size() == 1) here = references_;
    if (!here.empty()) {
      PutReference(here.front(), *info, out.slots);
    } else if (context_.pr.has_value() && Takes(*info, "pr")) {
      out.slots["pr"] = *context_.pr;
      if (!context_.repo.empty()) out.slots["repo"] = context_.repo;
    }
    FillSlots(read_, own, *info, true, out.slots);
    for (size_t i = 0; first && i < read_.clauses.size(); ++i) {
      if (i == clause || read_.clauses[i].for_others || BelongsToAnother(hits_[i], command)) continue;
      FillSlots(read_, read_.clauses[i], *info, false, out.slots);
    }
    return out;
  }

  bool BelongsToAnother(const Hit& hit, const std::string& command) const {
    const bool absorbed = absl::c_any_of(
        phrases_.absorbs, [&](const PhraseAbsorb& one) { return one.command == hit.command && one.into == command; });
    return hit.mood == Mood::kAct && hit.command != "ask" && hit.command != command && !absorbed;
  }

  // ---- answers

  // Asks back, with what the hits may mean: their commands, or those that a rule names where that asks back.
  Interpretation AskAmong(const std::vector<const Hit*>& hits, std::string why) const {
    std::vector<PhraseCommand> choices;
    for (const Hit* hit : hits) {
      const std::vector<std::string> named = hit->rule == nullptr ? std::vector<std::string>() : hit->rule->choices;
      for (const std::string& command : Asks(hit) ? named : std::vector<std::string>{hit->command}) {
        PhraseCommand choice = Fill(command, hit->clause, true);
        if (!absl::c_linear_search(choices, choice)) choices.push_back(std::move(choice));
      }
    }
    return Ask(std::move(why), std::move(choices));
  }

  static Interpretation Ask(std::string why, std::vector<PhraseCommand> choices) {
    Interpretation out;
    out.command = "ask";
    out.confidence = 0.5;
    out.why = std::move(why);
    out.choices = std::move(choices);
    return out;
  }

  std::string NoneWhy() const {
    for (const Hit& hit : hits_) {
      if (!hit.command.empty() && hit.rule != nullptr) return Why(hit);
    }
    return "nothing is asked for";
  }

  // The command, and the ones behind it.
  Interpretation Command() const {
    Hit main = *acts_.front();
    if (const PhraseCommandInfo* info = phrases_.Command(main.command); info != nullptr && !info->designated.empty() &&
                                                                        main.rule != nullptr &&
                                                                        references_.size() == 1 && Designates(main))
      main.command = info->designated;
    PhraseCommand command = Fill(main.command, main.clause, true);
    for (const auto& [slot, value] : set_) {
      if (const PhraseCommandInfo* info = phrases_.Command(command.command); info != nullptr && Takes(*info, slot))
        command.slots[slot] = value;
    }
    if (const std::string doubt = Doubt(main, command); !doubt.empty())
      return Ask(Why(main) + "; " + doubt, {std::move(command)});
    Interpretation out;
    out.command = std::move(command.command);
    out.slots = std::move(command.slots);
    out.why = Why(main);
    for (size_t i = 1; i < acts_.size(); ++i) AddThen(*acts_[i], out);
    out.confidence = main.rule == nullptr ? 1.0 : main.mood == Mood::kStatement ? 0.7 : read_.misspelt ? 0.8 : 0.95;
    return out;
  }

  void AddThen(const Hit& hit, Interpretation& out) const {
    const bool same = hit.command == out.command ||
                      absl::c_any_of(out.then, [&](const PhraseCommand& one) { return one.command == hit.command; });
    if (same) return;
    PhraseCommand next = Fill(hit.command, hit.clause, false);
    // A condition may stand before or behind any of the commands.
    next.conditional = absl::c_any_of(read_.clauses, [](const PhraseClause& clause) {
      return clause.Has(PhraseRole::kCondition, PhraseRole::kGiven);
    });
    if (const PhraseCommandInfo* info = phrases_.Command(hit.command); info != nullptr) {
      if (Takes(*info, "pr") && !next.slots.contains("pr") && out.slots.contains("pr")) {
        next.slots["pr"] = out.slots["pr"];
        if (out.slots.contains("repo")) next.slots["repo"] = out.slots["repo"];
      }
      if (info->asks_with_reference && out.slots.contains("pr")) return;
      // A write that is not clear is left out: it can be asked for again. Its pull request may be the one that the
      // commands before it make.
      const bool lacks = absl::c_any_of(
          info->needs, [&](const std::string& need) { return need != "pr" && !next.slots.contains(need); });
      if (info->write && (lacks || corrected_)) return;
    }
    out.why += "; then " + Why(hit);
    out.then.push_back(std::move(next));
  }

  // What keeps a command from being carried out as it is; empty for nothing.
  std::string Doubt(const Hit& main, const PhraseCommand& command) const {
    const PhraseCommandInfo* info = phrases_.Command(main.command);
    if (info == nullptr) return "unknown command";
    for (const std::string& need : info->needs) {
      if (!command.slots.contains(need)) return "which " + need + "?";
    }
    if (!info->write) return {};
    if (cut_ || read_.too_many) return "the message is too long";
    const PhraseClause& clause = read_.clauses[main.clause];
    std::vector<Reference> here;
    AddReferences(read_, clause, here);
    if (here.size() > 1 || (here.empty() && references_.size() > 1 && Takes(*info, "pr")))
      return "more than one pull request";
    if (corrected_) return "the message corrects itself";
    if (info->asks_with_reference && HasLooseReference()) return "for that pull request?";
    if (clause.Has(PhraseRole::kBulk)) return "more than one subject";
    const bool others = absl::c_any_of(acts_, [&](const Hit* other) { return other->command != main.command; });
    return clause.Has(PhraseRole::kAlternative) && others ? "one or the other?" : "";
  }

  // A pull request that no command takes. "Push 一下，#12": a clause that only asks back takes it no more than one
  // that asks for nothing.
  bool HasLooseReference() const {
    for (size_t i = 0; i < read_.clauses.size(); ++i) {
      const bool takes = hits_[i].mood == Mood::kAct && hits_[i].command != "ask";
      if (!read_.clauses[i].for_others && !takes && HasReference(read_, read_.clauses[i])) return true;
    }
    return false;
  }

  // "Push, it's for #12": another clause that says nothing but which pull request the command is for.
  bool Designates(const Hit& main) const {
    for (size_t i = 0; i < read_.clauses.size(); ++i) {
      const PhraseClause& clause = read_.clauses[i];
      if (i == main.clause || !HasReference(read_, clause)) continue;
      return i > main.clause && !clause.new_sentence && !clause.for_others && clause.slash.empty() &&
             !IsQuestion(clause) && clause.Has(PhraseRole::kFinite) && OnlyNames(clause);
    }
    return false;
  }

  // Things and what they are for; no deed, time or condition.
  bool OnlyNames(const PhraseClause& clause) const {
    if (clause.Has(PhraseRole::kNegation, PhraseRole::kVerb, PhraseRole::kDone, PhraseRole::kPlan, PhraseRole::kLater,
                   PhraseRole::kCondition, PhraseRole::kTopic, PhraseRole::kSource))
      return false;
    return absl::c_all_of(clause.tokens, [&](const PhraseToken& token) {
      return phrases_.Has(token.concept_number, PhraseRole::kThing, PhraseRole::kTarget, PhraseRole::kFinite);
    });
  }

  const PhraseSet::Impl& phrases_;
  const PhraseContext& context_;
  const ReadPhrase& read_;
  std::vector<Hit> hits_;    // one for each clause
  std::deque<Hit> besides_;  // further commands of clauses
  const bool cut_;
  bool corrected_ = false;                                   // the message takes back a part of itself
  bool forbidden_ = false;                                   // it wants nothing to be done about what it tells
  std::vector<Reference> references_;                        // of the whole message
  std::vector<const Hit*> acts_;                             // what is asked for, in order
  std::vector<const Hit*> doubts_;                           // what may be asked for
  const Hit* statement_ = nullptr;                           // what is told
  std::vector<std::pair<std::string, nlohmann::json>> set_;  // by commands that are options of others
};

}  // namespace

Interpretation Decide(const PhraseSet::Impl& phrases, const PhraseContext& context, const ReadPhrase& read,
                      std::vector<Hit> hits, bool cut) {
  return Decision(phrases, context, read, std::move(hits), cut).Decide();
}

Interpretation NothingAsked(std::string why) {
  Interpretation out;
  out.command = "none";
  out.confidence = 0.9;
  out.why = std::move(why);
  return out;
}

}  // namespace yardmaster::rules
