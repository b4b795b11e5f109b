// Our own suites through a daemon and a worker, with eight ranks on processors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/integration/dispatch_fixture.h"
#include "tests/support/rounds.h"

namespace yardmaster {
namespace {

class DispatchSuitesTest : public DispatchTest {
 protected:
  void SetUp() override {
    packs_ = testing::SourcePath("rules/packs").string();
    // Eight ranks of PyTorch have some hundred threads.
    dispatch_ = "{}";
    patience_ = std::chrono::seconds(600);
    worker_options_ = {"--devices", "cpu:8"};
    DispatchTest::SetUp();
  }
};

TEST_F(DispatchSuitesTest, EightRanksMeetInARunOfAWorker) {
  testing::Process torch({"/usr/bin/python3", "-c", "import torch, pytest"});
  testing::Process mpi({"mpirun", "--version"});
  if (torch.Wait(kPatience) != 0 || mpi.Wait(kPatience) != 0) {
    GTEST_SKIP() << "PyTorch, pytest or Open MPI is missing: deploy/install-deps.sh --with-suites";
  }
  v1::SubmitJobRequest request;
  request.mutable_spec()->set_suite("yardmaster/collectives");
  request.mutable_spec()->add_layers("smoke");
  // Compiles first; where time is short, suites_test has the ranks of MPI.
  if (!testing::IsShort()) request.mutable_spec()->add_layers("mpi-smoke");
  request.mutable_spec()->add_select("backend=gloo");
  request.mutable_spec()->add_select("world_size=8");
  const std::string job = SubmitSpec(request);
  const std::string log = Follow(job);
  EXPECT_EQ(Get(job).verdict(), "passed") << Get(job).DebugString() << log;
  EXPECT_TRUE(Until([this] { return NothingIsLeft(); }));
}

}  // namespace
}  // namespace yardmaster
