// The handlers behind a real gRPC server inside the test's process.
#include "services/commands/commands_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "rules/engine/compiled_pack.h"
#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/phrases/phrase_set.h"
#include "services/core/limits.h"
#include "services/core/rpc/contract_options.h"
#include "tests/support/shipped_packs.h"
#include "tests/support/shipped_phrases.h"
#include "tests/support/source_path.h"

namespace yardmaster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The shipped commands and phrases, read once for all tests.
std::shared_ptr<const PackSet> CommonPack() {
  static const std::shared_ptr<const PackSet> packs = [] {
    Problems problems;
    std::optional<rules::PackModel> model = rules::LoadPack(yardmaster::testing::ShippedPacks(), "common", problems);
    if (!model.has_value()) throw std::runtime_error(problems.at(0).ToString());
    PackSet::Packs compiled;
    compiled.emplace("common", rules::CompiledPack::Compile(*std::move(model), problems));
    PackSet::Phrases phrases;
    phrases.emplace("common", yardmaster::testing::ShippedPhrases());
    return std::make_shared<const PackSet>(std::move(compiled), PackSet::Checks(), std::move(phrases));
  }();
  return packs;
}

class CommandsServiceTest : public ::testing::Test {
 protected:
  CommandsServiceTest() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    stub_ = v1::CommandsService::NewStub(
        grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
  }
  ~CommandsServiceTest() override { server_->Shutdown(std::chrono::system_clock::now()); }

  grpc::Status Interpret(const v1::InterpretRequest& request, v1::InterpretResponse& response) {
    grpc::ClientContext context;
    return stub_->Interpret(&context, request, &response);
  }
  grpc::Status Interpret(const v1::InterpretRequest& request) {
    v1::InterpretResponse response;
    return Interpret(request, response);
  }
  grpc::Status List(const v1::ListCommandsRequest& request, v1::ListCommandsResponse& response) {
    grpc::ClientContext context;
    return stub_->ListCommands(&context, request, &response);
  }
  static v1::InterpretRequest Message(const std::string& text) {
    v1::InterpretRequest request;
    request.set_text(text);
    return request;
  }
  static v1::ListCommandsRequest Command(const std::string& name) {
    v1::ListCommandsRequest request;
    request.set_command(name);
    return request;
  }

  Authenticator auth_{*ReadMethodRules(), {}, /*allow_anonymous_loopback=*/true};
  Metrics metrics_;
  SystemClock clock_;
  Logger logger_{[] {
    LoggerOptions options;
    options.level = LogLevel::kError;
    options.async = false;
    return options;
  }()};
  PackRegistry packs_{yardmaster::testing::SourcePath("rules/packs"), CommonPack()};
  CommandsServiceImpl service_{RpcEnvironment{auth_, metrics_, clock_, logger_}, packs_};
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::CommandsService::Stub> stub_;
};

TEST_F(CommandsServiceTest, AMessageBecomesACommandWithItsSlots) {
  v1::InterpretResponse response;
  ASSERT_TRUE(Interpret(Message("帮我把 #160 压成一个 commit，提交信息写 \"fix: layout\""), response).ok());
  EXPECT_EQ(response.command().command(), "squash");
  ASSERT_TRUE(response.command().slots().contains("pr"));
  EXPECT_EQ(response.command().slots().at("pr").number(), 160);
  ASSERT_TRUE(response.command().slots().contains("message"));
  EXPECT_EQ(response.command().slots().at("message").text(), "fix: layout");
  EXPECT_GT(response.confidence(), 0.5);
  EXPECT_FALSE(response.why().empty());
  EXPECT_EQ(response.choices_size(), 0);
}

TEST_F(CommandsServiceTest, FurtherCommandsAndSwitchesAndPeopleComeAsTheyAre) {
  v1::InterpretResponse response;
  ASSERT_TRUE(Interpret(Message("review PR 160 in detail, then squash it"), response).ok());
  EXPECT_EQ(response.command().command(), "review");
  EXPECT_TRUE(response.command().slots().at("detailed").flag());
  ASSERT_EQ(response.then_size(), 1);
  EXPECT_EQ(response.then(0).command(), "squash");
  EXPECT_EQ(response.then(0).slots().at("pr").number(), 160);

  v1::InterpretResponse people;
  ASSERT_TRUE(Interpret(Message("create a PR to r2.6 and ask @alice and @bob to review"), people).ok());
  EXPECT_EQ(people.command().command(), "pr");
  EXPECT_THAT(people.command().slots().at("reviewers").list().names(), ElementsAre("alice", "bob"));
}

