#include "services/review/pull_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/errors.h"
#include "services/core/logging.h"
#include "services/core/reasons.h"
#include "services/review/kept_review.h"
#include "services/review/publish.h"
#include "tests/support/fake_subject_view.h"
#include "tests/support/memory_change.h"
#include "tests/support/tiny_pack.h"
#include "tests/unit/services/review/fake_source.h"
#include "tests/unit/services/review/memory_reviews.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string kBad = "def k():\n    return 1\n";
const std::string kGood = "def k(): pass\n";

// A pull request of a repository whose reviews are on, and the planner that looks at it.
class PullPlannerTest : public ::testing::Test {
 protected:
  PullPlannerTest() {
    Problems problems;
    checks_["lantern"] = rules::LoadChecks(testing::ReviewPackFiles(), "lantern", problems);
    RepositoryConfig& repository = config_.repositories.emplace_back();
    repository.forge = "github";
    repository.repository = "octo/*";
    repository.packs = {"tiny", "lantern"};
    repository.review.events = true;
    subject_.set_forge("github");
    subject_.set_repository("octo/repo");
    subject_.set_number(7);
    subject_.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
    *snapshot_.mutable_subject() = subject_;
    *event_.mutable_subject() = subject_;
    event_.set_kind(v1::Event::KIND_PUSHED);
    view_.pull.head_sha = "head1";
    view_.pull.base_sha = "base1";
    view_.pull.url = "https://github.com/octo/repo/pull/7";
    source_.head["demo_impl.py"] = kBad;
  }

  ReviewConfig& review() { return config_.repositories.front().review; }
  PlanInput Input() {
    return {.event = event_,
            .trigger = trigger_,
            .snapshot = snapshot_,
            .open = open_,
            .pack = pack_,
            .mode = v1::MODE_APPLY,
            .choice = choice_,
            .now = absl::ToChronoTime(absl::FromCivil(absl::CivilDay(2026, 5, 1), absl::UTCTimeZone())),
            .asked = asked_,
            .view = view_};
  }
  v1::Plan Plan() {
    v1::Plan plan;
    const absl::Status planned = planner_.Plan(Input(), plan);
    EXPECT_TRUE(planned.ok()) << planned;
    return plan;
  }
  // The next push: what was planned was written.
  void Push(const std::string& head, const std::string& text, const v1::Plan& before) {
    view_.written.insert(view_.written.begin(), before.actions().begin(), before.actions().end());
    view_.pull.head_sha = head;
    source_.head["demo_impl.py"] = text;
  }
  TriggerResult TriggerOf(v1::Event::Kind kind, v1::Event::Origin origin = v1::Event::ORIGIN_WEBHOOK) {
    RoutedEvent routed;
    routed.event = event_;
    routed.event.set_kind(kind);
    routed.event.set_origin(origin);
    return planner_.TriggerFor(routed, pack_->model(), nullptr);
  }

  Config config_;
  PackSet::Checks checks_;
  testing::FakeSubjectView view_;
  testing::ReviewsInMemory reviews_;
  testing::FakeSource source_;
  v1::Subject subject_;
  v1::Event event_;
  v1::IssueSnapshot snapshot_;
  RepositoryChoice choice_;
  AskOptions asked_;
  Trigger trigger_ = Trigger::kPlan;
  bool open_ = true;
  std::shared_ptr<const rules::CompiledPack> pack_ = testing::CompileTinyPack();
  PullReviewPlanner planner_{
      PullReviewEnvironment{config_,
                            [this] { return std::make_shared<const PackSet>(PackSet::Packs(), checks_); },
                            &reviews_,
                            &source_,
                            {.path = [](std::string_view) { return std::string(".github/yardmaster.json"); },
                             .problems =
                                 [](const v1::Subject&, std::string_view text) {
                                   return text == "bad" ? Problems{{"f", "/mode", 3, 1, "is no mode"}} : Problems();
                                 }}}};
};

