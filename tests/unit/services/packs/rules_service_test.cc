// The handlers behind a real gRPC server inside the test's process, over a packs folder that the tests change.
#include "services/packs/rules_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "services/core/errors.h"
#include "services/core/limits.h"
#include "tests/support/rpc_server.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_pack.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kCases[] =
    R"({"cases": [{"id": "net", "title": "socket", "body": "", "rules": ["net.word", "team", "area"], "labels": ["area: net", "team b"]},
                  {"id": "disk", "title": "disk", "body": "", "rules": ["disk.word"], "labels": ["area: net"]}]})";

// One forge with one repository of the configuration and one that is not in it.
class FakeLabels final : public LabelSource {
 public:
  absl::StatusOr<std::string> UsualPack(std::string_view forge, std::string_view repository,
                                        bool any_repository) const override {
    if (forge != "gitcode") return errors::ForgeNotConfigured(forge);
    if (repository == "octo/repo") return std::string("tiny");
    if (!any_repository) return errors::RepositoryNotListed("gitcode:" + std::string(repository));
    return std::string();
  }
  absl::StatusOr<RepositoryLabels> Read(std::string_view, std::string_view repository) override {
    if (repository == "octo/none") return errors::RepositoryNotOnForge("gitcode:octo/none");
    return RepositoryLabels{names, 2, 8};
  }
  std::vector<std::string> names;
};

class RulesServiceTest : public testing::RpcServiceTest<v1::RulesService> {
 protected:
  RulesServiceTest() {
    for (const auto& [path, text] : testing::TinyPackFiles()) Write(path, text);
    Write("tiny/cases/c.json", kCases);
    Write("bare/pack.json",
          R"({"name": "bare", "title": "Nothing to decide with", "extends": "tiny", "remove": {"steps": ["done"]}})");
    Problems problems;
    packs_ = PackRegistry::Open(dir_.path(), problems);
    if (packs_ == nullptr) throw std::runtime_error(problems.at(0).ToString());
    service_ = std::make_unique<RulesServiceImpl>(Environment(), *packs_, pool_, label_calls_, &labels_);
    Serve(*service_);
  }
  ~RulesServiceTest() override { StopServing(); }

  void Write(const std::string& path, const std::string& text) { dir_.Write(path, text); }

  static std::string Text(const google::protobuf::RepeatedPtrField<v1::PackProblem>& problems) {
    std::string out;
    for (const v1::PackProblem& problem : problems) {
      out += problem.file() + ":" + std::to_string(problem.line()) + ": " + problem.pointer() + ": " +
             problem.message() + "\n";
    }
    return out;
  }

  testing::TempDir dir_;
  std::unique_ptr<PackRegistry> packs_;
  ThreadPool pool_{1, 4};
  FakeLabels labels_;
  ThreadPool label_calls_{1, 4};
  std::unique_ptr<RulesServiceImpl> service_;
};

using Stub = v1::RulesService::Stub;

TEST_F(RulesServiceTest, ListPacksDescribesWhatIsInService) {
  v1::ListPacksResponse response;
  ASSERT_TRUE(Call(&Stub::ListPacks, v1::ListPacksRequest(), response).ok());
  ASSERT_EQ(response.packs_size(), 2);
  EXPECT_EQ(response.packs(0).name(), "bare");
  EXPECT_EQ(response.packs(0).extends(), "tiny");
  EXPECT_EQ(response.packs(0).rules(), 8u);
  EXPECT_EQ(response.packs(0).cases(), 0u);
  const v1::PackInfo& tiny = response.packs(1);
  EXPECT_EQ(tiny.title(), "A pack for tests");
  EXPECT_EQ(tiny.revision().size(), 16u);
  EXPECT_EQ(tiny.rules(), 9u);
  EXPECT_EQ(tiny.labels(), 6u);
  EXPECT_EQ(tiny.cases(), 2u);
  EXPECT_TRUE(tiny.has_rubric());
  EXPECT_TRUE(tiny.has_guardrails());
  EXPECT_EQ(response.last_reload_problems_size(), 0);
}

