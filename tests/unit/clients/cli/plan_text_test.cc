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
  const std::string text = PlanText(Decide("A socket", "网络 broke, it does not work"), "A socket", {});
  EXPECT_THAT(text, HasSubstr("#42  A socket\n"));
  EXPECT_THAT(text, HasSubstr("pack tiny @ "));
  EXPECT_THAT(text, HasSubstr("dry-run"));
  EXPECT_THAT(text, HasSubstr("area: net   HIGH"));
  EXPECT_THAT(text, HasSubstr("post template  more"));
  EXPECT_THAT(text, HasSubstr("✓ team"));
  EXPECT_THAT(text, HasSubstr("· done"));
  EXPECT_THAT(text, HasSubstr("“socket”"));
  EXPECT_THAT(text, HasSubstr("title 2–8"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(PlanText, SuppressionTellsScoresAndReason) {
  const std::string text = PlanText(Decide("Trouble", "See:\n\n```\nsocket\n```\n"), "", {});
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
  EXPECT_THAT(PlanText(plan, "", {.max_evidence = 8}), HasSubstr("4 more; --json has them all"));
}

TEST(PlanText, AnEmptyPlanSaysThatThereIsNoLabel) {
  EXPECT_THAT(PlanText(v1::Plan(), "", {}), HasSubstr("Labels\n  none\n"));
}

}  // namespace
}  // namespace yardmaster::cli