TEST_F(PullPlannerTest, EventsCountWhereReviewsAreSwitchedOn) {
  EXPECT_EQ(TriggerOf(v1::Event::KIND_OPENED).trigger, Trigger::kPlan);
  EXPECT_EQ(TriggerOf(v1::Event::KIND_PUSHED).debounce, kReviewDebounce);
  EXPECT_EQ(TriggerOf(v1::Event::KIND_RERUN).trigger, Trigger::kManual);
  EXPECT_EQ(TriggerOf(v1::Event::KIND_REOPENED).trigger, Trigger::kManual);
  EXPECT_EQ(TriggerOf(v1::Event::KIND_COMMENTED).trigger, Trigger::kNone);
  EXPECT_EQ(TriggerOf(v1::Event::KIND_EDITED).trigger, Trigger::kNone) << "no check looks at the title";
  review().events = false;
  EXPECT_EQ(TriggerOf(v1::Event::KIND_PUSHED).trigger, Trigger::kNone);
  EXPECT_EQ(TriggerOf(v1::Event::KIND_REQUESTED, v1::Event::ORIGIN_COMMAND).trigger, Trigger::kManual);
  EXPECT_EQ(TriggerOf(v1::Event::KIND_REQUESTED, v1::Event::ORIGIN_SWEEP).trigger, Trigger::kNone);
}

TEST_F(PullPlannerTest, DraftsAndClosedPullRequestsAreSkippedUnlessAPersonAsks) {
  EXPECT_EQ(planner_.SkipReason(Input()), "");
  view_.pull.draft = true;
  EXPECT_EQ(planner_.SkipReason(Input()), reasons::kDraft);
  review().drafts = true;
  EXPECT_EQ(planner_.SkipReason(Input()), "");
  open_ = false;
  EXPECT_EQ(planner_.SkipReason(Input()), reasons::kClosed);
  trigger_ = Trigger::kManual;
  EXPECT_EQ(planner_.SkipReason(Input()), "");
}

// Keeps what is put.
class KeptShadows final : public store::Shadows {
 public:
  absl::Status Put(const store::NewShadowRun& run) override {
    if (error.ok()) runs.push_back(run);
    return error;
  }
  absl::Status ForEach(const store::ShadowFilter&, const std::function<bool(const std::string&)>&) override {
    return absl::OkStatus();
  }
  absl::Status error;
  std::vector<store::NewShadowRun> runs;
};

