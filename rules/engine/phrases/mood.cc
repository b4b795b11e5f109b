#include "rules/engine/phrases/mood.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/phrases/clause_facts.h"
#include "rules/engine/phrases/clause_mood.h"

namespace yardmaster::rules {
namespace {

class MessageJudge {
 public:
  MessageJudge(const PhraseSet::Impl& phrases, const ReadPhrase& read, std::vector<Hit>& hits)
      : phrases_(phrases), read_(read), hits_(hits) {}

  void Judge() {
    const std::vector<SentenceFacts> sentences = ReadSentences();
    for (size_t i = 0; i < hits_.size(); ++i) {
      Hit& hit = hits_[i];
      if (hit.rule != nullptr) {
        JudgeClause(phrases_, read_, sentences[i], hits_, hit);
      } else if (!read_.clauses[i].slash.empty()) {
        JudgeCommandLine(i);
      }
    }
    JudgeTimes();
    JudgeSteps();
    JudgeJoined();
    JudgeAfter();
    JudgeBehind();
  }

 private:
  // ---- sentences

  std::vector<SentenceFacts> ReadSentences() const {
    std::vector<SentenceFacts> facts(read_.clauses.size());
    for (size_t begin = 0; begin < facts.size();) {
      size_t end = begin + 1;
      while (end < facts.size() && !read_.clauses[end].new_sentence) ++end;
      ReadSentence(begin, end, facts);
      begin = end;
    }
    return facts;
  }

  void ReadSentence(size_t begin, size_t end, std::vector<SentenceFacts>& facts) const {
    SentenceFacts whole;
    for (size_t i = begin; i < end; ++i) {
      whole.told = whole.told || read_.clauses[i].Has(PhraseRole::kSource);
      whole.named = whole.named || read_.clauses[i].maybe_name;
    }
    // What follows depends on it, or has to wait for it: "if …, …", "等评审完再提交".
    for (size_t i = begin; i < end; ++i) {
      const PhraseClause& clause = read_.clauses[i];
      const bool condition = clause.Has(PhraseRole::kCondition);
      whole.conditional = whole.conditional || condition;
      whole.deferred = whole.deferred || (condition && clause.Has(PhraseRole::kLater));
      // A word for waiting as the first or the second word; further behind it may be "and so on".
      whole.waits = whole.waits || HasRole(phrases_, clause, PhraseRole::kWait, 0, 2);
      facts[i] = whole;
    }
  }

  // ---- single clauses

  // A line that begins with a command is one, unless the rest of it asks about the command.
  void JudgeCommandLine(size_t i) {
    const PhraseClause& clause = read_.clauses[i];
    if (clause.for_others) return Off(i, "addressed to somebody else");
    if (SpeaksAbout(clause, hits_[i].command)) return Off(i, "speaks about it");
    // "/retest 没反应"
    if (phrases_.IsWrite(hits_[i].command) && clause.Has(PhraseRole::kNegation)) return Doubt(i, "or speaks about it?");
    Set(i, Mood::kAct, "a command line");
  }

  bool SpeaksAbout(const PhraseClause& clause, std::string_view command) const {
    const bool answers = absl::c_any_of(phrases_.rules, [&](const PhraseRule& rule) {
      return rule.command == command && (rule.forms & kFormQuestion) != 0;
    });
    if (!answers) return HasQuestion(clause) || clause.Has(PhraseRole::kTopic, PhraseRole::kFinite);
    // "/diagnose #12 为什么挂了" asks it; "/diagnose 是做什么的", "/diagnose 怎么用" ask about it.
    const bool finite = !clause.tokens.empty() && phrases_.Has(clause.tokens[0].concept_number, PhraseRole::kFinite);
    return HasQuestion(clause) && (finite || clause.Has(PhraseRole::kHow));
  }

  void Set(size_t i, Mood mood, std::string because) {
    hits_[i].mood = mood;
    hits_[i].because = std::move(because);
  }
  void Off(size_t i, std::string because) { Set(i, Mood::kOff, std::move(because)); }
  void Doubt(size_t i, std::string because) { Set(i, Mood::kDoubt, std::move(because)); }

