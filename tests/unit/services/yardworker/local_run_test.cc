// Runs from their order to their end, before a control plane that takes note of what it is told. Supervisors are small
// scripts.
#include "services/yardworker/local_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "services/core/sha256.h"
#include "services/yardworker/run_thread.h"
#include "tests/support/rpc_server.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NotingControl final : public v1::RunnerService::Service {
 public:
  grpc::Status AppendLog(grpc::ServerContext*, const v1::AppendLogRequest* request,
                         v1::AppendLogResponse* response) override {
    const std::lock_guard<std::mutex> lock(mutex);
    if (request->offset() == log.size()) log += request->text();
    response->set_end(log.size());
    return grpc::Status::OK;
  }
  grpc::Status UploadArtifact(grpc::ServerContext*, const v1::PutPartRequest* request,
                              v1::PutPartResponse* response) override {
    const std::lock_guard<std::mutex> lock(mutex);
    std::string& file = files[request->digest()];
    if (request->offset() == file.size()) file += request->part();
    response->set_received(file.size());
    response->set_complete(file.size() == request->size());
    return grpc::Status::OK;
  }
  grpc::Status ReadSource(grpc::ServerContext*, const v1::ReadPartRequest* request,
                          v1::ReadPartResponse* response) override {
    std::this_thread::sleep_for(source_takes);
    response->set_size(source.size());
    response->set_part(source.substr(request->offset(), 1000));
    return grpc::Status::OK;
  }
  grpc::Status FinishRun(grpc::ServerContext*, const v1::FinishRunRequest* request, v1::FinishRunResponse*) override {
    const std::lock_guard<std::mutex> lock(mutex);
    ends.push_back(*request);
    for (const v1::Artifact& artifact : request->artifacts()) {
      if (!files.contains(artifact.digest())) return {grpc::StatusCode::FAILED_PRECONDITION, "it is not there"};
    }
    if (on_finish) on_finish();
    return answer;
  }
  grpc::Status DeclineRun(grpc::ServerContext*, const v1::ReturnRunRequest* request, v1::ReturnRunResponse*) override {
    const std::lock_guard<std::mutex> lock(mutex);
    declined.push_back(request->why());
    return grpc::Status::OK;
  }

  // A run that is over has had its answers, but the locks are what makes that known to this thread.
  std::vector<v1::FinishRunRequest> Ends() const {
    const std::lock_guard<std::mutex> lock(mutex);
    return ends;
  }
  std::vector<std::string> Verdicts() const {
    std::vector<std::string> verdicts;
    for (const v1::FinishRunRequest& end : Ends()) verdicts.push_back(end.verdict());
    return verdicts;
  }
  std::vector<std::string> Declined() const {
    const std::lock_guard<std::mutex> lock(mutex);
    return declined;
  }

  mutable std::mutex mutex;  // guards what follows
  std::string log;
  std::map<std::string, std::string> files;
  std::vector<v1::FinishRunRequest> ends;
  std::vector<std::string> declined;
  std::function<void()> on_finish;
  grpc::Status answer;
  // Set before the run begins.
  std::string source;
  std::chrono::milliseconds source_takes{0};
};

class LocalRunTest : public ::testing::Test {
 protected:
  LocalRunTest() : server_(service_), control_(server_.Connect(), Secret()) {
    order_.set_job("j-1");
    order_.set_fence(7);
  }

  LocalRun Make(std::chrono::milliseconds end_patience = kEndPatience) {
    absl::StatusOr<RunFolder> folder = RunFolder::Make(dir_.path() / "runs", order_);
    EXPECT_TRUE(folder.ok()) << folder.status();
    return {*std::move(folder), order_, end_patience};
  }
  // The supervisor: "$2" is the run's folder.
  void Supervisor(const std::string& script) {
    const fs::path file = dir_.Write("supervisor.sh", "#!/bin/sh\n" + script);
    fs::permissions(file, fs::perms::owner_all);
    command_.program = file;
  }
  fs::path Folder() const { return dir_.path() / "runs" / "j-1-7"; }
  void UntilOver(
      LocalRun& run, const std::function<void()>& each = [] {}) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!run.over() && std::chrono::steady_clock::now() < deadline) {
      each();
      const absl::StatusOr<bool> more = run.Advance(control_, command_);
      EXPECT_TRUE(more.ok()) << more.status();
      if (!more.ok() || !*more) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_TRUE(run.over());
    EXPECT_FALSE(fs::exists(Folder()));
  }
  // An end as a supervisor leaves it.
  void LeaveEnd(const std::string& verdict) {
    v1::FinishRunRequest end;
    end.set_job("j-1");
    end.set_fence(7);
    end.set_verdict(verdict);
    ASSERT_TRUE(RunFolder(Folder()).SetOutcome(end).ok());
    dir_.Write("runs/j-1-7/supervisor.pid", "1");
  }

  testing::TempDir dir_;
  NotingControl service_;
  testing::RpcServer server_;
  ControlPlane control_;
  v1::RunOrder order_;
  SupervisorCommand command_;
};

