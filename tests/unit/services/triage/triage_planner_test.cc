#include "services/triage/triage_planner.h"

#include <gmock/gmock.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "services/core/limits.h"
#include "services/core/messages/issue_snapshot.h"
#include "services/core/readable.h"
#include "tests/support/tiny_pack.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

v1::IssueSnapshot Issue(const std::string& title, const std::string& body) {
  v1::IssueSnapshot issue;
  issue.mutable_subject()->set_number(7);
  issue.set_title(title);
  issue.set_body(body);
  return issue;
}

class PlannerTest : public ::testing::Test {
 protected:
  v1::Plan Plan(const v1::IssueSnapshot& issue, const PlanOptions& options = {}) {
    v1::Plan plan;
    const absl::Status status = PlanTriage(*pack_, issue, options, plan);
    EXPECT_TRUE(status.ok()) << status;
    return plan;
  }

  static const v1::LabelExplanation* Find(const v1::Plan& plan, const std::string& label) {
    for (const v1::LabelExplanation& explanation : plan.explanation().labels()) {
      if (explanation.label() == label) return &explanation;
    }
    return nullptr;
  }

  std::shared_ptr<const rules::CompiledPack> pack_ = testing::CompileTinyPack();
};

TEST_F(PlannerTest, LabelsConfidenceAndActionsComeFromTheDecision) {
  const v1::Plan plan = Plan(Issue("socket closed", "The socket is closed."));
  EXPECT_EQ(plan.pack(), "tiny");
  EXPECT_EQ(plan.pack_revision(), pack_->model().revision);
  EXPECT_EQ(plan.mode(), v1::MODE_DRY_RUN);
  EXPECT_EQ(plan.subject().number(), 7);
  EXPECT_EQ(plan.subject().kind(), v1::SUBJECT_KIND_ISSUE);
  EXPECT_THAT(plan.labels(), ElementsAre("team b", "area: net"));
  EXPECT_THAT(plan.applied(), ElementsAre("team b", "area: net", "done"));
  EXPECT_EQ(plan.comment_template(), "");
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_THAT(plan.actions(0).add_labels().labels(), ElementsAre("team b", "area: net", "done"));
  ASSERT_EQ(plan.confidence_size(), 2);
  EXPECT_EQ(plan.confidence(1).label(), "area: net");
  EXPECT_EQ(plan.confidence(1).confidence(), v1::CONFIDENCE_HIGH);
}

TEST_F(PlannerTest, EvidenceNamesZonePlaceTextAndPoints) {
  const v1::IssueSnapshot issue = Issue("A socket", "Some words.\n\nThen a socket broke.");
  const v1::LabelExplanation* net = nullptr;
  const v1::Plan plan = Plan(issue);
  net = Find(plan, "area: net");
  ASSERT_NE(net, nullptr);
  EXPECT_TRUE(net->chosen());
  EXPECT_EQ(net->classifier(), "area");
  EXPECT_DOUBLE_EQ(net->threshold(), 2);
  EXPECT_DOUBLE_EQ(net->high_threshold(), 4);
  ASSERT_EQ(net->rules_size(), 2);
  const v1::Evidence& title = net->rules(0);
  EXPECT_EQ(title.rule_id(), "net.word");
  EXPECT_EQ(title.zone(), "title");
  EXPECT_EQ(title.text(), "socket");
  EXPECT_EQ(title.span().source(), v1::TextSpan::SOURCE_TITLE);
  EXPECT_EQ(title.span().begin(), 2u);
  EXPECT_EQ(title.span().end(), 8u);
  EXPECT_DOUBLE_EQ(title.score(), 4);
  const v1::Evidence& prose = net->rules(1);
  EXPECT_EQ(prose.span().source(), v1::TextSpan::SOURCE_BODY);
  EXPECT_EQ(issue.body().substr(prose.span().begin(), prose.span().end() - prose.span().begin()), prose.text());
}

TEST_F(PlannerTest, EvidenceInACommentNamesTheComment) {
  v1::IssueSnapshot issue = Issue("Trouble", "Something broke.");
  issue.add_comments()->set_body("No idea.");
  issue.add_comments()->set_body("It is the disk again.");
  const v1::Plan plan = Plan(issue);
  const v1::LabelExplanation* disk = Find(plan, "area: disk");
  ASSERT_NE(disk, nullptr);
  ASSERT_EQ(disk->rules_size(), 1);
  EXPECT_EQ(disk->rules(0).span().source(), v1::TextSpan::SOURCE_COMMENT);
  EXPECT_EQ(disk->rules(0).span().comment_index(), 1u);
  EXPECT_EQ(disk->rules(0).text(), "disk");
}

