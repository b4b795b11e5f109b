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

TEST(RunProgress, ItStaysSmallAndFitForAMessage) {
  const testing::TempDir dir;
  RunProgressFile file(dir.path() / "progress.bin");
  file.LayerBegins(std::string(10'000, 'x') + "\xff", 1);
  for (int i = 0; i < 300; ++i) {
    worker::StepResult step;
    step.name = "step \xff" + std::string(1'000, 'y') + std::to_string(i);
    file.StepEnds(step);
  }
  for (int i = 0; i < 1'000; ++i) file.LayerBegins("layer", 1);
  const v1::RunProgress read = RunProgressReader(dir.path() / "progress.bin").Newest();
  EXPECT_EQ(read.steps_ended(), 300U);
  ASSERT_THAT(read.steps(), SizeIs(64));
  EXPECT_LT(read.ByteSizeLong(), size_t{64} * 1024);
  v1::RunProgress again;
  EXPECT_TRUE(again.ParseFromString(read.SerializeAsString()));
}

}  // namespace
}  // namespace yardmaster::yardworker