TEST_F(LocalRunTest, ASupervisorThatIsStoppedIsToldToEndAndGoesOnToDoSo) {
  // It is known once it is stopped: what comes before would be heard.
  Supervisor(
      "trap 'exit 0' TERM\n"
      "(until grep -q '^State:.T' /proc/$$/status; do sleep 0.01; done; echo $$ > \"$2/supervisor.pid\") &\n"
      "kill -STOP $$\nsleep 30");
  LocalRun run = Make();
  UntilOver(run, [&] {
    if (fs::exists(Folder() / "supervisor.pid")) run.Cancel();
  });
  EXPECT_THAT(service_.Verdicts(), ElementsAre("cancelled"));
}

TEST_F(LocalRunTest, ASupervisorThatHasNotSaidItsNumberWhenTheRunIsCancelledIsToldOnceItHas) {
  Supervisor(
      "trap 'exit 0' TERM\ntouch \"$2/begun\"\nsleep 0.3\necho $$ > \"$2/supervisor.pid\"\n"
      "while :; do sleep 0.05; done");
  LocalRun run = Make();
  UntilOver(run, [&] {
    if (fs::exists(Folder() / "begun")) run.Cancel();
  });
  EXPECT_THAT(service_.Verdicts(), ElementsAre("cancelled"));
}

TEST_F(LocalRunTest, ASupervisorThatHearsNothingIsKilledAfterAWhile) {
  Supervisor("echo $$ > \"$2/supervisor.pid\"\ntrap '' TERM\nwhile :; do sleep 0.1; done");
  LocalRun run = Make(std::chrono::milliseconds(300));
  UntilOver(run, [&] {
    if (fs::exists(Folder() / "supervisor.pid")) run.Cancel();
  });
  EXPECT_THAT(service_.Verdicts(), ElementsAre("cancelled"));
}

// As after a worker that died right after it had started it.
TEST_F(LocalRunTest, ASupervisorWhoseNumberNobodyKnowsCanBeCancelledAllTheSame) {
  Supervisor("while :; do sleep 0.1; done");
  LocalRun run = Make(std::chrono::milliseconds(300));
  bool cancelled = false;
  UntilOver(run, [&] {
    if (!std::exchange(cancelled, RunFolder(Folder()).Supervisor().has_value())) return;
    EXPECT_FALSE(fs::exists(Folder() / "supervisor.pid"));
    run.Cancel();
  });
  EXPECT_THAT(service_.Verdicts(), ElementsAre("cancelled"));
}

TEST_F(LocalRunTest, WhatCanNotBeKeptIsDeclined) {
  LocalRun run(RunFolder(RunFolder::PathOf(dir_.path() / "runs", order_)), order_);
  run.Decline("the worker can't keep it: No space left on device");
  UntilOver(run);
  EXPECT_THAT(service_.Declined(), ElementsAre(HasSubstr("No space left")));
}

