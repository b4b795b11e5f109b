#include "services/triage/issue_planner.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "services/core/reasons.h"
#include "tests/support/fake_subject_view.h"
#include "tests/support/tiny_pack.h"

namespace yardmaster {
namespace {

// Every issue enters.
std::shared_ptr<const rules::CompiledPack> PackWithoutQueue() {
  rules::PackFiles files = testing::TinyPackFiles();
  files["tiny/pack.json"] = R"({"name": "tiny", "title": "A pack for tests", "waiting_labels": ["needs info"]})";
  return testing::CompileTinyPack(files);
}

std::shared_ptr<const rules::CompiledPack> Pack(const std::string& more = R"(, "waiting_labels": ["needs info"])") {
  rules::PackFiles files = testing::TinyPackFiles();
  files["tiny/pack.json"] = R"({"name": "tiny", "title": "A pack for tests", "entry_label": "queue")" + more + "}";
  return testing::CompileTinyPack(files);
}

RoutedEvent EventOf(v1::Event::Kind kind, bool bot = false) {
  RoutedEvent routed;
  routed.event.set_kind(kind);
  routed.event.set_actor_is_bot(bot);
  return routed;
}

class IssuePlannerTest : public ::testing::Test {
 protected:
  TriggerResult TriggerFor(const RoutedEvent& event,
                           const std::optional<std::vector<std::string>>& seen = std::nullopt) const {
    return planner_.TriggerFor(event, pack_->model(), seen.has_value() ? &*seen : nullptr);
  }
  PlanInput Input(Trigger trigger = Trigger::kPlan) {
    return {.event = event_,
            .trigger = trigger,
            .snapshot = issue_,
            .open = true,
            .pack = pack_,
            .mode = v1::MODE_APPLY,
            .choice = choice_,
            .now = {},
            .view = view_};
  }

