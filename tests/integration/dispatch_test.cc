// A daemon, a worker and its supervisors as real processes: whichever of them is killed in the middle of a run, neither
// the run nor its log is lost, and nothing is left behind.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "services/core/sha256.h"
#include "tests/support/process.h"
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"
#include "yardmaster/v1/dispatch.grpc.pb.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kPrograms = YARD_PROGRAMS;
constexpr std::chrono::seconds kPatience{60};

bool Until(const std::function<bool()>& happens) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!happens()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

std::string ReadAllOf(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class DispatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(dir_.path() / "packs");
    fs::create_directories(dir_.path() / "tree");
    fs::copy(testing::SourcePath("rules/packs/common"), dir_.path() / "packs" / "common", fs::copy_options::recursive);
    fs::create_directories(dir_.path() / "packs" / "nap" / "suites");
    dir_.Write("packs/nap/pack.json", R"({"name": "nap", "title": "A suite that takes its time"})");
    dir_.Write("packs/nap/suites/nap.json", R"({"suites": [{
        "id": "nap", "title": "Counts slowly", "source": {"repository": "github:o/r", "ref": "main"},
        "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
        "layers": [{"id": "count", "kind": "correctness", "steps": [{"id": "count",
          "shell": "for i in $(seq 1 40); do echo line $i; sleep 0.1; done; cat marker.txt"}]}]}]})");
    dir_.Write("packs/nap/suites/stuck.json", R"({"suites": [{
        "id": "stuck", "title": "Never ends", "source": {"repository": "github:o/r", "ref": "main"},
        "limits": {"step_s": 3, "grace_s": 1, "disk_mb": 1},
        "layers": [{"id": "wait", "kind": "correctness", "steps": [{"id": "wait",
          "launcher": {"kind": "plain", "world_size": 2, "oversubscribe": true},
          "shell": "[ $RANK = 1 ] || alone=-S; exec python3 $alone stuck.py"}]}]}]})");
    dir_.Write("operator.token", "operator-token-of-tests");
    dir_.Write("runner.token", "runner-token-of-the-tests");
    dir_.Write("config.json", R"({"data_dir": "data", "packs_dir": "packs", "dispatch": {"lease_seconds": 20,
        "limits": {"processes": 200, "disk_mb": 64, "log_mb": 2}},
        "tokens": [{"name": "ops", "role": "operator", "secret": {"file": "operator.token"}},
                   {"name": "box", "role": "runner", "secret": {"file": "runner.token"}}]})");
    StartDaemon("127.0.0.1:0");
    StartWorker();
  }

  void StartDaemon(const std::string& address) {
    daemon_ = std::make_unique<testing::Daemon>(
        kPrograms + "/yardmasterd",
        std::vector<std::string>{"--config", (dir_.path() / "config.json").string(), "--listen-grpc", address});
    ASSERT_FALSE(daemon_->grpc().empty());
    address_ = daemon_->grpc();
    stub_ = v1::DispatchService::NewStub(grpc::CreateChannel(address_, grpc::InsecureChannelCredentials()));
  }
  void StartWorker() {
    fs::remove(dir_.path() / "worker.json");
    worker_ = std::make_unique<testing::Process>(
        std::vector<std::string>{kPrograms + "/yard-worker", "--server", address_, "--token-file",
                                 (dir_.path() / "runner.token").string(), "--name", "box", "--devices", "cpu:2",
                                 "--work-dir", (dir_.path() / "work").string(), "--ready-file",
                                 (dir_.path() / "worker.json").string()},
        worker_environment_);
    ASSERT_TRUE(Until([this] { return fs::exists(dir_.path() / "worker.json"); })) << worker_->Stderr();
  }

  template <typename Request, typename Response>
  grpc::Status Ask(grpc::Status (v1::DispatchService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                   const Request& request, Response& response) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer operator-token-of-tests");
    context.set_deadline(std::chrono::system_clock::now() + kPatience);
    context.set_wait_for_ready(true);
    return (stub_.get()->*method)(&context, request, &response);
  }

  std::string Submit(const std::string& suite = "nap", const std::vector<std::string>& variables = {}) {
    dir_.Write("tree/marker.txt", "the uploaded tree\n");
    testing::Process tar(
        {"tar", "-cf", (dir_.path() / "tree.tar").string(), "-C", (dir_.path() / "tree").string(), "."});
    EXPECT_EQ(tar.Wait(kPatience), 0);
    const std::string archive = ReadAllOf(dir_.path() / "tree.tar");
    v1::PutPartRequest part;
    part.set_digest(Sha256Hex(archive));
    part.set_size(archive.size());
    part.set_part(archive);
    v1::PutPartResponse put;
    EXPECT_TRUE(Ask(&v1::DispatchService::Stub::UploadSource, part, put).ok());
    EXPECT_TRUE(put.complete());
    v1::SubmitJobRequest request;
    request.mutable_spec()->set_suite(suite);
    for (const std::string& variable : variables) request.mutable_spec()->add_variables(variable);
    request.mutable_spec()->set_source_digest(part.digest());
    v1::SubmitJobResponse response;
    const grpc::Status status = Ask(&v1::DispatchService::Stub::SubmitJob, request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.job().job();
  }
  v1::SuiteJob Get(const std::string& job) {
    v1::GetJobRequest request;
    request.set_job(job);
    v1::GetJobResponse response;
    const grpc::Status status = Ask(&v1::DispatchService::Stub::GetJob, request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.job();
  }
  // The log of the job's runs until it has ended, or until `enough` is in it.
  std::string Follow(const std::string& job, const std::string& enough = "") {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer operator-token-of-tests");
    context.set_deadline(std::chrono::system_clock::now() + kPatience);
    v1::WatchJobRequest request;
    request.set_job(job);
    auto stream = stub_->WatchJob(&context, request);
    std::string log;
    for (v1::WatchJobResponse news; stream->Read(&news);) {
      log += news.log().text();
      if (!enough.empty() && log.find(enough) != std::string::npos) {
        context.TryCancel();
        break;
      }
    }
    stream->Finish();
    return log;
  }
  static size_t Count(const std::string& text, const std::string& line) {
    size_t count = 0;
    for (size_t at = text.find(line); at != std::string::npos; at = text.find(line, at + 1)) ++count;
    return count;
  }
  // Processes that say this folder in their arguments or environment, the worker and the daemon left out.
  bool NothingIsLeft() const {
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
      const std::string pid = entry.path().filename().string();
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      if (pid == std::to_string(worker_->pid()) || pid == std::to_string(::getpid())) continue;
      if (ReadAllOf(entry.path() / "cmdline").find((dir_.path() / "work").string()) != std::string::npos) return false;
    }
    return fs::is_empty(dir_.path() / "work" / "runs");
  }

  testing::TempDir dir_;
  std::string address_;
  std::unique_ptr<testing::Daemon> daemon_;
  std::unique_ptr<testing::Process> worker_;
  std::vector<std::string> worker_environment_;
  std::unique_ptr<v1::DispatchService::Stub> stub_;
};