TEST_F(PlannerTest, SuppressedLabelTellsReasonAndScores) {
  const v1::Plan plan = Plan(Issue("Trouble", "See:\n\n```\nsocket\n```\n"));
  const v1::LabelExplanation* net = Find(plan, "area: net");
  ASSERT_NE(net, nullptr);
  EXPECT_FALSE(net->chosen());
  ASSERT_EQ(net->suppressed_size(), 1);
  EXPECT_EQ(net->suppressed(0).rule_id(), "net.only-code");
  EXPECT_EQ(net->suppressed(0).reason(), "a socket in code alone says nothing");
  EXPECT_DOUBLE_EQ(net->suppressed(0).score_before(), 1);
  EXPECT_DOUBLE_EQ(net->suppressed(0).score_after(), 0.25);
}

TEST_F(PlannerTest, CommentComesBeforeLabelsSoThatAHalfFailedRunCanBeFinished) {
  const v1::Plan plan = Plan(Issue("It does not work", "It does not work."));
  EXPECT_EQ(plan.comment_template(), "more");
  ASSERT_EQ(plan.actions_size(), 2);
  EXPECT_EQ(plan.actions(0).post_template().template_id(), "more");
  EXPECT_EQ(plan.actions(0).post_template().body(), "Please tell us more.\nWhat did you run?");
  EXPECT_TRUE(plan.actions(1).has_add_labels());
}

TEST_F(PlannerTest, AnEarlierEqualCommentHoldsTheTemplateBackAndSaysSo) {
  v1::IssueSnapshot issue = Issue("It does not work", "It does not work.");
  issue.add_comments()->set_body("Please tell us more. What did you run?");
  const v1::Plan plan = Plan(issue);
  EXPECT_EQ(plan.comment_template(), "");
  EXPECT_THAT(plan.explanation().comment_suppressed(), HasSubstr("comment 1"));
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_TRUE(plan.actions(0).has_add_labels());
}

TEST_F(PlannerTest, StepsSayWhatWasTakenAndWhy) {
  v1::IssueSnapshot issue = Issue("socket", "");
  issue.set_labels_known(true);
  for (const char* label : {"queue", "team a", "area: disk"}) issue.add_labels(label);
  const v1::Plan plan = Plan(issue);
  ASSERT_EQ(plan.explanation().steps_size(), 4);
  EXPECT_EQ(plan.explanation().steps(0).id(), "done");
  EXPECT_TRUE(plan.explanation().steps(0).taken());
  EXPECT_TRUE(plan.explanation().steps(0).stopped());
  EXPECT_THAT(plan.explanation().steps(0).why(), HasSubstr("people have chosen"));
  EXPECT_FALSE(plan.explanation().steps(1).taken());
  EXPECT_FALSE(plan.explanation().steps(1).why().empty());
  EXPECT_THAT(plan.applied(), ElementsAre("done"));
}

TEST_F(PlannerTest, WithoutLabelsKnownTheQueueLabelIsAssumedAndWithNoneKnownNothingIsDone) {
  v1::IssueSnapshot issue = Issue("socket", "");
  EXPECT_FALSE(Plan(issue).applied().empty());
  issue.set_labels_known(true);
  const v1::Plan plan = Plan(issue);
  EXPECT_THAT(plan.applied(), IsEmpty());
  EXPECT_EQ(plan.actions_size(), 0);
}

TEST_F(PlannerTest, ExplanationCanBeLeftOut) {
  const v1::Plan plan = Plan(Issue("socket", ""), {.mode = v1::MODE_APPLY, .explain = false});
  EXPECT_FALSE(plan.has_explanation());
  EXPECT_EQ(plan.mode(), v1::MODE_APPLY);
  EXPECT_FALSE(plan.labels().empty());
}

TEST_F(PlannerTest, EqualInputsGiveEqualPlansOnHeapAndArena) {
  const v1::IssueSnapshot issue = Issue("socket 网络", "disk and socket");
  google::protobuf::Arena arena;
  auto* on_arena = google::protobuf::Arena::CreateMessage<v1::Plan>(&arena);
  ASSERT_TRUE(PlanTriage(*pack_, issue, {}, *on_arena).ok());
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(Plan(issue), *on_arena));
}

TEST_F(PlannerTest, PackWithoutRubricIsRefused) {
  rules::PackFiles files;
  files["bare/pack.json"] = R"({"name": "bare", "title": "Nothing to decide with"})";
  const auto bare = testing::CompileTinyPack(files, "bare");
  v1::Plan plan;
  const absl::Status status = PlanTriage(*bare, Issue("socket", ""), {}, plan);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("bare"));
}

TEST_F(PlannerTest, AnExplanationWrittenAsBytesIsTheSame) {
  const v1::IssueSnapshot issue = Issue("boom", "it goes boom in the engine");
  const v1::Plan whole = Plan(issue);
  ASSERT_GT(whole.explanation().labels_size(), 0);
  v1::Plan head;
  WireWriter explanation;
  ASSERT_TRUE(PlanTriage(*pack_, issue, {}, head, &explanation).ok());
  EXPECT_FALSE(head.has_explanation());
  EXPECT_EQ(explanation.bytes(), whole.explanation().SerializeAsString());
  ASSERT_TRUE(head.mutable_explanation()->ParseFromString(std::string(explanation.bytes())));
  EXPECT_EQ(head.SerializeAsString(), whole.SerializeAsString());
}

