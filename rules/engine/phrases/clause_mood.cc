#include "rules/engine/phrases/clause_mood.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/phrases/clause_facts.h"
#include "rules/engine/phrases/phrase_slots.h"

namespace yardmaster::rules {
namespace {

class ClauseJudge {
 public:
  ClauseJudge(const PhraseSet::Impl& phrases, const ReadPhrase& read, const SentenceFacts& sentence,
              const std::vector<Hit>& hits, Hit& hit)
      : phrases_(phrases),
        read_(read),
        sentence_(sentence),
        hits_(hits),
        hit_(hit),
        clause_(read.clauses[hit.clause]),
        size_(clause_.tokens.size()),
        writes_(phrases.IsWrite(hit.command)),
        reference_(HasReference(read, clause_)),
        statement_too_(hit.HoldsFor(kFormStatement)),
        question_too_(hit.HoldsFor(kFormQuestion)),
        polite_(Has(PhraseRole::kPolite)),
        wanted_(clause_.want_before <= hit.begin),
        takes_(TakesObject()),
        asked_(polite_ || takes_ || wanted_),
        marked_(asked_ || Has(PhraseRole::kSoft, PhraseRole::kThanks)),
        sure_question_(Has(PhraseRole::kQuestion) || clause_.first_auxiliary),
        maybe_question_(MayAsk(clause_) || (Has(PhraseRole::kPermit) && (hit.command == "ask" || FollowsStep()))),
        unknown_(UnknownInFront()) {}

  void Judge() {
    if (KeptOff() || NoVerb() || AsksAboutIt() || TellsOfIt() || StrangeInFront()) return;
    if (writes_ && !statement_too_ && NoRequestToWrite()) return;
    if (OnlyCondition()) return;
    Settle();
  }

 private:
  // ---- words

  template <typename... Roles>
  bool Has(Roles... any) const {
    return clause_.Has(any...);
  }
  bool Is(size_t i, PhraseRole role) const { return i < size_ && phrases_.Has(clause_.tokens[i].concept_number, role); }
  bool In(PhraseRole role, size_t begin, size_t end) const { return HasRole(phrases_, clause_, role, begin, end); }
  bool IsUnknown(size_t i) const { return i < size_ && clause_.tokens[i].concept_number == phrases_.unknown; }
  // The English "to".
  bool IsTo(size_t i) const { return Is(i, PhraseRole::kTarget) && read_.text.text[clause_.tokens[i].begin] == 't'; }
  bool HasUnknownChinese() const {
    return absl::c_any_of(clause_.tokens, [&](const PhraseToken& token) {
      return token.concept_number == phrases_.unknown &&
             static_cast<unsigned char>(read_.text.text[token.begin]) >= 0x80;
    });
  }
  size_t UnknownInFront() const {
    size_t count = 0;
    for (size_t i = 0; i < hit_.begin; ++i) count += IsUnknown(i) ? 1u : 0u;
    return count;
  }
  bool FollowsStep() const { return hit_.clause > 0 && !clause_.new_sentence && read_.clauses[hit_.clause - 1].after; }

  // "Zhang San 把代码提交了": whoever stands in front takes it. "刚把代码提交了" tells of it; "把刚才的代码提交了" asks
  // for it.
  bool TakesObject() const {
    if (!Has(PhraseRole::kTake)) return false;
    for (size_t i = 0; i < std::min(clause_.take_before, size_); ++i) {
      if (IsUnknown(i) || Is(i, PhraseRole::kOther) || Is(i, PhraseRole::kDone)) return false;
    }
    return true;
  }

  // ---- ends; all of these are true, so that what decides can be returned

  bool Off(std::string because) {
    hit_.mood = Mood::kOff;
    hit_.because = std::move(because);
    return true;
  }
  bool Negated(std::string because) {
    hit_.negated = true;
    return Off(std::move(because));
  }
  bool Act(std::string because) {
    hit_.mood = Mood::kAct;
    hit_.because = std::move(because);
    return true;
  }

  // ---- stages: true if the mood is decided

  // What keeps any command off; and what is certain.
  bool KeptOff() {
    if (hit_.rule->polite && !asked_) return Off("nobody asks for it");
    if (clause_.for_others) return Off("addressed to somebody else");
    if (Has(PhraseRole::kNegation)) return Negated("negated");
    if (Has(PhraseRole::kCancel)) return Negated("taken back");
    if (hit_.rule->certain) return Act("certain");
    if (clause_.thanks_first && !asked_ && !Has(PhraseRole::kSoft)) return Off("thanks for it");
    // "有人说 #12 挂了，看下": to look at it is asked for, whoever says so.
    const bool look = !writes_ && (marked_ || Has(PhraseRole::kInquiry));
    if (sentence_.told && !polite_ && !look) return Off("somebody says so");
    if (Has(PhraseRole::kLater) || sentence_.deferred) return Off("not now");
    // "跑 UT，等过了再提交": what it waits for is asked for as well.
    const bool waits = sentence_.waits && !absl::c_any_of(hits_, [&](const Hit& before) {
                         return before.mood == Mood::kAct && !phrases_.IsWrite(before.command);
                       });
    if (waits && !polite_) return Off("not now");
    if (clause_.before || clause_.time_only) return Off("says when");
    if (Has(PhraseRole::kTopic) && !question_too_) return Off("speaks about it");
    return false;
  }

