// The handlers behind a real gRPC server inside the test's process.
#include "services/review/review_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "services/core/limits.h"
#include "services/review/kept_review.h"
#include "services/review/review_messages.h"
#include "tests/support/rpc_server.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/services/review/fake_source.h"
#include "tests/unit/services/review/memory_reviews.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A store in memory.
class MemoryOperators final : public store::Operators {
 public:
  absl::Status Put(std::string_view pack, std::string_view name, std::string_view state) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    states_[{std::string(pack), std::string(name)}] = std::string(state);
    return absl::OkStatus();
  }
  absl::StatusOr<std::optional<std::string>> Get(std::string_view pack, std::string_view name) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = states_.find({std::string(pack), std::string(name)});
    return it == states_.end() ? std::optional<std::string>() : it->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::string> states_;
};

v1::Subject Pull(int64_t number) {
  v1::Subject subject;
  subject.set_forge("github");
  subject.set_repository("octo/framework");
  subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  subject.set_number(number);
  return subject;
}

ReportedFinding Finding(const std::string& rule, FindingStatus status, rules::Severity severity) {
  ReportedFinding reported;
  reported.finding.rule_id = rule;
  reported.finding.path = "a.py";
  reported.finding.severity = severity;
  reported.status = status;
  return reported;
}

class ReviewServiceTest : public testing::RpcServiceTest<v1::ReviewService> {
 protected:
  ReviewServiceTest() {
    for (const auto& [path, text] : testing::ReviewPackFiles()) dir_.Write(path, text);
    dir_.Write("bare/pack.json", R"({"name": "bare", "title": "Nothing to review with"})");
    Problems problems;
    packs_ = PackRegistry::Open(dir_.path(), problems);
    if (packs_ == nullptr) throw std::runtime_error(problems.at(0).ToString());
    Start(&operators_);
  }
  ~ReviewServiceTest() override { StopServing(); }

  void Start(store::Operators* operators, const OperatorSource* source = nullptr,
             const ChangeReviewParts& changes = {}) {
    service_ = std::make_unique<ReviewServiceImpl>(Environment(), *packs_, pool_, pool_, operators, source, changes);
    Serve(*service_);
  }

  static v1::ReviewFileRequest File(const std::string& path, const std::string& text) {
    v1::ReviewFileRequest request;
    request.set_pack("lantern");
    request.mutable_file()->set_path(path);
    request.mutable_file()->set_content(text);
    return request;
  }
  static v1::SubmitForVerifyRequest Submission(const std::string& kernel) {
    v1::SubmitForVerifyRequest request;
    request.set_pack("lantern");
    request.set_operator_name("custom/demo");
    request.set_phase("M1");
    Add(request, "demo_impl.py", kernel);
    Add(request, "demo_golden.py", "def demo_golden(): pass\n");
    return request;
  }
  static void Add(v1::SubmitForVerifyRequest& request, const std::string& path, const std::string& text) {
    v1::SourceFile& file = *request.add_files();
    file.set_path(path);
    file.set_content(text);
  }

  testing::TempDir dir_;
  std::unique_ptr<PackRegistry> packs_;
  ThreadPool pool_{2, 4};
  MemoryOperators operators_;
  std::unique_ptr<ReviewServiceImpl> service_;
};

using Stub = v1::ReviewService::Stub;
const std::string kReturns = "def k():\n    return 1\n";

TEST_F(ReviewServiceTest, AFileIsReviewedAsItCame) {
  v1::ReviewFileResponse response;
  const grpc::Status status = Call(&Stub::ReviewFile, File("/work/demo_impl.py", kReturns), response, "");
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.review().findings_size(), 1);
  const v1::ReviewFinding& finding = response.review().findings(0);
  EXPECT_EQ(finding.rule_id(), "L1");
  EXPECT_EQ(finding.severity(), v1::FINDING_SEVERITY_BLOCK);
  EXPECT_EQ(finding.path(), "/work/demo_impl.py");
  EXPECT_EQ(finding.line(), 2u);
  EXPECT_EQ(finding.column(), 5u);
  EXPECT_EQ(response.review().profile(), "relaxed");
  EXPECT_EQ(response.review().files(), 1u);
  EXPECT_EQ(response.block(),
            "[lantern] blocked:\n[L1][S0] /work/demo_impl.py:2 `k` returns\nblocking_rules: L1\nfix_hints:\n"
            "- L1: Drop it.\nMend it.\n");
  EXPECT_THAT(response.block_zh(), HasSubstr("不要 return"));
}

