#include "services/yardworker/run_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace yardmaster::yardworker {
namespace {

using ::testing::SizeIs;

TEST(RunProgress, TheWorkerReadsWhatTheSupervisorWrites) {
  const testing::TempDir dir;
  RunProgressReader reader(dir.path() / "progress.bin");
  EXPECT_EQ(reader.Newest().layers_size(), 0);
  RunProgressFile file(dir.path() / "progress.bin");
  file.LayerBegins("smoke", 3);
  EXPECT_EQ(reader.Newest().layers(0).id(), "smoke");
  EXPECT_EQ(reader.Newest().layers_in_all(), 3U);
  file.StepBegins("one");
  file.Progress(3, 1, 10);
  worker::StepResult step;
  step.name = "one";
  step.verdict = worker::Verdict::kFailed;
  step.end_micros = 1'500'000;
  file.StepEnds(step);
  worker::LayerResult layer;
  layer.id = "smoke";
  layer.verdict = worker::Verdict::kFailed;
  layer.tests = 10;
  layer.failed = 1;
  file.LayerEnds(layer);
  const v1::RunProgress& read = reader.Newest();
  EXPECT_EQ(read.layers(0).verdict(), "failed");
  EXPECT_EQ(read.layers(0).tests(), 10U);
  ASSERT_THAT(read.steps(), SizeIs(1));
  EXPECT_EQ(read.steps(0).seconds(), 1.5);
  EXPECT_EQ(read.steps_ended(), 1U);
  EXPECT_EQ(read.step(), "");
}

TEST(RunProgress, TestsThatFailedAreToldWithTheirStepAsTheyCome) {
  const testing::TempDir dir;
  RunProgressFile file(dir.path() / "progress.bin");
  std::vector<worker::TestResult> tests(3);
  tests[0].id = "good";
  tests[1].id = "bad";
  tests[1].step = "one";
  tests[1].verdict = worker::Verdict::kFailed;
  tests[1].message = "1 != 2\nmore";
  tests[2].id = "left out";
  tests[2].verdict = worker::Verdict::kNotRun;
  tests[2].skipped = true;
  file.LayerBegins("smoke", 1);
  file.TestsEnd(tests);
  worker::StepResult step;
  step.name = "one";
  file.StepEnds(step);
  file.StepEnds(step);
  file.LayerEnds({});
  const v1::RunProgress read = RunProgressReader(dir.path() / "progress.bin").Newest();
  ASSERT_THAT(read.failures(), SizeIs(1));
  EXPECT_EQ(read.failures(0).test(), "bad");
  EXPECT_EQ(read.failures(0).step(), "one");
  EXPECT_EQ(read.failures(0).verdict(), "failed");
  EXPECT_EQ(read.failures(0).message(), "1 != 2");
  EXPECT_EQ(read.failures_in_all(), 1U);
  ASSERT_THAT(read.steps(), SizeIs(2));
  EXPECT_EQ(read.steps(0).tests(), 2U);
  EXPECT_EQ(read.steps(0).failed(), 1U);
  EXPECT_EQ(read.steps(0).skipped(), 1U);
  EXPECT_EQ(read.steps(1).tests(), 0U) << "what is counted is of one step";
}

TEST(RunProgress, ItStaysSmallAndFitForAMessage) {
  const testing::TempDir dir;
  RunProgressFile file(dir.path() / "progress.bin");
  file.LayerBegins(std::string(10'000, 'x') + "\xff", 1);
  for (int i = 0; i < 300; ++i) {
    worker::TestResult test;
    test.id = test.step = test.message = std::string(1'000, 'z');
    test.verdict = worker::Verdict::kFailed;
    file.TestsEnd({test});
    worker::StepResult step;
    step.name = "step \xff" + std::string(1'000, 'y') + std::to_string(i);
    file.StepEnds(step);
  }
  for (int i = 0; i < 1'000; ++i) file.LayerBegins("layer", 1);
  const v1::RunProgress read = RunProgressReader(dir.path() / "progress.bin").Newest();
  EXPECT_EQ(read.steps_ended(), 300U);
  EXPECT_EQ(read.failures_in_all(), 300U);
  ASSERT_THAT(read.steps(), SizeIs(64));
  EXPECT_LT(read.ByteSizeLong(), size_t{64} * 1024);
  v1::RunProgress again;
  EXPECT_TRUE(again.ParseFromString(read.SerializeAsString()));
}

}  // namespace
}  // namespace yardmaster::yardworker