TEST_F(DispatchTest, KillsOfWorkerAndDaemonInTheMiddleLoseNeitherRunNorLog) {
  const std::string job = Submit();
  EXPECT_THAT(Follow(job, "line 3\n"), HasSubstr("line 1\n"));
  worker_->Signal(SIGKILL);
  worker_->Wait(kPatience);
  StartWorker();
  EXPECT_THAT(Follow(job, "line 12\n"), HasSubstr("line 11\n"));
  daemon_->process().Signal(SIGKILL);
  daemon_->process().Wait(kPatience);
  StartDaemon(address_);
  const std::string log = Follow(job);
  for (int i = 1; i <= 40; ++i) EXPECT_EQ(Count(log, "line " + std::to_string(i) + "\n"), 1U) << i;
  EXPECT_THAT(log, HasSubstr("the uploaded tree"));
  const v1::SuiteJob ended = Get(job);
  EXPECT_EQ(ended.verdict(), "passed") << ended.DebugString() << log;
  EXPECT_EQ(ended.attempt(), 1U);
  EXPECT_EQ(ended.runner(), "box");
  std::vector<std::string> paths;
  for (const v1::Artifact& artifact : ended.artifacts()) paths.push_back(artifact.path());
  EXPECT_THAT(paths, Contains("result.json"));
  EXPECT_TRUE(Until([this] { return NothingIsLeft(); }));
  worker_->Signal(SIGTERM);
  EXPECT_EQ(worker_->Wait(kPatience), 0) << worker_->Stderr();
}

