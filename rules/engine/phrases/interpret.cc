// From clauses to a command: which rule speaks of one, whether it is asked for, and what is asked for in all.
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <set>
#include <utility>

#include "rules/engine/phrases/clauses.h"
#include "rules/engine/phrases/phrase_model.h"
#include "rules/engine/phrases/phrase_set.h"

namespace yardmaster::rules {
namespace {

using nlohmann::ordered_json;

// What a clause wants of the command that it speaks of.
enum class Mood : uint8_t {
  kOff,        // it forbids it, tells of it, or asks how it works
  kStatement,  // it tells how things are; whoever says so may want to know more
  kDoubt,      // it may ask for it
  kAct,        // it asks for it
};

// Rules up to this rank only keep a message from being taken for nothing.
constexpr int kVague = 10;

struct Hit {
  size_t clause = 0;
  const PhraseRule* rule = nullptr;  // null for the command of a line that begins with one
  std::string command;               // "ask" too
  size_t begin = 0, end = 0;         // tokens that the rule speaks of
  Mood mood = Mood::kOff;
  bool negated = false;
  bool conditional = false;
  std::string because;
};

// References of a clause or a message, each once.
struct Reference {
  std::string pr, repo;
};

void AddOnce(std::vector<Reference>& list, Reference one) {
  for (const Reference& other : list) {
    if (other.pr == one.pr && (other.repo == one.repo || other.repo.empty() || one.repo.empty())) {
      return;
    }
  }
  list.push_back(std::move(one));
}

class Run {
 public:
  Run(const PhraseSet::Impl& phrases, std::string_view message, const PhraseContext& context)
      : phrases_(phrases),
        context_(context),
        cut_(message.size() > kMaxPhraseBytes),
        read_(ReadClauses(phrases, message.substr(0, kMaxPhraseBytes))) {}

  Interpretation Interpret() {
    if (phrases_.empty) return None("no phrases in this pack");
    MarkConditions();
    FindHits();
    return Decide();
  }

  const std::vector<std::string>& used() const { return used_; }

  std::string Explain() {
    MarkConditions();
    FindHits();
    std::string out;
    size_t next = 0;
    for (size_t i = 0; i < read_.clauses.size(); ++i) {
      const PhraseClause& clause = read_.clauses[i];
      out += "[" + clause.slash + "]" + ClauseText(phrases_, clause) + "|";
      for (size_t role = 0; role < kPhraseRoleNames.size(); ++role) {
        if ((clause.roles >> role & 1) != 0) out += " " + std::string(kPhraseRoleNames[role]);
      }
      if (clause.for_others) out += " FOR-OTHERS";
      if (clause.after) out += " AFTER";
      if (clause.before) out += " BEFORE";
      if (clause.time_only) out += " TIME";
      if (clause.question_mark) out += " ?";
      for (; next < hits_.size() && hits_[next].clause == i; ++next) {
        const Hit& hit = hits_[next];
        static constexpr std::string_view kMoods[] = {"off", "statement", "doubt", "act"};
        out += " => " + hit.command + " (" + (hit.rule == nullptr ? "slash" : hit.rule->id) + ", " +
               std::string(kMoods[static_cast<size_t>(hit.mood)]) + ": " + hit.because + ")";
      }
      out += "\n";
    }
    return out;
  }

 private:
  // ---- clauses

  // "If …, …": what follows in the sentence depends on it.
  void MarkConditions() {
    conditional_.assign(read_.clauses.size(), false);
    deferred_.assign(read_.clauses.size(), false);
    told_.assign(read_.clauses.size(), false);
    named_.assign(read_.clauses.size(), false);
    for (size_t begin = 0; begin < read_.clauses.size();) {
      size_t end = begin + 1;
      while (end < read_.clauses.size() && !read_.clauses[end].new_sentence) ++end;
      const bool told =
          std::any_of(read_.clauses.begin() + static_cast<long>(begin), read_.clauses.begin() + static_cast<long>(end),
                      [](const PhraseClause& clause) { return clause.Has(PhraseRole::kSource); });
      const bool named =
          std::any_of(read_.clauses.begin() + static_cast<long>(begin), read_.clauses.begin() + static_cast<long>(end),
                      [](const PhraseClause& clause) { return clause.maybe_name; });
      std::fill(named_.begin() + static_cast<long>(begin), named_.begin() + static_cast<long>(end), named);
      std::fill(told_.begin() + static_cast<long>(begin), told_.begin() + static_cast<long>(end), told);
      begin = end;
    }
    bool open = false;
    bool later = false;
    for (size_t i = 0; i < read_.clauses.size(); ++i) {
      const PhraseClause& clause = read_.clauses[i];
      if (clause.new_sentence) open = later = false;
      open = open || clause.Has(PhraseRole::kCondition);
      later = later || (clause.Has(PhraseRole::kCondition) && clause.Has(PhraseRole::kLater));
      conditional_[i] = open;
      deferred_[i] = later;
    }
    // "等评审完再提交", "wait for CI, then push": what follows in the sentence has to wait.
    waits_.assign(read_.clauses.size(), false);
    bool waits = false;
    for (size_t i = 0; i < read_.clauses.size(); ++i) {
      const PhraseClause& clause = read_.clauses[i];
      waits = (waits && !clause.new_sentence) || BeginsToWait(clause);
      waits_[i] = waits;
    }
  }

  // A word for waiting as the first or the second word; further behind it may be "and so on".
  bool BeginsToWait(const PhraseClause& clause) const {
    for (size_t i = 0; i < std::min<size_t>(2, clause.tokens.size()); ++i) {
      if (phrases_.Has(clause.tokens[i].concept_number, PhraseRole::kWait)) return true;
    }
    return false;
  }

  bool Contains(const PhraseClause& clause, const std::vector<uint16_t>& concepts) const {
    return std::any_of(clause.tokens.begin(), clause.tokens.end(), [&](const PhraseToken& token) {
      return std::find(concepts.begin(), concepts.end(), token.concept_number) != concepts.end();
    });
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
        continue;
      }
      const auto& [first, last] = place;
      PhraseToken token = clause.tokens[first];
      token.concept_number = phrases_.option;
      // A reference inside of an option stays.
      for (size_t i = first; i < last; ++i) token.taken = std::max(token.taken, clause.tokens[i].taken);
      clause.tokens.erase(clause.tokens.begin() + static_cast<long>(first),
                          clause.tokens.begin() + static_cast<long>(last));
      clause.tokens.insert(clause.tokens.begin() + static_cast<long>(first), token);
      RecountRoles(clause);
    }
  }

  // Roles of what is left; those of words that patterns don't see can't be taken away.
  void RecountRoles(PhraseClause& clause) const {
    uint64_t visible = 0;
    for (const PhraseToken& token : clause.tokens) visible |= phrases_.roles[token.concept_number];
    for (const PhraseRole role : {PhraseRole::kNegation, PhraseRole::kDone}) {
      const uint64_t bit = uint64_t{1} << static_cast<unsigned>(role);
      if ((visible & bit) == 0) clause.roles &= ~bit;
    }
  }

