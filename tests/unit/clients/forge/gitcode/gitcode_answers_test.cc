#include "clients/forge/gitcode/gitcode_answers.h"

#include <gtest/gtest.h>

#include "clients/forge/forge_error.h"
#include "clients/forge/gitcode/gitcode_dialect.h"

namespace yardmaster {
namespace {

using std::chrono::seconds;

TEST(GitCodeAnswers, AnIssueHasItsNumberAsAText) {
  const auto issue = gitcode::ParseIssue(R"({
    "id": 3141592, "number": "17", "title": "算子精度问题", "body": null, "state": "open", "issue_state": "待处理",
    "labels": [{"id": 1, "name": "kind/bug", "color": "#ED4014"}], "comments": "2",
    "user": {"id": "64f0c0", "login": "zhang", "name": "张"}, "created_at": "2025-10-01T10:00:00+08:00",
    "html_url": "https://gitcode.com/o/r/issues/17"})");
  ASSERT_TRUE(issue.ok()) << issue.status();
  EXPECT_EQ(issue->number, 17);
  EXPECT_EQ(issue->title, "算子精度问题");
  EXPECT_EQ(issue->body, "");
  EXPECT_EQ(issue->labels, (std::vector<std::string>{"kind/bug"}));
  EXPECT_EQ(issue->author.login, "zhang");
  EXPECT_EQ(issue->author.id, "64f0c0");
  EXPECT_EQ(issue->comments, 2);
}

TEST(GitCodeAnswers, APullRequestHasOtherNamesForTheSame) {
  const auto pull = gitcode::ParseIssue(R"({
    "id": 99, "iid": 5, "title": "t", "description": "d", "state": "opened", "labels": ["lgtm", {"title": "ci-ok"}],
    "author": {"username": "li", "id": 3}, "web_url": "w"})");
  ASSERT_TRUE(pull.ok()) << pull.status();
  EXPECT_EQ(pull->number, 5);
  EXPECT_EQ(pull->body, "d");
  EXPECT_EQ(pull->state, ForgeState::kOpen);
  EXPECT_EQ(pull->labels, (std::vector<std::string>{"lgtm", "ci-ok"}));
  EXPECT_EQ(pull->author.login, "li");
  EXPECT_EQ(pull->url, "w");
}

TEST(GitCodeAnswers, TheGlobalIdIsNeverTakenForTheNumber) {
  const auto issue = gitcode::ParseIssue(R"({"id": 99, "title": "t", "state": "open"})");
  EXPECT_EQ(issue.status().message(), "number: expected a whole number, got nothing");
}

TEST(GitCodeAnswers, StatesComeInTheWordsOfSeveralApis) {
  const auto state = [](const std::string& text) {
    const auto issue = gitcode::ParseIssue(R"({"number": 1, "state": ")" + text + R"("})");
    return issue.ok() ? std::string(ForgeStateName(issue->state)) : "error";
  };
  for (const char* open : {"open", "opened", "reopened", "progressing", "Open"}) EXPECT_EQ(state(open), "open") << open;
  for (const char* closed : {"closed", "rejected", "locked"}) EXPECT_EQ(state(closed), "closed") << closed;
  EXPECT_EQ(state("merged"), "merged");
  EXPECT_EQ(state("待处理"), "unknown");
}

TEST(GitCodeAnswers, MergedIsKnownByItsTimeToo) {
  EXPECT_EQ(gitcode::ParseIssue(R"({"number": 1, "state": "closed", "merged_at": "2025-10-01"})")->state,
            ForgeState::kMerged);
  EXPECT_EQ(gitcode::ParseIssue(R"({"number": 1, "state": "closed", "merged_at": ""})")->state, ForgeState::kClosed);
}