// A decision made by hand: what the engine may hand over, at its limits.
TEST(WritePlan, MatchedTextIsCutBetweenCharactersAndMadeValid) {
  std::string body;
  for (int i = 0; i < 100; ++i) body += "网";  // 300 bytes, none of the cuts at 200 falls between two
  rules::IssueText text;
  text.title = "x\xFFy";
  text.body = body;
  rules::Decision decision;
  rules::LabelResult& result = decision.results.emplace_back();
  result.label = "l";
  rules::Evidence& in_body = result.evidence.emplace_back();
  in_body.source = rules::TextSource::kBody;
  in_body.end = body.size();
  rules::Evidence& in_title = result.evidence.emplace_back();
  in_title.source = rules::TextSource::kTitle;
  in_title.zone = rules::Zone::kTitle;
  in_title.end = 3;
  rules::Evidence& outside = result.evidence.emplace_back();
  outside.source = rules::TextSource::kComment;
  outside.comment_index = 4;
  outside.end = 9;
  v1::Plan plan;
  WritePlan(rules::PackModel(), text, decision, {}, plan);
  const auto& rules = plan.explanation().labels(0).rules();
  EXPECT_EQ(rules[0].text().size(), 198u);
  EXPECT_LE(rules[0].text().size(), kMaxEvidenceTextBytes);
  EXPECT_TRUE(IsValidUtf8(rules[0].text()));
  EXPECT_EQ(rules[0].span().end(), 300u);
  EXPECT_EQ(rules[1].text(), "x\xEF\xBF\xBDy");
  EXPECT_EQ(rules[2].text(), "");
}

TEST(WritePlan, LabelsThatWereThereAndRulesOverRulesHaveNoPlace) {
  rules::Decision decision;
  rules::LabelResult& result = decision.results.emplace_back();
  result.label = "team a";
  result.evidence.emplace_back().existing_label = true;
  result.evidence.emplace_back();
  v1::Plan plan;
  WritePlan(rules::PackModel(), rules::IssueText(), decision, {}, plan);
  const auto& rules = plan.explanation().labels(0).rules();
  EXPECT_EQ(rules[0].zone(), "labels");
  EXPECT_EQ(rules[0].text(), "team a");
  EXPECT_FALSE(rules[0].has_span());
  EXPECT_EQ(rules[1].zone(), "derived");
  EXPECT_FALSE(rules[1].has_span());
}

TEST(InputDigest, IsSixteenHexCharactersAndSeesEveryPart) {
  v1::IssueSnapshot issue = Issue("title", "body");
  const std::string first = InputDigest(issue);
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(InputDigest(issue), first);
  std::vector<std::string> digests = {first};
  const auto changed = [&] {
    digests.push_back(InputDigest(issue));
    for (size_t i = 0; i + 1 < digests.size(); ++i) EXPECT_NE(digests[i], digests.back()) << i;
  };
  issue.set_labels_known(true);
  changed();
  issue.add_labels("queue");
  changed();
  issue.add_comments()->set_body("c");
  changed();
  issue.mutable_comments(0)->set_author("a");
  changed();
  issue.set_body("bodyt");
  changed();
}

TEST(InputDigest, TextThatMovesFromTitleToBodyIsAnotherInput) {
  EXPECT_NE(InputDigest(Issue("ab", "c")), InputDigest(Issue("a", "bc")));
}

TEST(TextOf, UnknownLabelsStayUnknownAndKnownOnesMayBeNone) {
  v1::IssueSnapshot issue;
  EXPECT_FALSE(TextOf(issue).labels_before.has_value());
  issue.set_labels_known(true);
  ASSERT_TRUE(TextOf(issue).labels_before.has_value());
  EXPECT_TRUE(TextOf(issue).labels_before->empty());
}

TEST(SnapshotOf, KeepsEverythingThatADecisionLooksAt) {
  rules::IssueInput input;
  input.number = -3;
  input.title = "t";
  input.body = "b";
  input.author = "me";
  input.labels_before = {"x", "y"};
  input.comments = {{"bot", true, "hello"}, {"", std::nullopt, "there"}};
  const v1::IssueSnapshot issue = SnapshotOf(input);
  const rules::IssueText text = TextOf(issue);
  EXPECT_EQ(issue.subject().number(), -3);
  EXPECT_EQ(text.title, "t");
  EXPECT_EQ(text.body, "b");
  EXPECT_EQ(text.author, "me");
  EXPECT_THAT(*text.labels_before, ElementsAre("x", "y"));
  ASSERT_EQ(text.comments.size(), 2u);
  EXPECT_EQ(text.comments[0].author, "bot");
  EXPECT_EQ(text.comments[0].author_is_bot, std::optional<bool>(true));
  EXPECT_EQ(text.comments[1].author_is_bot, std::nullopt);
  EXPECT_EQ(text.comments[1].body, "there");
}

}  // namespace
}  // namespace yardmaster