TEST_F(RulesServiceTest, ShowRuleTellsWhereItIsWrittenAndWhereItFires) {
  v1::ShowRuleRequest request;
  request.set_id("net.word");
  v1::ShowRuleResponse response;
  ASSERT_TRUE(Call(&Stub::ShowRule, request, response).ok());
  ASSERT_EQ(response.rules_size(), 2) << "in the pack that defines it and in the one that inherits it";
  EXPECT_EQ(response.rules(0).pack(), "bare");
  EXPECT_EQ(response.rules(0).file(), "tiny/rubric.json");
  EXPECT_EQ(response.rules(1).pack(), "tiny");
  EXPECT_EQ(response.rules(1).kind(), "signal");
  EXPECT_EQ(response.rules(1).line(), 5u);
  EXPECT_THAT(response.rules(1).json(), HasSubstr("\"words\":[\"socket\",\"网络\"]"));
  EXPECT_THAT(response.rules(1).cases(), ElementsAre("net"));
  EXPECT_THAT(response.rules(0).cases(), IsEmpty());

  // A step and a classifier may share an id.
  request.set_id("area");
  request.set_pack("tiny");
  ASSERT_TRUE(Call(&Stub::ShowRule, request, response).ok());
  ASSERT_EQ(response.rules_size(), 2);
  EXPECT_EQ(response.rules(0).kind(), "classifier");
  EXPECT_EQ(response.rules(1).kind(), "step");
}

TEST_F(RulesServiceTest, ShowRuleTakesIdsInAnyCaseAndShowsAllPartsOfARule) {
  Write("tiny/checks/a.json", R"JSON({"checks": [
      {"id": "T1", "title": "t", "severity": "S0", "each": "return", "message": "m", "good": ["x = 1"], "bad": ["return"]},
      {"id": "T1.more", "title": "t", "severity": "S0", "each": "call", "message": "m", "good": ["x = 1"], "bad": ["f()"]},
      {"id": "T10", "title": "t", "severity": "S0", "each": "call", "message": "m", "good": ["x = 1"], "bad": ["f()"]}]})JSON");
  ASSERT_THAT(packs_->Reload(), IsEmpty());
  const auto shown = [&](const std::string& id) {
    v1::ShowRuleRequest request;
    request.set_id(id);
    request.set_pack("tiny");
    v1::ShowRuleResponse response;
    EXPECT_TRUE(Call(&Stub::ShowRule, request, response).ok()) << id;
    std::vector<std::string> ids;
    for (const v1::RuleInfo& rule : response.rules()) ids.push_back(rule.id());
    return ids;
  };
  EXPECT_THAT(shown("T1"), ElementsAre("T1", "T1.more"));
  EXPECT_THAT(shown("t1"), ElementsAre("T1", "T1.more"));
  EXPECT_THAT(shown("t1.MORE"), ElementsAre("T1.more"));
  EXPECT_THAT(shown("NET.word"), ElementsAre("net.word"));
}