  static std::vector<uint16_t> Concepts(const PhraseClause& clause) {
    std::vector<uint16_t> concepts;
    concepts.reserve(clause.tokens.size());
    for (const PhraseToken& token : clause.tokens) concepts.push_back(token.concept_number);
    return concepts;
  }

  static ConceptBits Bits(const std::vector<uint16_t>& concepts) {
    ConceptBits bits;
    for (const uint16_t number : concepts) bits.Add(number);
    return bits;
  }

  static bool HasAny(const ConceptBits& bits, const std::vector<uint16_t>& concepts) {
    return std::any_of(concepts.begin(), concepts.end(), [&](uint16_t number) { return bits.Has(number); });
  }

  // True if a clause of the message speaks of one of these commands.
  bool SpeaksOf(const std::vector<std::string>& commands) const {
    for (const std::string& command : commands) {
      if (spoken_.count(command) > 0) return true;
    }
    return false;
  }

  // Remembers every command that a clause may speak of.
  void SpeakOf(const PhraseClause& clause) {
    const std::vector<uint16_t> concepts = Concepts(clause);
    const ConceptBits bits = Bits(concepts);
    for (const PhraseRule& rule : phrases_.rules) {
      if (HasAny(bits, rule.without) || spoken_.count(rule.command) > 0) continue;
      ConceptPattern::Found found;
      for (const ConceptPattern& pattern : rule.patterns) {
        if (!pattern.Possible(bits) || !pattern.Match(concepts, found)) continue;
        spoken_.insert(rule.command);
        break;
      }
    }
  }

  // The rule that says most about a clause.
  std::optional<Hit> BestRule(const PhraseClause& clause) {
    const std::vector<uint16_t> concepts = Concepts(clause);
    const ConceptBits bits = Bits(concepts);
    std::optional<Hit> best;
    for (const PhraseRule& rule : phrases_.rules) {
      if (best.has_value() && rule.rank < best->rule->rank) continue;
      if (rule.forms == kFormQuestion && !IsQuestion(clause)) continue;
      if (HasAny(bits, rule.without)) continue;
      if (!rule.with.empty() && !HasAny(bits, rule.with)) continue;
      if (!rule.anywhere.empty() &&
          std::none_of(read_.clauses.begin(), read_.clauses.end(),
                       [&](const PhraseClause& other) { return Contains(other, rule.anywhere); }))
        continue;
      for (const ConceptPattern& pattern : rule.patterns) {
        ConceptPattern::Found found;
        if (!pattern.Possible(bits) || !pattern.Match(concepts, found)) continue;
        if (best.has_value() && rule.rank == best->rule->rank && found.end - found.begin <= best->end - best->begin)
          continue;
        Hit hit;
        hit.rule = &rule;
        hit.command = rule.command;
        hit.begin = found.begin;
        hit.end = found.end;
        best = hit;
      }
    }
    return best;
  }

  void FindHits() {
    for (const PhraseClause& clause : read_.clauses) {
      if (!clause.slash.empty()) {
        spoken_.insert(clause.slash);
        // "/autogit pr --to 12 --no-rebase": its options are those of what it means with a pull request, too.
        const PhraseCommandInfo* info = phrases_.Command(clause.slash);
        if (info != nullptr && !info->with_reference.empty()) spoken_.insert(info->with_reference);
      }
      SpeakOf(clause);
    }
    for (size_t i = 0; i < read_.clauses.size(); ++i) {
      PhraseClause& clause = read_.clauses[i];
      TakeOptions(clause);
      if (!clause.slash.empty()) {
        Hit hit;
        hit.clause = i;
        hit.command = clause.slash;
        const PhraseCommandInfo* info = phrases_.Command(clause.slash);
        if (info != nullptr && !info->with_reference.empty() && HasReference(clause))
          hit.command = info->with_reference;
        JudgeSlash(hit);
        hits_.push_back(hit);
        continue;
      }
      std::optional<Hit> hit = BestRule(clause);
      if (!hit.has_value()) {
        Hit none;
        none.clause = i;
        hits_.push_back(none);
        continue;
      }
      hit->clause = i;
      Use(hit->rule->id);
      Judge(*hit);
      hits_.push_back(*hit);
    }
    JudgeAfter();
    JudgeBehind();
  }

  bool IsWrite(std::string_view command) const {
    const PhraseCommandInfo* info = phrases_.Command(command);
    return info != nullptr && info->write;
  }

  // ---- mood

  // A line that begins with a command is one, unless the rest of it asks about the command.
  void JudgeSlash(Hit& hit) const {
    const PhraseClause& clause = read_.clauses[hit.clause];
    const bool about = HasQuestion(clause) || clause.Has(PhraseRole::kTopic) || clause.Has(PhraseRole::kFinite);
    hit.mood = clause.for_others || about ? Mood::kOff : Mood::kAct;
    hit.because = clause.for_others ? "addressed to somebody else" : about ? "speaks about it" : "a command line";
  }

  void Doubt(size_t i, std::string because) {
    hits_[i].mood = Mood::kDoubt;
    hits_[i].because = std::move(because);
  }

  bool ActsToWrite(size_t i) const {
    return hits_[i].mood == Mood::kAct && hits_[i].rule != nullptr && IsWrite(hits_[i].command);
  }

  // A comma between the words of two clauses.
  bool MarkBetween(const PhraseClause& clause, const PhraseClause& next) const {
    const size_t begin = clause.tokens.back().begin;
    return read_.text.text.substr(begin, next.tokens.front().begin - begin).find(',') != std::string::npos;
  }