TEST_F(PullPlannerTest, ARevisionInTheShadowReviewsTheSameChangeAndIsNotPublished) {
  // It has no check L1, which the one in service finds broken.
  rules::PackFiles files = testing::ReviewPackFiles();
  std::string& text = files["lantern/checks/checks.json"];
  const size_t begin = text.find(R"({"id": "L1")");
  text.erase(begin, text.find(R"({"id": "L2")") - begin);
  Problems problems;
  const std::shared_ptr<const rules::CheckSet> fewer = rules::LoadChecks(files, "lantern", problems);
  ASSERT_NE(fewer, nullptr) << problems.size();
  const auto compile = [&](const std::string& title) {
    return rules::CompiledPack::Compile(
        *rules::LoadPack({{"lantern/pack.json", R"({"name": "lantern", "title": ")" + title + "\"}"}}, "lantern",
                         problems),
        problems);
  };
  ShadowConfig& shadow = config_.repositories.front().shadow.emplace();
  shadow.pack = "lantern";
  shadow.folder = "next";
  const auto in_service = std::make_shared<const PackSet>(PackSet::Packs{{"lantern", compile("Now")}}, checks_);
  std::shared_ptr<const PackSet> packs =
      in_service->With({{shadow.Key(), in_service->Replacing("lantern", compile("Next"), fewer)}});
  KeptShadows kept;
  std::string log;
  LoggerOptions options;
  options.async = false;
  options.sink = [&](std::string_view line) { log += line; };
  Logger logger(options);
  const PullReviewPlanner planner{
      PullReviewEnvironment{config_, [&] { return packs; }, &reviews_, &source_, {}, &kept, &logger}};
  v1::Plan plan;
  ASSERT_TRUE(planner.Plan(Input(), plan).ok());
  EXPECT_GT(plan.actions_size(), 0);
  EXPECT_THAT(kept.runs, IsEmpty()) << "the review in service does not wait for it";
  ASSERT_NE(view_.afterwards, nullptr);
  // What can't be kept is said.
  kept.error = absl::ResourceExhaustedError("the disk is low");
  view_.afterwards();
  EXPECT_THAT(log, HasSubstr("the disk is low"));
  kept.error = absl::OkStatus();
  log.clear();
  view_.afterwards();
  EXPECT_EQ(log, "");
  ASSERT_THAT(kept.runs, SizeIs(1));
  EXPECT_EQ(kept.runs[0].pack, "lantern");
  EXPECT_EQ(kept.runs[0].input, "head1");
  v1::ShadowRun run;
  ASSERT_TRUE(run.ParseFromString(kept.runs[0].record));
  EXPECT_EQ(run.error(), "");
  ASSERT_EQ(run.differences_size(), 1);
  EXPECT_EQ(run.differences(0).name(), "L1");
  EXPECT_FALSE(run.differences(0).in_shadow());
  EXPECT_EQ(run.differences(0).path(), "demo_impl.py");
  EXPECT_NE(run.base_revision(), run.shadow_revision());
  // What acts is what it was without a shadow.
  const ShadowConfig of_lantern = shadow;
  config_.repositories.front().shadow.reset();
  v1::Plan alone;
  ASSERT_TRUE(planner.Plan(Input(), alone).ok());
  EXPECT_EQ(plan.actions_size(), alone.actions_size());
  EXPECT_EQ(view_.afterwards, nullptr);
  EXPECT_THAT(kept.runs, SizeIs(1));
  // Where git can't be used there is no shadow: the forge's calls are for the review in service.
  config_.repositories.front().shadow = of_lantern;
  source_.error = absl::UnavailableError("no git");
  view_.afterwards = nullptr;
  v1::Plan by_forge;
  ASSERT_TRUE(planner.Plan(Input(), by_forge).ok());
  EXPECT_EQ(view_.afterwards, nullptr);
  ASSERT_THAT(kept.runs, SizeIs(2)) << "the report counts it as failed";
  ASSERT_TRUE(run.ParseFromString(kept.runs[1].record));
  EXPECT_THAT(run.error(), HasSubstr("could not be read from its git server"));
  EXPECT_EQ(run.differences_size(), 0);
  EXPECT_EQ(run.shadow_revision(), kept.runs[1].shadow_revision);
  EXPECT_EQ(kept.runs[1].input, "head1");
  kept.error = absl::ResourceExhaustedError("the disk is low");
  ASSERT_TRUE(planner.Plan(Input(), by_forge).ok());
  EXPECT_THAT(log, HasSubstr("the disk is low"));
  kept.error = absl::OkStatus();
  // Nor where what the shadow needs can't be read a second time.
  source_.error = absl::OkStatus();
  log.clear();
  reviews_.imports_left = 1;
  v1::Plan without;
  ASSERT_TRUE(planner.Plan(Input(), without).ok());
  EXPECT_EQ(without.actions_size(), plan.actions_size());
  EXPECT_EQ(view_.afterwards, nullptr);
  EXPECT_THAT(log, HasSubstr("no more imports"));
}

