#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/nvidia_smi.h"

namespace yardmaster::worker {
namespace {

TEST(ToolRunner, OutputAndExitCodeComeBack) {
  const absl::StatusOr<ToolOutput> output = MakeToolRunner()->Run({"sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->exit_code, 3);
  EXPECT_EQ(output->out, "out\n");
  EXPECT_EQ(output->err, "err\n");
}

TEST(ToolRunner, AProgramThatIsNotThereIsNotFound) {
  EXPECT_EQ(MakeToolRunner()->Run({"no-such-tool-of-a-vendor"}).status().code(), absl::StatusCode::kNotFound);
}

TEST(ToolRunner, AProgramThatHangsIsEnded) {
  const absl::Status status = MakeToolRunner(std::chrono::milliseconds(100))->Run({"sleep", "1000"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(ToolRunner, OutputIsBounded) {
  const absl::StatusOr<ToolOutput> output =
      MakeToolRunner()->Run({"sh", "-c", "head -c 6000000 /dev/zero | tr '\\0' 'x'"});
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->out.size(), kMaxToolOutputBytes + 1);
}

TEST(ToolRunner, ToolsSpeakEnglish) {
  const absl::StatusOr<ToolOutput> output = MakeToolRunner()->Run({"sh", "-c", "echo $LC_ALL"});
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->out, "C\n");
}

}  // namespace
}  // namespace yardmaster::worker