  bool Acts(size_t i) const { return hits_[i].mood == Mood::kAct && hits_[i].rule != nullptr; }
  bool ActsToWrite(size_t i) const { return Acts(i) && phrases_.IsWrite(hits_[i].command); }
  bool ActsToRead(size_t i) const { return hits_[i].mood == Mood::kAct && !phrases_.IsWrite(hits_[i].command); }
  // A rule that holds for no question.
  bool IsNoQuestion(size_t i) const { return hits_[i].rule != nullptr && !hits_[i].HoldsFor(kFormQuestion); }
  // The clause behind this one, if it belongs to the same sentence.
  const PhraseClause* NextInSentence(size_t i) const {
    if (i + 1 >= read_.clauses.size() || read_.clauses[i + 1].new_sentence) return nullptr;
    return &read_.clauses[i + 1];
  }

  // ---- clauses beside each other

  // "X after Y": not now.
  void JudgeTimes() {
    for (size_t i = 0; i < hits_.size(); ++i) {
      const PhraseClause* next = NextInSentence(i);
      if (next != nullptr && next->time_only && ActsToWrite(i)) Doubt(i, "now, or at that time?");
    }
  }

  // "X 完了没问题就 Y": a step and what depends on it.
  void JudgeSteps() {
    for (size_t i = 0; i < hits_.size(); ++i) {
      const PhraseClause& clause = read_.clauses[i];
      const PhraseClause* next = NextInSentence(i);
      const Hit& hit = hits_[i];
      if (next == nullptr || !next->Has(PhraseRole::kGiven) || hit.mood != Mood::kOff || hit.negated ||
          hit.rule == nullptr || phrases_.IsWrite(hit.command) || clause.for_others || !clause.Has(PhraseRole::kStep) ||
          clause.Has(PhraseRole::kSelf, PhraseRole::kOther) || IsQuestion(clause))
        continue;
      Set(i, Mood::kAct, "a step");
    }
  }

  // "What is X and Y", "X and Y?": the question is about both.
  void JudgeJoined() {
    for (size_t i = hits_.size(); i-- > 1;) {
      if (!read_.clauses[i].joined) continue;
      const bool question_before = hits_[i - 1].mood == Mood::kOff && read_.clauses[i - 1].Has(PhraseRole::kQuestion);
      if (question_before && IsNoQuestion(i)) Off(i, "a question");
      // "#12 needs a rebase and squash".
      const PhraseClause& before = read_.clauses[i - 1];
      const bool statement = before.Has(PhraseRole::kFinite, PhraseRole::kNeed);
      if (ActsToWrite(i) && statement && hits_[i - 1].mood != Mood::kAct && !before.Has(PhraseRole::kPolite) &&
          !read_.clauses[i].Has(PhraseRole::kPolite))
        Doubt(i, "a statement?");
      if (HasQuestion(read_.clauses[i]) && hits_[i].mood == Mood::kOff && hits_[i - 1].mood != Mood::kOff)
        Off(i - 1, "a question");
    }
  }

  // "After X, Y": a question about one is about both, and X is asked for only if Y is.
  void JudgeAfter() {
    for (size_t i = 0; i < hits_.size(); ++i) {
      const PhraseClause* next = NextInSentence(i);
      if ((!read_.clauses[i].after && !read_.clauses[i].before) || next == nullptr) continue;
      // "别赶在那时候推代码".
      if (hits_[i].command.empty() && read_.clauses[i].Has(PhraseRole::kNegation) && ActsToWrite(i + 1) &&
          !next->Has(PhraseRole::kPolite))
        Off(i + 1, "negated");
      // "#12 是他走之前压的".
      if (hits_[i].mood != Mood::kAct && read_.clauses[i].Has(PhraseRole::kFinite) && ActsToWrite(i + 1) &&
          !next->Has(PhraseRole::kPolite))
        Off(i + 1, "a statement");
      if (hits_[i].mood == Mood::kOff) {
        // A question word in front of "after" asks about what comes behind it too.
        if (read_.clauses[i].Has(PhraseRole::kQuestion) && IsNoQuestion(i + 1)) Off(i + 1, "a question");
      } else if (phrases_.IsWrite(hits_[i].command) && IsQuestion(*next) &&
                 !next->Has(PhraseRole::kInquiry, PhraseRole::kPolite)) {
        Off(i, "a question");  // "What happens after X?", in the order of Chinese
      }
    }
    // From behind: "X 跑完以后 …" are two steps, and neither is asked for where nothing follows.
    for (size_t i = hits_.size(); i-- > 0;) {
      const bool follows = i + 1 < hits_.size() && hits_[i + 1].mood == Mood::kAct;
      if (ComesFirst(i) && !follows && hits_[i].mood != Mood::kOff) Off(i, "says when");
    }
  }