TEST_F(CommandsServiceTest, DoubtComesWithItsChoicesAndTalkIsNothing) {
  v1::InterpretResponse doubt;
  ASSERT_TRUE(Interpret(Message("合并 #12"), doubt).ok());
  EXPECT_EQ(doubt.command().command(), "ask");
  ASSERT_GT(doubt.choices_size(), 1);
  EXPECT_EQ(doubt.choices(0).command(), "squash");
  EXPECT_EQ(doubt.choices(0).slots().at("pr").number(), 12);
  v1::InterpretResponse talk;
  ASSERT_TRUE(Interpret(Message("thanks, that was quick"), talk).ok());
  EXPECT_EQ(talk.command().command(), "none");
}

TEST_F(CommandsServiceTest, TheThreadGivesWhatTheWordsLeaveOut) {
  v1::InterpretRequest request = Message("squash this PR");
  v1::InterpretResponse alone;
  ASSERT_TRUE(Interpret(request, alone).ok());
  EXPECT_EQ(alone.command().command(), "ask");
  request.mutable_context()->set_pull_request(7);
  request.mutable_context()->set_repository("octo/repo");
  v1::InterpretResponse there;
  ASSERT_TRUE(Interpret(request, there).ok());
  EXPECT_EQ(there.command().command(), "squash");
  EXPECT_EQ(there.command().slots().at("pr").number(), 7);
  EXPECT_EQ(there.command().slots().at("repo").text(), "octo/repo");
}

TEST_F(CommandsServiceTest, BadMessagesNameTheFieldAndTheLimit) {
  EXPECT_THAT(Interpret({}).error_message(), HasSubstr("text"));
  const grpc::Status large = Interpret(Message(std::string(rules::kMaxPhraseBytes + 1, 'x')));
  EXPECT_EQ(large.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(large.error_message(), HasSubstr("text"));
  v1::InterpretRequest request = Message("squash");
  request.mutable_context()->set_pull_request(-1);
  EXPECT_THAT(Interpret(request).error_message(), HasSubstr("context.pull_request"));
  request.mutable_context()->set_pull_request(0);
  request.mutable_context()->set_repository(std::string(kMaxNameBytes + 1, 'x'));
  EXPECT_THAT(Interpret(request).error_message(), HasSubstr("context.repository"));
  request.clear_context();
  request.set_pack("comon");
  const grpc::Status unknown = Interpret(request);
  EXPECT_EQ(unknown.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(unknown.error_message(), HasSubstr("common"));
}

TEST_F(CommandsServiceTest, AllCommandsAreListedAsTheTableHasThem) {
  v1::ListCommandsResponse response;
  ASSERT_TRUE(List({}, response).ok());
  const auto& table = CommonPack()->Find("common")->commands()->commands();
  ASSERT_EQ(static_cast<size_t>(response.commands_size()), table.size());
  for (int i = 0; i < response.commands_size(); ++i) {
    const v1::CommandInfo& command = response.commands(i);
    EXPECT_EQ(command.id(), table[static_cast<size_t>(i)].id);
    EXPECT_FALSE(command.title().en().empty()) << command.id();
    EXPECT_FALSE(command.title().zh().empty()) << command.id();
    EXPECT_NE(command.state(), v1::CommandInfo::STATE_UNSPECIFIED) << command.id();
    EXPECT_EQ(command.has_reason(), command.state() != v1::CommandInfo::STATE_WORKS) << command.id();
  }
}

TEST_F(CommandsServiceTest, OneCommandIsFoundByEachOfItsNames) {
  for (const char* name : {"squash", "/squash", "/autogit squash"}) {
    v1::ListCommandsResponse response;
    ASSERT_TRUE(List(Command(name), response).ok()) << name;
    ASSERT_EQ(response.commands_size(), 1);
    EXPECT_EQ(response.commands(0).id(), "squash");
    EXPECT_TRUE(response.commands(0).writes());
    EXPECT_THAT(response.commands(0).forms(), Contains("/autogit squash"));
    EXPECT_THAT(response.commands(0).who(), Not(Contains("anyone")));
  }
}

TEST_F(CommandsServiceTest, UnknownCommandsAndPacksAreNotFoundWithTheNearestName) {
  v1::ListCommandsResponse response;
  const grpc::Status command = List(Command("sqaush"), response);
  EXPECT_EQ(command.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(command.error_message(), HasSubstr("squash"));
  v1::ListCommandsRequest request;
  request.set_pack("nothing");
  EXPECT_EQ(List(request, response).error_code(), grpc::StatusCode::NOT_FOUND);
  request.set_pack(std::string(kMaxNameBytes + 1, 'x'));
  EXPECT_EQ(List(request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(List(Command(std::string(kMaxNameBytes + 1, 'x')), response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace yardmaster