  // Its words are nouns, or advice.
  bool NoVerb() {
    // "The retest passed".
    if (clause_.first_is_noun && hit_.begin == 0 && !asked_ && !question_too_ && !statement_too_ &&
        Is(0, PhraseRole::kVerb))
      return Off("a noun");
    // "Another quick commit".
    if (clause_.first_is_noun && hit_.end == size_ && !asked_ && !question_too_ && !statement_too_ && OneVerbAtLast())
      return Off("a noun");
    // "怎么看门禁日志", "remember to sync your fork".
    if (Has(PhraseRole::kHow) && !polite_ && AsksHow()) return Off("asks how it is done");
    if (Has(PhraseRole::kRemind) && In(PhraseRole::kOther, 0, size_)) return Off("said to whoever reads it");
    return false;
  }

  bool OneVerbAtLast() const { return Is(size_ - 1, PhraseRole::kVerb) && !In(PhraseRole::kVerb, 0, size_ - 1); }

  // A question word that stands right in front of a verb.
  bool AsksHow() const {
    for (size_t i = 0; i + 1 < size_; ++i) {
      if (Is(i, PhraseRole::kQuestion) && Is(i + 1, PhraseRole::kVerb)) return true;
    }
    return false;
  }

  // Questions about how things are.
  bool AsksAboutIt() {
    if (question_too_) return false;
    if (sure_question_) return Off("a question");
    // "Do we need to … ?" wants nothing.
    const bool please = polite_ || (wanted_ && Has(PhraseRole::kSelf)) ||
                        ((takes_ || Has(PhraseRole::kSoft, PhraseRole::kThanks)) && !AsksAtLast(clause_));
    // "生成的提交信息默认是中文还是英文？": one or the other of what we don't know.
    // "同步 fork 是只同步 master 还是所有分支？", "检视报告是发在评论里还是只给我看？": how it is done.
    if (clause_.question_mark && Has(PhraseRole::kAlternative) &&
        (HasUnknown(phrases_, clause_) || In(PhraseRole::kFinite, 0, size_)))
      return Off("a question");
    if (maybe_question_ && !please) {
      if (hit_.begin > 1 || !reference_) return Off("a question");
      doubt_ = true;
    }
    doubt_ = doubt_ || (clause_.question_mark && !marked_ && !maybe_question_);
    return false;
  }

  // Reports, plans and purposes.
  bool TellsOfIt() {
    const bool asks = question_too_ && (sure_question_ || maybe_question_ || clause_.question_mark);
    if (!statement_too_ && !asks && (SomebodyDoesIt() || HasHappened())) return true;
    // "把 #12 压成一个完了"
    if (takes_ && !clause_.after && !polite_ && size_ >= 2 && hit_.end < size_ && Is(size_ - 1, PhraseRole::kPerfect) &&
        Is(size_ - 2, PhraseRole::kStep))
      return Off("it has happened");
    // "To push, comment on the pull request": what for.
    if (!question_too_ && writes_ && !polite_ && clause_.new_sentence && hit_.begin == 1 && IsTo(0))
      return Off("what for");
    return false;
  }

  bool SomebodyDoesIt() {
    // "This patch makes the bot push": in front of the verb, wherever the rule begins.
    size_t verb = hit_.begin;
    while (!takes_ && verb < hit_.end && !Is(verb, PhraseRole::kVerb)) ++verb;
    if (verb == hit_.end) verb = hit_.begin;
    if (polite_) return false;
    if (In(PhraseRole::kOther, 0, verb)) return Off("somebody else does it");
    // Behind "把" it says whose.
    if (In(PhraseRole::kSelf, 0, std::min(hit_.begin, clause_.take_before)) && !wanted_)
      return Off("the writer does it");
    // "要发 PR 了": it is about to be done.
    const bool soon = writes_ && wanted_ && !takes_ && Is(size_ - 1, PhraseRole::kPerfect);
    return (Has(PhraseRole::kPlan) || soon) && Off("a plan");
  }

