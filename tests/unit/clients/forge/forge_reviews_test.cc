// The calls for reviews on the whole stack of both adapters, over a scripted HttpClient.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "clients/forge/gitcode/gitcode_profile.h"
#include "clients/forge/github/github_profile.h"
#include "clients/forge/limits.h"
#include "clients/forge/make_forge.h"
#include "tests/support/app_key.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/fake_waiter.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using testing::FakeClock;
using testing::FakeHttpClient;
using testing::VirtualWaiter;

const std::string kReviewHead(40, 'a');
const std::string kGitHubRepository = "https://api.github.test/repos/o/r";
const std::string kGitCodeRepository = "https://api.gitcode.test/api/v5/repos/o/r";

class ForgeReviews : public ::testing::Test {
 protected:
  std::unique_ptr<StoppableForge> Make(const std::string& name, bool app = false) {
    ForgeConfig config;
    config.name = name;
    config.profile = name == "github" ? &GitHubProfile() : &GitCodeProfile();
    config.api_url = name == "github" ? "https://api.github.test" : "https://api.gitcode.test/api/v5";
    if (app) {
      config.app = {.id = "1", .installation = "2", .private_key = testing::Key().Pem()};
      http_.Answer(201, R"({"token": "t", "expires_at": "2099-01-01T00:00:00Z"})");
    } else {
      config.token = Secret("t0ken-value");
    }
    auto forge = MakeForge(config, ForgeEnvironment{http_, clock_, waiter_, nullptr, /*seed=*/1, nullptr});
    EXPECT_TRUE(forge.ok()) << forge.status();
    return *std::move(forge);
  }
  static ForgeCheckRunWrite Write() {
    ForgeCheckRunWrite write;
    write.name = "yardmaster/review";
    write.head = kReviewHead;
    write.external_id = "r1";
    write.state = ForgeCheckState::kFailure;
    write.title = "1 new";
    write.summary = "one";
    ForgeAnnotation annotation;
    annotation.path = "a.py";
    annotation.line = annotation.end_line = 3;
    annotation.column = 2;
    annotation.end_column = 4;
    annotation.level = ForgeAnnotationLevel::kFailure;
    annotation.title = "OL01";
    annotation.message = "wrong";
    write.annotations = {annotation};
    return write;
  }
  json Body(size_t request) { return json::parse(http_.requests().at(request).body); }

  FakeClock clock_;
  VirtualWaiter waiter_{clock_};
  FakeHttpClient http_;
  const ForgeSubject pull_{"o/r", 7, true};
};

TEST_F(ForgeReviews, CheckRunsAreMadeAndChangedWithAnAppsCredentials) {
  auto forge = Make("github", /*app=*/true);
  ASSERT_TRUE(forge->has_check_runs());
  http_.Answer(201, R"({"id": 5, "name": "yardmaster/review", "status": "in_progress"})");
  http_.Answer(200, R"({"id": 5, "name": "yardmaster/review", "status": "completed", "conclusion": "failure",
                        "output": {"annotations_count": 1}, "app": {"slug": "yard"}})");
  ForgeCheckRunWrite begun = Write();
  begun.state = ForgeCheckState::kInProgress;
  begun.title.clear();
  begun.summary.clear();
  begun.annotations.clear();
  const auto made = forge->CreateCheckRun({}, "o/r", begun);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->id, "5");
  EXPECT_EQ(made->state, ForgeCheckState::kInProgress);
  const auto changed = forge->UpdateCheckRun({}, "o/r", "5", Write());
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_EQ(changed->state, ForgeCheckState::kFailure);
  EXPECT_EQ(changed->annotations, 1);
  EXPECT_EQ(changed->app, "yard");
  EXPECT_EQ(http_.lines().at(1), "POST " + kGitHubRepository + "/check-runs");
  EXPECT_EQ(http_.lines().at(2), "PATCH " + kGitHubRepository + "/check-runs/5");
  EXPECT_EQ(Body(1), json({{"name", "yardmaster/review"},
                           {"head_sha", kReviewHead},
                           {"external_id", "r1"},
                           {"status", "in_progress"}}));
  const json body = Body(2);
  EXPECT_EQ(body["status"], "completed");
  EXPECT_EQ(body["conclusion"], "failure");
  EXPECT_EQ(body["actions"][0]["identifier"], "rerun");
  EXPECT_EQ(body["output"]["annotations"],
            json::parse(R"([{"path": "a.py", "start_line": 3, "end_line": 3, "start_column": 2, "end_column": 4,
                             "annotation_level": "failure", "title": "OL01", "message": "wrong"}])"));
}