  // What follows a clause in its sentence may make a doubt of what it asks for.
  void JudgeBehind() {
    bool read_before = false;
    for (size_t i = 0; i + 1 < hits_.size(); ++i) {
      const PhraseClause& clause = read_.clauses[i];
      const PhraseClause& next = read_.clauses[i + 1];
      const bool asked = clause.Has(PhraseRole::kPolite);
      if (ActsToWrite(i) && !next.new_sentence) {
        // "Push if it passes", and nothing in front that could.
        if (next.Has(PhraseRole::kGiven) && hits_[i + 1].command.empty() && !read_before) {
          Doubt(i, "now, or only then?");
          hits_[i].conditional = true;
        }
        // "我想提交，但是没权限": what keeps the writer from it.
        const bool verb = std::any_of(next.tokens.begin(), next.tokens.end(), [&](const PhraseToken& token) {
          return token.taken >= 0 || phrases_.Has(token.concept_number, PhraseRole::kVerb);
        });
        const bool without = next.Has(PhraseRole::kNegation) || next.Has(PhraseRole::kMaybe);
        if (clause.Has(PhraseRole::kWant) && !asked && next.Has(PhraseRole::kTurn) && without && !verb)
          Doubt(i, "something is in the way");
        // "Push it, right?"
        if (next.tokens.size() == 1 && next.Has(PhraseRole::kQuestion) &&
            (next.question_mark || next.tokens.front().taken >= 0))
          Doubt(i, "a question?");
        // "自动修复改完之后，会不会再触发一遍门禁？": what happens behind it is the question.
        size_t j = i + 1;
        bool then = next.Has(PhraseRole::kBreak);
        if (then && next.tokens.empty() && j + 1 < hits_.size() && !read_.clauses[j + 1].new_sentence) ++j;
        const PhraseClause& last = read_.clauses[j];
        if (then && hits_[j].mood == Mood::kOff && last.Has(PhraseRole::kQuestion) && last.Has(PhraseRole::kTopic) &&
            !asked && !clause.Has(PhraseRole::kSoft))
          Doubt(i, "a question?");
      }
      // "接口定了再提交": what comes first, and not that it has come to it.
      if (hits_[i].command.empty() && !clause.tokens.empty() && clause.Has(PhraseRole::kPerfect) &&
          !next.new_sentence && next.Has(PhraseRole::kBreak) && !next.tokens.empty() && ActsToWrite(i + 1) &&
          !next.Has(PhraseRole::kPolite) && !MarkBetween(clause, next))
        Doubt(i + 1, "now, or at that time?");
      // "After the review is done, push": what comes first is not asked for.
      if (clause.leads_after && hits_[i].mood != Mood::kAct && !next.new_sentence && ActsToWrite(i + 1) &&
          !next.Has(PhraseRole::kPolite))
        Doubt(i + 1, "now, or at that time?");
      // "#12 什么情况了，合了吗": the second question says what the first one is about.
      if (hits_[i].mood == Mood::kAct && hits_[i].rule != nullptr && (hits_[i].rule->forms & kFormQuestion) != 0 &&
          !IsWrite(hits_[i].command) && !asked && !next.new_sentence && hits_[i + 1].mood == Mood::kAct &&
          hits_[i + 1].rule != nullptr && (hits_[i + 1].rule->forms & kFormQuestion) != 0 &&
          !hits_[i + 1].rule->anywhere.empty() && !next.Has(PhraseRole::kBreak) && !next.Has(PhraseRole::kInquiry)) {
        hits_[i].mood = Mood::kOff;
        hits_[i].because = "asked more closely";
      }
      read_before = read_before || (hits_[i].mood == Mood::kAct && !IsWrite(hits_[i].command));
    }
  }

  // "After X, Y": X is asked for only if Y is. "X and Y?" is one question.
  void JudgeAfter() {
    // "X after Y": not now.
    for (size_t i = 0; i + 1 < hits_.size(); ++i) {
      const PhraseClause& next = read_.clauses[i + 1];
      if (!next.time_only || next.new_sentence || hits_[i].mood != Mood::kAct || hits_[i].rule == nullptr ||
          !IsWrite(hits_[i].command))
        continue;
      hits_[i].mood = Mood::kDoubt;
      hits_[i].because = "now, or at that time?";
    }
    // "X 完了没问题就 Y": a step and what depends on it.
    for (size_t i = 0; i + 1 < hits_.size(); ++i) {
      const PhraseClause& clause = read_.clauses[i];
      const PhraseClause& next = read_.clauses[i + 1];
      if (!next.Has(PhraseRole::kGiven) || next.new_sentence || hits_[i].mood != Mood::kOff || hits_[i].negated ||
          hits_[i].rule == nullptr || IsWrite(hits_[i].command) || clause.for_others ||
          !clause.Has(PhraseRole::kStep) || clause.Has(PhraseRole::kSelf) || clause.Has(PhraseRole::kOther) ||
          IsQuestion(clause))
        continue;
      hits_[i].mood = Mood::kAct;
      hits_[i].because = "a step";
    }
    for (size_t i = hits_.size(); i-- > 1;) {
      const PhraseClause& clause = read_.clauses[hits_[i].clause];
      const bool question = HasQuestion(clause);
      if (!clause.joined) continue;
      // "What is X and Y": the question is about both.
      if (hits_[i - 1].mood == Mood::kOff && read_.clauses[hits_[i - 1].clause].Has(PhraseRole::kQuestion) &&
          hits_[i].rule != nullptr && (hits_[i].rule->forms & kFormQuestion) == 0) {
        hits_[i].mood = Mood::kOff;
        hits_[i].because = "a question";
      }
      if (!question || hits_[i].mood != Mood::kOff || hits_[i - 1].mood == Mood::kOff) continue;
      hits_[i - 1].mood = Mood::kOff;
      hits_[i - 1].because = "a question";
    }
    for (size_t i = 0; i < hits_.size(); ++i) {
      const PhraseClause& first = read_.clauses[i];
      if ((!first.after && !first.before) || hits_[i].rule == nullptr) continue;
      // A question word in front of "after" asks about what comes behind it too.
      if (i + 1 < hits_.size() && hits_[i].mood == Mood::kOff && read_.clauses[i].Has(PhraseRole::kQuestion) &&
          !read_.clauses[i + 1].new_sentence && hits_[i + 1].rule != nullptr &&
          (hits_[i + 1].rule->forms & kFormQuestion) == 0) {
        hits_[i + 1].mood = Mood::kOff;
        hits_[i + 1].because = "a question";
      }
      if (hits_[i].mood == Mood::kOff) continue;
      // "What happens after X?", in the order of Chinese.
      if (i + 1 < hits_.size() && IsWrite(hits_[i].command) && !read_.clauses[i + 1].new_sentence &&
          IsQuestion(read_.clauses[i + 1]) && !read_.clauses[i + 1].Has(PhraseRole::kInquiry) &&
          !read_.clauses[i + 1].Has(PhraseRole::kPolite)) {
        hits_[i].mood = Mood::kOff;
        hits_[i].because = "a question";
        continue;
      }
      const bool follows = i + 1 < hits_.size() && hits_[i + 1].mood == Mood::kAct;
      if (follows) continue;
      hits_[i].mood = Mood::kOff;
      hits_[i].because = "says when";
    }
  }

