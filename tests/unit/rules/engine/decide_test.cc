#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/engine/compiled_pack.h"
#include "rules/engine/pack/pack_loader.h"

namespace yardmaster::rules {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kLabels[] = R"({"labels": [
  {"name": "queue", "description": "d"}, {"name": "sub: net", "description": "d"}, {"name": "sub: compute", "description": "d"},
  {"name": "module: ring", "description": "d"}, {"name": "module: mesh", "description": "d"}, {"name": "review", "description": "d"},
  {"name": "needs repro", "description": "d"}, {"name": "marked", "description": "d"}]})";

constexpr char kTemplates[] = R"({"templates": [
  {"id": "ask", "purpose": "p", "body": "Please add a script that shows the failure and say how many machines you use."}]})";

constexpr char kGuardrails[] = R"({
  "allow": ["sub: net", "sub: compute", "module: ring", "module: mesh", "review", "needs repro", "marked"],
  "never": [], "never_patterns": [], "exactly_one": [["sub: net", "sub: compute"]], "exclusions": [], "redundant": [],
  "markers": ["marked"], "fallback": "review", "templates": ["ask"]})";

constexpr char kRubric[] = R"({
  "topics": ["@script", "@urgent"],
  "default_zones": {"title": 4, "prose": 2, "code": 1, "trace": 1},
  "comment_factor": 0.5,
  "negations": ["(?i)\\b(?:not|without)\\s+(?:using\\s+)?", "没有使用\\s*"],
  "signals": [
    {"id": "ring.name", "words": ["ring"], "label": "module: ring"},
    {"id": "ring.capped", "words": ["ringlet"], "cap": 3, "label": "module: ring"},
    {"id": "mesh.name", "words": ["mesh"], "label": "module: mesh"},
    {"id": "mesh.always", "words": ["grid"], "negatable": false, "label": "module: mesh"},
    {"id": "both", "when": {"all": [{"signal": "ring.name"}, {"signal": "mesh.name"}]}, "points": 5, "label": "sub: net"},
    {"id": "urgent.word", "words": ["crash"], "zones": {"title": 4}, "label": "@urgent"},
    {"id": "script.code", "patterns": ["\\w"], "zones": {"code": 1}, "label": "@script"}
  ],
  "suppressors": [
    {"id": "mesh.only-code", "label": "module: mesh", "when": {"only_zones": {"label": "module: mesh", "zones": ["code"]}}, "factor": 0,
     "reason": "a mesh in the script is no fault in it"}
  ],
  "classifiers": [
    {"id": "module", "kind": "multi_label", "labels": ["module: ring", "module: mesh"], "high": 6, "medium": 3, "existing_score": 6},
    {"id": "sub", "kind": "exactly_one", "labels": ["sub: net", {"label": "sub: compute", "from": {"module: mesh": 1}}], "high": 6,
     "medium": 2, "margin": 0.8, "default": "sub: compute", "keep_existing": true},
    {"id": "script", "kind": "multi_label", "labels": ["@script"], "high": 2, "medium": 1},
    {"id": "urgent", "kind": "multi_label", "labels": ["@urgent"], "high": 6, "medium": 4}
  ],
  "steps": [
    {"id": "route", "title": "1", "when": true, "add_outcome": "sub", "because": "b"},
    {"id": "net-done", "title": "1", "when": {"outcome": "sub", "is": "sub: net"}, "marker": true, "stop": true, "because": "net sorts its own queue"},
    {"id": "modules", "title": "2", "when": {"label": ["module: ring", "module: mesh"], "at_least": "MEDIUM"}, "add_outcome": "module", "marker": true, "because": "b"},
    {"id": "unclear", "title": "2", "when": {"not": {"step": "modules"}}, "add": "review", "marker": true, "because": "b"},
    {"id": "urgent", "title": "3", "when": {"outcome": "urgent", "is": "@urgent"}, "add": "review", "withhold_marker": true, "because": "b"},
    {"id": "ask", "title": "4", "when": {"not": {"outcome": "script", "is": "@script"}}, "add": "needs repro", "comment": "ask", "because": "b"}
  ]})";