  bool ComesFirst(size_t i) const {
    return (read_.clauses[i].after || read_.clauses[i].before) && hits_[i].rule != nullptr;
  }

  // What follows a clause in its sentence, or stands before it, may make a doubt of what it asks for.
  void JudgeBehind() {
    bool read_before = false;
    for (size_t i = 0; i + 1 < hits_.size(); ++i) {
      if (NextInSentence(i) != nullptr) {
        if (AskedWhatThen(i) || AskedWhich(i)) Off(i, "a question");
        JudgeByNext(i, read_before);
        JudgeByFormer(i);
        if (AskedMoreClosely(i)) Off(i, "asked more closely");
      }
      read_before = read_before || ActsToRead(i);
    }
  }

  // "假如把 #120 回合到 r2.6 时冲突了，机器人会怎么处理？": what is in the condition is a part of the question.
  bool AskedWhatThen(size_t i) const {
    const PhraseClause& clause = read_.clauses[i];
    const PhraseClause& next = read_.clauses[i + 1];
    return hits_[i].mood == Mood::kDoubt && clause.Has(PhraseRole::kCondition) && !clause.Has(PhraseRole::kPolite) &&
           hits_[i + 1].mood == Mood::kOff && IsQuestion(next) && !next.Has(PhraseRole::kPolite, PhraseRole::kInquiry);
  }

  // "门禁重跑是整条流水线都跑，还是只跑失败的阶段？": one or the other, in two clauses.
  bool AskedWhich(size_t i) const {
    const PhraseClause& next = read_.clauses[i + 1];
    return next.Has(PhraseRole::kAlternative) && next.question_mark && !next.tokens.empty() &&
           phrases_.Has(next.tokens[0].concept_number, PhraseRole::kAlternative) &&
           (read_.clauses[i].Has(PhraseRole::kFinite) || HasUnknown(phrases_, read_.clauses[i]) || ActsToWrite(i));
  }

  void JudgeByNext(size_t i, bool read_before) {
    if (!ActsToWrite(i)) return;
    const PhraseClause& clause = read_.clauses[i];
    const PhraseClause& next = read_.clauses[i + 1];
    // "Push if it passes", and nothing in front that could.
    if (next.Has(PhraseRole::kGiven) && hits_[i + 1].command.empty() && !read_before) {
      hits_[i].conditional = true;
      Doubt(i, "now, or only then?");
    } else if (IsInTheWay(i)) {
      Doubt(i, "something is in the way");
    } else if (IsTag(next) || AskedBehind(i)) {
      Doubt(i, "a question?");
    } else if (clause.tokens.size() == 1 && !IsMarked(clause) && IsSomethingElse(i + 1)) {
      Doubt(i, "or speaks about it?");  // "自动修复，自动制造新问题": a bare word, and behind it something else
    }
  }

  static bool IsMarked(const PhraseClause& clause) { return clause.Has(PhraseRole::kPolite, PhraseRole::kSoft); }

  // "我想提交，但是没权限": what keeps the writer from it.
  bool IsInTheWay(size_t i) const {
    const PhraseClause& clause = read_.clauses[i];
    const PhraseClause& next = read_.clauses[i + 1];
    const bool verb = HasTaken(next) || HasRole(phrases_, next, PhraseRole::kVerb);
    const bool without = next.Has(PhraseRole::kNegation, PhraseRole::kMaybe);
    return clause.Has(PhraseRole::kWant) && !clause.Has(PhraseRole::kPolite) && next.Has(PhraseRole::kTurn) &&
           without && !verb;
  }

  // "Push it, right?"
  static bool IsTag(const PhraseClause& next) {
    return next.tokens.size() == 1 && next.Has(PhraseRole::kQuestion) &&
           (next.question_mark || next.Has(PhraseRole::kFinal));
  }

  // What is asked behind a clause is about it too.
  bool AskedBehind(size_t i) const {
    const PhraseClause& clause = read_.clauses[i];
    const PhraseClause& next = read_.clauses[i + 1];
    if (IsMarked(clause)) return false;
    for (size_t j = i; NextInSentence(j) != nullptr; ++j) {
      if (AsksAboutFormer(j + 1)) return true;
    }
    // "Retest 和 check-pr 有顺序要求吗": one question, whatever joins its parts.
    if (!clause.Has(PhraseRole::kTake) && EndsInQuestion(i)) return true;
    // "自动修复改完之后，会不会再触发一遍门禁？": what happens behind it is the question.
    if (!next.Has(PhraseRole::kBreak)) return false;
    const size_t last = next.tokens.empty() && NextInSentence(i + 1) != nullptr ? i + 2 : i + 1;
    return hits_[last].mood == Mood::kOff && read_.clauses[last].Has(PhraseRole::kQuestion) &&
           read_.clauses[last].Has(PhraseRole::kTopic);
  }

