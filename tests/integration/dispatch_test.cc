// A daemon, a worker and its supervisors as real processes: whichever of them is killed in the middle of a run, neither
// the run nor its log is lost, and nothing is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "services/core/signing_key.h"
#include "tests/integration/dispatch_fixture.h"
#include "tests/support/process.h"

namespace yardmaster {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

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

// The program that computes on the GPUs of a run before it begins.
TEST(GpuProbeTest, SaysWhichCallOfTheDriverFails) {
  const auto probe = [](const std::vector<std::string>& environment, const std::string& libraries = YARD_FAKE_CUDA) {
    std::vector<std::string> all = environment;
    all.push_back("LD_LIBRARY_PATH=" + libraries);
    testing::Process program({kPrograms + "/yard-worker", "--probe-gpus"}, all);
    const std::optional<int> code = program.Wait(kPatience);
    return std::to_string(code.value_or(-1)) + " " + program.Stdout() + program.Stderr();
  };
  EXPECT_EQ(probe({"FAKE_CUDA_DEVICES=2"}), "0 2\n");
  EXPECT_EQ(probe({"FAKE_CUDA=init"}), "1 cuInit fails: CUDA_ERROR_OPERATING_SYSTEM (304)\n");
  EXPECT_EQ(probe({"FAKE_CUDA=launch"}), "1 device 0 of 1: cuLaunchKernel fails: CUDA_ERROR_ILLEGAL_ADDRESS (700)\n");
  EXPECT_EQ(probe({"FAKE_CUDA=numbers"}), "1 device 0 of 1: a kernel computes 0 for 7\n");
  EXPECT_EQ(probe({"FAKE_CUDA_DEVICES=0"}), "1 CUDA sees no device\n");
}

// Without bubblewrap the pool "trusted" goes on, and each run says what it lacked.
TEST_F(DispatchTest, AWorkerThatCanNotContainRunsThemAndSaysSo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can hide bubblewrap from a worker";
  worker_->Signal(SIGTERM);
  ASSERT_EQ(worker_->Wait(kPatience), 0);
  const std::string hide =
      "for f in /usr/bin/bwrap /usr/local/bin/bwrap; do [ ! -e $f ] || mount --bind /dev/null $f; done; ";
  worker_prefix_ = {"unshare", "-m", "sh", "-c", hide + "exec \"$0\" \"$@\""};
  StartWorker();
  EXPECT_THAT(worker_->Stderr(), HasSubstr("runs are not contained by namespaces"));
  const std::string job = Submit();
  EXPECT_THAT(Follow(job), HasSubstr("the uploaded tree"));
  EXPECT_EQ(Get(job).verdict(), "passed") << Get(job).DebugString();
  EXPECT_THAT(Get(job).notes(), Contains(HasSubstr("not contained by namespaces")));
  EXPECT_TRUE(Until([this] { return NothingIsLeft(); }));
}

TEST_F(DispatchTest, WhatOneRunKeepsTheNextOneFinds) {
  if (!fs::exists("/usr/bin/ccache")) GTEST_SKIP() << "ccache is not installed";
  EXPECT_THAT(Follow(Submit("nap/keep")), HasSubstr("cache_miss\t1"));
  EXPECT_THAT(Follow(Submit("nap/keep")), HasSubstr("cache_miss\t0"));
  // Whoever compiles the same for another repository finds nothing of it: it might have been planted.
  EXPECT_THAT(Follow(Submit("nap/keep-too")), HasSubstr("cache_miss\t1"));
  EXPECT_TRUE(fs::exists(dir_.path() / "work" / "cache" / "trusted" / "ccache"));
}

TEST_F(DispatchTest, ARunBuildsOnWhatAnEarlierOneHasBuilt) {
  const auto write = [this](const std::string& answer) {
    dir_.Write("tree/CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.16)\nproject(answer C)\nadd_executable(answer answer.c other.c)\n");
    dir_.Write("tree/answer.c", "#include <stdio.h>\nint other();\nint main() { printf(\"answer %d\\n\", " + answer +
                                    " + other()); }\n");
    dir_.Write("tree/other.c", "int other() { return 0; }\n");
  };
  const std::string goes_on = "what an earlier run had built is built on";
  write("42");
  const std::string first = Follow(Submit("nap/tree"));
  EXPECT_THAT(first, HasSubstr("answer 42"));
  EXPECT_THAT(first, HasSubstr("Building C object"));
  EXPECT_EQ(Count(first, goes_on), 0U);
  write("42");
  const std::string again = Submit("nap/tree");
  const std::string same = Follow(again);
  EXPECT_THAT(same, HasSubstr("answer 42"));
  EXPECT_EQ(Count(same, "Building C object"), 0U) << same;
  EXPECT_EQ(Count(same, "this was left"), 0U) << same;
  EXPECT_THAT(Get(again).notes(), Contains(HasSubstr(goes_on)));
  write("43");
  const std::string other = Follow(Submit("nap/tree"));
  EXPECT_THAT(other, HasSubstr("answer 43"));
  EXPECT_EQ(Count(other, "Building C object"), 1U) << other;
  // What can't be built says so, and is not built on.
  write("nothing");
  const std::string broken = Submit("nap/tree");
  EXPECT_THAT(Follow(broken), HasSubstr("begun again from nothing"));
  EXPECT_EQ(Get(broken).verdict(), "failed") << Get(broken).DebugString();
  EXPECT_TRUE(fs::is_empty(dir_.path() / "work" / "cache" / "trusted" / "trees"));
  EXPECT_TRUE(Until([this] { return NothingIsLeft(); }));
}

TEST_F(DispatchTest, AWorkerThatKnowsItsDaemonsKeyFollowsNoOther) {
  const auto restart_with_key_of = [this](const fs::path& key) {
    worker_->Signal(SIGTERM);
    worker_->Wait(kPatience);
    dir_.Write("key.pem", (*SigningKey::Open(key))->public_key());
    worker_options_ = {"--daemon-key", (dir_.path() / "key.pem").string()};
  };
  restart_with_key_of(dir_.path() / "data" / "dispatch" / "signing.pem");
  StartWorker();
  const std::string job = Submit();
  EXPECT_THAT(Follow(job), HasSubstr("the uploaded tree"));
  EXPECT_EQ(Get(job).verdict(), "passed") << Get(job).DebugString();

  restart_with_key_of(dir_.path() / "other.pem");
  const std::string waits = Submit();
  testing::Process other({kPrograms + "/yard-worker", "--server", address_, "--token-file",
                          (dir_.path() / "runner.token").string(), "--name", "box", "--devices", "cpu:2", "--work-dir",
                          (dir_.path() / "work").string(), "--daemon-key", (dir_.path() / "key.pem").string()});
  EXPECT_EQ(other.Wait(kPatience), 3);
  EXPECT_THAT(other.Stderr(), HasSubstr("is not signed with the key of --daemon-key"));
  EXPECT_NE(Get(waits).state(), "running");
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(DispatchTest, ARunThatWouldNotFitIsDeclinedWithTheReason) {
  const std::string job = Submit("nap/large");
  EXPECT_TRUE(Until([&] { return Get(job).notes_size() > 0; }));
  const v1::SuiteJob waits = Get(job);
  EXPECT_THAT(waits.notes(), Contains(HasSubstr("the suite needs 16777216"))) << waits.DebugString();
  EXPECT_LE(waits.attempt(), 1U);
}

// What a suite may do that means harm. Each step says what it got at: nothing, if it is contained.
class HostileSuiteTest : public DispatchTest {
 protected:
  void SetUp() override {
    dispatch_ =
        R"({"lease_seconds": 20, "limits": {"processes": 200, "disk_mb": 64, "log_mb": 2, "memory_mb": 300, "files": 2000}})";
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
      {"memory", R"sh(python3 -c '
held = []
while len(held) < 100: held.append(bytearray(b"x" * (16 << 20)))
print("took all", "memory")')sh"},
      {"shm",
       R"sh(for i in $(seq 1 100); do dd if=/dev/zero of=/dev/shm/flood$i bs=16M count=1 2>/dev/null || exit 1; done
          echo took all 'memory')sh"},
      {"files", R"sh(exec python3 -c '
import itertools
for i in itertools.count(): open("f%d" % i, "w").close()')sh"},
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

// No suite of the test says how much memory it may have, nor how many files.
TEST_F(HostileSuiteTest, MemoryAndFilesEndAtTheConfiguredLimitsWithARecord) {
  if (worker_->Stderr().find("not contained by memory") != std::string::npos) GTEST_SKIP() << worker_->Stderr();
  for (const std::string suite : {"memory", "shm"}) {
    std::string log;
    const v1::SuiteJob job = RunToItsEnd(suite, &log);
    EXPECT_EQ(job.verdict(), "failed") << job.DebugString() << log;
    EXPECT_EQ(job.cause().class_name(), "code") << job.DebugString();
    EXPECT_THAT(log, HasSubstr("the limit of 300 MiB of memory was reached"));
    EXPECT_THAT(log, ::testing::Not(HasSubstr("took all memory")));
    EXPECT_EQ(job.attempt(), 1U);
  }
  const v1::SuiteJob files = RunToItsEnd("files");
  EXPECT_EQ(files.verdict(), "failed") << files.DebugString();
  EXPECT_EQ(files.cause().class_name(), "code");
  EXPECT_THAT(files.cause().text(), HasSubstr("more than 2000 files"));
  // The run's own result says the same.
  const auto result = nlohmann::json::parse(ReadArtifact(files, "result.json"), nullptr, false);
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["verdict"], "failed");
  EXPECT_EQ(result["cause"]["signature"], "budget") << result["cause"].dump(1);
  EXPECT_THAT(result["reason"].dump(), HasSubstr("more than 2000 files"));
  EXPECT_EQ(files.attempt(), 1U);
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

// Code of a fork, in the pool that is meant for it.
class UntrustedSuiteTest : public HostileSuiteTest {
 protected:
  void SetUp() override {
    testing::Process trial({kPrograms + "/yard-worker", "--server", "127.0.0.1:1", "--name", "trial", "--pool",
                            "untrusted", "--token-file", "/nowhere", "--work-dir", (dir_.path() / "trial").string()});
    trial.Wait(kPatience);
    if (trial.Stderr().find("needs runs that are contained") != std::string::npos) {
      GTEST_SKIP() << "runs can't be contained by all means here: " << trial.Stderr();
    }
    worker_options_ = {"--pool", "untrusted", "--memory-mb", "400"};
    pool_ = "untrusted";
    fs::create_directories(dir_.path() / "packs" / "net" / "suites");
    dir_.Write("packs/net/pack.json", R"({"name": "net", "title": "A suite that asks for the network"})");
    dir_.Write("packs/net/suites/net.json", R"({"suites": [{
        "id": "net", "title": "Asks for the network", "source": {"repository": "github:o/r", "ref": "main"},
        "network": true, "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
        "layers": [{"id": "a", "kind": "correctness", "steps": [{"id": "a",
          "shell": "(exec 3<>/dev/tcp/127.0.0.1/$PORT_OF_DAEMON) 2>/dev/null && echo got at: network; echo cache: $CCACHE_DIR; unshare -r true 2>&1 || echo refused"}]}]}]})");
    HostileSuiteTest::SetUp();
  }
};

TEST_F(UntrustedSuiteTest, CodeOfAForkIsAloneWhateverItsSuiteAsksFor) {
  const std::string port = "PORT_OF_DAEMON=" + address_.substr(address_.find(':') + 1);
  std::string log;
  const v1::SuiteJob net = RunToItsEnd("net/net", &log, {port});
  EXPECT_EQ(net.verdict(), "passed") << net.DebugString() << log;
  EXPECT_THAT(log, ::testing::Not(HasSubstr("got at")));
  EXPECT_THAT(log, HasSubstr("cache:\n"));
  EXPECT_THAT(log, HasSubstr("refused"));
  const v1::SuiteJob look = RunToItsEnd(
      "look", &log,
      {port, "TOKEN=" + (dir_.path() / "runner.token").string(), "RUNS=" + (dir_.path() / "work" / "runs").string(),
       "VICTIM=ard-nobody", "VICTIM_PID=" + std::to_string(worker_->pid())});
  EXPECT_EQ(look.verdict(), "passed") << look.DebugString() << log;
  EXPECT_THAT(log, ::testing::Not(HasSubstr("got at")));
  EXPECT_FALSE(fs::exists(dir_.path() / "work" / "cache"));
  // Its suite says nothing of memory, the configuration 300 MiB; the worker gives it half of 400, for one of two
  // devices.
  EXPECT_EQ(RunToItsEnd("memory", &log).cause().class_name(), "code") << log;
  EXPECT_THAT(log, HasSubstr("the limit of 200 MiB of memory was reached"));
  // Nothing of the pool "trusted" comes here.
  pool_ = "trusted";
  const std::string other = Submit();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_NE(Get(other).state(), "running");
}

}  // namespace
}  // namespace yardmaster