TEST_F(ForgeReviews, AColumnIsToldOfOneLineOnly) {
  auto forge = Make("github", /*app=*/true);
  http_.Answer(201, R"({"id": 5})");
  ForgeCheckRunWrite write = Write();
  write.annotations[0].end_line = 4;
  ASSERT_TRUE(forge->CreateCheckRun({}, "o/r", write).ok());
  EXPECT_FALSE(Body(1)["output"]["annotations"][0].contains("start_column"));
}

TEST_F(ForgeReviews, CheckRunsOfACommitAreListedNewestFirst) {
  auto forge = Make("github", /*app=*/true);
  http_.Answer(200, R"({"total_count": 3, "check_runs": [
      {"id": 9, "name": "n", "status": "completed", "conclusion": "timed_out"},
      {"id": 10, "name": "n", "status": "queued"}, {"id": 11, "name": "other", "status": "queued"}]})");
  const auto runs = forge->ListCheckRuns({}, "o/r", kReviewHead, "n");
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ(runs->at(0).id, "10");
  EXPECT_EQ(runs->at(1).state, ForgeCheckState::kFailure);
  EXPECT_EQ(http_.lines().at(1), "GET " + kGitHubRepository + "/commits/" + kReviewHead +
                                     "/check-runs?per_page=100&page=1&filter=all&check_name=n");
}