  // A clause that is no command but a question: "#12 回合 r1.0，谁来", "自动修复改完，它会回滚么", "追加到
  // #12，是新提交还是改写".
  bool AsksAboutFormer(size_t i) const {
    const PhraseClause& clause = read_.clauses[i];
    if (hits_[i].mood != Mood::kOff || IsMarked(clause) || clause.Has(PhraseRole::kInquiry)) return false;
    const bool tells = clause.Has(PhraseRole::kFinite) || HasUnknown(phrases_, clause);
    if ((clause.Has(PhraseRole::kFinal) || clause.question_mark) && tells && !clause.can &&
        !clause.Has(PhraseRole::kPermit))
      return true;
    if (clause.Has(PhraseRole::kAlternative) &&
        (clause.question_mark || clause.Has(PhraseRole::kFinite, PhraseRole::kTopic)))
      return true;
    return clause.Has(PhraseRole::kQuestion);
  }

  // What follows without a comma in its sentence is a question, and no polite one.
  bool EndsInQuestion(size_t i) const {
    for (; NextInSentence(i) != nullptr; ++i) {
      const PhraseClause& clause = read_.clauses[i];
      const PhraseClause& next = read_.clauses[i + 1];
      if (clause.tokens.empty() || next.tokens.empty() || CommaBetween(clause, next)) return false;
      if (IsMarked(next)) return false;
      if (next.Has(PhraseRole::kFinal, PhraseRole::kQuestion)) return hits_[i + 1].mood != Mood::kAct;
    }
    return false;
  }

  // Words that we don't know, and none that could belong to what is asked for.
  bool IsSomethingElse(size_t i) const {
    const PhraseClause& clause = read_.clauses[i];
    if (!hits_[i].command.empty() || clause.tokens.empty()) return false;
    return !clause.Has(PhraseRole::kPolite, PhraseRole::kSoft, PhraseRole::kThanks, PhraseRole::kVerb,
                       PhraseRole::kThing, PhraseRole::kPerfect) &&
           HasUnknown(phrases_, clause) && !HasTaken(clause);
  }

  void JudgeByFormer(size_t i) {
    const PhraseClause& clause = read_.clauses[i];
    const PhraseClause& next = read_.clauses[i + 1];
    if (!ActsToWrite(i + 1) || next.Has(PhraseRole::kPolite)) return;
    // "接口定了再提交": what comes first, and not that it has come to it.
    const bool perfect = hits_[i].command.empty() && !clause.tokens.empty() && clause.Has(PhraseRole::kPerfect) &&
                         next.Has(PhraseRole::kBreak) && !next.tokens.empty() && !CommaBetween(clause, next);
    // "After the review is done, push": what comes first is not asked for.
    if (perfect || (clause.leads_after && hits_[i].mood != Mood::kAct)) Doubt(i + 1, "now, or at that time?");
  }

  // A comma between the words of two clauses.
  bool CommaBetween(const PhraseClause& clause, const PhraseClause& next) const {
    const size_t begin = clause.tokens.back().begin;
    const std::string_view text = read_.text.text;
    return text.substr(begin, next.tokens.front().begin - begin).find(',') != std::string_view::npos;
  }

  // "#12 什么情况了，合了吗": the second question says what the first one is about.
  bool AskedMoreClosely(size_t i) const {
    const PhraseClause& next = read_.clauses[i + 1];
    return ActsToRead(i) && hits_[i].HoldsFor(kFormQuestion) && !read_.clauses[i].Has(PhraseRole::kPolite) &&
           Acts(i + 1) && hits_[i + 1].HoldsFor(kFormQuestion) && hits_[i + 1].rule->anywhere.has_value() &&
           !next.Has(PhraseRole::kBreak, PhraseRole::kInquiry);
  }

  const PhraseSet::Impl& phrases_;
  const ReadPhrase& read_;
  std::vector<Hit>& hits_;
};

}  // namespace

void JudgeMoods(const PhraseSet::Impl& phrases, const ReadPhrase& read, std::vector<Hit>& hits) {
  MessageJudge(phrases, read, hits).Judge();
}

}  // namespace yardmaster::rules
