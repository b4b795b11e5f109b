// SubmitForVerify by repository and commit: the real daemon and a real git server.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "tests/support/git_http_server.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/services/review/review_pack.h"
#include "yardmaster/v1/review.grpc.pb.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kReturns = "def k():\n    return 1\n";
// Base64 of x-access-token:first-git-token and of x-access-token:second-git-token.
const std::string kFirst = "Basic eC1hY2Nlc3MtdG9rZW46Zmlyc3QtZ2l0LXRva2Vu";
const std::string kSecond = "Basic eC1hY2Nlc3MtdG9rZW46c2Vjb25kLWdpdC10b2tlbg==";

class SubmitTest : public ::testing::Test {
 protected:
  SubmitTest() {
    for (const auto& [path, text] : testing::ReviewPackFiles()) dir_.Write("packs/" + path, text);
    git_ = std::make_unique<testing::GitHttpServer>();
    git_->Create("o/private", {"uploadpack.allowFilter true"});
    Write("custom/demo/demo_impl.py", kReturns);
    Write("custom/demo/demo_golden.py", "def demo_golden(): pass\n");
    first_ = git_->Commit("o/private");
    Write("custom/demo/demo_impl.py", "def k(): pass\n");
    second_ = git_->Commit("o/private");
    git_->Want(kFirst);
    dir_.Write("git.token", "first-git-token\n");
    dir_.Write("config.json",
               R"({"data_dir": "data", "forges": {"github": {"api_url": "http://127.0.0.1:9", "git_url": ")" +
                   git_->url() + R"(", "token": {"file": "git.token"}}},
      "repositories": [{"forge": "github", "repository": "o/private", "packs": ["lantern"]}],
      "tokens": [{"name": "ops", "role": "operator", "secret": {"env": "OPS"}}]})");
    Start();
  }
  void Start() {
    daemon_ = std::make_unique<testing::Daemon>(
        std::string(YARD_PROGRAMS) + "/yardmasterd",
        std::vector<std::string>{"--config", (dir_.path() / "config.json").string(), "--packs",
                                 (dir_.path() / "packs").string(), "--log-format", "json"},
        std::vector<std::string>{"OPS=operator-token-0123"});
    ASSERT_TRUE(daemon_->ready()) << daemon_->process().Stderr();
    stub_ = v1::ReviewService::NewStub(grpc::CreateChannel(daemon_->grpc(), grpc::InsecureChannelCredentials()));
  }
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((git_->Work("o/private") / path).parent_path());
    std::ofstream(git_->Work("o/private") / path, std::ios::binary) << text;
  }
  grpc::Status Submit(const std::string& commit, v1::SubmitForVerifyResponse& response,
                      const std::string& directory = "custom/demo",
                      const std::string& repository = "github:o/private") {
    v1::SubmitForVerifyRequest request;
    request.set_pack("lantern");
    request.set_operator_name("custom/demo");
    request.set_repository(repository);
    request.set_commit(commit);
    request.set_directory(directory);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + seconds(30));
    context.AddMetadata("authorization", "Bearer operator-token-0123");
    return stub_->SubmitForVerify(&context, request, &response);
  }

  testing::TempDir dir_;
  std::unique_ptr<testing::GitHttpServer> git_;
  std::string first_;
  std::string second_;
  std::unique_ptr<testing::Daemon> daemon_;
  std::unique_ptr<v1::ReviewService::Stub> stub_;
};

TEST_F(SubmitTest, TheDirectoryIsReadAtTheCommitAndJudged) {
  v1::SubmitForVerifyResponse response;
  grpc::Status status = Submit(first_, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(response.open());
  ASSERT_EQ(response.review().findings_size(), 1);
  EXPECT_EQ(response.review().findings(0).rule_id(), "L1");
  EXPECT_EQ(response.review().findings(0).path(), "demo_impl.py");
  EXPECT_EQ(response.review().findings(0).line(), 2u);
  response.Clear();
  status = Submit(second_, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.open()) << response.DebugString();

  // What was said stays, what was fetched does not.
  daemon_.reset();
  Start();
  v1::GetGateStatusRequest ask;
  ask.set_pack("lantern");
  ask.set_operator_name("custom/demo");
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer operator-token-0123");
  v1::GetGateStatusResponse gates;
  ASSERT_TRUE(stub_->GetGateStatus(&context, ask, &gates).ok());
  ASSERT_EQ(gates.gates_size(), 1);
  EXPECT_TRUE(gates.gates(0).open());
  EXPECT_TRUE(!fs::exists(dir_.path() / "data/git") || fs::is_empty(dir_.path() / "data/git"));
  EXPECT_FALSE(fs::exists(dir_.path() / "custom"));
}

TEST_F(SubmitTest, WhatCanNotBeReadIsSaid) {
  using grpc::StatusCode;
  v1::SubmitForVerifyResponse response;
  grpc::Status status = Submit(std::string(40, 'a'), response);
  EXPECT_EQ(status.error_code(), StatusCode::NOT_FOUND) << status.error_message();
  status = Submit(second_, response, "custom/absent");
  EXPECT_EQ(status.error_code(), StatusCode::NOT_FOUND) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("custom/absent"));
  status = Submit(second_, response, "custom/demo", "github:o/other");
  EXPECT_EQ(status.error_code(), StatusCode::FAILED_PRECONDITION) << status.error_message();
  std::string large;
  large.resize(9'000'000, 'x');
  Write("large/a.bin", large);
  const std::string third = git_->Commit("o/private");
  status = Submit(third, response, "large");
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("8388608 bytes"));
  git_.reset();
  status = Submit(second_, response);
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE) << status.error_message();
}

TEST_F(SubmitTest, TheTokenIsTheForgesAndIsReadAgain) {
  v1::SubmitForVerifyResponse response;
  ASSERT_TRUE(Submit(second_, response).ok());
  git_->Want(kSecond);
  EXPECT_EQ(Submit(second_, response).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  dir_.Write("git.token", "second-git-token\n");
  daemon_->process().Signal(SIGHUP);
  grpc::Status status;
  for (int i = 0; i < 500 && (i == 0 || !status.ok()); ++i) {
    status = Submit(second_, response);
    if (!status.ok()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(daemon_->process().Stderr(), Not(HasSubstr("git-token")));
  for (const std::string& line : git_->requests()) EXPECT_THAT(line, Not(HasSubstr("token")));
}

}  // namespace
}  // namespace yardmaster
