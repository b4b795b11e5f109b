#include "clients/cli/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "clients/cli/terminal.h"
#include "services/triage/triage_planner.h"
#include "tests/support/tiny_pack.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::Plan Decide(const std::string& title, const std::string& body) {
  v1::IssueSnapshot issue;
  issue.mutable_subject()->set_number(42);
  issue.set_title(title);
  issue.set_body(body);
  v1::Plan plan;
  EXPECT_TRUE(PlanTriage(*testing::CompileTinyPack(), issue, {}, plan).ok());
  return plan;
}

TEST(PlanText, ShowsLabelsStepsAndEvidence) {
  const std::string text = PlanText(Decide("A socket", "网络 broke, it does not work"), "A socket", {.all = true});
  EXPECT_THAT(text, HasSubstr("#42  A socket\n"));
  EXPECT_THAT(text, HasSubstr("pack tiny @ "));
  EXPECT_THAT(text, HasSubstr("dry-run"));
  EXPECT_THAT(text, HasSubstr("area: net   HIGH"));
  EXPECT_THAT(text, HasSubstr("post template  more"));
  EXPECT_THAT(text, HasSubstr("✓ team"));
  EXPECT_THAT(text, HasSubstr("· "));
  EXPECT_THAT(text, HasSubstr("“socket”"));
  EXPECT_THAT(text, HasSubstr("title 2–8"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(PlanText, SuppressionTellsScoresAndReason) {
  const std::string text = PlanText(Decide("Trouble", "See:\n\n```\nsocket\n```\n"), "", {.all = true});
  EXPECT_THAT(text, HasSubstr("Not chosen"));
  EXPECT_THAT(text, HasSubstr("lowered 1 → 0.25  net.only-code: a socket in code alone says nothing"));
}

TEST(PlanText, NoLineIsWiderThanTheTerminal) {
  const v1::Plan plan =
      Decide("A socket 网络网络网络网络网络网络网络网络网络", "网络 broke, the disk as well, and it does not work");
  std::istringstream lines(
      PlanText(plan, "A socket 网络网络网络网络网络网络网络网络网络网络网络网络", {.columns = 60}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), 60) << line;
}

TEST(PlanText, TextOfStrangersCantCommandTheTerminal) {
  v1::Plan plan;
  plan.add_labels("a\x1b[2Jb");
  auto& label = *plan.mutable_explanation()->add_labels();
  label.set_label("x\ry");
  label.add_rules()->set_text("\x1b]0;title\x07");
  const std::string text = PlanText(plan, "t\x1b[0m", {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
}

TEST(PlanText, ManyPiecesOfEvidenceAreCounted) {
  v1::Plan plan;
  auto& label = *plan.mutable_explanation()->add_labels();
  for (int i = 0; i < 12; ++i) label.add_rules()->set_zone("prose");
  EXPECT_THAT(PlanText(plan, "", {.all = true}), HasSubstr("4 more; --json has them"));
  label.set_chosen(true);
  EXPECT_THAT(PlanText(plan, "", {}), HasSubstr("9 more; --long shows them"));
}

TEST(PlanText, ShortTextNamesWhatWasDecidedAndCountsTheRest) {
  const std::string text = PlanText(Decide("A socket", "The disk as well."), "", {});
  EXPECT_THAT(text, HasSubstr("✓ team"));
  EXPECT_THAT(text, Not(HasSubstr("·  ")));
  EXPECT_THAT(text, Not(HasSubstr("not met")));
}

TEST(PlanText, LabelsThatWereNotChosenAreOneLine) {
  v1::Plan plan;
  auto& label = *plan.mutable_explanation()->add_labels();
  label.set_label("area: disk");
  label.set_score(1);
  label.set_threshold(3);
  label.add_rules()->set_text("disk");
  auto& topic = *plan.mutable_explanation()->add_labels();
  topic.set_label("@topic");
  topic.add_rules()->set_text("word");
  const std::string text = PlanText(plan, "", {});
  EXPECT_THAT(text, HasSubstr("Not chosen: area: disk (1 of 3 points); --long says why"));
  EXPECT_THAT(text, Not(HasSubstr("@topic")));
}

TEST(PlanText, PointsFromAnotherLabelNameTheWordsTheyStandOn) {
  v1::Plan plan;
  auto& part = *plan.mutable_explanation()->add_labels();
  part.set_label("area: disk");
  part.add_rules()->set_text("platter");
  auto& whole = *plan.mutable_explanation()->add_labels();
  whole.set_label("team: storage");
  whole.set_chosen(true);
  auto& derived = *whole.add_rules();
  derived.set_rule_id("area: disk");
  derived.set_zone("derived");
  EXPECT_THAT(PlanText(plan, "", {}), HasSubstr("derived  “platter”"));
}

TEST(PlanText, AnEmptyPlanSaysThatThereIsNoLabel) {
  EXPECT_THAT(PlanText(v1::Plan(), "", {}), HasSubstr("Labels\n  none\n"));
}

}  // namespace
}  // namespace yardmaster::cli