TEST_F(ForgeReviews, WithATokenThereAreStatusesAndNoCheckRuns) {
  auto forge = Make("github");
  EXPECT_FALSE(forge->has_check_runs());
  const auto refused = forge->CreateCheckRun({}, "o/r", Write());
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(ForgeOutcomeOf(refused.status()), ForgeOutcome::kNotSent);
  EXPECT_EQ(forge->UpdateCheckRun({}, "o/r", "5", Write()).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(forge->ListCheckRuns({}, "o/r", kReviewHead, "n").status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(http_.count(), 0u);

  ASSERT_TRUE(forge->has_commit_statuses());
  http_.Answer(201, "{}");
  http_.Answer(200, R"([{"id": 2, "context": "c", "state": "pending", "creator": {"login": "bot"}},
                        {"id": 1, "context": "c", "state": "error", "description": "d"}])");
  EXPECT_TRUE(
      forge->SetCommitStatus({}, "o/r", kReviewHead, {.context = "c", .state = ForgeCheckState::kNeutral}).ok());
  const auto statuses = forge->ListCommitStatuses({}, "o/r", kReviewHead);
  ASSERT_TRUE(statuses.ok()) << statuses.status();
  ASSERT_EQ(statuses->size(), 2u);
  EXPECT_EQ(statuses->at(0).state, ForgeCheckState::kInProgress);
  EXPECT_EQ(statuses->at(0).author.login, "bot");
  EXPECT_EQ(statuses->at(1).state, ForgeCheckState::kFailure);
  EXPECT_EQ(http_.lines(), (std::vector<std::string>{"POST " + kGitHubRepository + "/statuses/" + kReviewHead,
                                                     "GET " + kGitHubRepository + "/commits/" + kReviewHead +
                                                         "/statuses?per_page=100&page=1"}));
  EXPECT_EQ(Body(0)["state"], "success") << "it has no word for neutral";
}

TEST_F(ForgeReviews, GitCodeHasNeither) {
  auto forge = Make("gitcode");
  EXPECT_FALSE(forge->has_check_runs());
  EXPECT_FALSE(forge->has_commit_statuses());
  EXPECT_EQ(forge->SetCommitStatus({}, "o/r", kReviewHead, {.context = "c"}).code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(forge->ListCommitStatuses({}, "o/r", kReviewHead).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(http_.count(), 0u);
}

TEST_F(ForgeReviews, AReviewOfSeveralCommentsIsOneCall) {
  auto forge = Make("github");
  EXPECT_GT(forge->max_review_comments(), 1u);
  http_.Answer(200, R"({"id": 80})");
  ASSERT_TRUE(forge->CreateReview({}, pull_, kReviewHead, {{"a.py", 3, "x"}, {"b.py", 0, "y"}}).ok());
  EXPECT_EQ(http_.lines(), (std::vector<std::string>{"POST " + kGitHubRepository + "/pulls/7/reviews"}));
  EXPECT_EQ(Body(0), json({{"commit_id", kReviewHead},
                           {"event", "COMMENT"},
                           {"comments",
                            {{{"path", "a.py"}, {"line", 3}, {"side", "RIGHT"}, {"body", "x"}},
                             {{"path", "b.py"}, {"subject_type", "file"}, {"body", "y"}}}}}));
}

TEST_F(ForgeReviews, CommentsAreReadOverAllPagesAndTellWhichTheyAnswer) {
  auto forge = Make("github");
  http_.Answer(200, R"([{"id": 1, "path": "a.py", "line": 3, "side": "RIGHT", "body": "x", "commit_id": "new",
                         "original_commit_id": "old", "user": {"login": "bot"}, "in_reply_to_id": null},
                        {"id": 2, "path": "a.py", "line": null, "body": "outdated"}])",
               {{"Link", "<https://x/y?per_page=100&page=2>; rel=\"next\""}});
  http_.Answer(200, R"([{"id": 3, "path": "a.py", "line": 3, "side": "LEFT", "body": "z", "in_reply_to_id": 1},
                        {"id": 4, "path": "a.py", "line": 1, "subject_type": "file", "body": "f"}])");
  const auto list = forge->ListReviewComments({}, pull_);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_TRUE(list->complete);
  ASSERT_EQ(list->comments.size(), 4u);
  EXPECT_EQ(list->comments[0].line, 3u);
  EXPECT_EQ(list->comments[0].commit, "old");
  EXPECT_EQ(list->comments[1].line, 0u);
  EXPECT_EQ(list->comments[2].in_reply_to, "1");
  EXPECT_EQ(list->comments[2].line, 0u) << "a line of the old side";
  EXPECT_EQ(list->comments[3].line, 0u) << "the whole file";
  EXPECT_EQ(http_.lines().at(0), "GET " + kGitHubRepository + "/pulls/7/comments?per_page=100&page=1");
}

TEST_F(ForgeReviews, AReplyIsFoundAmongTheCommentsAtLines) {
  auto forge = Make("github");
  http_.Answer(201, R"({"id": 9, "body": "fixed"})");
  http_.Answer(200, R"([{"id": 1, "path": "a.py", "body": "x"}, {"id": 9, "path": "a.py", "body": "fixed",
                         "in_reply_to_id": 1}])");
  ForgeComment comment;
  comment.id = "1";
  const auto reply = forge->ReplyToReviewComment({}, pull_, comment, "fixed");
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_TRUE(reply->shown.has_value()) << reply->read_back;
  EXPECT_EQ(reply->shown->id, "9");
  EXPECT_EQ(http_.lines().at(0), "POST " + kGitHubRepository + "/pulls/7/comments/1/replies");
}

