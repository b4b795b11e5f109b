// A daemon and a worker as real processes, with a suite that takes its time.
#ifndef YARDMASTER_TESTS_INTEGRATION_DISPATCH_FIXTURE_H_
#define YARDMASTER_TESTS_INTEGRATION_DISPATCH_FIXTURE_H_

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "services/core/sha256.h"
#include "tests/support/process.h"
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"
#include "yardmaster/v1/dispatch.grpc.pb.h"

namespace yardmaster {

namespace fs = std::filesystem;
inline const std::string kPrograms = YARD_PROGRAMS;
inline constexpr std::chrono::seconds kPatience{60};

inline bool Until(const std::function<bool()>& happens) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!happens()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

inline std::string ReadAllOf(const fs::path& file) {
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
          "shell": "for i in $(seq 1 40); do echo line $i; sleep 0.1; done; cat marker.txt"}]}]},
      { "id": "keep", "title": "Compiles", "source": {"repository": "github:o/r", "ref": "main"},
        "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
        "layers": [{"id": "a", "kind": "correctness", "steps": [{"id": "a",
          "shell": "echo 'int answer() { return 42; }' > a.c && ccache -z >/dev/null && ccache gcc -c a.c && ccache --print-stats"}]}]},
      { "id": "keep-too", "title": "Compiles the same of somebody else", "source": {"repository": "github:o/s", "ref": "main"},
        "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
        "layers": [{"id": "a", "kind": "correctness", "steps": [{"id": "a",
          "shell": "echo 'int answer() { return 42; }' > a.c && ccache -z >/dev/null && ccache gcc -c a.c && ccache --print-stats"}]}]},
      { "id": "tree", "title": "Builds with CMake", "source": {"repository": "github:o/r", "ref": "main"},
        "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
        "build": [{"id": "compile", "shell": "cmake -S ${SOURCE} -B ${BUILD} && cmake --build ${BUILD}"}],
        "layers": [{"id": "a", "kind": "correctness", "steps": [{"id": "a",
          "shell": "${BUILD}/answer; [ ! -e ${BUILD}/left ] || echo this was left; touch ${BUILD}/left"}]}]},
      { "id": "large", "title": "Wants a large disk", "source": {"repository": "github:o/r", "ref": "main"},
        "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 16777216},
        "layers": [{"id": "a", "kind": "correctness", "steps": [{"id": "a", "shell": "true"}]}]}]})");
    dir_.Write("packs/nap/suites/stuck.json", R"({"suites": [{
        "id": "stuck", "title": "Never ends", "source": {"repository": "github:o/r", "ref": "main"},
        "limits": {"step_s": 3, "grace_s": 1, "disk_mb": 1},
        "layers": [{"id": "wait", "kind": "correctness", "steps": [{"id": "wait",
          "launcher": {"kind": "plain", "world_size": 2, "oversubscribe": true},
          "shell": "[ $RANK = 1 ] || alone=-S; exec python3 $alone stuck.py"}]}]}]})");
    dir_.Write("operator.token", "operator-token-of-tests");
    dir_.Write("runner.token", "runner-token-of-the-tests");
    dir_.Write("config.json", R"({"data_dir": "data", "packs_dir": ")" + (packs_.empty() ? "packs" : packs_) +
                                  R"(", "dispatch": )" + dispatch_ + R"(,
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
    std::vector<std::string> words = worker_prefix_;
    words.insert(
        words.end(),
        {kPrograms + "/yard-worker", "--server", server_of_worker_.empty() ? address_ : server_of_worker_,
         "--token-file", (dir_.path() / "runner.token").string(), "--name", "box", "--devices", "cpu:2", "--work-dir",
         (dir_.path() / "work").string(), "--ready-file", (dir_.path() / "worker.json").string()});
    words.insert(words.end(), worker_options_.begin(), worker_options_.end());
    worker_ = std::make_unique<testing::Process>(words, worker_environment_);
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
    request.mutable_spec()->set_pool(pool_);
    return SubmitSpec(request);
  }
  std::string SubmitSpec(const v1::SubmitJobRequest& request) {
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
  // Of its first MiB; empty if there is no such file.
  std::string ReadArtifact(const v1::SuiteJob& job, const std::string& path) {
    v1::ReadPartResponse response;
    for (const v1::Artifact& artifact : job.artifacts()) {
      if (artifact.path() != path) continue;
      v1::ReadPartRequest request;
      request.set_digest(artifact.digest());
      const grpc::Status status = Ask(&v1::DispatchService::Stub::ReadArtifact, request, response);
      EXPECT_TRUE(status.ok()) << status.error_message();
    }
    return response.part();
  }
  // The log of the job's runs until it has ended, or until `enough` is in it.
  std::string Follow(const std::string& job, const std::string& enough = "") {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer operator-token-of-tests");
    context.set_deadline(std::chrono::system_clock::now() + patience_);
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
  // In the names of what a suite of the tests makes outside of its folders, and of what is somebody else's.
  std::string Mark() const { return dir_.path().filename().string(); }
  // A program of a suite that holds a port, shared memory and a file for temporary files until it is killed. The script
  // of the step starts it, and says "holds port N".
  void WriteHolder() {
    dir_.Write("tree/holds.py", R"(import socket, sys, time
port, mark = int(sys.argv[1]), sys.argv[2]
for folder in ("/dev/shm", "/tmp"):
    open(folder + "/yard-left-" + mark, "w").close()
server = socket.create_server(("127.0.0.1", port))
while True:
    server.accept()[0].sendall(mark.encode())
)");
  }
  std::string HolderLine() const {
    return "setsid python3 ${SOURCE}/holds.py ${PORT} " + Mark() +
           " </dev/null >/dev/null 2>&1 & echo holds port ${PORT}; ";
  }
  // Takes note of the ports in a log.
  void NoteHeldPorts(const std::string& log) {
    constexpr std::string_view kHolds = "holds port ";
    for (size_t at = log.find(kHolds); at != std::string::npos; at = log.find(kHolds, at + 1)) {
      held_ports_.insert(std::atoi(log.c_str() + at + kHolds.size()));
    }
  }
  // What is somebody else's: files where runs have theirs, and a process.
  void SetSentinels() {
    sentinels_ = {"/dev/shm/yard-sentinel-" + Mark(), "/tmp/yard-sentinel-" + Mark(), dir_.Write("other/sentinel", "")};
    for (const fs::path& file : sentinels_) std::ofstream(file) << "somebody else's " << Mark();
    neighbour_ = std::make_unique<testing::Process>(
        std::vector<std::string>{"bash", "-c", "exec -a yard-sentinel-" + Mark() + " sleep 7200"});
  }
  void ExpectSentinelsAreUntouched() {
    for (const fs::path& file : sentinels_) {
      EXPECT_EQ(ReadAllOf(file), "somebody else's " + Mark()) << file;
      fs::remove(file);
    }
    EXPECT_TRUE(neighbour_->running());
    neighbour_.reset();
  }
  // What is said to whoever connects to a port of this machine.
  static std::string AnswerOf(int port) {
    testing::Process call({"bash", "-c", "timeout 2 cat < /dev/tcp/127.0.0.1/" + std::to_string(port)});
    call.Wait(kPatience);
    return call.Stdout();
  }
  // On this machine, outside of the sandboxes.
  std::vector<std::string> HeldStill() const {
    std::vector<std::string> held;
    for (const char* folder : {"/dev/shm", "/tmp"}) {
      const fs::path file = fs::path(folder) / ("yard-left-" + Mark());
      if (fs::exists(file)) held.push_back(file.string());
    }
    for (const int port : held_ports_) {
      if (AnswerOf(port) == Mark()) held.push_back("port " + std::to_string(port));
    }
    return held;
  }

  // What programs of runs hold, processes that say the worker's folder in their arguments, and what lies in it of runs;
  // the worker itself left out.
  std::vector<std::string> WhatIsLeft() const {
    std::vector<std::string> left = HeldStill();
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
      const std::string pid = entry.path().filename().string();
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      if (pid == std::to_string(worker_->pid()) || pid == std::to_string(::getpid())) continue;
      std::string command = ReadAllOf(entry.path() / "cmdline");
      if (command.find((dir_.path() / "work").string()) == std::string::npos) continue;
      std::replace(command.begin(), command.end(), '\0', ' ');
      left.push_back(std::string("process ").append(pid).append(": ").append(command));
    }
    for (const char* folder : {"runs", "t"}) {
      std::error_code error;
      for (const fs::directory_entry& entry : fs::directory_iterator(dir_.path() / "work" / folder, error)) {
        left.push_back(entry.path().string());
      }
    }
    return left;
  }
  bool NothingIsLeft() const { return WhatIsLeft().empty(); }

  testing::TempDir dir_;
  std::set<int> held_ports_;
  std::vector<fs::path> sentinels_;
  std::unique_ptr<testing::Process> neighbour_;
  // Of the configuration and of the worker; set before they are started.
  std::string dispatch_ = R"({"lease_seconds": 20, "limits": {"processes": 200, "disk_mb": 64, "log_mb": 2}})";
  std::string server_of_worker_;            // empty: the daemon itself
  std::vector<std::string> worker_prefix_;  // what starts the worker
  std::vector<std::string> worker_options_;
  std::string packs_;                          // empty: those of the test
  std::string pool_;                           // of what is submitted
  std::chrono::seconds patience_ = kPatience;  // with a run
  std::vector<std::string> worker_environment_;
  std::string address_;
  std::unique_ptr<testing::Daemon> daemon_;
  std::unique_ptr<testing::Process> worker_;
  std::unique_ptr<v1::DispatchService::Stub> stub_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_TESTS_INTEGRATION_DISPATCH_FIXTURE_H_