PackFiles Files() {
  return {{"tiny/pack.json", R"({"name": "tiny", "title": "t", "entry_label": "queue"})"},
          {"tiny/labels.json", kLabels},
          {"tiny/templates.json", kTemplates},
          {"tiny/guardrails.json", kGuardrails},
          {"tiny/rubric.json", kRubric},
          {"tiny/zones.json",
           R"({"trace_starts": ["^Traceback"], "trace_lines": ["^  "], "error_lines": [], "environment_starts": [],
                                  "environment_lines": [], "boilerplate": []})"}};
}

std::shared_ptr<const CompiledPack> Compile(const PackFiles& files) {
  Problems problems;
  auto model = LoadPack(files, "tiny", problems);
  auto pack = model.has_value() ? CompiledPack::Compile(std::move(*model), problems) : nullptr;
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return pack;
}

class Decide : public ::testing::Test {
 protected:
  Decision Run(std::string_view title, std::string_view body,
               std::optional<std::vector<std::string>> labels = std::nullopt, std::vector<CommentText> comments = {}) {
    IssueText issue;
    issue.title = title;
    issue.body = body;
    issue.labels_before = std::move(labels);
    issue.comments = std::move(comments);
    return pack_->Decide(issue);
  }

  static const LabelResult* Find(const Decision& decision, std::string_view label) {
    for (const LabelResult& result : decision.results) {
      if (result.label == label) return &result;
    }
    return nullptr;
  }

  static bool Taken(const Decision& decision, std::string_view id) {
    for (const StepResult& step : decision.steps) {
      if (step.id == id) return step.taken;
    }
    ADD_FAILURE() << "no step " << id;
    return false;
  }

  std::shared_ptr<const CompiledPack> pack_ = Compile(Files());
};

TEST_F(Decide, TitleAndProseAddUpToHighWithExactSpans) {
  const Decision decision = Run("the ring hangs", "Our ring is stuck.\n\n```\nx = 1\n```\n");
  const LabelResult* ring = Find(decision, "module: ring");
  ASSERT_NE(ring, nullptr);
  EXPECT_TRUE(ring->chosen);
  EXPECT_EQ(ring->confidence, Confidence::kHigh);
  EXPECT_DOUBLE_EQ(ring->score, 6);
  ASSERT_EQ(ring->evidence.size(), 2U);
  EXPECT_EQ(ring->evidence[0].source, TextSource::kTitle);
  EXPECT_EQ(ring->evidence[0].begin, 4U);
  EXPECT_EQ(ring->evidence[0].end, 8U);
  EXPECT_EQ(ring->evidence[1].source, TextSource::kBody);
  EXPECT_EQ(ring->evidence[1].begin, 4U);
  EXPECT_THAT(decision.applied, ElementsAre("sub: compute", "module: ring", "marked"));
}

TEST_F(Decide, SameZoneCountsOnceHoweverOftenItMatches) {
  EXPECT_DOUBLE_EQ(Find(Run("t", "ring ring ring\n\nand ring"), "module: ring")->score, 2);
}

TEST_F(Decide, CapLimitsTheSignalOverAllZones) {
  EXPECT_DOUBLE_EQ(Find(Run("ringlet", "ringlet"), "module: ring")->score, 3);
}

TEST_F(Decide, NegatedMatchDoesNotCountButALaterOneDoes) {
  EXPECT_EQ(Find(Run("fails without ring", ""), "module: ring"), nullptr);
  EXPECT_NE(Find(Run("fails without ring, fine with ring", ""), "module: ring"), nullptr);
  EXPECT_EQ(Find(Run("没有使用ring也失败", ""), "module: ring"), nullptr);
  EXPECT_NE(Find(Run("without grid", ""), "module: mesh"), nullptr) << "mesh.always is not negatable";
}