TEST_F(PullPlannerTest, TheCheckBeginsAtOnceAndThoseOfOtherHeadsEnd) {
  view_.written = {BeginReviewCheck("head0", 0)};
  v1::Plan plan;
  ASSERT_TRUE(planner_.Acknowledge(Input(), plan).ok());
  ASSERT_EQ(plan.actions_size(), 2);
  EXPECT_EQ(plan.actions(0).report_check().head(), "head0");
  EXPECT_EQ(plan.actions(0).report_check().conclusion(), v1::ReportCheck::CONCLUSION_CANCELLED);
  EXPECT_EQ(plan.actions(1).report_check().head(), "head1");
  EXPECT_EQ(plan.actions(1).report_check().conclusion(), v1::ReportCheck::CONCLUSION_UNSPECIFIED);
  plan.clear_actions();
  choice_.publishing.publish = ReviewOutputs{.comment = true};
  ASSERT_TRUE(planner_.Acknowledge(Input(), plan).ok());
  EXPECT_EQ(plan.actions_size(), 0) << "the repository's file leaves the check out";
}

TEST_F(PullPlannerTest, AReviewIsReadFromGitKeptAndPublished) {
  const v1::Plan plan = Plan();
  ASSERT_EQ(source_.asked.size(), 1U);
  EXPECT_EQ(source_.asked[0].head, "head1");
  EXPECT_EQ(source_.asked[0].pull, 7);
  ASSERT_GE(plan.actions_size(), 3);
  EXPECT_EQ(plan.actions(0).report_check().head(), "head1");
  EXPECT_EQ(plan.actions(0).report_check().conclusion(), v1::ReportCheck::CONCLUSION_NEUTRAL) << "the gate is off";
  EXPECT_EQ(plan.actions(1).answer_comment().name(), kReviewCommentName);
  ASSERT_EQ(plan.actions(2).review_comments().comments_size(), 1);
  EXPECT_EQ(plan.actions(2).review_comments().comments(0).line(), 2U);
  EXPECT_EQ(plan.explanation().steps(0).id(), "review");
  EXPECT_THAT(plan.explanation().steps(0).why(), HasSubstr("1 file: 1 new"));
  const auto kept = reviews_.Latest(subject_, "");
  ASSERT_TRUE(kept.ok() && kept->has_value());
  const auto review = FromStored(**kept);
  ASSERT_TRUE(review.ok());
  EXPECT_EQ(review->merge_base(), "merge");
  EXPECT_EQ(review->source(), "git");
  EXPECT_TRUE(review->complete());
  EXPECT_THAT(review->new_counts(), ElementsAre(1, 0, 0, 0));
}

TEST_F(PullPlannerTest, NewBlockingFindingsFailTheCheckWhereTheGateSaysSo) {
  review().gate_blocks = true;
  EXPECT_EQ(Plan().actions(0).report_check().conclusion(), v1::ReportCheck::CONCLUSION_FAILURE);
  // It was there before.
  source_.base["demo_impl.py"] = kBad;
  source_.head["demo_impl.py"] = kBad + "\n\n";
  const v1::Plan plan = Plan();
  EXPECT_EQ(plan.actions(0).report_check().conclusion(), v1::ReportCheck::CONCLUSION_SUCCESS);
  EXPECT_THAT(plan.explanation().steps(0).why(), HasSubstr("0 new, 1 still"));
}

TEST_F(PullPlannerTest, WhatAnEarlierHeadHadIsFixed) {
  Push("head2", kGood, Plan());
  const v1::Plan second = Plan();
  EXPECT_EQ(second.actions(0).report_check().conclusion(), v1::ReportCheck::CONCLUSION_SUCCESS);
  EXPECT_THAT(second.explanation().steps(0).why(), HasSubstr("0 new, 0 still, 1 fixed"));
  EXPECT_EQ(second.actions(second.actions_size() - 1).resolve_review_comments().keys_size(), 1);
  // And stays so, until it is there again.
  Push("head3", kGood + "x = 1\n", second);
  const v1::Plan third = Plan();
  EXPECT_THAT(third.explanation().steps(0).why(), HasSubstr("0 new, 0 still, 1 fixed"));
  Push("head4", kBad, third);
  EXPECT_THAT(Plan().explanation().steps(0).why(), HasSubstr("1 new, 0 still, 0 fixed"));
}

