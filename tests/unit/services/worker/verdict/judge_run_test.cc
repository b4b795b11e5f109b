#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {
namespace {

using rules::FailureClass;
using rules::LayerKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

StepResult Step(Verdict verdict, std::string reason = "", int64_t begin = 0, int64_t end = 0) {
  StepResult step;
  step.id = step.name = "step";
  step.layer = "correctness";
  step.verdict = verdict;
  step.reason = std::move(reason);
  step.begin_micros = begin;
  step.end_micros = end;
  return step;
}

StepResult Failed(FailureClass cls, Verdict verdict = Verdict::kFailed) {
  StepResult step = Step(verdict, "it broke");
  step.cause.emplace();
  step.cause->cls = cls;
  step.cause->message = "it broke";
  return step;
}

// --- Attempts ---

TEST(MergeAttempts, APassAfterAFailureOfTheCodeIsFlaky) {
  StepResult failed = Failed(FailureClass::kCode);
  failed.log = "steps/s/log";
  const StepResult merged = MergeAttempts(failed, Step(Verdict::kPassed));
  EXPECT_EQ(merged.verdict, Verdict::kFlaky);
  EXPECT_EQ(merged.attempts, 2);
  ASSERT_TRUE(merged.cause.has_value());
  EXPECT_EQ(merged.cause->message, "it broke");
  // The cause is told once, and the pass says where the failure lies.
  EXPECT_EQ(merged.reason, "passed at the second attempt only; the failure before it: steps/s/log");
  EXPECT_THAT(merged.artifacts, ElementsAre("steps/s/log"));
}

TEST(MergeAttempts, APassAfterAMendedEnvironmentPassesAndSaysWhatWasMended) {
  StepResult second = Step(Verdict::kPassed);
  second.recipe = "set-path";
  const StepResult merged = MergeAttempts(Failed(FailureClass::kEnvironment, Verdict::kError), second);
  EXPECT_EQ(merged.verdict, Verdict::kPassed);
  EXPECT_EQ(merged.attempts, 2);
  EXPECT_EQ(merged.reason, "passed once 'set-path' was applied; before: it broke");
}

TEST(MergeAttempts, APassWithOtherPortsNeedsNoRecipe) {
  const StepResult merged = MergeAttempts(Failed(FailureClass::kEnvironment, Verdict::kError), Step(Verdict::kPassed));
  EXPECT_EQ(merged.verdict, Verdict::kPassed);
  EXPECT_EQ(merged.reason, "passed at the second attempt; before: it broke");
}

TEST(MergeAttempts, APassElsewhereAfterAFaultOfADeviceIsFlaky) {
  EXPECT_EQ(MergeAttempts(Failed(FailureClass::kInfrastructure, Verdict::kError), Step(Verdict::kPassed)).verdict,
            Verdict::kFlaky);
}

TEST(MergeAttempts, ASecondFailureIsTheSecondsOwn) {
  StepResult second = Failed(FailureClass::kCode);
  second.reason = "it broke otherwise";
  const StepResult merged = MergeAttempts(Failed(FailureClass::kEnvironment, Verdict::kError), second);
  EXPECT_EQ(merged.verdict, Verdict::kFailed);
  EXPECT_EQ(merged.reason, "it broke otherwise");
  EXPECT_EQ(merged.attempts, 2);
}

// --- Layers ---

LayerResult Layer(const std::vector<StepResult>& steps, const std::vector<TestResult>& tests = {},
                  std::string_view why_not = "") {
  rules::SuiteLayer layer;
  layer.id = "correctness";
  layer.title = "Correctness";
  std::vector<const StepResult*> step_pointers;
  step_pointers.reserve(steps.size());
  for (const StepResult& step : steps) step_pointers.push_back(&step);
  std::vector<const TestResult*> test_pointers;
  test_pointers.reserve(tests.size());
  for (const TestResult& test : tests) test_pointers.push_back(&test);
  return JudgeLayer(layer, step_pointers, test_pointers, why_not);
}

TEST(JudgeLayer, HasTheWorstVerdictOfItsSteps) {
  EXPECT_EQ(Layer({Step(Verdict::kPassed), Step(Verdict::kPassed)}).verdict, Verdict::kPassed);
  EXPECT_EQ(Layer({Step(Verdict::kPassed), Step(Verdict::kFlaky)}).verdict, Verdict::kFlaky);
  EXPECT_EQ(Layer({Step(Verdict::kFailed, "a"), Step(Verdict::kPassed)}).verdict, Verdict::kFailed);
  EXPECT_EQ(Layer({Step(Verdict::kFailed, "a"), Step(Verdict::kTimedOut, "b")}).verdict, Verdict::kTimedOut);
  EXPECT_EQ(Layer({Step(Verdict::kError, "a"), Step(Verdict::kTimedOut, "b")}).reason, "a");
  EXPECT_EQ(Layer({Step(Verdict::kFailed, "first"), Step(Verdict::kFailed, "second")}).reason, "first");
}

TEST(JudgeLayer, ACellThatWasNotRunIsSaidAndDoesNotCount) {
  const LayerResult layer = Layer({Step(Verdict::kPassed), Step(Verdict::kNotRun, "needs a GPU")});
  EXPECT_EQ(layer.verdict, Verdict::kPassed);
  EXPECT_EQ(layer.reason, "1 of 2 steps not run: needs a GPU");
}

TEST(JudgeLayer, WhereNothingRanItIsNotRun) {
  EXPECT_EQ(Layer({Step(Verdict::kNotRun, "needs a GPU")}).verdict, Verdict::kNotRun);
  EXPECT_EQ(Layer({Step(Verdict::kNotRun, "needs a GPU")}).reason, "needs a GPU");
  const LayerResult held = Layer({}, {}, "layer 'smoke' failed");
  EXPECT_EQ(held.verdict, Verdict::kNotRun);
  EXPECT_EQ(held.reason, "layer 'smoke' failed");
}

TEST(JudgeLayer, CountsTestsAndSpansItsSteps) {
  std::vector<TestResult> tests(4);
  tests[1].verdict = Verdict::kFailed;
  tests[2].verdict = Verdict::kNotRun;
  tests[2].skipped = true;
  tests[3].verdict = Verdict::kTimedOut;
  const LayerResult layer = Layer(
      {Step(Verdict::kFailed, "a", 3'000'000, 5'000'000), Step(Verdict::kPassed, "", 1'000'000, 2'500'000)}, tests);
  EXPECT_EQ(layer.tests, 4U);
  EXPECT_EQ(layer.failed, 2U);
  EXPECT_EQ(layer.skipped, 1U);
  EXPECT_DOUBLE_EQ(layer.seconds, 4.0);
}

// --- Runs ---

struct Outline {
  const char* id;
  LayerKind kind;
  Verdict verdict;
  bool required = false;
};

RunResult Judge(const std::vector<Outline>& outlines, const std::vector<StepResult>& steps = {}) {
  rules::SuiteModel suite;
  RunResult run;
  for (const Outline& outline : outlines) {
    rules::SuiteLayer layer;
    layer.id = outline.id;
    layer.kind = outline.kind;
    layer.required = outline.required;
    suite.layers.push_back(layer);
    LayerResult result;
    result.id = outline.id;
    result.verdict = outline.verdict;
    if (outline.verdict == Verdict::kNotRun) result.reason = "needs a GPU";
    run.layers.push_back(result);
  }
  run.steps = steps;
  JudgeRun(suite, run);
  return run;
}

TEST(JudgeRun, HasTheWorstVerdictOfThoseThatRan) {
  EXPECT_EQ(
      Judge({{"a", LayerKind::kSmoke, Verdict::kPassed}, {"b", LayerKind::kCorrectness, Verdict::kPassed}}).verdict,
      Verdict::kPassed);
  EXPECT_EQ(
      Judge({{"a", LayerKind::kSmoke, Verdict::kFlaky}, {"b", LayerKind::kCorrectness, Verdict::kPassed}}).verdict,
      Verdict::kFlaky);
  EXPECT_EQ(
      Judge({{"a", LayerKind::kSmoke, Verdict::kFailed}, {"b", LayerKind::kCorrectness, Verdict::kNotRun}}).verdict,
      Verdict::kFailed);
  EXPECT_EQ(Judge({{"a", LayerKind::kCorrectness, Verdict::kError}, {"b", LayerKind::kCorrectness, Verdict::kFailed}})
                .verdict,
            Verdict::kError);
}

TEST(JudgeRun, ALayerWithoutItsDeviceDoesNotCount) {
  const RunResult run =
      Judge({{"cpu", LayerKind::kCorrectness, Verdict::kPassed}, {"gpu", LayerKind::kCorrectness, Verdict::kNotRun}});
  EXPECT_EQ(run.verdict, Verdict::kPassed);
}

TEST(JudgeRun, WithoutAnyCorrectnessLayerItIsNotRun) {
  const RunResult run = Judge({{"import", LayerKind::kImport, Verdict::kPassed},
                               {"smoke", LayerKind::kSmoke, Verdict::kPassed},
                               {"correctness", LayerKind::kCorrectness, Verdict::kNotRun}});
  EXPECT_EQ(run.verdict, Verdict::kNotRun);
  EXPECT_EQ(run.reason, "layer 'correctness' was not run: needs a GPU");
  EXPECT_FALSE(run.cause.has_value());
}

TEST(JudgeRun, WithoutARequiredLayerItIsNotRun) {
  const RunResult run = Judge({{"correctness", LayerKind::kCorrectness, Verdict::kPassed},
                               {"boundary", LayerKind::kBoundary, Verdict::kNotRun, true}});
  EXPECT_EQ(run.verdict, Verdict::kNotRun);
  EXPECT_THAT(run.reason, HasSubstr("'boundary'"));
}

TEST(JudgeRun, LayersThatWereLeftOutByChoiceAreNotMissed) {
  rules::SuiteModel suite;
  suite.layers.resize(2);
  suite.layers[0].id = "smoke";
  suite.layers[0].kind = LayerKind::kSmoke;
  suite.layers[1].id = "correctness";
  suite.layers[1].kind = LayerKind::kCorrectness;
  RunResult run;
  run.layers.resize(1);
  run.layers[0].id = "smoke";
  run.layers[0].verdict = Verdict::kPassed;
  JudgeRun(suite, run);
  EXPECT_EQ(run.verdict, Verdict::kPassed);
}

TEST(JudgeRun, ABuildThatFailsFailsTheRunAlthoughNothingElseRan) {
  StepResult build = Failed(FailureClass::kCode);
  build.layer = std::string(kBuildLayer);
  const RunResult run = Judge({{"correctness", LayerKind::kCorrectness, Verdict::kNotRun}}, {build});
  EXPECT_EQ(run.verdict, Verdict::kFailed);
  EXPECT_EQ(run.reason, "it broke");
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->message, "it broke");
}

TEST(JudgeRun, TheCauseIsTheFirstOfTheRunsOwnVerdict) {
  StepResult first = Failed(FailureClass::kCode);
  first.reason = first.cause->message = "first";
  StepResult second = Failed(FailureClass::kEnvironment, Verdict::kError);
  second.reason = second.cause->message = "second";
  const RunResult run = Judge({{"correctness", LayerKind::kCorrectness, Verdict::kError}}, {first, second});
  EXPECT_EQ(run.verdict, Verdict::kError);
  EXPECT_EQ(run.reason, "second");
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->message, "second");
}

TEST(JudgeRun, CancelledStaysCancelled) {
  EXPECT_EQ(Judge({{"correctness", LayerKind::kCorrectness, Verdict::kCancelled}}).verdict, Verdict::kCancelled);
}

TEST(JudgeRun, WithoutLayersNothingWasRun) {
  const RunResult run = Judge({});
  EXPECT_EQ(run.verdict, Verdict::kNotRun);
  EXPECT_EQ(run.reason, "no layer was run");
}

}  // namespace
}  // namespace yardmaster::worker