TEST_F(Decide, SuppressorLowersTheLabelAndSaysSo) {
  const Decision decision = Run("t", "```\nmesh = 1\n```\n");
  const LabelResult* mesh = Find(decision, "module: mesh");
  ASSERT_NE(mesh, nullptr);
  EXPECT_FALSE(mesh->chosen);
  ASSERT_EQ(mesh->suppressed.size(), 1U);
  EXPECT_EQ(mesh->suppressed[0].rule_id, "mesh.only-code");
  EXPECT_DOUBLE_EQ(mesh->suppressed[0].score_before, 1);
  EXPECT_DOUBLE_EQ(mesh->suppressed[0].score_after, 0);
}

TEST_F(Decide, DerivedSignalFiresOnlyWhenAllItsSignalsDo) {
  EXPECT_THAT(Run("ring and mesh", "```\nx\n```").labels, Contains("sub: net"));
  EXPECT_THAT(Run("ring", "```\nx\n```").labels, Not(Contains("sub: net")));
}

// Mentions that stay below their own threshold may make the sum probable, but never sure.
TEST_F(Decide, LabelsBelowTheirThresholdAddUpToMediumAtMost) {
  PackFiles files = Files();
  std::string& rubric = files["tiny/rubric.json"];
  const std::string from = R"("from": {"module: mesh": 1})";
  ASSERT_NE(rubric.find(from), std::string::npos);
  rubric.replace(rubric.find(from), from.size(), R"("from": {"module: mesh": 3})");
  pack_ = Compile(files);
  ASSERT_NE(pack_, nullptr);
  const Decision mentioned = Run("t", "A mesh is there.");
  EXPECT_DOUBLE_EQ(Find(mentioned, "sub: compute")->score, 6);
  EXPECT_EQ(Find(mentioned, "sub: compute")->confidence, Confidence::kMedium);
  const Decision named = Run("mesh", "");
  EXPECT_EQ(Find(named, "sub: compute")->confidence, Confidence::kHigh);
}

TEST_F(Decide, LabelsThatPeopleHaveNotSetAreSaidAsSuch) {
  const Decision decision = Run("ring", "x");
  for (const StepResult& step : decision.steps) EXPECT_THAT(std::string(step.why), Not(HasSubstr("already has")));
}

TEST(DecideOptions, EvidenceThatIsOnlyShownCountsAsProseWhereNoSentenceSaysAnything) {
  PackFiles files = Files();
  std::string& rubric = files["tiny/rubric.json"];
  const std::string option = R"("existing_score": 6)";
  rubric.replace(rubric.find(option), option.size(), R"("existing_score": 6, "shown_counts_below": 20)");
  const auto pack = Compile(files);
  ASSERT_NE(pack, nullptr);
  const auto score = [&](std::string_view title, std::string_view prose) {
    const std::string body = std::string(prose) + "\n\n```\nring\n```\n";
    IssueText issue;
    issue.title = title;
    issue.body = body;
    const Decision decision = pack->Decide(issue);
    for (const LabelResult& result : decision.results) {
      if (result.label == "module: ring") return result.score;
    }
    return -1.0;
  };
  EXPECT_EQ(score("It fails", "See below."), 2);          // as in prose
  EXPECT_EQ(score("It fails in mesh", "See below."), 1);  // as in code: the title says what it is about
  EXPECT_EQ(score("It fails", "It has failed since we moved to new machines."), 1);
}