  void Judge(Hit& hit) const {
    const PhraseClause& clause = read_.clauses[hit.clause];
    const PhraseRule& rule = *hit.rule;
    const auto has = [&](PhraseRole role) { return clause.Has(role); };
    // A role of a word in front of what the rule speaks of, within it, or behind it.
    const auto in = [&](PhraseRole role, size_t begin, size_t end) {
      for (size_t i = begin; i < std::min(end, clause.tokens.size()); ++i) {
        if (phrases_.Has(clause.tokens[i].concept_number, role)) return true;
      }
      return false;
    };
    const auto in_unknown = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        if (clause.tokens[i].concept_number == phrases_.unknown) return true;
      }
      return false;
    };
    const auto off = [&](std::string because) {
      hit.mood = Mood::kOff;
      hit.because = std::move(because);
    };
    const size_t size = clause.tokens.size();
    const bool wanted = clause.want_before <= hit.begin;
    // "Zhang San 把代码提交了": whoever stands in front takes it.
    bool takes = has(PhraseRole::kTake);
    for (size_t i = 0; i < std::min(clause.take_before, size); ++i) {
      const uint16_t number = clause.tokens[i].concept_number;
      takes = takes && number != phrases_.unknown && !phrases_.Has(number, PhraseRole::kOther);
    }
    // "刚把代码提交了" tells of it; "把刚才的代码提交了" asks for it.
    bool done_first = false;
    for (size_t i = 0; takes && i < std::min(clause.take_before, size); ++i)
      done_first = done_first || phrases_.Has(clause.tokens[i].concept_number, PhraseRole::kDone);
    takes = takes && !done_first;
    const bool asked = has(PhraseRole::kPolite) || takes || wanted;
    const bool marked = asked || has(PhraseRole::kSoft) || has(PhraseRole::kThanks);
    if (rule.polite && !asked) return off("nobody asks for it");
    const bool statement_too = (rule.forms & kFormStatement) != 0;
    const bool question_too = (rule.forms & kFormQuestion) != 0;

    // 1. What keeps any command off.
    if (clause.for_others) return off("addressed to somebody else");
    if (has(PhraseRole::kNegation)) {
      hit.negated = true;
      return off("negated");
    }
    if (has(PhraseRole::kCancel)) {
      hit.negated = true;
      return off("taken back");
    }
    if (rule.certain) {
      hit.mood = Mood::kAct;
      hit.because = "certain";
      return;
    }
    if (clause.thanks_first && !asked && !has(PhraseRole::kSoft)) return off("thanks for it");
    if (told_[hit.clause] && !has(PhraseRole::kPolite)) return off("somebody says so");
    if (has(PhraseRole::kLater) || deferred_[hit.clause]) return off("not now");
    // "跑 UT，等过了再提交": what it waits for is asked for as well.
    const bool waits = waits_[hit.clause] && !std::any_of(hits_.begin(), hits_.end(), [&](const Hit& before) {
                         return before.mood == Mood::kAct && !IsWrite(before.command);
                       });
    if (waits && !has(PhraseRole::kPolite)) return off("not now");
    if (clause.before || clause.time_only) return off("says when");
    if (has(PhraseRole::kTopic) && !question_too) return off("speaks about it");

    // "The retest passed": a noun.
    if (clause.first_is_noun && hit.begin == 0 && !asked && !question_too && !statement_too &&
        phrases_.Has(clause.tokens[0].concept_number, PhraseRole::kVerb)) {
      return off("a noun");
    }

    // "怎么看门禁日志", "remember to sync your fork".
    if (has(PhraseRole::kHow) && !has(PhraseRole::kPolite) && AsksHow(clause)) return off("asks how it is done");
    if (has(PhraseRole::kRemind) && in(PhraseRole::kOther, 0, size)) return off("said to whoever reads it");

    // 2. Questions about how things are.
    const bool sure_question = has(PhraseRole::kQuestion) || clause.first_auxiliary;
    const bool follows = hit.clause > 0 && !clause.new_sentence && read_.clauses[hit.clause - 1].after;
    const bool maybe_question = MayAsk(clause) || (has(PhraseRole::kPermit) && (hit.command == "ask" || follows));
    bool doubt = false;
    if (!question_too) {
      if (sure_question) return off("a question");
      // "Do we need to … ?" wants nothing.
      const bool please = has(PhraseRole::kPolite) || (wanted && has(PhraseRole::kSelf)) ||
                          ((takes || has(PhraseRole::kSoft) || has(PhraseRole::kThanks)) && !AsksAtLast(clause));
      if (maybe_question && !please) {
        if (hit.begin > 1 || !HasReference(clause)) return off("a question");
        doubt = true;
      } else if (clause.question_mark && !marked && !maybe_question) {
        // "生成的提交信息默认是中文还是英文？": one or the other of what we don't know.
        // "同步 fork 是只同步 master 还是所有分支？": how it is done.
        if (has(PhraseRole::kAlternative) && (in_unknown(0, size) || in(PhraseRole::kFinite, 0, size)))
          return off("a question");
        doubt = true;
      }
    }

    // 3. Reports and plans.
    if (!statement_too && !(question_too && (sure_question || maybe_question || clause.question_mark))) {
      // "This patch makes the bot push": in front of the verb, wherever the rule begins.
      size_t verb = hit.begin;
      while (!takes && verb < hit.end && !phrases_.Has(clause.tokens[verb].concept_number, PhraseRole::kVerb)) ++verb;
      if (verb == hit.end) verb = hit.begin;
      if (in(PhraseRole::kOther, 0, verb) && !has(PhraseRole::kPolite)) return off("somebody else does it");
      // Behind "把" it says whose.
      if (in(PhraseRole::kSelf, 0, std::min(hit.begin, clause.take_before)) && !has(PhraseRole::kPolite) && !wanted)
        return off("the writer does it");
      if (has(PhraseRole::kPlan) && !has(PhraseRole::kPolite)) return off("a plan");
      // "已经帮你把代码提交了"
      const bool first = in(PhraseRole::kDone, 0, std::min(clause.please_before, hit.begin));
      if (has(PhraseRole::kPolite) && first && !has(PhraseRole::kStep)) {
        if (has(PhraseRole::kPerfect)) return off("it has happened");
        doubt = doubt || IsWrite(hit.command);
      }
      const bool step = clause.after && has(PhraseRole::kStep);
      if (has(PhraseRole::kDone) && !step && !has(PhraseRole::kPolite) && !takes && clause.want_before != 0)
        return off("it has happened");
      if (!step && in(PhraseRole::kPerfect, hit.begin, size) &&
          !(has(PhraseRole::kPolite) || takes || has(PhraseRole::kSoft) || has(PhraseRole::kPermit)))
        return off("it has happened");
      // "看下 #12 门禁是哪个用例挂了": what is to be told may be a sentence of its own.
      const bool told = !IsWrite(hit.command) && question_too && hit.begin == 0 && hit.end > 1 &&
                        phrases_.Has(clause.tokens[0].concept_number, PhraseRole::kInquiry);
      if (!told && in(PhraseRole::kFinite, hit.end, hit.end + 4) && !has(PhraseRole::kPolite))
        return off("a statement");
    }

    // "把 #12 压成一个完了"
    const auto is = [&](size_t i, PhraseRole role) { return phrases_.Has(clause.tokens[i].concept_number, role); };
    if (takes && !clause.after && !has(PhraseRole::kPolite) && size >= 2 && hit.end < size &&
        is(size - 1, PhraseRole::kPerfect) && is(size - 2, PhraseRole::kStep))
      return off("it has happened");
    // "To push, comment on the pull request": what for.
    if (!question_too && IsWrite(hit.command) && clause.new_sentence && hit.begin == 1 && is(0, PhraseRole::kTarget) &&
        read_.text.text[clause.tokens[0].begin] == 't')
      return off("what for");

    // 4. What stands in front of the verb.
    size_t unknown = 0;
    for (size_t i = 0; i < hit.begin; ++i) unknown += clause.tokens[i].concept_number == phrases_.unknown ? 1u : 0u;
    if (!statement_too && !marked && unknown > 0) {
      if (unknown > 1) return off("too much that we don't know in front of it");
      doubt = doubt || IsWrite(hit.command);
    }
    // "有结论了再推送": what comes first, and not that it has come to it.
    if (has(PhraseRole::kBreak) && in(PhraseRole::kPerfect, 0, hit.begin) && !has(PhraseRole::kPolite) && !takes &&
        IsWrite(hit.command))
      doubt = true;
    // "接口定了再 squash 一下": a word for a little work asks for it, but what stands in front may be who or when.
    if (!statement_too && marked && !asked && hit.begin > 0 && IsWrite(hit.command) &&
        in(PhraseRole::kVerb, hit.begin, hit.begin + 1) && in_unknown(hit.begin - 1, hit.begin))
      doubt = true;
    if (!question_too && clause.question_mark && !marked && unknown > 0) return off("a question");
    // What stands around a verb of Chinese decides whether it is one: "提交任务", "推送服务".
    if (!statement_too && !marked && IsWrite(hit.command) && HasUnknownChinese(clause)) {
      if (!HasReference(clause)) return off("too much that we don't know around it");
      doubt = true;
    }

    // What writes needs the mood of a request: not a noun, not a clause about something else.
    if (!statement_too && IsWrite(hit.command)) {
      if (has(PhraseRole::kGerund) && !has(PhraseRole::kPolite)) {
        if (!marked) return off("a noun");
        doubt = true;
      }
      if (!marked && !HasReference(clause) && in(PhraseRole::kFinite, 0, hit.begin)) return off("a statement");
      // "Push fails", "同步报错了".
      if (!has(PhraseRole::kPolite) && !wanted && WentWrong(clause, hit)) return off("it went wrong");
      doubt = doubt || named_[hit.clause];
      // "把会议纪要提交一下": something that we don't know, and nothing that we do.
      if (marked && !HasReference(clause) && HasUnknownChinese(clause) && !HasThing(clause, hit)) doubt = true;
      // "把截图补到 #12", "add a note to #12", "put #12 on the agenda": what is taken to the pull request, or what it
      // is taken to, is something that we don't know.
      if (HasReference(clause) && !HasMore(clause, hit) && TakesUnknown(clause, hit)) doubt = true;
      // "Commit to the plan".
      if (!marked && !HasReference(clause) && hit.end + 1 < size &&
          phrases_.Has(clause.tokens[hit.end].concept_number, PhraseRole::kTarget) &&
          clause.tokens[hit.end + 1].concept_number == phrases_.unknown)
        doubt = true;
      // "Push rights", "commit culture": what follows a verb without an article may make a noun of it.
      if (!marked && !HasReference(clause) && hit.begin + 1 < size &&
          clause.tokens[hit.begin + 1].concept_number == phrases_.unknown &&
          (hit.begin + 1 >= 64 || (clause.articles >> (hit.begin + 1) & 1) == 0))
        doubt = true;
      doubt = doubt || has(PhraseRole::kRemind);
    }

    // 5. Conditions.
    const bool condition = has(PhraseRole::kCondition) || conditional_[hit.clause];
    // "先别提交，等 review": what it waits for, and nothing follows it.
    const bool last = hit.clause + 1 == read_.clauses.size() || read_.clauses[hit.clause + 1].new_sentence;
    for (size_t i = 0; last && !marked && i + 1 < hit.end; ++i) {
      if (in(PhraseRole::kCondition, i, i + 1) && (i + 1 == hit.begin || in(PhraseRole::kVerb, i + 1, i + 2)))
        return off("says when");
    }
    // "如果 review 没问题就提交": what is in the condition is not asked for.
    if (!last && !has(PhraseRole::kPolite) && !IsWrite(hit.command) && !statement_too && !IsQuestion(clause) &&
        in(PhraseRole::kCondition, 0, hit.begin))
      return off("says when");
    if (condition && !statement_too) {
      hit.conditional = true;
      if (IsWrite(hit.command)) doubt = true;
    }
    if (has(PhraseRole::kGiven) && IsWrite(hit.command)) {
      hit.conditional = true;
      doubt = true;
    }
    doubt = doubt || (clause.thanks_first && IsWrite(hit.command));
    if (statement_too && !marked && !sure_question && !maybe_question && !clause.question_mark &&
        !has(PhraseRole::kInquiry)) {
      // Only a message that says nothing else, about now, asks for a command that writes by telling how things are.
      const bool alone = read_.clauses.size() == 1 && !has(PhraseRole::kDone) && unknown == 0;
      const bool possible = !condition && (alone || !IsWrite(hit.command));
      hit.mood = possible ? Mood::kStatement : Mood::kOff;
      hit.because = "tells how things are";
      return;
    }
    if (statement_too && IsWrite(hit.command) && !marked) doubt = true;
    hit.mood = doubt ? Mood::kDoubt : Mood::kAct;
    hit.because = doubt ? "may be asked for" : "asked for";
  }

  // A failure behind the verb, and none that is to be mended.
  bool WentWrong(const PhraseClause& clause, const Hit& hit) const {
    const auto is = [&](size_t i, PhraseRole role) {
      return i < clause.tokens.size() && phrases_.Has(clause.tokens[i].concept_number, role);
    };
    const bool mends = clause.Has(PhraseRole::kMend);
    for (size_t i = hit.begin + 1; i < clause.tokens.size(); ++i) {
      if (!is(i, PhraseRole::kFailure)) continue;
      if (is(i - 1, PhraseRole::kVerb) && !is(i + 1, PhraseRole::kThing)) return true;
      if (i >= hit.end && !mends) return true;
    }
    return false;
  }

  // What a command is about is among the words: more than its verbs.
  bool HasThing(const PhraseClause& clause, const Hit& hit) const {
    for (size_t i = 0; i < clause.tokens.size(); ++i) {
      const uint16_t number = clause.tokens[i].concept_number;
      if (phrases_.Has(number, PhraseRole::kThing) && (i < hit.begin || i >= hit.end || hit.end - hit.begin > 1))
        return true;
    }
    return false;
  }

  // A question word that stands right in front of a verb.
  bool AsksHow(const PhraseClause& clause) const {
    for (size_t i = 0; i + 1 < clause.tokens.size(); ++i) {
      if (phrases_.Has(clause.tokens[i].concept_number, PhraseRole::kQuestion) &&
          phrases_.Has(clause.tokens[i + 1].concept_number, PhraseRole::kVerb))
        return true;
    }
    return false;
  }

  bool UnknownChinese(const PhraseToken& token) const {
    return token.concept_number == phrases_.unknown && static_cast<unsigned char>(read_.text.text[token.begin]) >= 0x80;
  }

  bool HasUnknownChinese(const PhraseClause& clause) const {
    return std::any_of(clause.tokens.begin(), clause.tokens.end(),
                       [&](const PhraseToken& token) { return UnknownChinese(token); });
  }

  // Something that we don't know is the object of the verb or, where nothing is taken to the reference, its target.
  bool TakesUnknown(const PhraseClause& clause, const Hit& hit) const {
    const auto unknown = [&](size_t i) {
      return clause.tokens[i].taken < 0 && clause.tokens[i].concept_number == phrases_.unknown;
    };
    for (size_t i = std::min(clause.take_before, hit.begin); i < hit.end; ++i) {
      if (unknown(i)) return true;
    }
    const bool aimed = hit.end >= 2 && phrases_.Has(clause.tokens[hit.end - 2].concept_number, PhraseRole::kTarget) &&
                       !phrases_.Has(clause.tokens[hit.end - 1].concept_number, PhraseRole::kVerb);
    size_t behind = hit.end;
    if (behind < clause.tokens.size() && phrases_.Has(clause.tokens[behind].concept_number, PhraseRole::kTarget))
      ++behind;
    return !aimed && behind < clause.tokens.size() && unknown(behind);
  }

  // A thing among the words that no find took, and that is not the verb: more than the pull request.
  bool HasMore(const PhraseClause& clause, const Hit& hit) const {
    for (size_t i = 0; i < clause.tokens.size(); ++i) {
      const uint16_t number = clause.tokens[i].concept_number;
      if (clause.tokens[i].taken < 0 && phrases_.Has(number, PhraseRole::kThing) &&
          (i != hit.begin || !phrases_.Has(number, PhraseRole::kVerb)))
        return true;
    }
    return false;
  }

  // "Can …", and "可以提 PR" but not "可以提 PR 了".
  static bool MayAsk(const PhraseClause& clause) {
    return clause.Has(PhraseRole::kMaybe) || (clause.Has(PhraseRole::kPermit) && !clause.Has(PhraseRole::kPerfect));
  }

  // "… 吗", and nothing that asks whether it can be done.
  static bool AsksAtLast(const PhraseClause& clause) {
    return clause.Has(PhraseRole::kFinal) && !clause.can && !clause.Has(PhraseRole::kPermit);
  }

  static bool HasQuestion(const PhraseClause& clause) {
    return clause.Has(PhraseRole::kQuestion) || MayAsk(clause) || clause.question_mark;
  }

  static bool IsQuestion(const PhraseClause& clause) { return HasQuestion(clause) || clause.first_auxiliary; }

  bool HasReference(const PhraseClause& clause) const {
    std::vector<Reference> list;
    References(clause, list);
    return !list.empty();
  }

  // ---- slots

  const std::string* Value(const PhraseToken& token, std::string_view slot) const {
    if (token.taken < 0) return nullptr;
    for (const auto& [name, value] : read_.taken[static_cast<size_t>(token.taken)].values) {
      if (name == slot) return &value;
    }
    return nullptr;
  }

  void References(const PhraseClause& clause, std::vector<Reference>& list) const {
    for (const PhraseToken& token : clause.tokens) {
      if (token.taken < 0) continue;
      const std::string* repo = Value(token, "repo");
      for (const auto& [name, value] : read_.taken[static_cast<size_t>(token.taken)].values) {
        if (name == "pr") AddOnce(list, {value, repo == nullptr ? std::string() : *repo});
      }
    }
  }

  // A bare number that stands where the number of a pull request does.
  void BareNumber(const PhraseClause& clause, std::vector<Reference>& list) const {
    if (!list.empty()) return;
    for (size_t i = 0; i < clause.tokens.size(); ++i) {
      if (clause.tokens[i].concept_number != phrases_.number) continue;
      // The last word, or followed by something that is no noun.
      const bool last = i + 1 == clause.tokens.size() || clause.tokens[i + 1].concept_number == phrases_.option;
      if (!last) continue;
      const size_t at = clause.tokens[i].begin;
      size_t end = at;
      const std::string& text = read_.text.text;
      while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
      if (end - at <= 9) AddOnce(list, {text.substr(at, end - at), ""});
      return;
    }
  }

  void PutReference(const Reference& reference, const PhraseCommandInfo& info, ordered_json& slots) const {
    if (!Takes(info, "pr")) return;
    if (reference.pr.size() <= 18) slots["pr"] = std::strtoll(reference.pr.c_str(), nullptr, 10);
    if (!reference.repo.empty()) slots["repo"] = reference.repo;
  }

  static bool Takes(const PhraseCommandInfo& info, std::string_view slot) {
    return std::find(info.slots.begin(), info.slots.end(), slot) != info.slots.end();
  }

  // People, one by one.
  static ordered_json People(const std::string& text) {
    ordered_json list = ordered_json::array();
    std::string name;
    const auto put = [&] {
      if (!name.empty() && name != "and") list.push_back(name);
      name.clear();
    };
    for (size_t pos = 0; pos < text.size();) {
      size_t next = pos;
      const char32_t c = NextCodePoint(text, next);
      const bool part = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                        c == '-' || c == '.' ||
                        (c > 0x2FFF && c != 0x3001 && c != 0x3000 && c != 0xFF0C && c != 0xFF20 && c != 0x548C &&
                         c != 0x8DDF && c != 0x4E0E);
      if (part) {
        name.append(text, pos, next - pos);
      } else {
        put();
      }
      pos = next;
    }
    put();
    return list;
  }

  // Puts what a clause gives into the slots of a command.
  void FillFrom(const PhraseClause& clause, const PhraseCommandInfo& info, bool own, ordered_json& slots) const {
    for (const PhraseToken& token : clause.tokens) {
      if (token.taken < 0) continue;
      for (const auto& [name, value] : read_.taken[static_cast<size_t>(token.taken)].values) {
        if (name == "pr" || name == "repo" || value.empty()) continue;
        const std::string slot = name == "ref" ? info.ref : name == "bare" ? info.bare : std::string(name);
        if (slot.empty() || !Takes(info, slot)) continue;
        if (slot == "reviewers") {
          ordered_json people = People(value);
          if (people.empty()) continue;
          ordered_json& list = slots[slot];
          if (list.is_null()) list = ordered_json::array();
          for (ordered_json& one : people) {
            if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(std::move(one));
          }
        } else if (!slots.contains(slot)) {
          slots[slot] = value;
        }
      }
    }
    for (const auto& [slot, value] : clause.set) {
      if (Takes(info, slot) && (own || !slots.contains(slot))) slots[slot] = value;
    }
  }

  // ---- decision

  Interpretation None(std::string why) const {
    Interpretation out;
    out.command = "none";
    out.confidence = 0.9;
    out.why = std::move(why);
    return out;
  }

  Interpretation Ask(std::string why, std::vector<PhraseCommand> choices) const {
    Interpretation out;
    out.command = "ask";
    out.confidence = 0.5;
    out.why = std::move(why);
    out.choices = std::move(choices);
    return out;
  }

  void Use(const std::string& id) {
    if (std::find(used_.begin(), used_.end(), id) == used_.end()) used_.push_back(id);
  }

  // What a clause may mean: its command, or those that its rule names where that asks back.
  void AddChoices(const Hit& hit, const std::vector<Reference>& all, std::vector<PhraseCommand>& choices) const {
    Hit one = hit;
    const std::vector<std::string> named = hit.rule == nullptr ? std::vector<std::string>() : hit.rule->choices;
    for (const std::string& command : hit.command == "ask" ? named : std::vector<std::string>{hit.command}) {
      one.command = command;
      PhraseCommand choice = Fill(one, all, true);
      if (std::find(choices.begin(), choices.end(), choice) == choices.end()) choices.push_back(std::move(choice));
    }
  }

  std::string Why(const Hit& hit) const {
    return (hit.rule == nullptr ? std::string("command-line") : hit.rule->id) + ": " + hit.because;
  }

  // Slots of a command: what its own clause says, then what the rest of the message says, then the thread.
  PhraseCommand Fill(const Hit& hit, const std::vector<Reference>& all, bool first) const {
    PhraseCommand out;
    out.command = hit.command;
    const PhraseCommandInfo* info = phrases_.Command(hit.command);
    if (info == nullptr) return out;
    const PhraseClause& own = read_.clauses[hit.clause];
    std::vector<Reference> here;
    References(own, here);
    BareNumber(own, here);
    if (here.empty() && all.size() == 1) here = all;
    if (!here.empty()) {
      PutReference(here.front(), *info, out.slots);
    } else if (context_.pr.has_value() && Takes(*info, "pr")) {
      out.slots["pr"] = *context_.pr;
      if (!context_.repo.empty()) out.slots["repo"] = context_.repo;
    }
    FillFrom(own, *info, true, out.slots);
    if (first) {
      for (size_t i = 0; i < read_.clauses.size(); ++i) {
        const PhraseClause& clause = read_.clauses[i];
        if (i == hit.clause || clause.for_others) continue;
        // What belongs to another command is not ours.
        if (hits_[i].mood == Mood::kAct && hits_[i].command != "ask" && hits_[i].command != hit.command &&
            !Absorbed(hits_[i], hit.command))
          continue;
        FillFrom(clause, *info, false, out.slots);
      }
    }
    return out;
  }

  bool Absorbed(const Hit& hit, const std::string& into) const {
    return std::any_of(phrases_.absorbs.begin(), phrases_.absorbs.end(),
                       [&](const PhraseAbsorb& one) { return one.command == hit.command && one.into == into; });
  }

  Interpretation Decide() {
    // 1. Words that take back what was said before.
    bool corrected = false;
    for (size_t i = 0; i < hits_.size(); ++i) {
      const PhraseClause& clause = read_.clauses[i];
      const bool nothing_else = std::none_of(clause.tokens.begin(), clause.tokens.end(), [&](const PhraseToken& token) {
        return phrases_.Has(token.concept_number, PhraseRole::kVerb) || token.taken >= 0;
      });
      if (nothing_else && hits_[i].command.empty() && !clause.for_others &&
          (clause.Has(PhraseRole::kCancel) || (clause.Has(PhraseRole::kNegation) && clause.tokens.size() <= 2))) {
        // "先不用改": forbids what else might be done, not the look that was asked for.
        const bool all = clause.Has(PhraseRole::kCancel) || clause.tokens.size() == 1;
        for (size_t j = 0; j < i; ++j) {
          if (hits_[j].mood == Mood::kOff || (!all && !IsWrite(hits_[j].command))) continue;
          hits_[j].mood = Mood::kOff;
          hits_[j].because = "taken back";
        }
      }
      if (clause.Has(PhraseRole::kCorrect)) corrected = true;
    }

    // 2. A condition behind a command that was asked for is a sequence.
    bool any_before = false;
    for (Hit& hit : hits_) {
      if (hit.mood == Mood::kDoubt && hit.conditional && any_before) {
        hit.mood = Mood::kAct;
        hit.because = "asked for, if the step before allows it";
      }
      any_before = any_before || (hit.mood == Mood::kAct && (!hit.conditional || hit.rule == nullptr || any_before));
    }

    // 3. Commands that are options of others.
    std::vector<const Hit*> acts;
    std::vector<const Hit*> doubts;
    const Hit* statement = nullptr;
    bool forbidden = false;
    for (const Hit& hit : hits_) {
      if (hit.command == "none") continue;
      if (hit.mood == Mood::kAct) {
        acts.push_back(&hit);
        if (hit.rule == nullptr) continue;
        for (const std::string& next : hit.rule->then) {
          besides_.push_back(hit);
          besides_.back().command = next;
          acts.push_back(&besides_.back());
        }
      }
      if (hit.mood == Mood::kDoubt) doubts.push_back(&hit);
      if (hit.mood == Mood::kStatement && statement == nullptr) statement = &hit;
      // "今天不 sync 了，master 编译挂着呢": a reason, told as well.
      const PhraseClause& clause = read_.clauses[hit.clause];
      forbidden = forbidden || hit.negated ||
                  (hit.command.empty() && clause.Has(PhraseRole::kNegation) && clause.Has(PhraseRole::kDeed));
      // "门禁挂了，我自己查", "…，别管": the writer sees to it, or nobody need.
      const bool behind = statement != nullptr && statement->clause < hit.clause && hit.mood == Mood::kOff;
      const bool nothing = hit.command.empty() && clause.Has(PhraseRole::kNegation) && clause.tokens.size() <= 2;
      forbidden = forbidden || (behind && (clause.Has(PhraseRole::kPlan) || nothing));
    }
    std::vector<std::pair<std::string, nlohmann::json>> extra;
    for (const PhraseAbsorb& absorb : phrases_.absorbs) {
      const auto into =
          std::find_if(acts.begin(), acts.end(), [&](const Hit* hit) { return hit->command == absorb.into; });
      if (into == acts.end()) continue;
      const Hit* taker = *into;
      for (const Hit& hit : hits_) {
        if (hit.command != absorb.command || hit.clause == taker->clause) continue;
        std::vector<Reference> own;
        References(read_.clauses[hit.clause], own);
        if (!own.empty()) continue;
        if (hit.negated && !absorb.negated.empty()) {
          for (const auto& [slot, value] : absorb.negated.items()) extra.emplace_back(slot, value);
        } else if ((hit.mood == Mood::kAct || hit.mood == Mood::kDoubt) && !absorb.set.empty()) {
          for (const auto& [slot, value] : absorb.set.items()) extra.emplace_back(slot, value);
          acts.erase(std::remove(acts.begin(), acts.end(), &hit), acts.end());
          doubts.erase(std::remove(doubts.begin(), doubts.end(), &hit), doubts.end());
        }
      }
    }
    // A question back is only for a message that asks for nothing clear.
    const Hit* unclear = nullptr;
    for (const Hit* hit : acts) {
      if (hit->command == "ask" && unclear == nullptr) unclear = hit;
    }
    const bool clear = std::any_of(acts.begin(), acts.end(), [](const Hit* hit) { return hit->command != "ask"; });
    if (clear && unclear != nullptr && (acts.front() != unclear || unclear->rule->rank <= kVague)) unclear = nullptr;
    if (clear) {
      acts.erase(std::remove_if(acts.begin(), acts.end(), [](const Hit* hit) { return hit->command == "ask"; }),
                 acts.end());
    }

    // 4. What there is to choose from.
    std::vector<Reference> all;
    for (const PhraseClause& clause : read_.clauses) {
      if (!clause.for_others) References(clause, all);
    }
    if (unclear != nullptr) {
      std::vector<PhraseCommand> choices;
      for (const Hit* hit : acts) AddChoices(*hit, all, choices);
      return Ask(Why(*unclear), std::move(choices));
    }
    if (acts.empty()) {
      if (!doubts.empty()) {
        std::vector<PhraseCommand> choices;
        for (const Hit* hit : doubts) AddChoices(*hit, all, choices);
        return Ask(Why(*doubts.front()), std::move(choices));
      }
      if (statement != nullptr && !forbidden) {
        acts.push_back(statement);
      } else {
        return None(NoneWhy());
      }
    }

    // 5. The command, and the ones behind it. A condition may stand before or behind any of these.
    const bool conditions = std::any_of(read_.clauses.begin(), read_.clauses.end(), [](const PhraseClause& clause) {
      return clause.Has(PhraseRole::kCondition) || clause.Has(PhraseRole::kGiven);
    });
    Hit main = *acts.front();
    if (const PhraseCommandInfo* info = phrases_.Command(main.command);
        info != nullptr && !info->designated.empty() && main.rule != nullptr && all.size() == 1 && Designates(main))
      main.command = info->designated;
    Interpretation out;
    PhraseCommand command = Fill(main, all, true);
    for (const auto& [slot, value] : extra) {
      if (const PhraseCommandInfo* info = phrases_.Command(command.command); info != nullptr && Takes(*info, slot))
        command.slots[slot] = value;
    }
    std::string doubt = Doubt(main, command, all, corrected, acts);
    if (!doubt.empty()) return Ask(Why(main) + "; " + doubt, {command});
    out.command = command.command;
    out.slots = command.slots;
    out.why = Why(main);
    std::vector<Reference> mine;
    References(read_.clauses[main.clause], mine);
    for (size_t i = 1; i < acts.size(); ++i) {
      PhraseCommand next = Fill(*acts[i], all, false);
      next.conditional = conditions;
      const bool same = next.command == out.command ||
                        std::any_of(out.then.begin(), out.then.end(),
                                    [&](const PhraseCommand& one) { return one.command == next.command; });
      if (same) continue;
      const PhraseCommandInfo* info = phrases_.Command(next.command);
      if (info != nullptr && Takes(*info, "pr") && !next.slots.contains("pr") && out.slots.contains("pr")) {
        next.slots["pr"] = out.slots["pr"];
        if (out.slots.contains("repo")) next.slots["repo"] = out.slots["repo"];
      }
      if (info != nullptr && info->asks_with_reference && out.slots.contains("pr")) continue;
      // A write that is not clear is left out: it can be asked for again.
      if (IsWrite(next.command) && corrected) continue;
      out.why += "; then " + Why(*acts[i]);
      out.then.push_back(std::move(next));
    }
    out.confidence = main.rule == nullptr ? 1.0 : main.mood == Mood::kStatement ? 0.7 : read_.misspelt ? 0.8 : 0.95;
    return out;
  }

  // What keeps a command from being carried out as it is; empty for nothing.
  std::string Doubt(const Hit& main, const PhraseCommand& command, const std::vector<Reference>& all, bool corrected,
                    const std::vector<const Hit*>& acts) const {
    const PhraseCommandInfo* info = phrases_.Command(main.command);
    if (info == nullptr) return "unknown command";
    for (const std::string& need : info->needs) {
      if (!command.slots.contains(need)) return "which " + need + "?";
    }
    const PhraseClause& clause = read_.clauses[main.clause];
    std::vector<Reference> here;
    References(clause, here);
    if (!info->write) return {};
    if (cut_ || read_.too_many) return "the message is too long";
    if (here.size() > 1) return "more than one pull request";
    if (here.empty() && all.size() > 1 && Takes(*info, "pr")) return "more than one pull request";
    if (corrected) return "the message corrects itself";
    if (info->asks_with_reference) {
      std::vector<Reference> elsewhere;
      for (size_t i = 0; i < read_.clauses.size(); ++i) {
        // "Push 一下，#12": a clause that only asks back takes it no more than one that asks for nothing.
        const bool takes = hits_[i].mood == Mood::kAct && hits_[i].command != "ask";
        if (!read_.clauses[i].for_others && !takes) References(read_.clauses[i], elsewhere);
      }
      if (!elsewhere.empty()) return "for that pull request?";
    }
    if (clause.Has(PhraseRole::kBulk)) return "more than one subject";
    if (clause.Has(PhraseRole::kAlternative)) {
      for (const Hit* other : acts) {
        if (other->command != main.command) return "one or the other?";
      }
    }
    return {};
  }

  // "Push, it's for #12": another clause that says nothing but which pull request the command is for.
  bool Designates(const Hit& main) const {
    for (size_t i = 0; i < read_.clauses.size(); ++i) {
      const PhraseClause& clause = read_.clauses[i];
      if (i == main.clause || !HasReference(clause)) continue;
      const bool plain = i > main.clause && !clause.new_sentence && !clause.for_others && clause.slash.empty() &&
                         !IsQuestion(clause) && !clause.Has(PhraseRole::kNegation) && !clause.Has(PhraseRole::kVerb) &&
                         !clause.Has(PhraseRole::kDone) && !clause.Has(PhraseRole::kPlan) &&
                         !clause.Has(PhraseRole::kLater) && !clause.Has(PhraseRole::kCondition) &&
                         !clause.Has(PhraseRole::kTopic) && !clause.Has(PhraseRole::kSource);
      const bool names = std::all_of(clause.tokens.begin(), clause.tokens.end(), [&](const PhraseToken& token) {
        return phrases_.Has(token.concept_number, PhraseRole::kThing) ||
               phrases_.Has(token.concept_number, PhraseRole::kTarget) ||
               phrases_.Has(token.concept_number, PhraseRole::kFinite);
      });
      return plain && names && clause.Has(PhraseRole::kFinite);
    }
    return false;
  }

  std::string NoneWhy() const {
    for (const Hit& hit : hits_) {
      if (!hit.command.empty() && hit.rule != nullptr) return Why(hit);
    }
    return "nothing is asked for";
  }

  const PhraseSet::Impl& phrases_;
  const PhraseContext& context_;
  const bool cut_;
  ReadPhrase read_;
  std::vector<bool> conditional_;
  std::vector<bool> deferred_;  // it depends on what the writer will do
  std::vector<bool> waits_;     // it has to wait for what its sentence names
  std::vector<bool> named_;     // its sentence may name somebody whom it is said to
  std::vector<bool> told_;      // its sentence names who or what says so
  std::vector<Hit> hits_;       // one for each clause
  std::deque<Hit> besides_;     // further commands of clauses
  std::set<std::string, std::less<>> spoken_;
  std::vector<std::string> used_;
};

}  // namespace

Interpretation PhraseSet::Interpret(std::string_view message, const PhraseContext& context) const {
  return Run(*impl_, message, context).Interpret();
}

std::vector<std::string> PhraseSet::UsedRules(std::string_view message, const PhraseContext& context) const {
  Run run(*impl_, message, context);
  run.Interpret();
  return run.used();
}

std::string PhraseSet::Explain(std::string_view message) const {
  return Run(*impl_, message, PhraseContext()).Explain();
}

}  // namespace yardmaster::rules