  bool HasHappened() {
    // "已经帮你把代码提交了"
    const bool first = In(PhraseRole::kDone, 0, std::min(clause_.please_before, hit_.begin));
    if (polite_ && first && !Has(PhraseRole::kStep)) {
      if (Has(PhraseRole::kPerfect)) return Off("it has happened");
      doubt_ = doubt_ || writes_;
    }
    const bool step = clause_.after && Has(PhraseRole::kStep);
    if (Has(PhraseRole::kDone) && !step && !polite_ && !takes_ && clause_.want_before != 0)
      return Off("it has happened");
    if (!step && In(PhraseRole::kPerfect, hit_.begin, size_) &&
        !(polite_ || takes_ || Has(PhraseRole::kSoft, PhraseRole::kPermit)))
      return Off("it has happened");
    // "看下 #12 门禁是哪个用例挂了": what is to be told may be a sentence of its own.
    const bool told = !writes_ && question_too_ && hit_.begin == 0 && hit_.end > 1 && Is(0, PhraseRole::kInquiry);
    return !told && !polite_ && In(PhraseRole::kFinite, hit_.end, hit_.end + 4) && Off("a statement");
  }

  // Words that we don't know, in front of the verb or around it.
  bool StrangeInFront() {
    if (!statement_too_ && !marked_ && unknown_ > 0) {
      if (unknown_ > 1) return Off("too much that we don't know in front of it");
      doubt_ = doubt_ || writes_;
    }
    if (!question_too_ && clause_.question_mark && !marked_ && unknown_ > 0) return Off("a question");
    if (!writes_) return false;
    // "有结论了再推送": what comes first, and not that it has come to it.
    if (Has(PhraseRole::kBreak) && In(PhraseRole::kPerfect, 0, hit_.begin) && !polite_ && !takes_) doubt_ = true;
    // "接口定了再 squash 一下": a word for a little work asks for it, but what stands in front may be who or when.
    if (!statement_too_ && marked_ && !asked_ && hit_.begin > 0 && Is(hit_.begin, PhraseRole::kVerb) &&
        IsUnknown(hit_.begin - 1))
      doubt_ = true;
    // "请 alice 压一下 #12": whoever stands behind the word of asking is asked.
    if (!statement_too_ && polite_ &&
        HasUnknown(phrases_, clause_, clause_.please_before, std::min(clause_.take_before, hit_.begin)))
      doubt_ = true;
    // What stands around a verb of Chinese decides whether it is one: "提交任务", "推送服务".
    if (!statement_too_ && !marked_ && HasUnknownChinese()) {
      if (!reference_) return Off("too much that we don't know around it");
      doubt_ = true;
    }
    return false;
  }

  // What writes needs the mood of a request: not a noun, not a clause about something else.
  bool NoRequestToWrite() {
    if (Has(PhraseRole::kGerund) && !polite_) {
      if (!marked_ && !Has(PhraseRole::kNeed)) return Off("a noun");
      doubt_ = true;
    }
    // "The fork is in sync", "门禁重跑是整条流水线都跑".
    size_t verb = hit_.end;
    while (verb > hit_.begin && !Is(verb - 1, PhraseRole::kVerb)) --verb;
    if (!asked_ && In(PhraseRole::kFinite, 0, verb)) return Off("a statement");
    // "Push fails", "同步报错了".
    if (!polite_ && !wanted_ && WentWrong()) return Off("it went wrong");
    doubt_ = doubt_ || sentence_.named || Has(PhraseRole::kRemind, PhraseRole::kNeed) ||
             (Has(PhraseRole::kRepeated) && !asked_);
    LookAtObject();
    // "Comment /retest to rerun the gate": what for.
    for (size_t i = hit_.begin + 1; !asked_ && i + 1 < size_; ++i)
      doubt_ = doubt_ || (IsTo(i) && Is(i + 1, PhraseRole::kVerb));
    return false;
  }

  // What is to be written has to be known.
  void LookAtObject() {
    // "把会议纪要提交一下": something that we don't know, and nothing that we do.
    if (marked_ && !reference_ && HasUnknownChinese() && !HasThing()) doubt_ = true;
    // "把截图补到 #12", "add a note to #12", "put #12 on the agenda": what is taken to the pull request, or what it
    // is taken to, is something that we don't know.
    if (reference_ && !HasMore() && TakesUnknown()) doubt_ = true;
    // "麻烦提交一下 CLA".
    if (marked_ && !reference_ && IsUnknown(hit_.end) && !HasThing()) doubt_ = true;
    if (!marked_ && !reference_) {
      // "Commit to the plan".
      if (Is(hit_.end, PhraseRole::kTarget) && IsUnknown(hit_.end + 1)) doubt_ = true;
      // "Push rights", "commit culture": what follows a verb without an article may make a noun of it.
      const size_t next = hit_.begin + 1;
      if (IsUnknown(next) && (next >= 64 || (clause_.articles >> next & 1) == 0)) doubt_ = true;
    }
  }

