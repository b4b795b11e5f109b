// The handlers behind a real gRPC server inside the test's process.
#include "services/triage/triage_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "google/protobuf/util/message_differencer.h"
#include "services/core/limits.h"
#include "services/triage/decision_json.h"
#include "services/triage/triage_planner.h"
#include "tests/support/rpc_server.h"
#include "tests/support/tiny_pack.h"

namespace yardmaster {
namespace {

using google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;

std::shared_ptr<const PackSet> TestPacks() {
  rules::PackFiles files = testing::TinyPackFiles();
  files["bare/pack.json"] = R"({"name": "bare", "title": "Nothing to decide with"})";
  PackSet::Packs packs;
  for (const char* name : {"tiny", "bare"}) packs.emplace(name, testing::CompileTinyPack(files, name));
  return std::make_shared<const PackSet>(std::move(packs));
}

// A daemon's worth of surroundings, with room for few decisions.
class TriageServiceTest : public testing::RpcServiceTest<v1::TriageService> {
 protected:
  TriageServiceTest() : RpcServiceTest(Role::kViewer) { Serve(service_); }
  ~TriageServiceTest() override { StopServing(); }

  static v1::IssueSnapshot Issue(const std::string& title, const std::string& body = "") {
    v1::IssueSnapshot issue;
    issue.set_title(title);
    issue.set_body(body);
    return issue;
  }

  grpc::Status Triage(const std::string& pack, const v1::IssueSnapshot& issue, v1::Plan* plan = nullptr) {
    v1::TriageIssueRequest request;
    request.set_pack(pack);
    *request.mutable_issue() = issue;
    return Triage(request, plan);
  }
  grpc::Status Triage(const v1::TriageIssueRequest& request, v1::Plan* plan) {
    grpc::ClientContext context;
    v1::TriageIssueResponse response;
    grpc::Status status = stub_->TriageIssue(&context, request, &response);
    if (plan != nullptr) *plan = response.plan();
    return status;
  }

  grpc::Status Explain(const v1::ExplainDecisionRequest& request, v1::Plan* plan = nullptr) {
    grpc::ClientContext context;
    v1::ExplainDecisionResponse response;
    grpc::Status status = stub_->ExplainDecision(&context, request, &response);
    if (plan != nullptr) *plan = response.plan();
    return status;
  }
  grpc::Status ExplainId(const std::string& id, v1::Plan* plan = nullptr) {
    v1::ExplainDecisionRequest request;
    request.set_decision_id(id);
    return Explain(request, plan);
  }