TEST_F(PullPlannerTest, TheCheckIsReportedAnewWhereTheHeadHadItsConclusion) {
  const v1::Plan first = Plan();
  EXPECT_EQ(first.actions(0).report_check().attempt(), 0);
  Push("head1", kBad, first);
  v1::Plan acknowledgement;
  ASSERT_TRUE(planner_.Acknowledge(Input(), acknowledgement).ok());
  EXPECT_EQ(acknowledgement.actions(0).report_check().attempt(), 1);
  Push("head1", kBad, acknowledgement);
  EXPECT_EQ(Plan().actions(0).report_check().attempt(), 1);
}

TEST_F(PullPlannerTest, WithoutAGitServerTheForgeIsAskedAndTheReviewSaysSo) {
  source_.error = errors::GitServerUnusable("octo/repo", "it is away");
  ForgePullFile& file = view_.changed.files.emplace_back();
  file.path = "demo_impl.py";
  file.patch = "@@ -1,1 +1,2 @@\n-def k(): pass\n+def k():\n+    return 1";
  view_.changed.files.emplace_back().path = "other_impl.py";
  view_.files[":demo_impl.py@head1"] = kBad;
  review().gate_blocks = true;
  const v1::Plan plan = Plan();
  EXPECT_EQ(plan.actions(0).report_check().conclusion(), v1::ReportCheck::CONCLUSION_FAILURE);
  EXPECT_THAT(plan.explanation().steps(1).why(), HasSubstr("the forge's calls"));
  EXPECT_THAT(plan.actions(1).answer_comment().body(), HasSubstr("other_impl.py"));
  const auto review = FromStored(**reviews_.Latest(subject_, ""));
  EXPECT_EQ(review->source(), "forge");
  EXPECT_FALSE(review->complete());
}

TEST_F(PullPlannerTest, AReviewThatDidNotSeeEverythingNeverPasses) {
  source_.error = errors::GitServerUnusable("octo/repo", "it is away");
  view_.changed.complete = false;
  EXPECT_EQ(Plan().actions(0).report_check().conclusion(), v1::ReportCheck::CONCLUSION_NEUTRAL);
}

TEST_F(PullPlannerTest, WhileTheReviewGoesOnThePlanWaits) {
  view_.still_working = true;
  v1::Plan plan;
  EXPECT_TRUE(IsStillWorking(planner_.Plan(Input(), plan)));
}

TEST_F(PullPlannerTest, ChecksOfAClosedPullRequestEnd) {
  event_.set_kind(v1::Event::KIND_CLOSED);
  open_ = false;
  EXPECT_EQ(planner_.SkipReason(Input()), reasons::kClosed) << "nothing was begun";
  view_.written = {BeginReviewCheck("head1", 2)};
  EXPECT_EQ(planner_.SkipReason(Input()), "");
  const v1::Plan plan = Plan();
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_EQ(plan.actions(0).report_check().conclusion(), v1::ReportCheck::CONCLUSION_SKIPPED);
  EXPECT_EQ(plan.actions(0).report_check().attempt(), 2);
  EXPECT_THAT(source_.asked, IsEmpty());
}

TEST_F(PullPlannerTest, WhoAsksInChatIsToldTheFindingsAndWhereTheyStand) {
  const auto told = [&] {
    const v1::Plan plan = Plan();
    for (const v1::StepOutcome& step : plan.explanation().steps()) {
      if (step.id() == kToldStep) return step.why();
    }
    return std::string();
  };
  EXPECT_EQ(told(), "") << "nobody asked";
  asked_.chinese = true;
  EXPECT_THAT(told(), StartsWith("1 个文件：新增 1，")) << "on the forge the summary stands below";
  asked_.told.emplace();
  EXPECT_THAT(told(), AllOf(StartsWith("[#7](https://github.com/octo/repo/pull/7)\n\n"), HasSubstr("新增: 1"),
                            HasSubstr("demo_impl.py:2")));
  // Whatever is published.
  asked_.chinese = false;
  review().publish.comment = false;
  EXPECT_THAT(told(), AllOf(HasSubstr("**New: 1**"), HasSubstr("demo_impl.py:2")));
  view_.pull.url = "javascript:alert(1)";
  EXPECT_THAT(told(), StartsWith("### Review of "));
}

