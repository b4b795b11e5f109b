// What a review leads to: its check, its comments at lines, and the answers under them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "absl/strings/str_cat.h"
#include "clients/forge/gitcode/gitcode_profile.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/marker.h"
#include "tests/support/rounds.h"
#include "tests/unit/services/intake/effects/effect_runs.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kRepository;
using testing::MemoryForge;
using ::testing::SizeIs;
using testing::World;

const std::string kHead(40, 'a');
constexpr const char* kCheck = "yardmaster/review";

v1::Action CheckAction(v1::ReportCheck::Conclusion conclusion, int annotations = 0, int64_t attempt = 0) {
  v1::Action action;
  v1::ReportCheck& check = *action.mutable_report_check();
  check.set_head(kHead);
  check.set_name(kCheck);
  check.set_attempt(attempt);
  check.set_conclusion(conclusion);
  check.set_title(absl::StrCat(annotations, " new, 0 still, 0 fixed"));
  check.set_summary("summary");
  for (int i = 0; i < annotations; ++i) {
    v1::CheckAnnotation& annotation = *check.add_annotations();
    annotation.set_path("a.py");
    annotation.set_line(static_cast<uint32_t>(i + 1));
    annotation.set_end_line(static_cast<uint32_t>(i + 1));
    annotation.set_level(v1::CheckAnnotation::LEVEL_WARNING);
    annotation.set_title("OL48");
    annotation.set_message(absl::StrCat("finding ", i));
  }
  return action;
}
v1::Action BeginAction(int64_t attempt = 0) { return CheckAction(v1::ReportCheck::CONCLUSION_UNSPECIFIED, 0, attempt); }

std::string InlineKey(int number) { return absl::StrCat(absl::Hex(number, absl::kZeroPad16)); }
v1::Action InlineAction(const std::vector<int>& numbers, const std::string& head = kHead) {
  v1::Action action;
  action.mutable_review_comments()->set_head(head);
  for (const int number : numbers) {
    v1::ReviewComments::Inline& comment = *action.mutable_review_comments()->add_comments();
    comment.set_path("a.py");
    comment.set_line(static_cast<uint32_t>(number));
    comment.set_body(absl::StrCat("finding ", number));
    comment.set_key(InlineKey(number));
  }
  return action;
}
v1::Action ResolveAction(const std::vector<int>& numbers) {
  v1::Action action;
  for (const int number : numbers) action.mutable_resolve_review_comments()->add_keys(InlineKey(number));
  action.mutable_resolve_review_comments()->set_body("Fixed in " + kHead + ".");
  return action;
}
v1::Action SummaryAction(const std::string& body, int64_t revision) {
  v1::Action action;
  action.mutable_answer_comment()->set_name("review");
  action.mutable_answer_comment()->set_body(body);
  action.mutable_answer_comment()->set_revision(revision);
  return action;
}

absl::Status Refusal(ForgeReason reason, int http_status, std::optional<milliseconds> retry_after = std::nullopt) {
  return MakeForgeStatus({reason, ForgeOutcome::kRefused, http_status, retry_after}, "no");
}

class ReviewEffects : public testing::EffectRuns {
 protected:
  ReviewEffects() : EffectRuns(v1::SUBJECT_KIND_PULL_REQUEST) {
    world_.forge_.Open(kRepository, 1, "title", "body", {});
  }