TEST_F(RulesServiceTest, ShowRuleOfSomethingUnknownIsNotFound) {
  v1::ShowRuleRequest request;
  v1::ShowRuleResponse response;
  EXPECT_EQ(Call(&Stub::ShowRule, request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request.set_id("nope");
  EXPECT_EQ(Call(&Stub::ShowRule, request, response).error_code(), grpc::StatusCode::NOT_FOUND);
  request.set_id("net.word");
  request.set_pack("nope");
  const grpc::Status status = Call(&Stub::ShowRule, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), HasSubstr("bare, tiny"));
}

TEST_F(RulesServiceTest, ValidatePackReadsTheFolderAsItIsNow) {
  v1::ValidatePackRequest request;
  request.set_pack("tiny");
  v1::ValidatePackResponse response;
  ASSERT_TRUE(Call(&Stub::ValidatePack, request, response).ok());
  EXPECT_TRUE(response.valid()) << Text(response.problems());

  Write("tiny/zones.json", "{\"trace_start\": []}");
  Write("tiny/labels.json", "{");
  ASSERT_TRUE(Call(&Stub::ValidatePack, request, response).ok()) << "a bad pack is an answer";
  EXPECT_FALSE(response.valid());
  EXPECT_THAT(Text(response.problems()), HasSubstr("tiny/labels.json:1: : not valid JSON"));
  EXPECT_THAT(Text(response.problems()), HasSubstr("tiny/zones.json:1: /trace_start: unknown key"));
}

TEST_F(RulesServiceTest, ValidatePackSaysWhichLabelsARepositoryLacks) {
  v1::ValidatePackRequest request;
  request.set_forge("gitcode");
  request.set_repository("octo/repo");
  labels_.names = {"queue", "Area:Net", "area: disk", "other"};
  v1::ValidatePackResponse response;
  ASSERT_TRUE(Call(&Stub::ValidatePack, request, response, "").ok()) << "a viewer, and the repository's own pack";
  EXPECT_TRUE(response.valid());
  EXPECT_EQ(response.pack(), "tiny");
  EXPECT_EQ(response.labels().forge(), "gitcode");
  EXPECT_EQ(response.labels().repository(), "octo/repo");
  EXPECT_GT(response.labels().labels(), 4U);
  std::map<std::string, v1::LabelFinding> findings;
  for (const v1::LabelFinding& finding : response.labels().findings()) findings[finding.label()] = finding;
  EXPECT_FALSE(findings.contains("queue"));
  EXPECT_FALSE(findings.contains("area: disk")) << "what is there may be as long as it is";
  ASSERT_TRUE(findings.contains("area: net"));
  EXPECT_EQ(findings["area: net"].kind(), v1::LabelFinding::KIND_LENGTH);
  ASSERT_TRUE(findings.contains("team a"));
  EXPECT_EQ(findings["team a"].kind(), v1::LabelFinding::KIND_MISSING);
  EXPECT_TRUE(findings["team a"].written());
  EXPECT_THAT(findings["team a"].message(), HasSubstr("team a"));

  request.set_pack("nope");
  ASSERT_TRUE(Call(&Stub::ValidatePack, request, response).ok());
  EXPECT_FALSE(response.valid());
  EXPECT_FALSE(response.has_labels()) << "the labels of a bad pack are not known";
}

TEST_F(RulesServiceTest, ValidatePackSaysWhyARepositoryCanNotBeAsked) {
  v1::ValidatePackRequest request;
  request.set_pack("tiny");
  request.set_forge("gitcode");
  v1::ValidatePackResponse response;
  EXPECT_EQ(Call(&Stub::ValidatePack, request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request.set_repository("octo/other");
  grpc::Status status = Call(&Stub::ValidatePack, request, response, "");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("octo/other"));
  EXPECT_TRUE(Call(&Stub::ValidatePack, request, response).ok()) << "operators may ask about any";
  request.clear_pack();
  EXPECT_EQ(Call(&Stub::ValidatePack, request, response).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  request.set_pack("tiny");
  request.set_repository("octo/none");
  EXPECT_EQ(Call(&Stub::ValidatePack, request, response).error_code(), grpc::StatusCode::NOT_FOUND);
  request.set_forge("github");
  status = Call(&Stub::ValidatePack, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("github"));
}

TEST_F(RulesServiceTest, ValidatePackChecksFilesThatComeInline) {
  v1::ValidatePackRequest request;
  request.set_pack("fresh");
  v1::PackFile& file = *request.add_files();
  file.set_path("pack.json");
  file.set_content(R"({"name": "fresh", "title": "F", "extends": "tiny"})");
  v1::ValidatePackResponse response;
  ASSERT_TRUE(Call(&Stub::ValidatePack, request, response).ok());
  EXPECT_TRUE(response.valid()) << Text(response.problems());
  file.set_content("\xFF\xFE");
  ASSERT_TRUE(Call(&Stub::ValidatePack, request, response).ok()) << "the bytes of a file need not be text";
  EXPECT_FALSE(response.valid());

  request.set_pack("../fresh");
  EXPECT_EQ(Call(&Stub::ValidatePack, request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request.set_pack("");
  EXPECT_EQ(Call(&Stub::ValidatePack, request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(RulesServiceTest, AReloadPutsChangedPacksIntoService) {
  Write("tiny/pack.json", R"({"name": "tiny", "title": "Changed", "entry_label": "queue"})");
  v1::ReloadPacksResponse response;
  ASSERT_TRUE(Call(&Stub::ReloadPacks, v1::ReloadPacksRequest(), response).ok());
  EXPECT_TRUE(response.reloaded()) << Text(response.problems());
  ASSERT_EQ(response.packs_size(), 2);
  EXPECT_EQ(response.packs(1).title(), "Changed");
}

TEST_F(RulesServiceTest, ABadPackKeepsAllOldOnesInService) {
  v1::ListPacksResponse before;
  ASSERT_TRUE(Call(&Stub::ListPacks, v1::ListPacksRequest(), before).ok());

  Write("tiny/pack.json", R"({"name": "tiny", "title": "Changed", "entry_label": "queue"})");
  Write("bare/rubric.json", R"({"signals": [{"id": "x", "patterns": ["("]}]})");
  v1::ReloadPacksResponse response;
  ASSERT_TRUE(Call(&Stub::ReloadPacks, v1::ReloadPacksRequest(), response).ok());
  EXPECT_FALSE(response.reloaded());
  EXPECT_THAT(Text(response.problems()), HasSubstr("bare/rubric.json:1: /signals/0/patterns/0: "));

  v1::ListPacksResponse after;
  ASSERT_TRUE(Call(&Stub::ListPacks, v1::ListPacksRequest(), after).ok());
  ASSERT_EQ(after.packs_size(), 2);
  EXPECT_EQ(after.packs(1).title(), "A pack for tests");
  EXPECT_EQ(after.packs(1).revision(), before.packs(1).revision());
  EXPECT_EQ(Text(after.last_reload_problems()), Text(response.problems()));

  // Mended, it goes in, and the problems are forgotten.
  std::filesystem::remove(dir_.path() / "bare/rubric.json");
  ASSERT_TRUE(Call(&Stub::ReloadPacks, v1::ReloadPacksRequest(), response).ok());
  EXPECT_TRUE(response.reloaded()) << Text(response.problems());
  ASSERT_TRUE(Call(&Stub::ListPacks, v1::ListPacksRequest(), after).ok());
  EXPECT_EQ(after.packs(1).title(), "Changed");
  EXPECT_EQ(after.last_reload_problems_size(), 0);
}

TEST_F(RulesServiceTest, OnlyOperatorsReload) {
  v1::ReloadPacksResponse response;
  EXPECT_EQ(Call(&Stub::ReloadPacks, v1::ReloadPacksRequest(), response, "").error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  v1::ListPacksResponse list;
  EXPECT_TRUE(Call(&Stub::ListPacks, v1::ListPacksRequest(), list, "").ok());
  EXPECT_EQ(Call(&Stub::ListPacks, v1::ListPacksRequest(), list, "wrong").error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(RulesServiceTest, TestPackRunsTheCasesAndTellsWhatFailed) {
  v1::TestPackResponse response;
  ASSERT_TRUE(Call(&Stub::TestPack, v1::TestPackRequest(), response).ok());
  ASSERT_EQ(response.packs_size(), 2);
  EXPECT_EQ(response.packs(1).pack(), "tiny");
  EXPECT_EQ(response.packs(1).cases(), 2u);
  EXPECT_EQ(response.packs(1).failed(), 1u);
  EXPECT_EQ(response.packs(1).rules(), 9u);
  EXPECT_EQ(response.packs(1).rules_covered(), 3u);
  EXPECT_THAT(response.packs(1).uncovered(), SizeIs(6));
  ASSERT_EQ(response.failures_size(), 1);
  EXPECT_EQ(response.failures(0).case_id(), "disk");
  EXPECT_EQ(response.failures(0).file(), "tiny/cases/c.json");
  EXPECT_EQ(response.failures(0).line(), 2u);
  EXPECT_THAT(response.failures(0).differences(0), HasSubstr("labels: expected \"area: net\", got "));

  v1::TestPackRequest request;
  request.add_packs("bare");
  ASSERT_TRUE(Call(&Stub::TestPack, request, response).ok());
  EXPECT_EQ(response.packs_size(), 1);
  request.add_packs("nope");
  EXPECT_EQ(Call(&Stub::TestPack, request, response).error_code(), grpc::StatusCode::NOT_FOUND);
}

v1::BacktestRequest TwoCases() {
  v1::BacktestRequest request;
  request.set_pack("tiny");
  v1::IssueSnapshot& first = *request.add_cases();
  first.set_title("the disk");
  v1::IssueSnapshot& second = *request.add_cases();
  second.set_title("the socket");
  second.mutable_subject()->set_number(77);
  return request;
}

TEST_F(RulesServiceTest, BacktestComparesTheFolderWithWhatIsInService) {
  v1::BacktestResponse response;
  ASSERT_TRUE(Call(&Stub::Backtest, TwoCases(), response).ok());
  EXPECT_EQ(response.cases(), 2u);
  EXPECT_EQ(response.issues_size(), 0);
  EXPECT_EQ(response.base_revision(), response.candidate_revision());

  Write("tiny/signals/x.json", R"({"signals": [{"id": "more", "words": ["socket"], "label": "area: disk"}]})");
  ASSERT_TRUE(Call(&Stub::Backtest, TwoCases(), response).ok());
  EXPECT_NE(response.base_revision(), response.candidate_revision());
  ASSERT_EQ(response.issues_size(), 1);
  EXPECT_EQ(response.issues(0).index(), 1u);
  EXPECT_EQ(response.issues(0).subject().number(), 77);
  EXPECT_THAT(response.issues(0).added(), ElementsAre("area: disk"));
  v1::ListPacksResponse list;
  ASSERT_TRUE(Call(&Stub::ListPacks, v1::ListPacksRequest(), list).ok());
  EXPECT_EQ(list.packs(1).revision(), response.base_revision()) << "a backtest changes nothing";
}

TEST_F(RulesServiceTest, BacktestTakesACandidateInline) {
  v1::BacktestRequest request = TwoCases();
  for (auto& [path, text] : testing::TinyPackFiles()) {
    v1::PackFile& file = *request.add_candidate();
    file.set_path(path.substr(5));
    file.set_content(text);
  }
  v1::PackFile& file = *request.add_candidate();
  file.set_path("signals/x.json");
  file.set_content(R"({"signals": [{"id": "more", "words": ["socket"], "label": "area: disk"}]})");
  v1::BacktestResponse response;
  ASSERT_TRUE(Call(&Stub::Backtest, request, response).ok());
  EXPECT_EQ(response.issues_size(), 1);

  file.set_content("{");
  const grpc::Status status = Call(&Stub::Backtest, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("tiny/signals/x.json:1:"));
}

TEST_F(RulesServiceTest, BacktestRefusesWhatItCanNotDecide) {
  v1::BacktestResponse response;
  v1::BacktestRequest request = TwoCases();
  request.set_pack("nope");
  EXPECT_EQ(Call(&Stub::Backtest, request, response).error_code(), grpc::StatusCode::NOT_FOUND);
  request = TwoCases();
  request.mutable_cases(1)->set_title(std::string(kMaxTitleBytes + 1, 'x'));
  const grpc::Status status = Call(&Stub::Backtest, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("case 1"));
}

TEST_F(RulesServiceTest, LongCallsWaitForTheirThreadAndShortOnesDoNot) {
  std::promise<void> started;
  std::promise<void> go;
  ASSERT_TRUE(pool_.Run([&] {
    started.set_value();
    go.get_future().wait();
  }));
  started.get_future().wait();

  v1::ListPacksResponse list;
  EXPECT_TRUE(Call(&Stub::ListPacks, v1::ListPacksRequest(), list).ok());

  // A deadline that passes while the call waits ends it.
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  v1::TestPackResponse test;
  EXPECT_EQ(stub_->TestPack(&context, v1::TestPackRequest(), &test).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);

  // The queue holds four; that one is still in it.
  std::vector<std::thread> waiting;
  waiting.reserve(3);
  std::atomic<int> done = 0;
  for (int i = 0; i < 3; ++i) {
    waiting.emplace_back([&] {
      v1::TestPackResponse response;
      if (Call(&Stub::TestPack, v1::TestPackRequest(), response).ok()) ++done;
    });
  }
  // Refused calls tell when the queue is full.
  grpc::Status refused;
  for (int i = 0; i < 200 && refused.error_code() != grpc::StatusCode::UNAVAILABLE; ++i) {
    grpc::ClientContext short_context;
    short_context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(50));
    v1::TestPackResponse response;
    refused = stub_->TestPack(&short_context, v1::TestPackRequest(), &response);
  }
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(refused.error_message(), HasSubstr("too many long calls"));
  go.set_value();
  for (std::thread& thread : waiting) thread.join();
  EXPECT_GE(done, 1);
}

}  // namespace
}  // namespace yardmaster