TEST_F(PullPlannerTest, WhereEventsAreOffAReviewIsOneComment) {
  review().events = false;
  event_.set_kind(v1::Event::KIND_REQUESTED);
  const v1::Plan plan = Plan();
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_EQ(plan.actions(0).answer_comment().name(), kReviewCommentName);
}

TEST_F(PullPlannerTest, ReviewsUnderThePackThatIsAskedForElseUnderThoseOfTheRepository) {
  const auto packs = [&] { return Plan().actions(1).answer_comment().body(); };
  EXPECT_THAT(packs(), HasSubstr("Packs: lantern"));
  asked_.pack = "tiny";
  EXPECT_THAT(packs(), HasSubstr("no checks of code"));
  asked_.pack.clear();
  choice_.packs = {"tiny"};
  EXPECT_THAT(packs(), HasSubstr("no checks of code")) << "its own file chooses";
}

TEST_F(PullPlannerTest, MistakesInTheRepositorysOwnFileAreFindingsAtTheirLines) {
  source_.head = {{".github/yardmaster.json", "bad"}};
  const v1::Plan plan = Plan();
  ASSERT_EQ(plan.actions(0).report_check().annotations_size(), 1);
  const v1::CheckAnnotation& annotation = plan.actions(0).report_check().annotations(0);
  EXPECT_EQ(annotation.title(), "YM-CONFIG");
  EXPECT_EQ(annotation.line(), 3U);
  source_.head = {{".github/yardmaster.json", "good"}};
  EXPECT_THAT(Plan().actions(0).report_check().annotations(), SizeIs(0));
}

TEST_F(PullPlannerTest, TheDigestIsOfCommitsAndRules) {
  const std::string digest = planner_.Digest(Input());
  snapshot_.set_title("another title");
  EXPECT_EQ(planner_.Digest(Input()), digest) << "no check looks at it";
  choice_.review.severities["L1"] = std::nullopt;
  EXPECT_NE(planner_.Digest(Input()), digest);
  choice_.review.severities.clear();
  view_.pull.head_sha = "head2";
  EXPECT_NE(planner_.Digest(Input()), digest);
}

v1::IgnoreRule IgnoreBy(const std::string& rule, const std::string& path) {
  v1::IgnoreRule ignore;
  ignore.mutable_rule()->set_rule_id(rule);
  ignore.mutable_rule()->set_path(path);
  ignore.mutable_rule()->set_by("maria");
  ignore.mutable_rule()->set_reason("measured");
  ignore.set_cause("command-1");
  return ignore;
}

v1::Review LatestOf(testing::ReviewsInMemory& reviews, const v1::Subject& subject) {
  const auto stored = reviews.Latest(subject, "");
  return FromStored(stored->value()).value();
}