TEST_F(DispatchTest, ARunWhoseSupervisorIsKilledIsDoneAgainAndItsProcessesAreGone) {
  const std::string job = Submit();
  Follow(job, "line 3\n");
  pid_t supervisor = 0;
  for (const fs::directory_entry& run : fs::directory_iterator(dir_.path() / "work" / "runs")) {
    supervisor = std::stoi(ReadAllOf(run.path() / "supervisor.pid"));
  }
  ASSERT_GT(supervisor, 1);
  ::kill(supervisor, SIGKILL);
  Follow(job);
  const v1::SuiteJob ended = Get(job);
  EXPECT_EQ(ended.verdict(), "passed") << ended.DebugString();
  EXPECT_EQ(ended.attempt(), 2U);
  EXPECT_THAT(ended.notes(), Contains(HasSubstr("supervisor ended without a result")));
  EXPECT_TRUE(Until([this] { return NothingIsLeft(); }));
}

// Rank 0 says nothing by itself: what looks at it stands outside of its sandbox, and its number is another there.
TEST_F(DispatchTest, StacksOfARunThatHangsAreTakenFromInsideAndOutsideOfItsSandbox) {
  const fs::path tool = dir_.Write("bin/py-spy",
                                   "#!/bin/sh\nfor pid; do :; done\n"
                                   "tr '\\0' ' ' </proc/$pid/cmdline | grep -q 'python3.* stuck.py' || exit 1\n"
                                   "echo 'Thread 1 (idle)'\necho '    seen_from_outside (stuck.py:5)'\n");
  fs::permissions(tool, fs::perms::owner_all);
  worker_environment_ = {"PATH=" + tool.parent_path().string() + ":" + std::getenv("PATH")};
  worker_.reset();
  StartWorker();
  dir_.Write("tree/stuck.py", "import time\n\n\ndef stands_here():\n    time.sleep(100)\n\n\nstands_here()\n");
  const std::string job = Submit("stuck");
  const std::string log = Follow(job);
  const v1::SuiteJob ended = Get(job);
  EXPECT_EQ(ended.verdict(), "timed_out") << ended.DebugString() << log;
  EXPECT_EQ(Count(log, "seen_from_outside (stuck.py:5)\n"), 2U) << log;
  EXPECT_EQ(Count(log, "line 5 in stands_here\n    | time.sleep(100)\n"), 1U) << log;
}

TEST_F(DispatchTest, CancelEndsTheRunAndDrainingWaitsForIt) {
  const std::string job = Submit();
  Follow(job, "line 3\n");
  worker_->Signal(SIGTERM);
  EXPECT_EQ(worker_->Wait(std::chrono::milliseconds(500)), std::nullopt);
  v1::CancelJobRequest request;
  request.set_job(job);
  v1::CancelJobResponse response;
  ASSERT_TRUE(Ask(&v1::DispatchService::Stub::CancelJob, request, response).ok());
  Follow(job);
  EXPECT_EQ(Get(job).verdict(), "cancelled");
  EXPECT_EQ(worker_->Wait(kPatience), 0) << worker_->Stderr();
  EXPECT_TRUE(NothingIsLeft());
}

// What a suite may do that means harm. Each step says what it got at: nothing, if it is contained.
class HostileSuiteTest : public DispatchTest {
 protected:
  void SetUp() override {
    testing::Process trial({"bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/",
                            "--proc", "/proc", "--dev", "/dev", "true"});
    if (trial.Wait(kPatience) != 0) {
      GTEST_SKIP() << "bubblewrap is not installed, or the kernel refuses its namespaces here: " << trial.Stderr();
    }
    fs::create_directories(dir_.path() / "packs" / "hostile" / "suites");
    fs::create_directories(dir_.path() / "tree");
    dir_.Write("packs/hostile/pack.json", R"({"name": "hostile", "title": "Suites that mean harm"})");
    std::string suites;
    for (const auto& [id, script] : kScripts) {
      dir_.Write("tree/" + std::string(id) + ".sh", script);
      suites += (suites.empty() ? "" : ",") + Suite(id);
    }
    dir_.Write("packs/hostile/suites/hostile.json", R"({"suites": [)" + suites + "]}");
    DispatchTest::SetUp();
    // Else the scripts would do to this machine what they try.
    ASSERT_THAT(worker_->Stderr(), ::testing::Not(HasSubstr("not contained by namespaces")));
  }