TEST(GitCodeAnswers, LabelsMayBeOneTextWithCommas) {
  EXPECT_EQ(gitcode::ParseIssue(R"({"number": 1, "state": "open", "labels": "a,b"})")->labels,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(gitcode::ParseIssue(R"({"number": 1, "state": "open", "labels": ""})")->labels.empty());
  EXPECT_TRUE(gitcode::ParseIssue(R"({"number": 1, "state": "open", "labels": null})")->labels.empty());
}

TEST(GitCodeAnswers, ANewCommentHasTwoIdsAndTheNoteIsOurs) {
  const auto created = gitcode::ParseComment(R"({"id": "a1b2c3", "note_id": 4711, "body": "hi"})");
  ASSERT_TRUE(created.ok());
  EXPECT_EQ(created->id, "4711");
  EXPECT_EQ(created->discussion, "a1b2c3");
  const auto reply = gitcode::ParseComment(R"({"id": "a1b2c3", "noteId": "12", "body": "hi"})");
  EXPECT_EQ(reply->id, "12");
  const auto listed = gitcode::ParseComment(R"({"id": 4711, "discussion_id": "a1b2c3", "body": "hi", "system": 1})");
  EXPECT_EQ(listed->id, "4711");
  EXPECT_EQ(listed->discussion, "a1b2c3");
  EXPECT_TRUE(listed->system);
  const auto plain = gitcode::ParseComment(R"({"id": 1, "note": "text", "user": {"login": "u"}})");
  EXPECT_EQ(plain->body, "text");
  EXPECT_EQ(plain->discussion, "");
}

TEST(GitCodeAnswers, RepositoryLabelsLoseTheHashOfTheirColor) {
  const auto labels = gitcode::ParseLabels(R"([{"id": 1, "name": "kind/bug", "color": "#fff"}, "plain"])");
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ((*labels)[0].color, "fff");
  EXPECT_EQ((*labels)[1].name, "plain");
}

// --- Errors ---

std::optional<ForgeVerdict> Judge(int status, std::string body = "", std::vector<HttpHeader> headers = {}) {
  return GitCodeDialect().Judge(OutgoingResponse{status, std::move(headers), std::move(body)},
                                std::chrono::system_clock::time_point(seconds(1'714'564'800)));
}

TEST(GitCodeAnswers, PermissionsComeInTheWordsOfSeveralFamilies) {
  const auto permission = [](const char* body) {
    return gitcode::ParseAccess(body).value_or(ForgeAccess()).permission;
  };
  EXPECT_EQ(permission(R"({"permission": "admin"})"), ForgePermission::kAdmin);
  EXPECT_EQ(permission(R"({"permission": "push"})"), ForgePermission::kWrite);
  EXPECT_EQ(permission(R"({"permission": "Developer"})"), ForgePermission::kWrite);
  EXPECT_EQ(permission(R"({"permission": null, "role_name": "maintainer"})"), ForgePermission::kMaintain);
  EXPECT_EQ(permission(R"({"permission": {"role_name": "owner"}})"), ForgePermission::kAdmin);
  EXPECT_EQ(permission(R"({"permission": 40})"), ForgePermission::kNone) << "what nobody understands permits nothing";
  EXPECT_EQ(permission(R"({})"), ForgePermission::kNone);
  // Roles of a project's own making.
  EXPECT_EQ(permission(R"({"permission": "特约审核", "access_level": 30})"), ForgePermission::kWrite);
  EXPECT_EQ(permission(R"({"permission": "特约审核", "access_level": 45})"), ForgePermission::kMaintain);
  EXPECT_EQ(permission(R"({"permission": "x", "access_level": 5})"), ForgePermission::kNone);
  EXPECT_EQ(permission(R"({"permission": "x", "permissions": {"admin": false, "push": true, "pull": true}})"),
            ForgePermission::kWrite);
  EXPECT_EQ(permission(R"({"permission": {"role_name": "x", "access_level": 50}})"), ForgePermission::kAdmin);
  EXPECT_EQ(permission(R"({"permission": "read", "access_level": 50})"), ForgePermission::kRead) << "known words hold";
}

TEST(GitCodeAnswers, APullRequestIsReadFromAnyOfItsSpellings) {
  const auto pull = gitcode::ParsePull(R"({
    "iid": "5", "title": "t", "description": "d", "state": "opened", "draft": 1, "labels": [], "author": {"username": "li"},
    "source_branch": "topic", "target_branch": "master", "diff_refs": {"base_sha": "b", "head_sha": "h"},
    "head": {"repo": {"path_with_namespace": "li/r"}}, "changes_count": "3"})");
  ASSERT_TRUE(pull.ok()) << pull.status();
  EXPECT_EQ(pull->number, 5);
  EXPECT_TRUE(pull->draft);
  EXPECT_EQ(pull->base_ref, "master");
  EXPECT_EQ(pull->base_sha, "b");
  EXPECT_EQ(pull->head_ref, "topic");
  EXPECT_EQ(pull->head_sha, "h");
  EXPECT_EQ(pull->head_repository, "li/r");
  EXPECT_EQ(pull->changed_files, 3);
  EXPECT_FALSE(gitcode::ParsePull(R"({"number": 5, "state": "open", "head": {"sha": "h"}})").ok()) << "no base";
}

TEST(GitCodeAnswers, AFileOfAPullRequestHasItsPatchAsAnObject) {
  const auto files = gitcode::ParsePullFiles(R"([
    {"filename": "a.py", "status": "modified", "additions": "1", "deletions": "0", "sha": "s",
     "patch": {"diff": "@@ -1 +1 @@", "old_path": "a.py", "new_path": "a.py", "too_large": false}},
    {"filename": "n.py", "patch": {"diff": "@@", "old_path": "o.py", "new_path": "n.py", "renamed_file": 1}},
    {"filename": "g.py", "patch": {"diff": "", "new_path": "g.py", "old_path": "g.py", "deleted_file": "true"}},
    {"filename": "big.py", "status": "added", "patch": {"diff": "@@ cut", "too_large": 1}},
    {"patch": {"diff": "@@", "new_path": "named.py", "new_file": true}}])");
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 5U);
  EXPECT_EQ((*files)[0].patch, "@@ -1 +1 @@");
  EXPECT_EQ((*files)[0].additions, 1);
  EXPECT_EQ((*files)[0].previous_path, "");
  EXPECT_EQ((*files)[1].status, ForgeFileStatus::kRenamed);
  EXPECT_EQ((*files)[1].previous_path, "o.py");
  EXPECT_EQ((*files)[2].status, ForgeFileStatus::kRemoved);
  EXPECT_EQ((*files)[3].patch, std::nullopt) << "what is cut is not the patch";
  EXPECT_EQ((*files)[4].path, "named.py");
  EXPECT_EQ((*files)[4].status, ForgeFileStatus::kAdded);
}

TEST(GitCodeErrors, EveryShapeThatWasSeenIsUnderstood) {
  const struct {
    int status;
    const char* body;
    ForgeReason reason;
    const char* message;
  } cases[] = {
      {401, R"({"message":"401 Unauthorized"})", ForgeReason::kUnauthorized, "401 Unauthorized"},
      {400, R"({"error_code":400,"error_code_name":"UN_KNOW","error_message":"bad","trace_id":"t1"})",
       ForgeReason::kInvalid, "bad (trace_id t1)"},
      {400, R"({"error_message":"Orchestration error: Invalid path parameter: note_id, number required"})",
       ForgeReason::kInvalid, "Orchestration error: Invalid path parameter: note_id, number required"},
      {401, R"({"error":"invalid_token","error_description":"expired"})", ForgeReason::kUnauthorized, "expired"},
      {401, R"({"error":"invalid_token"})", ForgeReason::kUnauthorized, "invalid_token"},
      {400, R"({"error_code":1004,"error_code_name":"UN_KNOW"})", ForgeReason::kInvalid, "UN_KNOW"},
      {404, "", ForgeReason::kNotFound, ""},
      {418, "<html>blocked</html>", ForgeReason::kTextRefused, ""},
      {502, "Bad Gateway", ForgeReason::kServer, ""},
      {409, R"({"error_message":"Another open merge request already exists for this source branch: !7"})",
       ForgeReason::kConflict, "Another open merge request already exists for this source branch: !7"},
  };
  for (const auto& c : cases) {
    const auto verdict = Judge(c.status, c.body);
    ASSERT_TRUE(verdict.has_value()) << c.body;
    EXPECT_EQ(verdict->status, c.status) << c.body;
    EXPECT_EQ(verdict->reason, c.reason) << c.body;
    EXPECT_EQ(verdict->message, c.message) << c.body;
  }
}

TEST(GitCodeErrors, AnErrorWith200IsAnError) {
  const auto not_found = Judge(200, R"({"error_code":404,"error_message":"project not found"})");
  EXPECT_EQ(not_found->status, 404);
  EXPECT_EQ(not_found->reason, ForgeReason::kNotFound);
  const auto rule = Judge(200, R"({"error_code":"1004","error_message":"not allowed"})");
  EXPECT_EQ(rule->status, 400);
  const auto server = Judge(200, R"({"error_code":500,"error_message":"oops"})");
  EXPECT_EQ(server->reason, ForgeReason::kServer);
  EXPECT_EQ(OutcomeOfStatus(server->status), ForgeOutcome::kUnknown);
  const auto oauth = Judge(200, R"({"error":"invalid_token"})");
  EXPECT_EQ(oauth->status, 400);
}

TEST(GitCodeErrors, ASuccessThatSpeaksOfErrorsIsASuccess) {
  EXPECT_FALSE(Judge(200, R"([{"number": 1, "title": "error_code 500"}])").has_value());
  EXPECT_FALSE(
      Judge(200, R"({"number": 1, "title": "\"error_message\": \"x\"", "labels": [{"error_code": 5}]})").has_value());
  EXPECT_FALSE(Judge(200, R"({"id": 1, "error": "text of a field"})").has_value());
  EXPECT_FALSE(Judge(201, R"({"merged": true, "message": "done"})").has_value());
  EXPECT_FALSE(Judge(200, R"({"error_code": 0, "id": 1})").has_value());
  EXPECT_FALSE(Judge(204).has_value());
}

TEST(GitCodeErrors, LimitsAreKnownWithAndWithoutATime) {
  EXPECT_EQ(Judge(429)->reason, ForgeReason::kRateLimited);
  EXPECT_FALSE(Judge(429)->retry_after.has_value());
  EXPECT_EQ(Judge(429, "", {{"Retry-After", "3"}})->retry_after, seconds(3));
  EXPECT_EQ(Judge(403, "", {{"Retry-After", "3"}})->reason, ForgeReason::kRateLimited);
  EXPECT_EQ(Judge(400, R"({"error_code":429,"error_message":"too many"})")->reason, ForgeReason::kRateLimited);
  EXPECT_EQ(Judge(403, R"({"error_message":"apig token has not permission to request url"})")->reason,
            ForgeReason::kForbidden);
}

}  // namespace
}  // namespace yardmaster