  std::vector<MemoryForge::CheckRun>& Runs() { return world_.forge_.checks[kRepository]; }
  static std::vector<std::string> Messages(const MemoryForge::CheckRun& check) {
    std::vector<std::string> messages;
    for (const ForgeAnnotation& annotation : check.annotations) messages.push_back(annotation.message);
    return messages;
  }
  // The one check run of the head, with exactly its annotations in their order.
  void ExpectCheck(ForgeCheckState state, int annotations) {
    world_.forge_.At(kRepository, 1);  // what was late has landed
    ASSERT_THAT(Runs(), SizeIs(1));
    EXPECT_EQ(Runs()[0].run.state, state);
    std::vector<std::string> wanted;
    for (int i = 0; i < annotations; ++i) wanted.push_back(absl::StrCat("finding ", i));
    EXPECT_EQ(Messages(Runs()[0]), wanted);
  }
  std::vector<ForgeReviewComment>& Comments() {
    MemoryForge& forge = gitcode_ == nullptr ? world_.forge_ : *gitcode_;
    forge.At(kRepository, 1);
    return forge.review_comments[{kRepository, 1}];
  }
  // Lines of our comments, and keys of our answers.
  std::multiset<int> Lines() {
    std::multiset<int> lines;
    for (const ForgeReviewComment& comment : Comments()) {
      if (FindMarker(comment.comment.body)->template_id == "inline") lines.insert(static_cast<int>(comment.line));
    }
    return lines;
  }
  std::multiset<std::string> Answered() {
    std::multiset<std::string> keys;
    for (const ForgeReviewComment& comment : Comments()) {
      const auto marker = FindMarker(comment.comment.body);
      if (marker->template_id == "resolved") keys.insert(marker->key);
    }
    return keys;
  }
  // Takes the subject to a forge without check runs, where comments at lines are made one by one.
  void MoveToGitCode() {
    gitcode_ = std::make_unique<MemoryForge>(world_.clock_, "gitcode");
    gitcode_->Open(kRepository, 1, "title", "body", {});
    account_ = std::make_unique<ConfiguredForge>(
        *gitcode_, GitCodeProfile(),
        std::vector<milliseconds>{milliseconds(2'000), milliseconds(10'000), milliseconds(30'000)}, "yardbot",
        world_.clock_, *world_.notices_);
    other_account_ = account_.get();
  }

  std::unique_ptr<MemoryForge> gitcode_;
  std::unique_ptr<ConfiguredForge> account_;
};

// --- report_check, as a check run ---

TEST_F(ReviewEffects, CheckBeginsAndIsConcludedAsOneRun) {
  ASSERT_TRUE(Run({BeginAction()}).done());
  ExpectCheck(ForgeCheckState::kInProgress, 0);
  ASSERT_TRUE(Run({BeginAction(), CheckAction(v1::ReportCheck::CONCLUSION_NEUTRAL, 2)}).done());
  ExpectCheck(ForgeCheckState::kNeutral, 2);
  EXPECT_EQ(Runs()[0].title, "2 new, 0 still, 0 fixed");
  EXPECT_EQ(Runs()[0].run.head, kHead);
  EXPECT_EQ(Last().forge_ref, Runs()[0].run.id);
  const int writes = world_.forge_.writes;
  ASSERT_TRUE(Run({BeginAction(), CheckAction(v1::ReportCheck::CONCLUSION_NEUTRAL, 2)}).done());
  EXPECT_EQ(world_.forge_.writes, writes);
  world_.ExpectSettled();
}

v1::Action ProgressAction(int64_t progress, const std::string& title) {
  v1::Action action = BeginAction();
  action.mutable_report_check()->set_progress(progress);
  action.mutable_report_check()->set_title(title);
  return action;
}

TEST_F(ReviewEffects, HowFarACheckIsIsToldWhileItRunsAndMakesNone) {
  ASSERT_TRUE(Run({ProgressAction(1, "too early")}).done());
  EXPECT_THAT(Runs(), SizeIs(0));
  ASSERT_TRUE(Run({BeginAction(), ProgressAction(2, "layer 1 of 3")}).done());
  ExpectCheck(ForgeCheckState::kInProgress, 0);
  EXPECT_EQ(Runs()[0].title, "layer 1 of 3");
  ASSERT_TRUE(Run({ProgressAction(3, "layer 2 of 3")}).done());
  EXPECT_EQ(Runs()[0].title, "layer 2 of 3");
  ASSERT_TRUE(Run({CheckAction(v1::ReportCheck::CONCLUSION_ACTION_REQUIRED, 0)}).done());
  ExpectCheck(ForgeCheckState::kActionRequired, 0);
  const std::string said = Runs()[0].title;
  ASSERT_TRUE(Run({ProgressAction(4, "too late")}).done());
  ExpectCheck(ForgeCheckState::kActionRequired, 0);
  EXPECT_EQ(Runs()[0].title, said);
  world_.ExpectSettled();
}

TEST_F(ReviewEffects, AnnotationsGoInBatchesAndTheLastOneConcludes) {
  ASSERT_TRUE(Run({CheckAction(v1::ReportCheck::CONCLUSION_FAILURE, 120)}).done());
  ExpectCheck(ForgeCheckState::kFailure, 120);
  EXPECT_EQ(Runs()[0].updates, 3);
  EXPECT_EQ(world_.forge_.writes, 4) << "made in progress first";
}

TEST_F(ReviewEffects, EachAttemptIsARunOfItsOwn) {
  ASSERT_TRUE(Run({CheckAction(v1::ReportCheck::CONCLUSION_FAILURE, 1)}).done());
  ASSERT_TRUE(Run({BeginAction(1), CheckAction(v1::ReportCheck::CONCLUSION_SUCCESS, 0, 1)}).done());
  ASSERT_THAT(Runs(), SizeIs(2));
  EXPECT_EQ(Runs()[0].run.state, ForgeCheckState::kFailure);
  EXPECT_EQ(Runs()[1].run.state, ForgeCheckState::kSuccess);
  EXPECT_NE(Runs()[0].run.external_id, Runs()[1].run.external_id);
}

TEST_F(ReviewEffects, CallingOffEndsACheckThatWasBegunAndNothingElse) {
  ASSERT_TRUE(Run({CheckAction(v1::ReportCheck::CONCLUSION_CANCELLED)}).done());
  EXPECT_THAT(Runs(), IsEmpty());
  ASSERT_TRUE(Run({BeginAction(1), CheckAction(v1::ReportCheck::CONCLUSION_CANCELLED, 0, 1)}).done());
  ASSERT_THAT(Runs(), SizeIs(1));
  EXPECT_EQ(Runs()[0].run.state, ForgeCheckState::kCancelled);
  ASSERT_TRUE(Run({CheckAction(v1::ReportCheck::CONCLUSION_FAILURE, 1, 2),
                   CheckAction(v1::ReportCheck::CONCLUSION_SKIPPED, 0, 2)})
                  .done());
  EXPECT_EQ(Runs()[1].run.state, ForgeCheckState::kFailure) << "what was concluded stays";
}

TEST_F(ReviewEffects, HeadThatComesBackIsConcludedAfterAll) {
  ASSERT_TRUE(Run({BeginAction(), CheckAction(v1::ReportCheck::CONCLUSION_CANCELLED)}).done());
  ASSERT_TRUE(Run({BeginAction(), CheckAction(v1::ReportCheck::CONCLUSION_SUCCESS)}).done());
  ExpectCheck(ForgeCheckState::kSuccess, 0);
}

TEST_F(ReviewEffects, CheckOfAnotherNameIdOrHeadIsNotOurs) {
  MemoryForge::CheckRun foreign;
  foreign.run = {"9", kCheck, kHead, "somebody's", ForgeCheckState::kInProgress, 0, "other"};
  Runs().push_back(foreign);
  ASSERT_TRUE(Run({CheckAction(v1::ReportCheck::CONCLUSION_SUCCESS)}).done());
  ASSERT_THAT(Runs(), SizeIs(2));
  EXPECT_EQ(Runs()[0].run.state, ForgeCheckState::kInProgress);
}

TEST_F(ReviewEffects, BatchThatLandsLateIsNotThereTwice) {
  const v1::Action check = CheckAction(v1::ReportCheck::CONCLUSION_NEUTRAL, 120);
  int writes = 0;
  // The second batch.
  world_.forge_.before_write = [&] { world_.forge_.Seed(3, {.late = ++writes == 3 ? 100 : 0}); };
  ASSERT_TRUE(Run({check}).done());
  ExpectCheck(ForgeCheckState::kNeutral, 120);
}

TEST_F(ReviewEffects, BatchThatWasLostIsSentAgain) {
  int writes = 0;
  world_.forge_.before_write = [&] { world_.forge_.lose_writes = ++writes == 3; };
  ASSERT_TRUE(Run({CheckAction(v1::ReportCheck::CONCLUSION_NEUTRAL, 120)}).done());
  ExpectCheck(ForgeCheckState::kNeutral, 120);
  EXPECT_EQ(writes, 5);
}

TEST_F(ReviewEffects, BudgetThatRunsOutHalfWayGoesOnWhenItIsBack) {
  int writes = 0;
  world_.forge_.before_write = [&] {
    world_.forge_.refuse_writes =
        ++writes == 3 ? Refusal(ForgeReason::kRateLimited, 429, milliseconds(45'000)) : absl::OkStatus();
  };
  const v1::Action check = CheckAction(v1::ReportCheck::CONCLUSION_NEUTRAL, 120);
  const store::TimePoint start = world_.clock_.Now();
  const Outcome step = Attempt({check});
  EXPECT_EQ(step.kind, Outcome::Kind::kWait);
  EXPECT_EQ(step.delay, milliseconds(45'000));
  EXPECT_EQ(Runs()[0].annotations.size(), 50U);
  EXPECT_EQ(Runs()[0].run.state, ForgeCheckState::kInProgress);
  ASSERT_TRUE(Run({check}).done());
  ExpectCheck(ForgeCheckState::kNeutral, 120);
  EXPECT_LT(world_.clock_.Now() - start, milliseconds(50'000)) << "what was certainly not sent is not waited for";
}

TEST_F(ReviewEffects, CheckThatTheForgeRefusesFails) {
  world_.forge_.refuse_checks = Refusal(ForgeReason::kForbidden, 403);
  EXPECT_TRUE(Run({CheckAction(v1::ReportCheck::CONCLUSION_NEUTRAL, 3)}).failed());
  EXPECT_EQ(Last().state, store::EffectState::kRefused);
}

TEST_F(ReviewEffects, RefusedAnnotationsKeepNoCheckFromItsConclusion) {
  int writes = 0;
  world_.forge_.before_write = [&] {
    world_.forge_.refuse_writes = ++writes == 3 ? Refusal(ForgeReason::kInvalid, 422) : absl::OkStatus();
  };
  ASSERT_TRUE(Run({CheckAction(v1::ReportCheck::CONCLUSION_FAILURE, 120)}).done());
  ExpectCheck(ForgeCheckState::kFailure, 50);
  EXPECT_THAT(Runs()[0].summary, EndsWith("The forge refused the annotations behind the first 50 of 120."));
}

TEST_F(ReviewEffects, WhatIsNoCheckOfACommitIsNoAction) {
  for (const char* head : {"", "main", "0123"}) {
    v1::Action action = BeginAction();
    action.mutable_report_check()->set_head(head);
    EXPECT_FALSE(ReportCheckEffect().Prepare(plan_, action).ok()) << head;
  }
  v1::Action nameless = BeginAction();
  nameless.mutable_report_check()->clear_name();
  EXPECT_FALSE(ReportCheckEffect().Prepare(plan_, nameless).ok());
  EXPECT_FALSE(ReportCheckEffect().Prepare(plan_, BeginAction(-1)).ok());
}

TEST_F(ReviewEffects, TextsOfACheckAreCutBetweenCharacters) {
  v1::Action action = BeginAction();
  std::string text;
  while (text.size() < 70'000) text += "字";
  action.mutable_report_check()->set_title(text);
  action.mutable_report_check()->set_summary(text);
  const auto entry = ReportCheckEffect().Prepare(plan_, action);
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(entry->action.report_check().summary().size(), 64'998U);
  EXPECT_EQ(entry->action.report_check().title().size(), 249U);
}

// --- report_check, as a commit status ---

TEST_F(ReviewEffects, TokenSetsAStatus) {
  world_.forge_.check_runs = false;
  auto& statuses = world_.forge_.statuses[kRepository];
  ASSERT_TRUE(Run({BeginAction()}).done());
  ASSERT_THAT(statuses, SizeIs(1));
  EXPECT_EQ(statuses[0].status.state, ForgeCheckState::kInProgress);
  EXPECT_EQ(statuses[0].status.context, kCheck);
  ASSERT_TRUE(Run({CheckAction(v1::ReportCheck::CONCLUSION_NEUTRAL, 2)}).done());
  ASSERT_THAT(statuses, SizeIs(2));
  EXPECT_EQ(statuses[1].status.state, ForgeCheckState::kSuccess);
  EXPECT_EQ(statuses[1].status.description, "2 new, 0 still, 0 fixed");
  ASSERT_TRUE(Run({BeginAction(1), CheckAction(v1::ReportCheck::CONCLUSION_FAILURE, 0, 1)}).done());
  EXPECT_EQ(statuses.back().status.state, ForgeCheckState::kFailure);
  const size_t all = statuses.size();
  ASSERT_TRUE(Run({CheckAction(v1::ReportCheck::CONCLUSION_CANCELLED, 0, 1)}).done());
  EXPECT_THAT(statuses, SizeIs(all)) << "it had ended";
  ASSERT_TRUE(Run({BeginAction(2), CheckAction(v1::ReportCheck::CONCLUSION_CANCELLED, 0, 2)}).done());
  EXPECT_EQ(statuses.back().status.state, ForgeCheckState::kFailure) << "no head passes that nobody looked at";
}

TEST_F(ReviewEffects, DescriptionOfAStatusIsShort) {
  world_.forge_.check_runs = false;
  v1::Action action = BeginAction();
  action.mutable_report_check()->set_title(std::string(200, 'x'));
  ASSERT_TRUE(Run({action}).done());
  EXPECT_THAT(world_.forge_.statuses[kRepository][0].status.description, EndsWith("x…"));
  EXPECT_LE(world_.forge_.statuses[kRepository][0].status.description.size(), 140U);
}

TEST_F(ReviewEffects, ForgeWithoutChecksHoldsNothingUp) {
  MoveToGitCode();
  ASSERT_TRUE(
      Run({BeginAction(), CheckAction(v1::ReportCheck::CONCLUSION_FAILURE, 3), SummaryAction("text", 0)}).done());
  EXPECT_THAT(gitcode_->At(kRepository, 1).comments, SizeIs(1));
  for (const store::Effect& effect : world_.Effects()) {
    if (effect.kind != "report_check") continue;
    EXPECT_EQ(effect.state, store::EffectState::kRefused);
    EXPECT_EQ(effect.reason, "this forge has neither check runs nor commit statuses");
  }
}

// --- review_comments ---

TEST_F(ReviewEffects, CommentsAtLinesAreOneReviewAndAreNotRepeated) {
  ASSERT_TRUE(Run({InlineAction({1, 2, 3})}).done());
  EXPECT_EQ(Lines(), (std::multiset<int>{1, 2, 3}));
  EXPECT_EQ(world_.forge_.created_reviews, 1);
  EXPECT_EQ(Last().forge_ref, "3 comments");
  EXPECT_THAT(Comments()[0].comment.body,
              EndsWith(absl::StrCat("<!-- yardmaster pack=tiny template=inline key=", InlineKey(1), " -->")));
  // The next head has one more; the line of another has moved, and a third is outdated.
  Comments()[0].line = 17;
  Comments()[1].line = 0;
  ASSERT_TRUE(Run({InlineAction({1, 2, 3, 4}, std::string(40, 'b'))}).done());
  EXPECT_EQ(Lines(), (std::multiset<int>{0, 3, 4, 17}));
  const int writes = world_.forge_.writes;
  ASSERT_TRUE(Run({InlineAction({1, 4}, std::string(40, 'c'))}).done());
  EXPECT_EQ(world_.forge_.writes, writes);
  world_.ExpectSettled();
}

TEST_F(ReviewEffects, SecondDaemonFindsWhatTheFirstOneSaid) {
  World other;
  ASSERT_TRUE(Run({InlineAction({1, 2})}).done());
  other.forge_.review_comments = world_.forge_.review_comments;
  std::string key;
  ASSERT_TRUE(
      other.effects_->Run(plan_, InlineAction({1, 2}), 1, started_, EffectContext{*other.account_, {}}, key).done());
  EXPECT_EQ(other.forge_.writes, 0);
}

TEST_F(ReviewEffects, MarkerInAForeignCommentAtALineIsNotOurs) {
  ForgeReviewComment copy;
  copy.comment.id = "77";
  copy.comment.author.login = "mallory";
  copy.comment.body = WithMarker("nothing to see", "tiny", "inline", InlineKey(1));
  Comments().push_back(copy);
  ASSERT_TRUE(Run({InlineAction({1})}).done());
  EXPECT_THAT(Comments(), SizeIs(2));
}

TEST_F(ReviewEffects, LineThatTheForgeRefusesLosesNoOther) {
  world_.forge_.lines = std::set<std::string>{"a.py:1", "a.py:3"};
  ASSERT_TRUE(Run({InlineAction({1, 2, 3})}).done());
  EXPECT_EQ(Lines(), (std::multiset<int>{1, 3}));
  EXPECT_EQ(Last().state, store::EffectState::kConfirmed);
  EXPECT_EQ(Last().forge_ref, "2 comments; not at their lines: a.py:2");
}

TEST_F(ReviewEffects, MoreCommentsThanOneReviewTakesAreSeveral) {
  std::vector<int> numbers;
  for (int i = 1; i <= 70; ++i) numbers.push_back(i);
  ASSERT_TRUE(Run({InlineAction(numbers)}).done());
  EXPECT_THAT(Lines(), SizeIs(70));
  EXPECT_EQ(world_.forge_.created_reviews, 3);
}

TEST_F(ReviewEffects, BudgetThatRunsOutBetweenReviewsLosesNone) {
  std::vector<int> numbers;
  for (int i = 1; i <= 70; ++i) numbers.push_back(i);
  int writes = 0;
  world_.forge_.before_write = [&] {
    world_.forge_.refuse_writes =
        ++writes == 2 ? Refusal(ForgeReason::kBudget, 0, milliseconds(45'000)) : absl::OkStatus();
  };
  EXPECT_EQ(Attempt({InlineAction(numbers)}).delay, milliseconds(45'000));
  ASSERT_TRUE(Run({InlineAction(numbers)}).done());
  EXPECT_EQ(Lines(), std::multiset<int>(numbers.begin(), numbers.end()));
}

TEST_F(ReviewEffects, WhereNotAllCommentsAreShownNoneIsAdded) {
  world_.forge_.review_comments_complete = false;
  EXPECT_TRUE(Run({InlineAction({1})}).failed());
  EXPECT_EQ(world_.forge_.writes, 0);
  EXPECT_THAT(Last().reason, HasSubstr("more comments at lines than are read"));
}

TEST_F(ReviewEffects, GitCodeTakesCommentsOneByOne) {
  MoveToGitCode();
  ASSERT_TRUE(Run({InlineAction({1, 2, 3})}).done());
  EXPECT_EQ(Lines(), (std::multiset<int>{1, 2, 3}));
  EXPECT_EQ(gitcode_->created_reviews, 3);
}

TEST_F(ReviewEffects, CommentThatLostItsPlaceIsToldAndNotMadeAgain) {
  MoveToGitCode();
  gitcode_->Comment(gitcode_->At(kRepository, 1), "yardbot", WithMarker("finding 2", "tiny", "inline", InlineKey(2)));
  ASSERT_TRUE(Run({InlineAction({1, 2})}).done());
  EXPECT_EQ(Lines(), (std::multiset<int>{1}));
  EXPECT_EQ(Last().forge_ref, "1 comment; not at their lines: a.py:2");
}

TEST_F(ReviewEffects, CommentThatBecomesOneOfTheWholePullRequestLosesNoOther) {
  MoveToGitCode();
  int writes = 0;
  gitcode_->before_write = [&] {
    gitcode_->refuse_writes = ++writes == 1 ? Refusal(ForgeReason::kConflict, 201) : absl::OkStatus();
  };
  ASSERT_TRUE(Run({InlineAction({1, 2})}).done());
  EXPECT_EQ(Lines(), (std::multiset<int>{2}));
  EXPECT_EQ(Last().forge_ref, "1 comment; not at their lines: a.py:1");
}

TEST_F(ReviewEffects, WhatCantBeFoundAgainIsNoComment) {
  EXPECT_FALSE(ReviewCommentsEffect().Prepare(plan_, InlineAction({})).ok());
  EXPECT_FALSE(ReviewCommentsEffect().Prepare(plan_, InlineAction({1, 1})).ok());
  v1::Action action = InlineAction({1});
  action.mutable_review_comments()->mutable_comments(0)->set_key("not a key at all");
  EXPECT_FALSE(ReviewCommentsEffect().Prepare(plan_, action).ok());
}

// --- resolve_review_comments ---

TEST_F(ReviewEffects, SettledCommentsAreAnsweredOnce) {
  ASSERT_TRUE(Run({InlineAction({1, 2, 3}), ResolveAction({1, 3, 9})}).done());
  EXPECT_EQ(Answered(), (std::multiset<std::string>{InlineKey(1), InlineKey(3)}));
  EXPECT_THAT(Comments()[3].comment.body, HasSubstr("Fixed in " + kHead));
  EXPECT_EQ(Comments()[3].in_reply_to, Comments()[0].comment.id);
  ASSERT_TRUE(Run({ResolveAction({1, 2, 3})}).done());
  EXPECT_EQ(Answered(), (std::multiset<std::string>{InlineKey(1), InlineKey(2), InlineKey(3)}));
}

TEST_F(ReviewEffects, NobodyWaitsForAnAnswerThatIsRefused) {
  ASSERT_TRUE(Run({InlineAction({1})}).done());
  world_.forge_.refuse_reviews = Refusal(ForgeReason::kForbidden, 403);
  ASSERT_TRUE(Run({ResolveAction({1})}).done());
  EXPECT_EQ(Last().state, store::EffectState::kRefused);
}

TEST_F(ReviewEffects, CommentThatNeverWasNeedsNoAnswer) {
  ASSERT_TRUE(Run({ResolveAction({1, 2})}).done());
  EXPECT_EQ(world_.forge_.writes, 0);
  EXPECT_FALSE(ResolveReviewCommentsEffect().Prepare(plan_, ResolveAction({})).ok());
}

// --- The summary ---

TEST_F(ReviewEffects, SummaryIsOneCommentAndAnUnchangedTextIsNotWrittenAgain) {
  ASSERT_TRUE(Run({SummaryAction("1 new", 5)}).done());
  MemoryForge::Issue& pull = world_.forge_.At(kRepository, 1);
  ASSERT_THAT(pull.comments, SizeIs(1));
  EXPECT_THAT(pull.comments[0].body, HasSubstr("template=review key="));
  const int writes = world_.forge_.writes;
  ASSERT_TRUE(Run({SummaryAction("1 new", 6)}).done());
  EXPECT_EQ(world_.forge_.writes, writes);
  ASSERT_TRUE(Run({SummaryAction("0 new", 7)}).done());
  ASSERT_THAT(pull.comments, SizeIs(1));
  EXPECT_THAT(pull.comments[0].body, HasSubstr("0 new"));
}

// --- Faults and deaths ---

std::vector<v1::Action> WholeReview() {
  return {BeginAction(), CheckAction(v1::ReportCheck::CONCLUSION_FAILURE, 120), SummaryAction("text", 3),
          InlineAction({1, 2, 3}), ResolveAction({2})};
}

class ReviewEffectsUnderFaults : public ReviewEffects {
 public:
  void TestBody() override {}
  void ExpectDoneOnce(bool check_runs) {
    if (check_runs) {
      ExpectCheck(ForgeCheckState::kFailure, 120);
    } else {
      ASSERT_FALSE(world_.forge_.statuses[kRepository].empty());
      EXPECT_EQ(world_.forge_.statuses[kRepository].back().status.state, ForgeCheckState::kFailure);
    }
    EXPECT_THAT(world_.forge_.At(kRepository, 1).comments, SizeIs(1));
    EXPECT_EQ(Lines(), (std::multiset<int>{1, 2, 3}));
    ExpectAnsweredOnce();
    world_.ExpectSettled();
  }
  // Nobody waits for an answer: one that was lost as often as it may be tried stays so, and is never there twice.
  void ExpectAnsweredOnce() {
    const auto effects = world_.Effects();
    const bool given_up = std::any_of(effects.begin(), effects.end(), [](const store::Effect& effect) {
      return effect.kind == "resolve_review_comments" && effect.state == store::EffectState::kFailed;
    });
    EXPECT_EQ(Answered(), given_up ? std::multiset<std::string>() : std::multiset<std::string>{InlineKey(2)});
  }
  // How many points there are to die at.
  int64_t Points() {
    world_.points_ = 0;
    EXPECT_TRUE(Run(WholeReview()).done());
    ExpectDoneOnce(true);
    return world_.points_;
  }
  void DieAt(int64_t point, bool check_runs) {
    world_.forge_.check_runs = check_runs;
    world_.points_ = 0;
    world_.die_at_ = point;
    EXPECT_TRUE(Run(WholeReview()).done());
    world_.die_at_ = 0;
    ExpectDoneOnce(check_runs);
  }
  void GoBySeed(uint64_t seed, bool one_line_is_refused) {
    std::mt19937_64 random(seed);
    if (one_line_is_refused) world_.forge_.lines = std::set<std::string>{"a.py:2"};
    world_.forge_.check_runs = seed % 4 != 0;
    world_.forge_.Seed(seed,
                       {.not_sent = 6, .limited = 6, .lost_before = 6, .lost_after = 6, .late = 6, .invisible = 6});
    int deaths = 0;
    world_.die_again = [&]() -> int64_t { return ++deaths < 5 ? static_cast<int64_t>(1 + random() % 80) : -1; };
    world_.points_ = 0;
    world_.die_at_ = static_cast<int64_t>(1 + random() % 120);
    EXPECT_TRUE(Run(WholeReview()).done());
    world_.die_at_ = 0;
    // What was sent late and twice has landed by now.
    world_.clock_.Advance(std::chrono::minutes(1));
    if (!one_line_is_refused) return ExpectDoneOnce(world_.forge_.check_runs);
    EXPECT_EQ(Lines(), (std::multiset<int>{2}));
    ExpectAnsweredOnce();
  }
};

TEST(ReviewEffectsAndDeath, EveryPointOfDeathLeavesEverythingDoneOnce) {
  const int64_t points = ReviewEffectsUnderFaults().Points();
  ASSERT_GT(points, 60);
  for (int64_t point = 1; point <= points; ++point) {
    SCOPED_TRACE(absl::StrCat("death at point ", point));
    // With a token the check is another one, and all else the same.
    ReviewEffectsUnderFaults().DieAt(point, point % 4 != 0);
    if (::testing::Test::HasFailure()) break;
  }
}

TEST(ReviewEffectsBySeed, FaultsAndDeathsLoseNothingAndDoNothingTwice) {
  const uint64_t seeds = testing::Rounds("YARD_SIMULATION_SEEDS", 60);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    ReviewEffectsUnderFaults().GoBySeed(seed, seed % 3 == 0);
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace yardmaster