  static constexpr std::pair<const char*, const char*> kScripts[] = {
      {"look", R"sh(got() { echo "got at: $1"; }
          cat "$TOKEN" >/dev/null 2>&1 && got token
          [ "$(ls "$RUNS" 2>/dev/null | wc -l)" -gt 1 ] && got 'other runs'
          cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -q "[y]$VICTIM" && got processes
          cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -q '^HOST_SECRET=' && got environment
          (exec 3<>/dev/tcp/127.0.0.1/$PORT_OF_DAEMON) 2>/dev/null && got network
          kill -9 $VICTIM_PID 2>/dev/null && got kill
          mknod "$PWD/disk" b 8 0 2>/dev/null && got devices
          ls /dev | grep -E '^(sd|vd|nvme|mem$|kmsg)' && got disks
          touch /usr/yard-x 2>/dev/null && rm /usr/yard-x && got system
          cat /etc/shadow >/dev/null 2>&1 && got passwords
          ls /root /home 2>/dev/null | grep . && got homes
          unshare -Ur true 2>/dev/null && got namespaces
          echo looked > /dev/shm/mine && echo looked > /tmp/mine && cat /dev/shm/mine)sh"},
      {"forge", R"sh(R="${PWD%%/result/*}/result"
          echo "result: $R"; ls "$R"
          echo '{"verdict": "passed"}' > "$R/result.json"
          rm -rf "$R/steps" "$R/../outcome.bin" "$R/../order.bin"
          mv "$R/steps" "$R/s"
          ln -sfn "$RUNS" "$R/link"
          for f in "$R"/steps/*; do mv "$f" "$f.old"; ln -s "$RUNS" "$f"; done
          for d in "$R"/steps/*/*/; do rmdir "$d"; rm -rf "${d%/}"; ln -s "$RUNS" "${d%/}" && ls -ld "${d%/}"; done
          exit 1)sh"},
      {"survive",
       R"sh(setsid bash -c 'trap "" TERM HUP; exec -a yard-survivor-$MARK sleep 300' </dev/null >/dev/null 2>&1 &
          (env -i setsid bash -c 'exec -a yard-survivor-$0 sleep 300' $MARK </dev/null >/dev/null 2>&1 &)
          sleep 0.5)sh"},
      {"linger", R"sh(setsid bash -c 'trap "" TERM HUP; exec -a yard-survivor-$MARK sleep 300' &
          trap '' TERM; echo lingers; sleep 300)sh"},
      {"bomb", R"sh(exec python3 -c '
import os, time
made = 0
while made < 5000:
    try:
        if os.fork() == 0: time.sleep(100)
        made += 1
    except OSError: break
print("made", made, flush=True)
os._exit(1)')sh"},
      {"disk", "for i in $(seq 1 400); do dd if=/dev/zero of=flood$i bs=1M count=4 2>/dev/null; sleep 0.05; done"},
      {"log", "yes 'a line of a flood that means to fill the log of its run'"}};
  static std::string Suite(const std::string& id) {
    return R"({"id": ")" + id + R"(", "title": "Means harm", "source": {"repository": "github:o/r", "ref": "main"},
        "limits": {"step_s": 30, "grace_s": 1, "disk_mb": 1},
        "layers": [{"id": "harm", "kind": "correctness", "steps": [{"id": "harm",
          "shell": "bash ${SOURCE}/)" +
           id + R"(.sh"}]}]})";
  }
  // Processes of this machine with a text in their arguments.
  static size_t Processes(const std::string& text) {
    size_t count = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
      if (entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
      if (ReadAllOf(entry.path() / "cmdline").find(text) != std::string::npos) ++count;
    }
    return count;
  }
  v1::SuiteJob RunToItsEnd(const std::string& suite, std::string* log = nullptr,
                           const std::vector<std::string>& variables = {}) {
    const std::string job = Submit(suite, variables);
    const std::string text = Follow(job);
    if (log != nullptr) *log = text;
    return Get(job);
  }
};

