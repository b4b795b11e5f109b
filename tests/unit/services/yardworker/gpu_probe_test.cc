#include "services/yardworker/gpu_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/temp_dir.h"

namespace yardmaster::yardworker {
namespace {

using ::testing::HasSubstr;

class TryGpusTest : public ::testing::Test {
 protected:
  static worker::Device Gpu(const std::string& id) {
    worker::Device gpu;
    gpu.kind = rules::DeviceKind::kGpu;
    gpu.id = gpu.visible_as = id;
    return gpu;
  }
  // What the program says, and how it ends.
  absl::Status Try(const std::string& script, const std::vector<worker::Device>& devices) {
    const std::filesystem::path program = dir_.Write("probe.sh", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return TryGpus(*processes_, program, devices);
  }

  testing::TempDir dir_;
  std::unique_ptr<worker::ProcessStarter> processes_ = worker::MakeProcessStarter();
};

TEST_F(TryGpusTest, ThoseThatComputeAreFineAndTheProgramSeesTheLeasedOnesOnly) {
  EXPECT_TRUE(Try("[ \"$1\" = --probe-gpus ] && [ \"$CUDA_VISIBLE_DEVICES\" = GPU-1,GPU-2 ] && echo 2",
                  {Gpu("GPU-1"), Gpu("GPU-2")})
                  .ok());
}

TEST_F(TryGpusTest, WhereNothingCanBeTriedNothingIsWrong) {
  EXPECT_TRUE(Try("exit 3", {Gpu("GPU-1")}).ok());
  EXPECT_TRUE(Try("exit 1", {}).ok());
}

TEST_F(TryGpusTest, WhatFailsIsNamed) {
  const absl::Status failed = Try("echo 'cuInit fails: CUDA_ERROR_OPERATING_SYSTEM (304)'; exit 1", {Gpu("GPU-1")});
  EXPECT_TRUE(absl::IsUnavailable(failed));
  EXPECT_THAT(std::string(failed.message()), HasSubstr("cuInit fails: CUDA_ERROR_OPERATING_SYSTEM (304)"));
}

TEST_F(TryGpusTest, AProgramThatSeesFewerIsAFailure) {
  EXPECT_THAT(std::string(Try("echo 1", {Gpu("GPU-1"), Gpu("GPU-2")}).message()), HasSubstr("sees 1 of 2 GPUs"));
}

}  // namespace
}  // namespace yardmaster::yardworker