TEST_F(ReviewServiceTest, ContextIsSeenAndNotJudged) {
  v1::ReviewFileRequest request = File("demo_impl.py", "def k(): pass\n");
  v1::SourceFile& golden = *request.add_context();
  golden.set_path("demo_golden.py");
  golden.set_content("def other(): pass\n");
  v1::ReviewFileResponse response;
  ASSERT_TRUE(Call(&Stub::ReviewFile, request, response).ok());
  ASSERT_EQ(response.review().findings_size(), 1);
  EXPECT_EQ(response.review().findings(0).rule_id(), "L3");
  EXPECT_EQ(response.review().files(), 1u);
}

TEST_F(ReviewServiceTest, BadRequestsSayWhatIsWrong) {
  const auto fails = [&](const v1::ReviewFileRequest& request, grpc::StatusCode code, const std::string& text) {
    v1::ReviewFileResponse response;
    const grpc::Status status = Call(&Stub::ReviewFile, request, response);
    EXPECT_EQ(status.error_code(), code) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(text));
  };
  v1::ReviewFileRequest request = File("demo_impl.py", "");
  request.set_pack("nobody");
  fails(request, grpc::StatusCode::NOT_FOUND, "lantern");
  request.set_pack("bare");
  fails(request, grpc::StatusCode::INVALID_ARGUMENT, "no checks");
  request = File("", "");
  fails(request, grpc::StatusCode::INVALID_ARGUMENT, "path");
  fails(File("a/../../etc/passwd", ""), grpc::StatusCode::INVALID_ARGUMENT, "path");
  fails(File(std::string("a\0b", 3), ""), grpc::StatusCode::INVALID_ARGUMENT, "path");
  request = File("demo_impl.py", "");
  request.set_profile("lax");
  fails(request, grpc::StatusCode::INVALID_ARGUMENT, "strict");
  request = File("demo_impl.py", "");
  request.set_role("queen");
  fails(request, grpc::StatusCode::INVALID_ARGUMENT, "impl");
  request = File("demo_impl.py", "");
  request.set_stage(4'000'000'000u);
  fails(request, grpc::StatusCode::INVALID_ARGUMENT, "stage");
}