TEST_F(ForgeReviews, GitCodesCommentIsReadBackAtItsLine) {
  auto forge = Make("gitcode");
  EXPECT_EQ(forge->max_review_comments(), 1u);
  http_.Answer(201, R"({"id": "d1", "note_id": 11, "body": "x"})");
  http_.Answer(200, R"({"id": 11, "body": "x", "position": {"new_path": "a.py", "new_line": 3}})");
  EXPECT_TRUE(forge->CreateReview({}, pull_, kReviewHead, {{"a.py", 3, "x"}}).ok());
  EXPECT_EQ(http_.lines(), (std::vector<std::string>{"POST " + kGitCodeRepository + "/pulls/7/comments",
                                                     "GET " + kGitCodeRepository + "/pulls/comments/11"}));
  EXPECT_EQ(Body(0), json({{"body", "x"}, {"path", "a.py"}, {"position", 3}}));
  EXPECT_EQ(forge->CreateReview({}, pull_, kReviewHead, {{"a.py", 3, "x"}, {"a.py", 4, "y"}}).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ForgeReviews, AGitCodeCommentThatIsAtNoLineIsToldAndNotTakenForOne) {
  auto forge = Make("gitcode");
  http_.Answer(201, R"({"id": "d1", "note_id": 11, "body": "x"})");
  http_.Answer(200, R"({"id": 11, "body": "x", "comment_type": "pr_comment"})");
  const absl::Status general = forge->CreateReview({}, pull_, kReviewHead, {{"a.py", 3, "x"}});
  EXPECT_EQ(general.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ForgeOutcomeOf(general), ForgeOutcome::kRefused);
  // Written, but nobody knows as what.
  http_.Answer(201, R"({"id": "d1", "note_id": 12, "body": "x"})");
  http_.Otherwise([](const OutgoingRequest&) { return OutgoingResponse{404, {}, "{}"}; });
  EXPECT_EQ(ForgeOutcomeOf(forge->CreateReview({}, pull_, kReviewHead, {{"a.py", 3, "x"}})), ForgeOutcome::kUnknown);
}

TEST_F(ForgeReviews, WhatGitCodesListLeavesOutIsAskedForCommentByComment) {
  auto forge = Make("gitcode");
  http_.Answer(200, R"([{"id": 1, "discussion_id": "d", "comment_type": "diff_comment", "body": "x", "diff_file": null,
                         "reply": [{"id": 2, "body": "fixed"}]},
                        {"id": 3, "comment_type": "diff_comment", "diff_file": "b.py", "body": "y",
                         "diff_position": {"start_new_line": 8, "end_new_line": 8}},
                        {"id": 4, "comment_type": "pr_comment", "body": "general"}])");
  http_.Answer(200, R"({"id": 1, "position": {"new_path": "a.py", "new_line": "7"}})");
  const auto list = forge->ListReviewComments({}, pull_);
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->comments.size(), 3u);
  EXPECT_EQ(list->comments[0].path, "a.py");
  EXPECT_EQ(list->comments[0].line, 7u);
  EXPECT_EQ(list->comments[0].comment.discussion, "d");
  EXPECT_EQ(list->comments[1].in_reply_to, "1");
  EXPECT_EQ(list->comments[2].path, "b.py");
  EXPECT_EQ(list->comments[2].line, 8u);
  EXPECT_EQ(http_.lines(), (std::vector<std::string>{
                               "GET " + kGitCodeRepository +
                                   "/pulls/7/comments?page=1&per_page=100&direction=asc&comment_type=diff_comment",
                               "GET " + kGitCodeRepository + "/pulls/comments/1"}));
}

TEST_F(ForgeReviews, OnlySoManyCommentsAreLookedUp) {
  auto forge = Make("gitcode");
  json list = json::array();
  for (int i = 1; i <= 40; ++i) list.push_back({{"id", i}, {"body", "x"}});
  http_.Answer(200, list.dump());
  http_.Otherwise([](const OutgoingRequest&) { return OutgoingResponse{404, {}, "{}"}; });
  const auto read = forge->ListReviewComments({}, pull_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->comments.size(), 40u);
  EXPECT_EQ(http_.count(), 1 + kMaxForgePlaceLookups);
}

TEST_F(ForgeReviews, GitCodeRepliesInTheDiscussion) {
  auto forge = Make("gitcode");
  http_.Answer(201, R"({"id": "d", "noteId": 12, "body": "fixed"})");
  http_.Answer(200, R"([{"id": 1, "discussion_id": "d", "diff_file": "a.py", "body": "x"},
                        {"id": 12, "discussion_id": "d", "body": "fixed"}])");
  ForgeComment comment;
  comment.id = "1";
  comment.discussion = "d";
  const auto reply = forge->ReplyToReviewComment({}, pull_, comment, "fixed");
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_TRUE(reply->shown.has_value()) << reply->read_back;
  EXPECT_EQ(reply->shown->id, "12");
  EXPECT_EQ(http_.lines().at(0), "POST " + kGitCodeRepository + "/pulls/7/discussions/d/comments");
}