  // A failure behind the verb, and none that is to be mended.
  bool WentWrong() const {
    for (size_t i = hit_.begin + 1; i < size_; ++i) {
      if (!Is(i, PhraseRole::kFailure)) continue;
      if (Is(i - 1, PhraseRole::kVerb) && (Is(i, PhraseRole::kFinite) || !Is(i + 1, PhraseRole::kThing))) return true;
      if (i >= hit_.end && !Has(PhraseRole::kMend)) return true;
    }
    return false;
  }

  // What a command is about is among the words: more than its verbs.
  bool HasThing() const {
    for (size_t i = 0; i < size_; ++i) {
      if (Is(i, PhraseRole::kThing) && (i < hit_.begin || i >= hit_.end || hit_.end - hit_.begin > 1)) return true;
    }
    return false;
  }

  // A thing among the words that no find took, and that is not the verb: more than the pull request.
  bool HasMore() const {
    for (size_t i = 0; i < size_; ++i) {
      if (clause_.tokens[i].taken < 0 && Is(i, PhraseRole::kThing) && (i != hit_.begin || !Is(i, PhraseRole::kVerb)))
        return true;
    }
    return false;
  }

  // Something that we don't know is the object of the verb or, where nothing is taken to the reference, its target.
  bool TakesUnknown() const {
    const auto unknown = [&](size_t i) { return IsUnknown(i) && clause_.tokens[i].taken < 0; };
    for (size_t i = std::min(clause_.take_before, hit_.begin); i < hit_.end; ++i) {
      if (unknown(i)) return true;
    }
    const bool aimed = hit_.end >= 2 && Is(hit_.end - 2, PhraseRole::kTarget) && !Is(hit_.end - 1, PhraseRole::kVerb);
    return !aimed && unknown(Is(hit_.end, PhraseRole::kTarget) ? hit_.end + 1 : hit_.end);
  }

  bool OnlyCondition() {
    const bool condition = Has(PhraseRole::kCondition) || sentence_.conditional;
    // "先别提交，等 review": what it waits for, and nothing follows it.
    const bool last = hit_.clause + 1 == read_.clauses.size() || read_.clauses[hit_.clause + 1].new_sentence;
    for (size_t i = 0; last && !marked_ && i + 1 < hit_.end; ++i) {
      if (Is(i, PhraseRole::kCondition) && (i + 1 == hit_.begin || Is(i + 1, PhraseRole::kVerb)))
        return Off("says when");
    }
    // "如果 review 没问题就提交": what is in the condition is not asked for.
    if (!last && !polite_ && !writes_ && !statement_too_ && !IsQuestion(clause_) &&
        In(PhraseRole::kCondition, 0, hit_.begin))
      return Off("says when");
    if ((condition && !statement_too_) || (Has(PhraseRole::kGiven) && writes_)) {
      hit_.conditional = true;
      doubt_ = doubt_ || writes_;
    }
    conditional_ = condition;
    return false;
  }

  void Settle() {
    doubt_ = doubt_ || (clause_.thanks_first && writes_);
    if (statement_too_ && !marked_ && !sure_question_ && !maybe_question_ && !clause_.question_mark &&
        !Has(PhraseRole::kInquiry)) {
      // Only a message that says nothing else, about now, asks for a command that writes by telling how things are.
      const bool alone = read_.clauses.size() == 1 && !Has(PhraseRole::kDone) && unknown_ == 0;
      hit_.mood = !conditional_ && (alone || !writes_) ? Mood::kStatement : Mood::kOff;
      hit_.because = "tells how things are";
      return;
    }
    doubt_ = doubt_ || (statement_too_ && writes_ && !marked_);
    hit_.mood = doubt_ ? Mood::kDoubt : Mood::kAct;
    hit_.because = doubt_ ? "may be asked for" : "asked for";
  }

  const PhraseSet::Impl& phrases_;
  const ReadPhrase& read_;
  const SentenceFacts& sentence_;
  const std::vector<Hit>& hits_;
  Hit& hit_;
  const PhraseClause& clause_;
  const size_t size_;
  const bool writes_;
  const bool reference_;                     // a pull request is named
  const bool statement_too_, question_too_;  // the rule holds for these as well
  const bool polite_;
  const bool wanted_;  // the writer says that it is wanted
  const bool takes_;   // its object stands in front, as what is to be done with something
  const bool asked_;   // marked as a request
  const bool marked_;  // that, or weaker
  const bool sure_question_, maybe_question_;
  const size_t unknown_;  // words in front that we don't know
  bool conditional_ = false;
  bool doubt_ = false;
};

}  // namespace

void JudgeClause(const PhraseSet::Impl& phrases, const ReadPhrase& read, const SentenceFacts& sentence,
                 const std::vector<Hit>& hits, Hit& hit) {
  ClauseJudge(phrases, read, sentence, hits, hit).Judge();
}

}  // namespace yardmaster::rules