  const IssuePlanner planner_{};
  std::shared_ptr<const rules::CompiledPack> pack_ = Pack();
  v1::Event event_;
  v1::IssueSnapshot issue_;
  RepositoryChoice choice_;
  testing::FakeSubjectView view_;
};

TEST_F(IssuePlannerTest, HandlesIssuesUnderARubricOnly) {
  EXPECT_TRUE(planner_.Handles(v1::SUBJECT_KIND_ISSUE, pack_->model()));
  EXPECT_FALSE(planner_.Handles(v1::SUBJECT_KIND_PULL_REQUEST, pack_->model()));
  rules::PackModel without;
  EXPECT_FALSE(planner_.Handles(v1::SUBJECT_KIND_ISSUE, without));
}

TEST_F(IssuePlannerTest, OpenedAndReopenedStartAndMostElseDoesNot) {
  EXPECT_EQ(TriggerFor(EventOf(v1::Event::KIND_OPENED)).trigger, Trigger::kPlan);
  EXPECT_EQ(TriggerFor(EventOf(v1::Event::KIND_REOPENED)).trigger, Trigger::kPlan);
  EXPECT_EQ(TriggerFor(EventOf(v1::Event::KIND_OPENED, true)).trigger, Trigger::kPlan) << "bots open real issues, too";
  for (const v1::Event::Kind kind : {v1::Event::KIND_CLOSED, v1::Event::KIND_PUSHED, v1::Event::KIND_EDITED}) {
    EXPECT_EQ(TriggerFor(EventOf(kind)).trigger, Trigger::kNone);
    EXPECT_EQ(TriggerFor(EventOf(kind)).reason, reasons::kNoTrigger);
  }
}

TEST_F(IssuePlannerTest, BotsAreLeftAloneWhereThePackSaysSo) {
  pack_ = Pack(R"(, "ignore_bots": true)");
  EXPECT_EQ(TriggerFor(EventOf(v1::Event::KIND_OPENED, true)).reason, reasons::kBot);
  EXPECT_EQ(TriggerFor(EventOf(v1::Event::KIND_OPENED, false)).trigger, Trigger::kPlan);
}

TEST_F(IssuePlannerTest, EntryLabelStartsWhetherItIsNamedOrIsNewInTheSet) {
  RoutedEvent named = EventOf(v1::Event::KIND_LABELS_CHANGED);
  named.label_added = "queue";
  EXPECT_EQ(TriggerFor(named).trigger, Trigger::kPlan);
  named.label_added = "team a";
  EXPECT_EQ(TriggerFor(named).trigger, Trigger::kNone);
  RoutedEvent removed = EventOf(v1::Event::KIND_LABELS_CHANGED);
  removed.label_removed = "queue";
  EXPECT_EQ(TriggerFor(removed).trigger, Trigger::kNone);

  RoutedEvent set = EventOf(v1::Event::KIND_EDITED);
  set.facts.labels = {"queue", "x"};
  EXPECT_EQ(TriggerFor(set).trigger, Trigger::kPlan) << "never seen before";
  EXPECT_EQ(TriggerFor(set, std::vector<std::string>{"x"}).trigger, Trigger::kPlan);
  EXPECT_EQ(TriggerFor(set, std::vector<std::string>{"queue"}).trigger, Trigger::kNone);
  set.facts.open = false;
  EXPECT_EQ(TriggerFor(set).reason, reasons::kClosed);
}

TEST_F(IssuePlannerTest, WithoutAnEntryLabelOpeningStartsAndLabelsDoNot) {
  pack_ = PackWithoutQueue();
  EXPECT_EQ(TriggerFor(EventOf(v1::Event::KIND_OPENED)).trigger, Trigger::kPlan);
  EXPECT_EQ(TriggerFor(EventOf(v1::Event::KIND_REOPENED)).trigger, Trigger::kPlan);
  EXPECT_EQ(TriggerFor(EventOf(v1::Event::KIND_COMMENTED)).trigger, Trigger::kReply);
  RoutedEvent labelled = EventOf(v1::Event::KIND_LABELS_CHANGED);
  EXPECT_EQ(TriggerFor(labelled).trigger, Trigger::kNone) << "not even for an empty name";
  labelled.label_added = "team a";
  EXPECT_EQ(TriggerFor(labelled).trigger, Trigger::kNone);
  RoutedEvent set = EventOf(v1::Event::KIND_EDITED);
  set.facts.labels = {"x"};
  EXPECT_EQ(TriggerFor(set).trigger, Trigger::kNone);
  EXPECT_EQ(planner_.SkipReason(Input()), "") << "no label is needed";
  issue_.add_labels("done");
  EXPECT_EQ(planner_.SkipReason(Input()), reasons::kMarked);
  EXPECT_EQ(planner_.SkipReason(Input(Trigger::kManual)), "");
}

TEST_F(IssuePlannerTest, CommentsCountWhereAnAnswerIsWaitedFor) {
  RoutedEvent comment = EventOf(v1::Event::KIND_COMMENTED);
  EXPECT_EQ(TriggerFor(comment).trigger, Trigger::kReply);
  comment.facts.labels = {"queue"};
  EXPECT_EQ(TriggerFor(comment).trigger, Trigger::kNone);
  comment.facts.labels = {"queue", "needs info"};
  EXPECT_EQ(TriggerFor(comment).trigger, Trigger::kReply);
  EXPECT_EQ(TriggerFor(EventOf(v1::Event::KIND_COMMENTED, true)).reason, reasons::kBot);
  pack_ = Pack("");
  EXPECT_EQ(TriggerFor(comment).trigger, Trigger::kNone);
}

TEST_F(IssuePlannerTest, LeftAloneClosedOutsideTheQueueOrMarked) {
  issue_.add_labels("queue");
  EXPECT_EQ(planner_.SkipReason(Input()), "");
  PlanInput closed = Input();
  closed.open = false;
  EXPECT_EQ(planner_.SkipReason(closed), reasons::kClosed);
  issue_.add_labels("done");
  EXPECT_EQ(planner_.SkipReason(Input()), reasons::kMarked);
  EXPECT_EQ(planner_.SkipReason(Input(Trigger::kManual)), "") << "a person asks";
  issue_.clear_labels();
  EXPECT_EQ(planner_.SkipReason(Input(Trigger::kManual)), reasons::kNotInQueue);
}

TEST_F(IssuePlannerTest, ReplyCountsOnlyWhereWeSetTheWaitingLabel) {
  issue_.add_labels("queue");
  issue_.add_labels("done");
  issue_.add_labels("needs info");
  PlanInput input = Input(Trigger::kReply);
  EXPECT_EQ(planner_.SkipReason(input), reasons::kNoTrigger) << "a person set it";
  input.our_labels = {"needs info"};
  EXPECT_EQ(planner_.SkipReason(input), "");
}

TEST_F(IssuePlannerTest, DigestKnowsTheReportersCommentsAndNoOthers) {
  issue_.set_title("t");
  issue_.set_author("alice");
  const std::string before = planner_.Digest(Input());
  issue_.add_labels("team a");
  v1::Comment& other = *issue_.add_comments();
  other.set_author("bob");
  other.set_body("me too");
  EXPECT_EQ(planner_.Digest(Input()), before);
  EXPECT_NE(planner_.Digest(Input(Trigger::kReply)), before);
  v1::Comment& own = *issue_.add_comments();
  own.set_author("Alice");
  own.set_body("more");
  EXPECT_NE(planner_.Digest(Input()), before);
}

TEST_F(IssuePlannerTest, ReplyReadsCommentsAsBodyAndPointsBackIntoThem) {
  issue_.set_title("it fails");
  issue_.set_body("It does not work.");
  for (const char* label : {"queue", "team a", "needs info", "done"}) issue_.add_labels(label);
  issue_.set_labels_known(true);
  v1::Comment& bot = *issue_.add_comments();
  bot.set_author("yardbot");
  bot.set_author_is_bot(true);
  bot.set_body("Please tell us more.\n\n<!-- yardmaster pack=tiny template=more key=c-1 -->");
  v1::Comment& reply = *issue_.add_comments();
  reply.set_author("alice");
  reply.set_author_is_bot(false);
  reply.set_body("The socket is closed.");
  PlanInput input = Input(Trigger::kReply);
  input.our_labels = {"team a", "needs info", "done"};
  v1::Plan plan;
  ASSERT_TRUE(planner_.Plan(input, plan).ok());
  ASSERT_EQ(plan.applied_size(), 1);
  EXPECT_EQ(plan.applied(0), "area: net") << "only what is new";
  EXPECT_EQ(plan.comment_template(), "") << "nobody is asked twice";
  bool pointed = false;
  for (const v1::LabelExplanation& label : plan.explanation().labels()) {
    for (const v1::Evidence& evidence : label.rules()) {
      if (evidence.text() != "socket") continue;
      pointed = true;
      EXPECT_EQ(evidence.span().source(), v1::TextSpan::SOURCE_COMMENT);
      EXPECT_EQ(evidence.span().comment_index(), 1U);
      EXPECT_EQ(reply.body().substr(evidence.span().begin(), evidence.span().end() - evidence.span().begin()),
                "socket");
    }
  }
  EXPECT_TRUE(pointed);
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_EQ(plan.actions(0).add_labels().labels_size(), 1);
}

TEST_F(IssuePlannerTest, ReplyNeverPutsASecondOneOfAnExactlyOneGroup) {
  issue_.set_title("socket socket");
  issue_.set_body("It does not work.");
  for (const char* label : {"queue", "team a", "needs info", "done"}) issue_.add_labels(label);
  issue_.set_labels_known(true);
  PlanInput input = Input(Trigger::kReply);
  // Without our labels the text would lead to team b.
  input.our_labels = {"team a", "needs info", "done"};
  v1::Plan plan;
  ASSERT_TRUE(planner_.Plan(input, plan).ok());
  for (const std::string& label : plan.applied()) EXPECT_NE(label, "team b");
  EXPECT_FALSE(plan.explanation().guardrails().empty());
}

}  // namespace
}  // namespace yardmaster