TEST_F(ReviewServiceTest, HostileBytesAreAnswered) {
  v1::ReviewFileResponse response;
  const grpc::Status status = Call(
      &Stub::ReviewFile, File("demo_impl.py", std::string("\xff\0(((((\x80", 8) + std::string(10'000, '(')), response);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(ReviewServiceTest, ListsChecksWithTheirPlaces) {
  v1::ListChecksRequest request;
  request.set_pack("lantern");
  v1::ListChecksResponse response;
  ASSERT_TRUE(Call(&Stub::ListChecks, request, response).ok());
  ASSERT_EQ(response.checks_size(), 8);
  EXPECT_EQ(response.checks(0).id(), "L1");
  EXPECT_EQ(response.checks(0).file(), "lantern/checks/checks.json");
  EXPECT_GT(response.checks(0).line(), 1u);
  EXPECT_EQ(response.default_profile(), "relaxed");
  EXPECT_EQ(response.moments_size(), 6);
  EXPECT_EQ(response.roles_size(), 6);
}

TEST_F(ReviewServiceTest, ASubmissionIsRemembered) {
  v1::SubmitForVerifyResponse response;
  grpc::Status status = Call(&Stub::SubmitForVerify, Submission(kReturns), response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(response.open());
  EXPECT_THAT(response.block(), HasSubstr("blocking_rules: L1"));

  v1::GetGateStatusRequest ask;
  ask.set_pack("lantern");
  ask.set_operator_name("custom/demo");
  v1::GetGateStatusResponse gates;
  ASSERT_TRUE(Call(&Stub::GetGateStatus, ask, gates, "").ok());
  ASSERT_EQ(gates.gates_size(), 1);
  EXPECT_EQ(gates.gates(0).gate(), "phase");
  EXPECT_EQ(gates.gates(0).phase(), "M1");
  EXPECT_FALSE(gates.gates(0).open());
  EXPECT_THAT(gates.gates(0).blocking_rules(), ElementsAre("L1"));
  EXPECT_FALSE(gates.breaker().tripped());

  ASSERT_TRUE(Call(&Stub::SubmitForVerify, Submission("def k(): pass\n"), response).ok());
  EXPECT_TRUE(response.open());
  EXPECT_THAT(response.block(), IsEmpty());
  ASSERT_TRUE(Call(&Stub::GetGateStatus, ask, gates).ok());
  ASSERT_EQ(gates.gates_size(), 1);
  EXPECT_TRUE(gates.gates(0).open());

  ask.set_operator_name("custom/other");
  EXPECT_EQ(Call(&Stub::GetGateStatus, ask, gates).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(ReviewServiceTest, TheBreakerTripsAtTheFifthSubmissionAndSurvivesARestart) {
  v1::SubmitForVerifyResponse response;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(Call(&Stub::SubmitForVerify, Submission(kReturns), response).ok());
    EXPECT_FALSE(response.breaker().tripped());
  }
  StopServing();
  Start(&operators_);
  ASSERT_TRUE(Call(&Stub::SubmitForVerify, Submission(kReturns), response).ok());
  EXPECT_TRUE(response.breaker().tripped());
  EXPECT_EQ(response.breaker().rule_id(), "L1");
  EXPECT_EQ(response.breaker().path(), "demo_impl.py");
  EXPECT_EQ(response.breaker().line(), 2u);
  EXPECT_EQ(response.breaker().count(), 5u);
  ASSERT_TRUE(Call(&Stub::SubmitForVerify, Submission("\n" + kReturns), response).ok());
  EXPECT_FALSE(response.breaker().tripped());
}

TEST_F(ReviewServiceTest, AFrozenFileThatChangesClosesTheGate) {
  v1::SubmitForVerifyRequest request = Submission("def k(): pass\n");
  Add(request, "SPEC.md", "# one\n");
  Add(request, "state.json", R"({"stage": 2})");
  v1::SubmitForVerifyResponse response;
  ASSERT_TRUE(Call(&Stub::SubmitForVerify, request, response).ok());
  EXPECT_TRUE(response.open()) << response.review().DebugString();
  request.mutable_files(2)->set_content("# two\n");
  ASSERT_TRUE(Call(&Stub::SubmitForVerify, request, response).ok());
  EXPECT_FALSE(response.open());
  v1::GetGateStatusRequest ask;
  ask.set_pack("lantern");
  ask.set_operator_name("custom/demo");
  v1::GetGateStatusResponse gates;
  ASSERT_TRUE(Call(&Stub::GetGateStatus, ask, gates).ok());
  EXPECT_THAT(gates.frozen(), ElementsAre("SPEC.md"));
}

// A repository that has one folder at every commit.
class OneFolderRemote final : public GitRemote {
 public:
  absl::StatusOr<GitFolder> ReadFolder(const GitFolderRequest& request) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    asked_ = request;
    if (absl::Status alive = request.alive(); !alive.ok()) return alive;
    return answer_;
  }
  // A call that its caller has given up may still be carried out.
  void Answer(absl::StatusOr<GitFolder> answer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    answer_ = std::move(answer);
  }
  GitFolderRequest asked() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return asked_;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  GitFolderRequest asked_;
  absl::StatusOr<GitFolder> answer_;
};

class RepositoryTest : public ReviewServiceTest {
 protected:
  RepositoryTest() {
    config_.repositories.push_back({"github", "o/r", {"lantern"}, 0, {}, std::nullopt, {}});
    remote_.Answer(folder_);
    StopServing();
    Start(&operators_, &source_);
  }
  // The server must not outlive what it was given.
  ~RepositoryTest() override {
    StopServing();
    Start(&operators_);
  }

  static v1::SubmitForVerifyRequest Commit(const std::string& directory = "custom/demo") {
    v1::SubmitForVerifyRequest request = Submission("");
    request.clear_files();
    request.set_repository("github:o/r");
    request.set_commit(std::string(40, 'a'));
    request.set_directory(directory);
    return request;
  }
  grpc::Status Submit(const v1::SubmitForVerifyRequest& request) {
    return Call(&Stub::SubmitForVerify, request, response_);
  }

  Config config_;
  GitFolder folder_{{{"demo_golden.py", "def demo_golden(): pass\n"}, {"demo_impl.py", kReturns}}, {}};
  OneFolderRemote remote_;
  const OperatorSource source_{config_, {{"github", &remote_}}};
  v1::SubmitForVerifyResponse response_;
};

TEST_F(RepositoryTest, IsJudgedLikeFilesThatComeInline) {
  ASSERT_TRUE(Submit(Submission(kReturns)).ok());
  v1::SubmitForVerifyResponse inline_answer = response_;
  const grpc::Status status = Submit(Commit("custom/demo/"));
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(remote_.asked().repository, "o/r");
  EXPECT_EQ(remote_.asked().folder, "custom/demo");
  EXPECT_FALSE(response_.open());
  inline_answer.mutable_review()->clear_micros();
  response_.mutable_review()->clear_micros();
  EXPECT_EQ(response_.review().SerializeAsString(), inline_answer.review().SerializeAsString());
  EXPECT_EQ(response_.block(), inline_answer.block());

  folder_.files[1].content = "def k(): pass\n";
  remote_.Answer(folder_);
  ASSERT_TRUE(Submit(Commit(".")).ok());
  EXPECT_EQ(remote_.asked().folder, "");
  EXPECT_TRUE(response_.open());
}

TEST_F(RepositoryTest, WhatIsLeftOutIsTold) {
  folder_.left_out = {{"link.py", "a symbolic link is not followed"}};
  folder_.files.push_back({"a\nb_impl.py", kReturns});
  remote_.Answer(folder_);
  ASSERT_TRUE(Submit(Commit()).ok());
  std::vector<std::string> told;
  for (const v1::SkippedReviewCheck& skipped : response_.review().skipped()) {
    if (skipped.rule_id() == "*") told.push_back(skipped.path() + ": " + skipped.reason());
  }
  EXPECT_THAT(told,
              ElementsAre("link.py: a symbolic link is not followed", "a\nb_impl.py: such a path can't be reviewed"));
}

TEST_F(RepositoryTest, ErrorsAreTheAnswer) {
  using grpc::StatusCode;
  v1::SubmitForVerifyRequest request = Commit();
  request.set_repository("github:o/other");
  EXPECT_EQ(Submit(request).error_code(), StatusCode::FAILED_PRECONDITION);
  request = Commit();
  request.set_commit("main");
  EXPECT_EQ(Submit(request).error_code(), StatusCode::INVALID_ARGUMENT);
  request.clear_commit();
  EXPECT_THAT(Submit(request).error_message(), HasSubstr("commit"));
  request = Commit();
  request.clear_repository();
  EXPECT_THAT(Submit(request).error_message(), HasSubstr("repository"));
  for (const char* directory : {"/custom", "a/../b", "a//b", "a/b\n"}) {
    EXPECT_THAT(Submit(Commit(directory)).error_message(), HasSubstr("directory")) << directory;
  }
  EXPECT_EQ(remote_.asked().repository, "") << "nothing of that is asked for";
  folder_.files.clear();
  remote_.Answer(folder_);
  EXPECT_EQ(Submit(Commit()).error_code(), StatusCode::NOT_FOUND);
  remote_.Answer(absl::UnavailableError("down"));
  EXPECT_EQ(Submit(Commit()).error_code(), StatusCode::UNAVAILABLE);

  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer let-me-in");
  context.TryCancel();
  EXPECT_EQ(stub_->SubmitForVerify(&context, Commit(), &response_).error_code(), StatusCode::CANCELLED);

  StopServing();
  Start(&operators_);
  EXPECT_EQ(Submit(Commit()).error_code(), StatusCode::FAILED_PRECONDITION) << "a daemon without forges";
}

TEST_F(ReviewServiceTest, SubmissionsNeedARoleFilesAndAStore) {
  v1::SubmitForVerifyResponse response;
  EXPECT_EQ(Call(&Stub::SubmitForVerify, Submission(""), response, "").error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  v1::SubmitForVerifyRequest request = Submission("");
  request.clear_files();
  EXPECT_EQ(Call(&Stub::SubmitForVerify, request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request = Submission("");
  Add(request, "demo_impl.py", "again");
  EXPECT_EQ(Call(&Stub::SubmitForVerify, request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request = Submission("");
  Add(request, "../x.py", "");
  EXPECT_EQ(Call(&Stub::SubmitForVerify, request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request = Submission(std::string(kMaxOperatorBytes, ' '));
  EXPECT_THAT(Call(&Stub::SubmitForVerify, request, response).error_message(), HasSubstr("bytes"));
  request = Submission("");
  request.set_operator_name("a b");
  EXPECT_EQ(Call(&Stub::SubmitForVerify, request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request = Submission("");
  request.set_repository("github:o/r");
  EXPECT_EQ(Call(&Stub::SubmitForVerify, request, response).error_code(), grpc::StatusCode::INVALID_ARGUMENT)
      << "files or a repository";
  StopServing();
  Start(nullptr);
  EXPECT_EQ(Call(&Stub::SubmitForVerify, Submission(""), response).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(ReviewServiceTest, AReviewThatIsKeptIsFoundByItsIdAndByItsPullRequest) {
  ReviewReport report;
  report.packs = {"lantern"};
  report.profile = "relaxed";
  report.files = 2;
  report.findings = {Finding("OLD", FindingStatus::kStill, rules::Severity::kMajor),
                     Finding("GONE", FindingStatus::kFixed, rules::Severity::kMajor),
                     Finding("BAD", FindingStatus::kNew, rules::Severity::kBlock)};
  report.skipped = {{"L9", "a.py", "no test", ""}};
  const v1::Review made = MakeReview(report, {Pull(7), "base1", "head1", "merge1", "rev1", "git"});
  testing::ReviewsInMemory reviews;
  ASSERT_TRUE(reviews.Put(ToStored(made)).ok());
  Start(&operators_, nullptr, {.reviews = &reviews});

  v1::GetReviewRequest request;
  request.set_id(made.id());
  v1::GetReviewResponse response;
  grpc::Status status = Call(&Stub::GetReview, request, response, "");
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::Review& review = response.review();
  EXPECT_EQ(review.repository(), "github:octo/framework");
  EXPECT_THAT(review.packs(), ElementsAre("lantern (relaxed)"));
  EXPECT_EQ(review.created_at().seconds(), 1'700'000'000);
  EXPECT_TRUE(review.complete());
  EXPECT_THAT(review.new_counts(), ElementsAre(1, 0, 0, 0));
  EXPECT_EQ(review.still(), 1u);
  EXPECT_EQ(review.fixed(), 1u);
  ASSERT_EQ(review.findings_size(), 3);
  EXPECT_EQ(review.findings(0).rule_id(), "BAD");
  EXPECT_EQ(review.findings(1).change(), v1::FINDING_CHANGE_STILL);
  EXPECT_EQ(review.findings(2).rule_id(), "GONE");
  EXPECT_EQ(ReadChangeReview(review).findings[2].status, FindingStatus::kFixed);

  request.Clear();
  *request.mutable_subject() = Pull(7);
  status = Call(&Stub::GetReview, request, response, "");
  EXPECT_EQ(response.review().id(), made.id());
  *request.mutable_subject() = Pull(8);
  EXPECT_EQ(Call(&Stub::GetReview, request, response, "").error_code(), grpc::NOT_FOUND);
  request.mutable_subject()->set_number(0);
  EXPECT_EQ(Call(&Stub::GetReview, request, response, "").error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(Call(&Stub::GetReview, v1::GetReviewRequest(), response, "").error_code(), grpc::INVALID_ARGUMENT);
}

TEST_F(ReviewServiceTest, ReviewsAreListedByPagesWithoutTheirFindings) {
  testing::ReviewsInMemory reviews;
  ReviewReport report;
  report.findings = {Finding("BAD", FindingStatus::kNew, rules::Severity::kBlock)};
  for (int64_t number = 1; number <= 3; ++number) {
    ASSERT_TRUE(reviews.Put(ToStored(MakeReview(report, {Pull(number), "b", "h", "m", "r", "git"}))).ok());
  }
  Start(&operators_, nullptr, {.reviews = &reviews});
  v1::ListReviewsRequest request;
  request.set_repository("github:octo/framework");
  request.set_page_size(2);
  v1::ListReviewsResponse response;
  ASSERT_TRUE(Call(&Stub::ListReviews, request, response, "").ok());
  EXPECT_EQ(reviews.asked.repository, "github:octo/framework");
  ASSERT_EQ(response.reviews_size(), 2);
  EXPECT_EQ(response.reviews(0).subject().number(), 3);
  EXPECT_EQ(response.reviews(0).findings_size(), 0);
  EXPECT_THAT(response.reviews(0).new_counts(), ElementsAre(1, 0, 0, 0));
  request.set_page_token(response.next_page_token());
  ASSERT_TRUE(Call(&Stub::ListReviews, request, response, "").ok());
  ASSERT_EQ(response.reviews_size(), 1);
  EXPECT_EQ(response.reviews(0).subject().number(), 1);
  EXPECT_EQ(response.next_page_token(), "");
  request.set_page_token("x");
  EXPECT_EQ(Call(&Stub::ListReviews, request, response, "").error_code(), grpc::INVALID_ARGUMENT);
  request.clear_page_token();
  request.set_page_size(201);
  EXPECT_EQ(Call(&Stub::ListReviews, request, response, "").error_code(), grpc::INVALID_ARGUMENT);
}

// What lies between two commits of a repository that the configuration names.
class RangeReviewTest : public ReviewServiceTest {
 protected:
  RangeReviewTest() {
    RepositoryConfig& repository = config_.repositories.emplace_back();
    repository.forge = "github";
    repository.repository = "octo/*";
    repository.packs = {"lantern"};
    source_.base["demo_impl.py"] = "def k(): pass\n";
    source_.head["demo_impl.py"] = kReturns;
    request_.set_repository("github:octo/framework");
    request_.set_base(std::string(40, 'a'));
    request_.set_head(std::string(40, 'b'));
    Start(&operators_, nullptr,
          {.config = &config_,
           .reviews = &reviews_,
           .changes = &source_,
           .file = {.path = [](std::string_view) { return ".github/yardmaster.json"; },
                    .problems = [](const v1::Subject&, std::string_view) { return Problems(); },
                    .settings =
                        [](const v1::Subject&, std::string_view text) {
                          rules::ReviewSettings settings;
                          if (text == "minor") settings.severities["L1"] = rules::Severity::kMinor;
                          return settings;
                        }}});
  }
  ~RangeReviewTest() override { StopServing(); }

  v1::Review Reviewed() {
    v1::ReviewRangeResponse response;
    const grpc::Status status = Call(&Stub::ReviewRange, request_, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.review();
  }
  grpc::StatusCode Refused() {
    v1::ReviewRangeResponse response;
    return Call(&Stub::ReviewRange, request_, response).error_code();
  }

  Config config_;
  testing::ReviewsInMemory reviews_;
  testing::FakeSource source_;
  v1::ReviewRangeRequest request_;
};

TEST_F(RangeReviewTest, IsReviewedAndKept) {
  const v1::Review review = Reviewed();
  ASSERT_EQ(review.findings_size(), 1);
  EXPECT_EQ(review.findings(0).rule_id(), "L1");
  EXPECT_EQ(review.merge_base(), "merge");
  EXPECT_TRUE(reviews_.Get(review.id()).ok());
  EXPECT_EQ(source_.asked.at(0).pull, 0);
}

TEST_F(RangeReviewTest, TheRepositorysFileAtTheBaseHolds) {
  source_.base[".github/yardmaster.json"] = "minor";
  source_.head[".github/yardmaster.json"] = "major";
  EXPECT_EQ(Reviewed().findings(0).severity(), v1::FINDING_SEVERITY_MINOR);
}

TEST_F(RangeReviewTest, WhatCanNotBeReviewedIsRefused) {
  request_.set_pack("bare");
  EXPECT_EQ(Refused(), grpc::INVALID_ARGUMENT);
  request_.set_pack("nowhere");
  EXPECT_EQ(Refused(), grpc::NOT_FOUND);
  request_.clear_pack();
  request_.set_head("main");
  EXPECT_EQ(Refused(), grpc::INVALID_ARGUMENT);
  request_.set_head(std::string(40, 'b'));
  request_.set_repository("github:other/place");
  EXPECT_EQ(Refused(), grpc::FAILED_PRECONDITION);
}

TEST(MakeReview, TheIdIsMadeOfWhatTheReviewIsKnownBy) {
  const auto id = [](const ReviewedChange& change) { return MakeReview({}, change).id(); };
  const ReviewedChange pull{Pull(7), "b", "h", "m", "r", "git"};
  ReviewedChange other = pull;
  other.base = "b2";
  EXPECT_EQ(id(other), id(pull)) << "a branch that goes on makes no other review of a pull request";
  other.head = "h2";
  EXPECT_NE(id(other), id(pull));
  ReviewedChange range = pull;
  range.subject.clear_number();
  other = range;
  other.base = "b2";
  EXPECT_NE(id(other), id(range));
}

}  // namespace
}  // namespace yardmaster