TEST_F(LocalRunTest, ADeclineForTheSakeOfDevicesWaitsUntilTheirFaultsAreKnown) {
  Supervisor(R"(echo $$ > "$2/supervisor.pid"
    echo '{"GPU-1": "gpu0 is used by process 4242"}' > "$2/faults.json"
    echo 'its devices are busy' > "$2/declined")");
  LocalRun run = Make();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(run.Advance(control_, command_).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_THAT(run.faults(), Contains(::testing::Pair("GPU-1", HasSubstr("4242"))));
  EXPECT_THAT(service_.Declined(), IsEmpty());
  EXPECT_EQ(run.phase(), v1::WorkerRun::PHASE_PREPARING);
  run.FaultsAreKnown();
  UntilOver(run);
  EXPECT_THAT(service_.Declined(), ElementsAre(HasSubstr("busy")));
  EXPECT_THAT(run.failed_by_infrastructure(), ::testing::Eq(std::nullopt));
}

TEST_F(LocalRunTest, HostileNamesOfArtifactsAreLeftOutWithANoteAndTheEndIsHeard) {
  LocalRun run = Make();
  dir_.Write("runs/j-1-7/result/result.json", "{}");
  dir_.Write("runs/j-1-7/result/steps/a/log", "a");
  dir_.Write("runs/j-1-7/result/steps/a/back\\slash", "b");
  dir_.Write("runs/j-1-7/result/steps/a/bytes\xff\xfe", "c");
  dir_.Write("runs/j-1-7/result/build/program", "d");
  LeaveEnd("passed");
  UntilOver(run);
  const std::vector<v1::FinishRunRequest> ends = service_.Ends();
  ASSERT_EQ(ends.size(), 1U);
  std::vector<std::string> paths;
  for (const v1::Artifact& artifact : ends[0].artifacts()) paths.push_back(artifact.path());
  EXPECT_THAT(paths, ElementsAre("result.json", "steps/a/log"));
  EXPECT_THAT(ends[0].notes(), Contains(HasSubstr("backslash")));
  EXPECT_THAT(ends[0].notes(), Contains(HasSubstr("bytes<FF><FE> was left out: its name is no UTF-8")));
}

TEST_F(LocalRunTest, AnArtifactThatTheServerLostIsSentAgain) {
  LocalRun run = Make();
  dir_.Write("runs/j-1-7/result/result.json", "{}");
  LeaveEnd("passed");
  bool lost = false;
  UntilOver(run, [&] {
    const std::lock_guard<std::mutex> lock(service_.mutex);
    if (!service_.files.empty() && !std::exchange(lost, true)) service_.files.clear();
  });
  const std::vector<v1::FinishRunRequest> ends = service_.Ends();
  ASSERT_FALSE(ends.empty());
  EXPECT_EQ(ends.back().artifacts_size(), 1);
  const std::lock_guard<std::mutex> lock(service_.mutex);
  EXPECT_EQ(service_.files.size(), 1U);
}

TEST_F(LocalRunTest, AFullDiskSaysNothingAboutItsDevices) {
  LocalRun run = Make();
  v1::FinishRunRequest end;
  end.set_verdict("error");
  end.mutable_cause()->set_class_name("infrastructure");
  ASSERT_TRUE(RunFolder(Folder()).SetOutcome(end).ok());
  ASSERT_TRUE(RunFolder(Folder()).SetDiskWasFull().ok());
  UntilOver(run);
  EXPECT_EQ(run.failed_by_infrastructure(), std::nullopt);
}

TEST_F(LocalRunTest, ATreeIsFetchedInPartsAndItsDigestCompared) {
  Supervisor("cp \"$2/source.tar\" \"$2/../../got\"\necho none > \"$2/declined\"");
  service_.source = std::string(20'500, 'x') + "end";
  order_.mutable_spec()->set_source_digest(Sha256Hex(service_.source));
  LocalRun run = Make();
  UntilOver(run);
  EXPECT_EQ(testing::ReadWholeFile(dir_.path() / "got"), service_.source);
  service_.source.back() = 'D';
  LocalRun other = Make();
  UntilOver(other);
  EXPECT_THAT(service_.Declined(), Contains(HasSubstr("another SHA-256")));
}

TEST_F(LocalRunTest, ASlowFetchKeepsNobodyFromAskingWhatARunDoes) {
  service_.source = "tree";
  service_.source_takes = std::chrono::milliseconds(1'500);
  order_.mutable_spec()->set_source_digest(Sha256Hex(service_.source));
  Supervisor("echo none > \"$2/declined\"");
  const auto began = std::chrono::steady_clock::now();
  RunThread run(Make(), control_, command_, [](std::string_view) {});
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(run.view().phase, v1::WorkerRun::PHASE_PREPARING);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, service_.source_takes);
  while (!run.view().over) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

TEST(RunFolder, AnOrderThatFindsNoRoomLeavesNothing) {
  const testing::TempDir dir;
  dir.Write("runs", "a file where a folder should be");
  v1::RunOrder order;
  order.set_job("j");
  EXPECT_FALSE(RunFolder::Make(dir.path() / "runs", order).ok());
}

TEST(RunFolder, TemporaryFilesLieBesideTheRunsWhereThatIsShort) {
  EXPECT_THAT(RunFolder("/var/lib/yard-worker/runs/j-1").temp().native(),
              ::testing::StartsWith("/var/lib/yard-worker/t/"));
  const std::string deep = "/" + std::string(60, 'd') + "/runs/j-1";
  EXPECT_LE(RunFolder(deep).temp().native().size(), 64U);
}

}  // namespace
}  // namespace yardmaster::yardworker