TEST_F(PullPlannerTest, AnIgnoredRuleIsHeldBackUntilItsFileIsGone) {
  // 1. Asked for: the review is published without the finding, and says who wanted that.
  asked_.ignore = IgnoreBy("L1", "demo_impl.py");
  v1::Plan plan = Plan();
  ASSERT_FALSE(plan.actions().empty());
  EXPECT_EQ(plan.actions(0).report_check().conclusion(), v1::ReportCheck::CONCLUSION_SUCCESS);
  v1::Review review = LatestOf(reviews_, subject_);
  EXPECT_THAT(review.findings(), IsEmpty());
  ASSERT_EQ(review.ignored_size(), 1);
  EXPECT_EQ(review.ignored(0).findings(), 1u);
  EXPECT_THAT(ReviewComment(review, {}), HasSubstr("* `L1` in `demo_impl.py` by maria: measured (1 finding)"));

  // 2. Noted: it holds for the next push, and nothing is told as fixed.
  *plan.add_actions()->mutable_ignore_rule() = *asked_.ignore;
  asked_.ignore.reset();
  Push("head2", kBad + "# more\n", plan);
  plan = Plan();
  review = LatestOf(reviews_, subject_);
  EXPECT_THAT(review.findings(), IsEmpty());
  EXPECT_EQ(review.ignored_size(), 1);

  // 3. The file goes, and comes back: it is news again.
  Push("head3", "", plan);
  source_.head.erase("demo_impl.py");
  source_.head["other.txt"] = "x";
  plan = Plan();
  EXPECT_EQ(LatestOf(reviews_, subject_).ignored_size(), 0);
  const v1::Action& last = plan.actions(plan.actions_size() - 1);
  EXPECT_TRUE(last.ignore_rule().ended());
  EXPECT_EQ(last.ignore_rule().cause(), "head3");
  Push("head4", kBad, plan);
  plan = Plan();
  review = LatestOf(reviews_, subject_);
  EXPECT_THAT(review.findings(), SizeIs(1));
  EXPECT_EQ(review.ignored_size(), 0);
}

TEST_F(PullPlannerTest, WhatMakesNoDifferenceIsNotIgnoredAndNothingIsPublished) {
  for (const auto& [rule, path] : std::vector<std::pair<std::string, std::string>>{{"L9", ""}, {"L1", "other.py"}}) {
    asked_.ignore = IgnoreBy(rule, path);
    EXPECT_THAT(Plan().actions(), IsEmpty()) << rule;
  }
  asked_.ignore = IgnoreBy("L1", "");
  asked_.ignore->set_ended(true);
  EXPECT_THAT(Plan().actions(), IsEmpty()) << "it was never ignored";
}

TEST_F(PullPlannerTest, WhatAnotherToolFoundAtTheHeadIsPartOfTheReview) {
  v1::ImportFindingsRequest request;
  *request.mutable_subject() = subject_;
  request.set_head("head1");
  request.set_tool("ruff");
  request.set_content("demo_impl.py:1:5: E741 ambiguous name\n");
  const std::string before = planner_.Digest(Input());
  ASSERT_TRUE(reviews_.PutImport(subject_, "head1", ToStored(request)).ok());
  EXPECT_NE(planner_.Digest(Input()), before) << "the same head is to be reviewed anew";
  v1::Plan plan = Plan();
  const v1::Review review = LatestOf(reviews_, subject_);
  ASSERT_THAT(review.findings(), SizeIs(2));
  EXPECT_THAT(plan.actions(0).report_check().annotations(), SizeIs(2));
  // Another head is another run of the tool.
  Push("head2", kBad, plan);
  Plan();
  EXPECT_THAT(LatestOf(reviews_, subject_).findings(), SizeIs(2)) << "one still stands, one of the tool is gone";
}

TEST(PullOfHead, IsThePullRequestThatWasReviewedThere) {
  testing::ReviewsInMemory reviews;
  v1::Subject subject;
  subject.set_forge("github");
  subject.set_repository("octo/repo");
  EXPECT_EQ(PullOfHead(reviews, subject, "head1").value(), 0);
  ReviewedChange change{subject, "base", "head1", "", "", "git"};
  ASSERT_TRUE(reviews.Put(ToStored(MakeReview({}, change))).ok()) << "a range of commits";
  change.subject.set_number(7);
  ASSERT_TRUE(reviews.Put(ToStored(MakeReview({}, change))).ok());
  EXPECT_EQ(PullOfHead(reviews, subject, "head1").value(), 7);
  EXPECT_EQ(reviews.asked.repository, "github:octo/repo");
  EXPECT_EQ(reviews.asked.head, "head1");
  EXPECT_EQ(PullOfHead(reviews, subject, "").value(), 0);
}

}  // namespace
}  // namespace yardmaster