  PackRegistry packs_{"no-folder", TestPacks()};
  DecisionLog decisions_{3};
  DecisionIds ids_;
  InlineExecutor waiting_calls_;
  TriageServiceImpl service_{Environment(), packs_, decisions_, ids_, waiting_calls_, /*on_demand=*/nullptr};
};

TEST_F(TriageServiceTest, DecisionIsThePlannersWithAnIdAndATime) {
  const v1::IssueSnapshot issue = Issue("socket closed", "by the disk");
  v1::Plan plan;
  ASSERT_TRUE(Triage("tiny", issue, &plan).ok());
  EXPECT_EQ(plan.id().size(), 13u);
  EXPECT_TRUE(plan.has_created_at());
  EXPECT_NEAR(static_cast<double>(plan.created_at().seconds()), static_cast<double>(time(nullptr)), 60);

  v1::Plan expected;
  ASSERT_TRUE(PlanTriage(*testing::CompileTinyPack(), issue, {}, expected).ok());
  plan.clear_id();
  plan.clear_created_at();
  EXPECT_TRUE(MessageDifferencer::Equals(plan, expected)) << plan.DebugString();
}

TEST_F(TriageServiceTest, DecisionCanBeExplainedByIdAndBySubject) {
  v1::IssueSnapshot issue = Issue("socket closed");
  issue.mutable_subject()->set_forge("github");
  issue.mutable_subject()->set_repository("o/r");
  issue.mutable_subject()->set_number(4);
  v1::Plan made;
  v1::Plan found;
  ASSERT_TRUE(Triage("tiny", issue, &made).ok());
  ASSERT_TRUE(ExplainId(made.id(), &found).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(made, found));
  v1::ExplainDecisionRequest request;
  *request.mutable_subject() = issue.subject();
  found.Clear();
  ASSERT_TRUE(Explain(request, &found).ok());
  EXPECT_EQ(found.id(), made.id());
}

TEST_F(TriageServiceTest, OldDecisionsAreForgottenAndUnknownOnesAreNotFound) {
  v1::Plan first;
  ASSERT_TRUE(Triage("tiny", Issue("socket"), &first).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Triage("tiny", Issue("disk")).ok());
  EXPECT_EQ(ExplainId(first.id()).error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(ExplainId("nothing").error_message(), HasSubstr("nothing"));
  v1::ExplainDecisionRequest request;
  request.mutable_subject()->set_number(99);
  EXPECT_EQ(Explain(request).error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Explain({}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(TriageServiceTest, BadRequestsNameTheFieldAndTheLimit) {
  EXPECT_EQ(Triage("", Issue("x")).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  const grpc::Status unknown = Triage("tinny", Issue("x"));
  EXPECT_EQ(unknown.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(unknown.error_message(), HasSubstr("tiny"));
  EXPECT_EQ(Triage("bare", Issue("x")).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  v1::TriageIssueRequest without_issue;
  without_issue.set_pack("tiny");
  EXPECT_THAT(Triage(without_issue, nullptr).error_message(), HasSubstr("issue"));

  const grpc::Status title = Triage("tiny", Issue(std::string(kMaxTitleBytes + 1, 'x')));
  EXPECT_EQ(title.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(title.error_message(), HasSubstr("title"));
  EXPECT_THAT(Triage("tiny", Issue("x", std::string(kMaxBodyBytes + 1, 'x'))).error_message(), HasSubstr("body"));
  v1::IssueSnapshot comments = Issue("x");
  for (size_t i = 0; i <= kMaxComments; ++i) comments.add_comments();
  EXPECT_THAT(Triage("tiny", comments).error_message(), HasSubstr("comments"));
}

TEST_F(TriageServiceTest, ARequestThatIsNoUtf8IsTheCallersFault) {
  const grpc::Status status = Triage("tiny", Issue("bad \xFF title"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("UTF-8"));
}

TEST_F(TriageServiceTest, LargeAndSmallIssuesTakeTurnsWithoutAnyTraceOfEachOther) {
  v1::Plan small;
  ASSERT_TRUE(Triage("tiny", Issue("socket", "b"), &small).ok());
  std::string words;
  for (int i = 0; i < 20'000; ++i) words += "socket disk does not work ";
  v1::IssueSnapshot large = Issue("disk", words);
  for (int i = 0; i < 100; ++i) large.add_comments()->set_body(words.substr(0, 10'000));
  for (int i = 0; i < 3; ++i) {
    v1::Plan plan;
    ASSERT_TRUE(Triage("tiny", large, &plan).ok());
    EXPECT_EQ(plan.comment_template(), "more");
    ASSERT_TRUE(Triage("tiny", Issue("socket", "b"), &plan).ok());
    plan.set_id(small.id());
    *plan.mutable_created_at() = small.created_at();
    EXPECT_TRUE(MessageDifferencer::Equals(plan, small));
  }
}

TEST_F(TriageServiceTest, AWrongTokenIsRefused) {
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer wrong");
  v1::TriageIssueRequest request;
  request.set_pack("tiny");
  v1::TriageIssueResponse response;
  EXPECT_EQ(stub_->TriageIssue(&context, request, &response).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  grpc::ClientContext stream_context;
  stream_context.AddMetadata("authorization", "Bearer wrong");
  const auto stream = stub_->EvaluateCases(&stream_context);
  stream->WritesDone();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(TriageServiceTest, ManyThreadsDecideAtOnceAndEveryIdIsDifferent) {
  std::vector<std::thread> threads;
  std::vector<std::string> ids(64);
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 16; ++i) {
        v1::Plan plan;
        ASSERT_TRUE(Triage("tiny", Issue("socket", "disk"), &plan).ok());
        ids[t * 16 + i] = plan.id();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

TEST_F(TriageServiceTest, StreamAnswersEveryCaseInOrderAndKeepsNoDecision) {
  grpc::ClientContext context;
  const auto stream = stub_->EvaluateCases(&context);
  constexpr int kCases = 500;
  std::thread writer([&] {
    for (int i = 0; i < kCases; ++i) {
      v1::EvaluateCasesRequest request;
      if (i == 0) request.set_pack("tiny");
      *request.mutable_issue() = Issue(i % 2 == 0 ? "socket" : "disk");
      request.mutable_issue()->mutable_subject()->set_number(i);
      ASSERT_TRUE(stream->Write(request));
    }
    stream->WritesDone();
  });
  v1::EvaluateCasesResponse response;
  int count = 0;
  while (stream->Read(&response)) {
    EXPECT_EQ(response.plan().subject().number(), count);
    EXPECT_EQ(response.plan().labels(1), count % 2 == 0 ? "area: net" : "area: disk");
    EXPECT_TRUE(response.plan().id().empty());
    EXPECT_TRUE(response.plan().has_explanation());
    ++count;
  }
  writer.join();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(count, kCases);
  v1::ExplainDecisionRequest request;
  request.mutable_subject()->set_number(1);
  EXPECT_EQ(Explain(request).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(TriageServiceTest, StreamWithoutExplanationsLeavesThemOut) {
  grpc::ClientContext context;
  const auto stream = stub_->EvaluateCases(&context);
  v1::EvaluateCasesRequest request;
  request.set_pack("tiny");
  request.set_omit_explanation(true);
  *request.mutable_issue() = Issue("socket");
  stream->Write(request);
  stream->WritesDone();
  v1::EvaluateCasesResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_FALSE(response.plan().has_explanation());
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(TriageServiceTest, ABadCaseEndsTheStreamAndIsNamedByItsIndex) {
  grpc::ClientContext context;
  const auto stream = stub_->EvaluateCases(&context);
  v1::EvaluateCasesRequest request;
  request.set_pack("tiny");
  *request.mutable_issue() = Issue("socket");
  stream->Write(request);
  stream->Write(request);
  request.mutable_issue()->set_title(std::string(kMaxTitleBytes + 1, 'x'));
  stream->Write(request);
  stream->WritesDone();
  v1::EvaluateCasesResponse response;
  int count = 0;
  while (stream->Read(&response)) ++count;
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(count, 2);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("case 2"));
  EXPECT_THAT(status.error_message(), HasSubstr("title"));
}

TEST_F(TriageServiceTest, StreamUnderAnUnknownPackIsNotFound) {
  grpc::ClientContext context;
  const auto stream = stub_->EvaluateCases(&context);
  v1::EvaluateCasesRequest request;
  request.set_pack("nope");
  stream->Write(request);
  stream->WritesDone();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(TriageServiceTest, AnEmptyStreamIsNoError) {
  grpc::ClientContext context;
  const auto stream = stub_->EvaluateCases(&context);
  stream->WritesDone();
  v1::EvaluateCasesResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(TriageServiceTest, AClientThatGoesAwayLeavesNothingBehind) {
  for (int i = 0; i < 20; ++i) {
    grpc::ClientContext context;
    const auto stream = stub_->EvaluateCases(&context);
    v1::EvaluateCasesRequest request;
    request.set_pack("tiny");
    *request.mutable_issue() = Issue("socket");
    for (int j = 0; j < i; ++j) stream->Write(request);
    context.TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  // The server still answers, and its shutdown (the fixture's) waits for every call that is left.
  EXPECT_TRUE(Triage("tiny", Issue("socket")).ok());
}

}  // namespace
}  // namespace yardmaster