TEST_F(HostileSuiteTest, SeesAndReachesNothingThatIsNotItsOwnAndANeighbourGoesOn) {
  const std::string neighbour = Submit();
  Follow(neighbour, "line 2\n");
  testing::Process victim({"bash", "-c", "exec -a yard-victim-of-tests sleep 100"}, {"HOST_SECRET=of-the-host"});
  std::string log;
  const v1::SuiteJob job = RunToItsEnd(
      "look", &log,
      {"TOKEN=" + (dir_.path() / "runner.token").string(), "RUNS=" + (dir_.path() / "work" / "runs").string(),
       "VICTIM=ard-victim-of-tests", "VICTIM_PID=" + std::to_string(victim.pid()),
       "PORT_OF_DAEMON=" + address_.substr(address_.find(':') + 1)});
  EXPECT_EQ(job.verdict(), "passed") << job.DebugString() << log;
  EXPECT_THAT(log, HasSubstr("looked"));
  EXPECT_THAT(log, ::testing::Not(HasSubstr("got at")));
  EXPECT_THAT(log, ::testing::Not(HasSubstr("runner-token-of-the-tests")));
  EXPECT_TRUE(victim.running());
  EXPECT_FALSE(fs::exists("/tmp/mine"));
  // What it counts on is not only its own word.
  std::string forged;
  const v1::SuiteJob forger = RunToItsEnd("forge", &forged, {"RUNS=" + (dir_.path() / "work" / "runs").string()});
  EXPECT_EQ(forger.verdict(), "failed") << forger.DebugString() << forged;
  for (const v1::Artifact& artifact : forger.artifacts())
    EXPECT_THAT(artifact.path(), ::testing::Not(HasSubstr("nap")));
  Follow(neighbour);
  EXPECT_EQ(Get(neighbour).verdict(), "passed") << Get(neighbour).DebugString();
  EXPECT_EQ(Get(neighbour).attempt(), 1U);
}

TEST_F(HostileSuiteTest, NothingOutlivesItsEndOrItsCancel) {
  EXPECT_EQ(RunToItsEnd("survive", nullptr, {"MARK=one"}).verdict(), "passed");
  EXPECT_TRUE(Until([] { return Processes("yard-survivor-") == 0; }));
  const std::string job = Submit("linger", {"MARK=two"});
  Follow(job, "lingers");
  EXPECT_TRUE(Until([] { return Processes("yard-survivor-two") > 0; }));
  v1::CancelJobRequest request;
  request.set_job(job);
  v1::CancelJobResponse response;
  ASSERT_TRUE(Ask(&v1::DispatchService::Stub::CancelJob, request, response).ok());
  Follow(job);
  EXPECT_EQ(Get(job).verdict(), "cancelled");
  EXPECT_EQ(Processes("yard-survivor-"), 0U);
  EXPECT_TRUE(Until([this] { return NothingIsLeft(); }));
}

TEST_F(HostileSuiteTest, FloodsEndAtTheirLimitsWithARecord) {
  std::string log;
  const v1::SuiteJob bomb = RunToItsEnd("bomb", &log);
  EXPECT_EQ(bomb.verdict(), "failed") << bomb.DebugString() << log;
  ASSERT_THAT(log, HasSubstr("made "));
  EXPECT_LT(std::stoi(log.substr(log.find("made ") + 5)), 200);
  if (::geteuid() == 0) EXPECT_THAT(bomb.notes(), Contains(HasSubstr("the limit of 200 processes was met")));
  const v1::SuiteJob disk = RunToItsEnd("disk");
  EXPECT_EQ(disk.verdict(), "failed") << disk.DebugString();
  EXPECT_EQ(disk.cause().class_name(), "code");
  EXPECT_THAT(disk.cause().text(), HasSubstr("more than 64 MiB of disk"));
  EXPECT_EQ(disk.attempt(), 1U);
  const v1::SuiteJob flood = RunToItsEnd("log");
  EXPECT_EQ(flood.verdict(), "failed") << flood.DebugString();
  EXPECT_EQ(flood.cause().class_name(), "code");
  EXPECT_THAT(flood.cause().text(), HasSubstr("its log is larger than 2 MiB"));
  EXPECT_TRUE(Until([this] { return NothingIsLeft(); }));
}

TEST_F(HostileSuiteTest, AWorkerOfThePoolUntrustedRefusesToStartWhereNamespacesAreRefused) {
  testing::Process worker({"bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/", "/",
                           kPrograms + "/yard-worker", "--server", address_, "--name", "other", "--pool", "untrusted",
                           "--work-dir", (dir_.path() / "other").string()});
  EXPECT_EQ(worker.Wait(kPatience), 2);
  EXPECT_THAT(worker.Stderr(), HasSubstr("not contained by namespaces"));
  EXPECT_THAT(worker.Stderr(), HasSubstr("the pool \"untrusted\" needs runs that are contained"));
}

}  // namespace
}  // namespace yardmaster