TEST(DecideOptions, PrecedenceDecidesBetweenTwoThatAreStrong) {
  PackFiles files = Files();
  std::string& rubric = files["tiny/rubric.json"];
  const std::string option = R"("margin": 0.8)";
  rubric.replace(rubric.find(option), option.size(), R"("margin": 0.8, "strong": 5)");
  const auto strong = Compile(files);
  const auto plain = Compile(Files());
  ASSERT_NE(strong, nullptr);
  ASSERT_NE(plain, nullptr);
  IssueText issue;
  issue.title = "ring and mesh";
  issue.body = "mesh and grid\n";  // sub: net has 5 points, sub: compute 8
  EXPECT_THAT(plain->Decide(issue).labels, Contains("sub: compute"));
  EXPECT_THAT(strong->Decide(issue).labels, Contains("sub: net"));
}

TEST_F(Decide, StopEndsTheProcedureButNotTheClassification) {
  const Decision decision = Run("ring and mesh", "```\nx\n```");
  EXPECT_THAT(decision.applied, ElementsAre("sub: net", "marked"));
  EXPECT_THAT(decision.labels, ElementsAre("sub: net", "module: ring", "module: mesh"));
  EXPECT_FALSE(Taken(decision, "modules"));
  EXPECT_THAT(std::string(decision.steps[2].why), HasSubstr("net-done"));
  EXPECT_TRUE(decision.steps[1].stopped);
}

TEST_F(Decide, ExistingMemberOfAGroupIsKeptAndDecidesTheNextStep) {
  const Decision decision = Run("mesh", "mesh\n\n```\nx\n```", {{"queue", "sub: net"}});
  EXPECT_THAT(decision.labels, Contains("sub: net"));
  EXPECT_THAT(decision.applied, ElementsAre("marked"));
}

TEST_F(Decide, LabelOnTheIssueIsEvidence) {
  const Decision decision = Run("something", "```\nx\n```", {{"queue", "module: ring"}});
  const LabelResult* ring = Find(decision, "module: ring");
  ASSERT_NE(ring, nullptr);
  EXPECT_TRUE(ring->evidence[0].existing_label);
  EXPECT_THAT(decision.applied, Not(Contains("module: ring")));
}

TEST_F(Decide, IssueOutsideTheQueueIsClassifiedAndLeftAlone) {
  const Decision decision = Run("the ring hangs", "", {{"other"}});
  EXPECT_THAT(decision.labels, Contains("module: ring"));
  EXPECT_THAT(decision.applied, IsEmpty());
  EXPECT_EQ(decision.comment_template, "");
  EXPECT_THAT(std::string(decision.steps[0].why), HasSubstr("entry label 'queue'"));
}

TEST_F(Decide, WithheldMarkerBeatsTheStepThatWantsIt) {
  EXPECT_THAT(Run("crash in the ring", "```\nx\n```").applied, ElementsAre("sub: compute", "module: ring", "review"));
}

TEST_F(Decide, TemplateIsAskedForWhenThereIsNothingToRun) {
  EXPECT_EQ(Run("ring", "no code").comment_template, "ask");
  EXPECT_EQ(Run("ring", "```\nx\n```").comment_template, "");
}

TEST_F(Decide, EarlierCommentWithTheMarkerHoldsTheTemplateBackButNotTheLabel) {
  const Decision decision =
      Run("ring", "no code", std::nullopt, {{"bot", true, "words\n\n<!-- yardmaster pack=old template=ask key=7 -->"}});
  EXPECT_EQ(decision.comment_template, "");
  EXPECT_THAT(decision.comment_suppressed, HasSubstr("marker"));
  EXPECT_THAT(decision.applied, Contains("needs repro"));
}

TEST_F(Decide, EarlierCommentThatSaysTheSameHoldsTheTemplateBack) {
  constexpr std::string_view kOlder =
      "> ring\n\nPlease add a script that shows the failure, and say how many machines you use!";
  EXPECT_EQ(Run("ring", "no code", std::nullopt, {{"someone[bot]", std::nullopt, kOlder}}).comment_template, "");
  EXPECT_EQ(Run("ring", "no code", std::nullopt, {{"person", false, kOlder}}).comment_template, "ask")
      << "people may quote us";
  EXPECT_EQ(Run("ring", "no code", std::nullopt, {{"bot", true, "Welcome! Please read the guide."}}).comment_template,
            "ask");
}

