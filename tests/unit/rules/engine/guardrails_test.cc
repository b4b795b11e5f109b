#include "rules/engine/guardrails.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

GuardrailsModel Lists() {
  GuardrailsModel lists;
  lists.allow = {"sub: a", "sub: b", "module: x", "module: y", "review", "needs repro", "done", "marked"};
  lists.never = {"high priority"};
  lists.never_patterns = {"^ciflow/", "^sev"};
  lists.exactly_one = {{"sub: a", "sub: b"}};
  lists.redundant = {{"module: x", "module: y"}};
  lists.exclusions = {{"done", {"review", "needs repro"}}};
  lists.markers = {"marked"};
  lists.confident_markers = {"done"};
  lists.fallback = "review";
  lists.templates = {"ask"};
  return lists;
}

std::unique_ptr<Guardrails> Make(const GuardrailsModel& lists) {
  Problems problems;
  auto guardrails = Guardrails::Create(lists, problems);
  EXPECT_THAT(problems, IsEmpty());
  return guardrails;
}

GuardrailResult Apply(const GuardrailRequest& request) {
  static const auto* const kGuardrails = Make(Lists()).release();
  return kGuardrails->Apply(request);
}

TEST(Guardrails, EmptyAllowListAllowsNothing) {
  GuardrailsModel lists;
  GuardrailRequest request;
  request.labels = {"module: x"};
  EXPECT_THAT(Make(lists)->Apply(request).labels, IsEmpty());
}

TEST(Guardrails, ForbiddenLabelsAreDroppedAndAPersonLooks) {
  GuardrailRequest request;
  request.labels = {"sev1", "ciflow/trunk", "module: x"};
  EXPECT_THAT(Apply(request).labels, ElementsAre("module: x", "review"));
}

TEST(Guardrails, ForbiddenNameInAnotherSpellingIsStillForbidden) {
  GuardrailRequest request;
  request.labels = {" High   PRIORITY"};
  EXPECT_THAT(Apply(request).labels, ElementsAre("review"));
}

TEST(Guardrails, OnlyUnknownLabelsLeaveAReview) {
  GuardrailRequest request;
  request.labels = {"ultimate priority", "made up"};
  EXPECT_THAT(Apply(request).labels, ElementsAre("review"));
}

TEST(Guardrails, UnknownLabelBesideAKnownOneIsJustDropped) {
  GuardrailRequest request;
  request.labels = {"made up", "module: x"};
  EXPECT_THAT(Apply(request).labels, ElementsAre("module: x"));
}

TEST(Guardrails, AllowedLabelInOtherCaseIsWrittenAsSpelledInTheList) {
  GuardrailRequest request;
  request.labels = {"Module:  X"};
  EXPECT_THAT(Apply(request).labels, ElementsAre("module: x"));
}

TEST(Guardrails, NoLabelsMeansNothingToWrite) { EXPECT_THAT(Apply({}).labels, IsEmpty()); }

TEST(Guardrails, TwoOfAnExactlyOneGroupGiveNoneAndAReview) {
  GuardrailRequest request;
  request.labels = {"sub: a", "sub: b"};
  EXPECT_THAT(Apply(request).labels, ElementsAre("review"));
}

TEST(Guardrails, ExistingMemberOfAGroupIsKeptAndAnotherDropped) {
  GuardrailRequest request;
  request.labels = {"sub: b", "module: x"};
  request.labels_on_issue = {"sub: a"};
  EXPECT_THAT(Apply(request).labels, ElementsAre("module: x"));
}

TEST(Guardrails, LabelAlreadyThereInOtherCaseIsNotAddedAgain) {
  GuardrailRequest request;
  request.labels = {"module: x"};
  request.labels_on_issue = {"MODULE: X"};
  EXPECT_THAT(Apply(request).labels, IsEmpty());
}

TEST(Guardrails, LabelThatAPersonRemovedIsNotPutBack) {
  GuardrailRequest request;
  request.labels = {"module: x", "module: y"};
  request.removed_by_people = {"module: y"};
  EXPECT_THAT(Apply(request).labels, ElementsAre("module: x"));
}

TEST(Guardrails, GeneralLabelGoesWhereTheSpecialOneIsAlreadyOnTheIssue) {
  GuardrailRequest request;
  request.labels = {"module: x"};
  request.labels_on_issue = {"module: y"};
  EXPECT_THAT(Apply(request).labels, IsEmpty());
}

TEST(Guardrails, MarkersInTheRequestAreIgnored) {
  GuardrailRequest request;
  request.labels = {"marked", "done", "module: x"};
  EXPECT_THAT(Apply(request).labels, ElementsAre("module: x"));
}

TEST(Guardrails, EngineSetsBothMarkersForAConfidentOutcome) {
  GuardrailRequest request;
  request.labels = {"module: x"};
  request.marker = true;
  EXPECT_THAT(Apply(request).labels, ElementsAre("module: x", "marked", "done"));
}

TEST(Guardrails, ConfidentMarkerNeverStandsBesideAReview) {
  GuardrailRequest request;
  request.labels = {"review"};
  request.marker = true;
  EXPECT_THAT(Apply(request).labels, ElementsAre("review", "marked"));
}

TEST(Guardrails, ExclusionLooksAtLabelsAlreadyOnTheIssue) {
  GuardrailRequest request;
  request.labels_on_issue = {"needs repro"};
  request.marker = true;
  EXPECT_THAT(Apply(request).labels, ElementsAre("marked"));
}

TEST(Guardrails, WithheldMarkerIsNotSetWhoeverWantedIt) {
  GuardrailRequest request;
  request.labels = {"review"};
  request.marker = true;
  request.withhold_marker = true;
  EXPECT_THAT(Apply(request).labels, ElementsAre("review"));
}

TEST(Guardrails, MarkerAlreadyThereIsNotAddedAgain) {
  GuardrailRequest request;
  request.labels_on_issue = {"marked", "done"};
  request.marker = true;
  EXPECT_THAT(Apply(request).labels, IsEmpty());
}

TEST(Guardrails, HalfFailedRunIsFinishedWithoutRepeatingWhatWorked) {
  GuardrailRequest request;
  request.labels = {"sub: a", "module: x"};
  request.labels_on_issue = {"sub: a"};
  request.marker = true;
  EXPECT_THAT(Apply(request).labels, ElementsAre("module: x", "marked", "done"));
}

TEST(Guardrails, TooManyLabelsAtOnceLeaveOnlyAReview) {
  GuardrailsModel lists = Lists();
  lists.max_labels = 1;
  GuardrailRequest request;
  request.labels = {"sub: a", "needs repro"};
  EXPECT_THAT(Make(lists)->Apply(request).labels, ElementsAre("review"));
}

TEST(Guardrails, OnlyListedTemplatesCanBePosted) {
  GuardrailRequest request;
  request.template_id = "ask";
  EXPECT_EQ(Apply(request).template_id, "ask");
  request.template_id = "anything else";
  const GuardrailResult result = Apply(request);
  EXPECT_EQ(result.template_id, "");
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0].rule_id, "guardrail.template");
}

TEST(Guardrails, NamesThatAreAllowedAndForbiddenAreAProblem) {
  GuardrailsModel lists = Lists();
  lists.allow.emplace_back("Sev 2");
  Problems problems;
  EXPECT_EQ(Guardrails::Create(lists, problems), nullptr);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].pointer, "/allow/8");
}

}  // namespace
}  // namespace yardmaster::rules