TEST_F(ForgeReviews, AWriteIsRefusedOrUnknownAndNeverSentTwice) {
  auto forge = Make("github", /*app=*/true);
  http_.Answer(422, R"({"message": "Validation Failed"})");
  const absl::Status invalid = forge->CreateReview({}, pull_, kReviewHead, {{"a.py", 3, "x"}});
  EXPECT_EQ(ForgeOutcomeOf(invalid), ForgeOutcome::kRefused);
  EXPECT_EQ(ForgeErrorOf(invalid)->http_status, 422);
  http_.Answer(403, R"({"message": "Resource not accessible by integration"})");
  const auto forbidden = forge->CreateCheckRun({}, "o/r", Write());
  EXPECT_EQ(ForgeErrorOf(forbidden.status())->reason, ForgeReason::kForbidden);
  http_.Answer(502, "<html>");
  EXPECT_EQ(ForgeOutcomeOf(forge->CreateCheckRun({}, "o/r", Write()).status()), ForgeOutcome::kUnknown);
  http_.Fail(HttpFailure::Kind::kReset, true);
  EXPECT_EQ(ForgeOutcomeOf(forge->UpdateCheckRun({}, "o/r", "5", Write()).status()), ForgeOutcome::kUnknown);
  http_.Answer(201, "not JSON");
  EXPECT_EQ(ForgeOutcomeOf(forge->CreateCheckRun({}, "o/r", Write()).status()), ForgeOutcome::kUnknown);
  http_.Fail(HttpFailure::Kind::kTimeout, true);
  EXPECT_EQ(ForgeOutcomeOf(forge->SetCommitStatus({}, "o/r", kReviewHead, {.context = "c"})), ForgeOutcome::kUnknown);
  EXPECT_EQ(http_.count(), 1u + 6u);
}

TEST_F(ForgeReviews, WhatTheForgeWouldRefuseIsNotSent) {
  auto forge = Make("github", /*app=*/true);
  const auto expect_refused = [](const absl::Status& status) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_EQ(ForgeOutcomeOf(status), ForgeOutcome::kNotSent);
  };
  ForgeCheckRunWrite many = Write();
  many.annotations.resize(kMaxForgeAnnotations + 1, many.annotations[0]);
  expect_refused(forge->CreateCheckRun({}, "o/r", many).status());
  ForgeCheckRunWrite summary = Write();
  summary.summary.assign(kMaxForgeSummaryBytes + 1, 'x');
  expect_refused(forge->UpdateCheckRun({}, "o/r", "5", summary).status());
  ForgeCheckRunWrite backwards = Write();
  backwards.annotations[0].end_line = 2;
  expect_refused(forge->CreateCheckRun({}, "o/r", backwards).status());
  ForgeCheckRunWrite climbing = Write();
  climbing.annotations[0].path = "../a.py";
  expect_refused(forge->CreateCheckRun({}, "o/r", climbing).status());
  expect_refused(forge->UpdateCheckRun({}, "o/r", "5/../6", Write()).status());
  expect_refused(forge->ListCheckRuns({}, "o/r", "main", "n").status());
  expect_refused(
      forge->SetCommitStatus({}, "o/r", kReviewHead, {.context = "c", .description = std::string(141, 'x')}));
  expect_refused(forge->CreateReview({}, pull_, kReviewHead, {}));
  expect_refused(forge->CreateReview({}, pull_, "HEAD", {{"a.py", 3, "x"}}));
  expect_refused(forge->CreateReview({}, pull_, kReviewHead, {{"a.py", 3, ""}}));
  ForgeComment comment;
  comment.id = "1/../2";
  expect_refused(forge->ReplyToReviewComment({}, pull_, comment, "x").status());
  // Not even a token was fetched.
  EXPECT_EQ(http_.count(), 0u);
}

}  // namespace
}  // namespace yardmaster