TEST_F(Decide, CommentsOfPeopleAreEvidenceAtHalfWeightAndThoseOfBotsNone) {
  EXPECT_DOUBLE_EQ(Find(Run("t", "b", std::nullopt, {{"person", false, "the ring"}}), "module: ring")->score, 1);
  EXPECT_EQ(Find(Run("t", "b", std::nullopt, {{"bot", true, "the ring"}}), "module: ring"), nullptr);
}

TEST_F(Decide, EmptyIssueGetsTheDefaultAndAQuestion) {
  const Decision decision = Run("", "");
  EXPECT_THAT(decision.labels, ElementsAre("sub: compute", "review", "needs repro"));
  EXPECT_EQ(decision.comment_template, "ask");
}

TEST_F(Decide, PackWithoutGuardrailsMayOnlyBeRead) {
  PackFiles files = Files();
  files.erase("tiny/guardrails.json");
  pack_ = Compile(files);
  const Decision decision = Run("the ring hangs", "");
  EXPECT_THAT(decision.labels, Contains("module: ring"));
  EXPECT_THAT(decision.applied, IsEmpty());
  EXPECT_EQ(decision.guardrails[0].rule_id, "guardrail.missing");
}

TEST_F(Decide, LimitThatATextPassesIsSaid) {
  const Decision decision = Run("ring", std::string(kMaxMarkdownBytes, 'x') + "\n\nmesh");
  ASSERT_FALSE(decision.guardrails.empty());
  EXPECT_EQ(decision.guardrails.back().rule_id, "limit.size");
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += std::string(static_cast<size_t>(i), ' ') + "- x\n";
  const Decision nested = Run("ring", deep);
  ASSERT_FALSE(nested.guardrails.empty());
  EXPECT_EQ(nested.guardrails.back().rule_id, "limit.nesting");
}

TEST_F(Decide, WouldChangeNamesWhatIsMissing) {
  EXPECT_EQ(Find(Run("t", "ring"), "module: ring")->would_change, "needs 1 more points");
}

TEST_F(Decide, FiredRulesAreSignalsSuppressorsAndTakenSteps) {
  IssueText issue;
  issue.title = "t";
  issue.body = "```\nmesh = 1\n```\n";
  EXPECT_THAT(pack_->FiredRules(issue), ElementsAre("mesh.name", "script.code", "mesh.only-code", "route", "unclear"));
}

TEST(CompilePack, ReferencesThatLeadNowhereAreAllReportedAtOnce) {
  PackFiles files = Files();
  std::string rubric = kRubric;
  const auto replace = [&](std::string_view from, std::string_view to) {
    const size_t at = rubric.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    rubric.replace(at, from.size(), to);
  };
  replace(R"("label": "@urgent"})", R"("label": "@nowhere"})");
  replace(R"({"signal": "ring.name"}, )", R"({"signal": "ring.gone"}, )");
  replace(R"("add": "needs repro")", R"("add": "marked")");
  replace(R"(["\\w"])", R"(["(unclosed", "a*"])");
  files["tiny/rubric.json"] = rubric;
  Problems problems;
  auto model = LoadPack(files, "tiny", problems);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(CompiledPack::Compile(std::move(*model), problems), nullptr);
  std::string all;
  for (const Problem& problem : problems) all += problem.ToString() + "\n";
  EXPECT_THAT(all, HasSubstr("unknown topic '@nowhere'"));
  EXPECT_THAT(all, HasSubstr("unknown signal 'ring.gone'"));
  EXPECT_THAT(all, HasSubstr("'marked' is a marker"));
  EXPECT_THAT(all, HasSubstr("bad pattern"));
  EXPECT_THAT(all, HasSubstr("matches the empty text"));
}

}  // namespace
}  // namespace yardmaster::rules
