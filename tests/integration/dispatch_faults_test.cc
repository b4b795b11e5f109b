// Random faults of real processes: worker, daemon and supervisors killed or stopped past the lease, the network cut or
// silent, the disk full, a card lost, a driver that does not fit, ends that are said twice or too late. Whatever comes,
// no job is lost, no device is in two runs, and nothing is left. YARD_KILLS says how many faults there are, YARD_SEED
// plays the same again.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/integration/dispatch_fixture.h"
#include "tests/support/rounds.h"
#include "tests/support/tcp_proxy.h"
#include "yardmaster/v1/runner.grpc.pb.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kFaultsByDefault = 8;
constexpr size_t kJobsAtOnce = 3;
// The shortest lease that the configuration takes.
constexpr seconds kLease{2};

class DispatchFaultsTest : public DispatchTest {
 protected:
  void SetUp() override {
    if (void* cuda = ::dlopen("libcuda.so.1", RTLD_LAZY); cuda != nullptr) {
      ::dlclose(cuda);
      GTEST_SKIP() << "this machine has a driver of NVIDIA: its cards can't be played";
    }
    // Three attempts are soon used up here; what is to be seen is that each job ends well in the end. So it has as many
    // as there can be.
    dispatch_ = R"({"lease_seconds": 2, "max_attempts": 20, "limits": {"processes": 200, "disk_mb": 64}})";
    fs::create_directories(dir_.path() / "packs" / "short" / "suites");
    fs::create_directories(dir_.path() / "tree");
    dir_.Write("packs/short/pack.json", R"({"name": "short", "title": "Suites that take a moment"})");
    std::string suites;
    for (const char* kind : {"cpu", "gpu"}) {
      suites += std::string(suites.empty() ? "" : ",") + R"({"id": ")" + kind + R"(", "title": "Counts",
        "source": {"repository": "github:o/r", "ref": "main"}, "devices": {"kind": ")" +
                kind + R"(", "count": 1},
        "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 4},
        "layers": [{"id": "count", "kind": "correctness", "steps": [{"id": "count",
          "shell": ")" +
                HolderLine() +
                R"(for i in $(seq 1 12); do echo line $i; sleep 0.1; done; cat ${SOURCE}/marker.txt"}]}]})";
    }
    WriteHolder();
    SetSentinels();
    dir_.Write("packs/short/suites/short.json", R"({"suites": [)" + suites + "]}");
    PlayCards();
    FillableDisk();
    fs::create_directories(dir_.path() / "work");
    worker_options_ = {"--devices", "cpu:2,gpu:auto"};
    worker_environment_ = {"PATH=" + (dir_.path() / "bin").string() + ":" + std::getenv("PATH")};
    // The worker is behind the proxy from its start on, so the daemon comes first.
    DispatchTest::SetUp();
  }
  void StartWorkerBehindProxy() {
    if (proxy_ == nullptr) {
      proxy_ = std::make_unique<testing::TcpProxy>(std::stoi(address_.substr(address_.find(':') + 1)));
      server_of_worker_ = proxy_->address();
    }
    StartWorker();
  }
  void TearDown() override {
    worker_.reset();
    if (mounted_) ::umount2((dir_.path() / "work").c_str(), MNT_DETACH);
  }

  // Two cards, by a tool that says what files tell it.
  void PlayCards() {
    const std::string cards = (dir_.path() / "cards").string();
    fs::create_directories(cards);
    const fs::path tool = dir_.Write("bin/nvidia-smi", R"sh(#!/bin/sh
      if [ -e )sh" + cards + R"sh(/mismatch ]; then
        echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18
      fi
      case "$*" in
        *--query-gpu*) cat )sh" + cards + R"sh(/header; cat )sh" +
                                                           cards + R"sh(/*.card 2>/dev/null ;;
        *-d*) echo 'CUDA Version : 12.4' ;;
      esac
      exit 0
)sh");
    fs::permissions(tool, fs::perms::owner_all);
    const std::string csv = testing::SourceText("tests/data/devices/nvidia_smi.csv");
    dir_.Write("cards/header", csv.substr(0, csv.find('\n') + 1));
    for (const char* n : {"1", "2"}) {
      dir_.Write(std::string("cards/") + n + ".card", std::string(n) + ", GPU-yard-faults-" + n + ", 00000000:" + n +
                                                          "8:00.0, 570.10, 143771, 4, 0, Default, " +
                                                          "9.0, Disabled, 0, [N/A], No, No, A card of tests\n");
    }
  }
  // The worker's disk, small enough to be filled, where we may mount one.
  void FillableDisk() {
    fs::create_directories(dir_.path() / "work");
    mounted_ = ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               ::mount("tmpfs", (dir_.path() / "work").c_str(), "tmpfs", 0, "size=96m") == 0;
  }

  std::vector<pid_t> Supervisors() const {
    std::vector<pid_t> pids;
    std::error_code error;
    for (const fs::directory_entry& run : fs::directory_iterator(dir_.path() / "work" / "runs", error)) {
      const std::string text = ReadAllOf(run.path() / "supervisor.pid");
      if (!text.empty()) pids.push_back(std::stoi(text));
    }
    return pids;
  }

  // --- Faults; each is over when it returns ---

  void KillWorker() {
    worker_->Signal(SIGKILL);
    worker_->Wait(kPatience);
    StartWorker();
  }
  void StopWorkerPastTheLease() {
    worker_->Signal(SIGSTOP);
    std::this_thread::sleep_for(kLease + milliseconds(1'500));
    worker_->Signal(SIGCONT);
  }
  void KillDaemon() {
    daemon_->process().Signal(SIGKILL);
    daemon_->process().Wait(kPatience);
    StartDaemon(address_);
  }
  void StopDaemonPastTheLease() {
    daemon_->process().Signal(SIGSTOP);
    std::this_thread::sleep_for(kLease + milliseconds(1'500));
    daemon_->process().Signal(SIGCONT);
  }
  void KillSupervisor() {
    for (const pid_t pid : Supervisors()) ::kill(pid, SIGKILL);
  }
  void StopSupervisor() {
    const std::vector<pid_t> pids = Supervisors();
    for (const pid_t pid : pids) ::kill(pid, SIGSTOP);
    std::this_thread::sleep_for(kLease + milliseconds(500));
    for (const pid_t pid : pids) ::kill(pid, SIGCONT);
  }
  void CutNetwork() { proxy_->Cut(); }
  void SilenceNetwork() {
    proxy_->Silence(true);
    std::this_thread::sleep_for(kLease + milliseconds(1'500));
    proxy_->Silence(false);
  }
  void FillDisk() {
    if (!mounted_) return;
    {
      std::ofstream filler(dir_.path() / "work" / "filler", std::ios::binary);
      const std::string block(1024 * 1024, 'x');
      while (filler.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
      }
    }
    std::this_thread::sleep_for(milliseconds(1'500));
    fs::remove(dir_.path() / "work" / "filler");
  }
  void LoseCard() {
    fs::rename(dir_.path() / "cards" / "1.card", dir_.path() / "cards" / "1.lost");
    std::this_thread::sleep_for(milliseconds(1'500));
    fs::rename(dir_.path() / "cards" / "1.lost", dir_.path() / "cards" / "1.card");
  }
  void MismatchDriver() {
    dir_.Write("cards/mismatch", "");
    std::this_thread::sleep_for(milliseconds(1'500));
    fs::remove(dir_.path() / "cards" / "mismatch");
  }
  // What a worker that was away may still say: of ended jobs again, and with numbers of leases that are over.
  void SayEndsAgain() {
    const auto runners = v1::RunnerService::NewStub(grpc::CreateChannel(address_, grpc::InsecureChannelCredentials()));
    constexpr size_t kMost = 10;
    for (size_t i = ended_.size() - std::min(kMost, ended_.size()); i < ended_.size(); ++i) {
      const std::string& job = ended_[i];
      for (const uint64_t fence : {uint64_t{1}, uint64_t{1'000'000}}) {
        grpc::ClientContext context;
        context.AddMetadata("authorization", "Bearer runner-token-of-the-tests");
        v1::FinishRunRequest request;
        request.set_job(job);
        request.set_fence(fence);
        request.set_verdict("failed");
        v1::FinishRunResponse response;
        const grpc::Status said = runners->FinishRun(&context, request, &response);
        // Said again with the number that counted, it changes nothing; with others it is refused.
        if (!said.ok()) EXPECT_EQ(said.error_code(), grpc::StatusCode::FAILED_PRECONDITION) << said.error_message();
      }
      EXPECT_EQ(Get(job).verdict(), "passed") << job;
    }
  }

  struct Fault {
    const char* name;
    void (DispatchFaultsTest::*play)();
  };
  static constexpr Fault kFaults[] = {
      {"the worker is killed", &DispatchFaultsTest::KillWorker},
      {"the worker is stopped past the lease", &DispatchFaultsTest::StopWorkerPastTheLease},
      {"the daemon is killed", &DispatchFaultsTest::KillDaemon},
      {"the daemon is stopped past the lease", &DispatchFaultsTest::StopDaemonPastTheLease},
      {"the supervisors are killed", &DispatchFaultsTest::KillSupervisor},
      {"the supervisors are stopped", &DispatchFaultsTest::StopSupervisor},
      {"the network is cut", &DispatchFaultsTest::CutNetwork},
      {"the network is silent", &DispatchFaultsTest::SilenceNetwork},
      {"the disk is full", &DispatchFaultsTest::FillDisk},
      {"a card is lost", &DispatchFaultsTest::LoseCard},
      {"the driver does not fit its library", &DispatchFaultsTest::MismatchDriver},
      {"ends are said again", &DispatchFaultsTest::SayEndsAgain}};

  // --- What must hold ---

  // The cards that programs of jobs see, by the job: JOB_OF_TEST and CUDA_VISIBLE_DEVICES of what runs.
  void ExpectNoCardInTwoRuns() {
    std::map<std::string, std::set<std::string>> jobs_by_card;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
      if (entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
      std::istringstream environment(ReadAllOf(entry.path() / "environ"));
      std::string job;
      std::string card;
      for (std::string line; std::getline(environment, line, '\0');) {
        if (line.rfind("JOB_OF_TEST=" + dir_.path().string() + ":", 0) == 0) job = line;
        if (line.rfind("CUDA_VISIBLE_DEVICES=GPU-", 0) == 0) card = line;
      }
      if (!job.empty() && !card.empty()) jobs_by_card[card].insert(job);
    }
    for (const auto& [card, jobs] : jobs_by_card) EXPECT_EQ(jobs.size(), 1U) << card;
  }
  void SubmitMore(std::mt19937& random) {
    while (waiting_.size() < kJobsAtOnce) {
      const std::string suite = random() % 2 == 0 ? "short/cpu" : "short/gpu";
      const std::string number = std::to_string(++submitted_);
      waiting_.push_back(Submit(suite, {"JOB_OF_TEST=" + dir_.path().string() + ":" + number}));
    }
  }
  void TakeEnded() {
    std::erase_if(waiting_, [this](const std::string& job) {
      const v1::SuiteJob now = Get(job);
      if (now.state() != "ended") return false;
      EXPECT_EQ(now.verdict(), "passed") << now.DebugString();
      ended_.push_back(job);
      return true;
    });
  }
  // Control groups of runs without a process: of this machine, so others' may be among them.
  static std::set<std::string> EmptyGroups() {
    std::set<std::string> groups;
    for (const char* folder : {"/sys/fs/cgroup", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/memory"}) {
      std::error_code error;
      for (const fs::directory_entry& group : fs::directory_iterator(folder, error)) {
        const std::string name = group.path().filename().string();
        const bool of_a_run = name.rfind("yardmaster-", 0) == 0 && name.find("-run-") != std::string::npos;
        if (of_a_run && ReadAllOf(group.path() / "cgroup.procs").empty()) groups.insert(group.path().string());
      }
    }
    return groups;
  }
  bool GroupsAreLeft() const {
    const std::set<std::string> now = EmptyGroups();
    return !std::includes(groups_before_.begin(), groups_before_.end(), now.begin(), now.end());
  }

  const std::set<std::string> groups_before_ = EmptyGroups();
  std::unique_ptr<testing::TcpProxy> proxy_;
  bool mounted_ = false;
  int submitted_ = 0;
  std::vector<std::string> waiting_;
  std::vector<std::string> ended_;
};

TEST_F(DispatchFaultsTest, WhateverFailsNoJobIsLostAndNothingIsLeft) {
  // Through the proxy from now on.
  worker_->Signal(SIGTERM);
  ASSERT_EQ(worker_->Wait(kPatience), 0) << worker_->Stderr();
  StartWorkerBehindProxy();

  const int seed = static_cast<int>(testing::Rounds("YARD_SEED", std::random_device{}() % 1'000'000));
  SCOPED_TRACE("YARD_SEED=" + std::to_string(seed));
  std::mt19937 random(static_cast<unsigned>(seed));
  const int faults = static_cast<int>(testing::Rounds("YARD_KILLS", kFaultsByDefault));
  std::string played;
  for (int i = 0; i < faults && !HasFailure(); ++i) {
    SubmitMore(random);
    std::this_thread::sleep_for(milliseconds(random() % 1'200));
    ExpectNoCardInTwoRuns();
    const Fault& fault = kFaults[random() % std::size(kFaults)];
    played += std::string("\n  ") + fault.name;
    (this->*fault.play)();
    ExpectNoCardInTwoRuns();
    TakeEnded();
  }
  SCOPED_TRACE("played:" + played);
  EXPECT_TRUE(Until([&] {
    ExpectNoCardInTwoRuns();
    TakeEnded();
    return waiting_.empty();
  })) << "still there: "
      << (waiting_.empty() ? "" : Get(waiting_.front()).DebugString()) << worker_->Stderr();
  // What ran once ran as a whole: its log has each line, once.
  for (const std::string& job : ended_) {
    const std::string log = Follow(job);
    NoteHeldPorts(log);
    if (Get(job).attempt() != 1) continue;
    for (int i = 1; i <= 12; ++i) EXPECT_EQ(Count(log, "line " + std::to_string(i) + "\n"), 1U) << job << "\n" << log;
  }
  SayEndsAgain();
  worker_->Signal(SIGTERM);
  EXPECT_EQ(worker_->Wait(kPatience), 0) << worker_->Stderr();
  EXPECT_FALSE(held_ports_.empty());
  EXPECT_TRUE(Until([this] { return NothingIsLeft(); })) << ::testing::PrintToString(WhatIsLeft());
  ExpectSentinelsAreUntouched();
  EXPECT_TRUE(Until([this] { return !GroupsAreLeft(); })) << ::testing::PrintToString(EmptyGroups());
}

}  // namespace
}  // namespace yardmaster
