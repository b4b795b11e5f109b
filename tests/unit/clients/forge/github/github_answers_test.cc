#include "clients/forge/github/github_answers.h"

#include <gtest/gtest.h>

#include "clients/forge/forge_error.h"

namespace yardmaster {
namespace {

// Cut down from the public documentation's example.
constexpr char kIssue[] = R"({
  "id": 1, "node_id": "MDU6SXNzdWUx", "number": 1347, "state": "open", "title": "Found a bug",
  "body": "I'm having a problem with this.",
  "user": {"login": "octocat", "id": 1, "type": "User", "site_admin": false},
  "labels": [{"id": 208045946, "name": "bug", "color": "f29513"}, {"id": 2, "name": "oncall: distributed"}],
  "assignee": null, "locked": true, "comments": 3, "pull_request": null,
  "created_at": "2011-04-22T13:33:48Z", "updated_at": "2011-04-22T13:33:49Z",
  "html_url": "https://github.com/octocat/Hello-World/issues/1347"})";

TEST(GitHubAnswers, AnIssueIsReadWithAllThatPlannersLookAt) {
  const auto issue = github::ParseIssue(kIssue);
  ASSERT_TRUE(issue.ok()) << issue.status();
  EXPECT_EQ(issue->number, 1347);
  EXPECT_FALSE(issue->pull_request);
  EXPECT_EQ(issue->title, "Found a bug");
  EXPECT_EQ(issue->body, "I'm having a problem with this.");
  EXPECT_EQ(issue->state, ForgeState::kOpen);
  EXPECT_EQ(issue->labels, (std::vector<std::string>{"bug", "oncall: distributed"}));
  EXPECT_EQ(issue->author.login, "octocat");
  EXPECT_FALSE(issue->author.bot);
  EXPECT_EQ(issue->comments, 3);
  EXPECT_EQ(issue->updated_at, "2011-04-22T13:33:49Z");
}

TEST(GitHubAnswers, AnEmptyBodyIsNullThere) {
  const auto issue = github::ParseIssue(R"({"number": 1, "title": "t", "body": null, "state": "open", "labels": []})");
  ASSERT_TRUE(issue.ok()) << issue.status();
  EXPECT_EQ(issue->body, "");
  EXPECT_EQ(issue->author.login, "");
  EXPECT_EQ(issue->comments, -1);
}

TEST(GitHubAnswers, WrongTypesAreReadWhereTheyCanBeUnderstood) {
  const auto issue = github::ParseIssue(
      R"({"number": "12", "title": 5, "state": "OPEN", "labels": ["bug", {"name": "area"}], "comments": "many"})");
  ASSERT_TRUE(issue.ok()) << issue.status();
  EXPECT_EQ(issue->number, 12);
  EXPECT_EQ(issue->title, "5");
  EXPECT_EQ(issue->labels, (std::vector<std::string>{"bug", "area"}));
  EXPECT_EQ(issue->comments, -1);
}

TEST(GitHubAnswers, AnotherShapeIsAnErrorThatNamesTheField) {
  const struct {
    const char* body;
    const char* field;
  } cases[] = {
      {R"({"title": "t", "state": "open"})", "number: expected a whole number, got nothing"},
      {R"({"number": 1, "title": ["t"], "state": "open"})", "title: expected a text, got an array"},
      {R"({"number": 1, "title": "t", "state": "open", "labels": {"a": 1}})", "labels: expected an array"},
      {R"({"number": 1, "title": "t", "state": "open", "user": "octocat"})", "user: expected an object, got a text"},
      {R"([])", "the answer: expected an object, got an array"},
      {R"(null)", "the answer: expected an object, got null"},
      {R"("x")", "the answer: expected an object"},
  };
  for (const auto& c : cases) {
    const auto issue = github::ParseIssue(c.body);
    ASSERT_FALSE(issue.ok()) << c.body;
    EXPECT_EQ(issue.status().code(), absl::StatusCode::kDataLoss) << c.body;
    EXPECT_EQ(issue.status().message().find(c.field), 0u) << issue.status();
  }
}

TEST(GitHubAnswers, AStrangeLabelOrStateMakesNoIssueUnreadable) {
  const auto issue = github::ParseIssue(
      R"({"number": 1, "title": "t", "state": "sleeping",
          "labels": [{"name": null}, {"color": "x"}, {"name": "bug"}, null, {"name": ["x"]}]})");
  ASSERT_TRUE(issue.ok()) << issue.status();
  EXPECT_EQ(issue->state, ForgeState::kUnknown);
  EXPECT_TRUE(MayBeOpen(issue->state));
  EXPECT_EQ(issue->labels, std::vector<std::string>{"bug"});
  EXPECT_EQ(github::ParseIssue(R"({"number": 1, "title": "t", "state": null})")->state, ForgeState::kUnknown);
}

TEST(GitHubAnswers, AProblemInAListNamesTheElement) {
  const auto issues = github::ParseIssues(R"([{"number": 1, "state": "open"}, {"number": [], "state": "open"}])");
  EXPECT_EQ(issues.status().message(), "[1].number: expected a whole number, got an array");
}

TEST(GitHubAnswers, PullRequestsAreKnownByTheirMemberAndMaybeMerged) {
  const auto issues = github::ParseIssues(R"([
    {"number": 1, "state": "closed", "pull_request": {"url": "u", "merged_at": "2024-01-01T00:00:00Z"}},
    {"number": 2, "state": "closed", "pull_request": {"url": "u", "merged_at": null}},
    {"number": 3, "state": "closed"}])");
  ASSERT_TRUE(issues.ok()) << issues.status();
  EXPECT_EQ((*issues)[0].state, ForgeState::kMerged);
  EXPECT_TRUE((*issues)[0].pull_request);
  EXPECT_EQ((*issues)[1].state, ForgeState::kClosed);
  EXPECT_FALSE((*issues)[2].pull_request);
}

TEST(GitHubAnswers, BotsAreKnownByTypeOrName) {
  EXPECT_TRUE(github::ParseUser(R"({"login": "x", "id": 1, "type": "Bot"})")->bot);
  EXPECT_TRUE(github::ParseUser(R"({"login": "x[bot]", "id": 1})")->bot);
  EXPECT_FALSE(github::ParseUser(R"({"login": "x", "id": 1, "type": "User"})")->bot);
}

TEST(GitHubAnswers, AUserWithoutALoginIsNobody) {
  EXPECT_FALSE(github::ParseUser(R"({"id": 1})").ok());
  EXPECT_FALSE(github::ParseUser(R"({"login": ""})").ok());
}

TEST(GitHubAnswers, CommentsKeepTheirOrderAndIds) {
  const auto comments = github::ParseComments(R"([
    {"id": 9007199254740993, "body": "a", "user": {"login": "u"}, "created_at": "x"},
    {"id": 2, "body": null, "user": null}])");
  ASSERT_TRUE(comments.ok()) << comments.status();
  EXPECT_EQ((*comments)[0].id, "9007199254740993");
  EXPECT_EQ((*comments)[1].body, "");
  EXPECT_EQ((*comments)[1].author.login, "");
}

TEST(GitHubAnswers, NothingWhereAListIsExpectedIsAnEmptyList) {
  EXPECT_TRUE(github::ParseComments("null")->empty());
  EXPECT_FALSE(github::ParseComments("{}").ok());
}

TEST(GitHubAnswers, DeliveriesKeepBothIds) {
  const auto deliveries = github::ParseDeliveries(R"([
    {"id": 12345678, "guid": "0b989ba4-242f-11e5-81e1-c7b6966d2516", "delivered_at": "2019-06-03T00:57:16Z",
     "redelivery": false, "duration": 0.27, "status": "OK", "status_code": 200, "event": "issues", "action": "opened"},
    {"id": "9", "guid": "g", "redelivery": true, "status_code": 0, "event": "ping", "action": null}])");
  ASSERT_TRUE(deliveries.ok()) << deliveries.status();
  EXPECT_EQ((*deliveries)[0].id, "12345678");
  EXPECT_EQ((*deliveries)[0].guid, "0b989ba4-242f-11e5-81e1-c7b6966d2516");
  EXPECT_EQ((*deliveries)[0].status_code, 200);
  EXPECT_EQ((*deliveries)[1].action, "");
  EXPECT_TRUE((*deliveries)[1].redelivery);
}

TEST(GitHubAnswers, AnInstallationTokenNeedsATimeAtWhichItEnds) {
  const auto token = github::ParseInstallationToken(R"({"token": "ghs_x", "expires_at": "2024-05-01T13:00:00Z"})");
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(token->token.Reveal(), "ghs_x");
  EXPECT_EQ(token->expires_at.time_since_epoch(), std::chrono::seconds(1'714'568'400));
  EXPECT_FALSE(github::ParseInstallationToken(R"({"token": "ghs_x", "expires_at": "soon"})").ok());
  const auto empty = github::ParseInstallationToken(R"({"token": "", "expires_at": "2024-05-01T13:00:00Z"})");
  EXPECT_FALSE(empty.ok());
  // What is wrong with a token is told without the token.
  const auto wrong = github::ParseInstallationToken(R"({"token": ["ghs_secret"], "expires_at": "x"})");
  EXPECT_EQ(wrong.status().message().find("ghs_secret"), std::string::npos);
}

TEST(GitHubAnswers, AnAppWritesAsItsBot) {
  const auto app = github::ParseApp(R"({"id": 1, "slug": "yardmaster", "name": "Yardmaster"})");
  ASSERT_TRUE(app.ok());
  EXPECT_EQ(app->login, "yardmaster[bot]");
  EXPECT_TRUE(app->bot);
}

TEST(GitHubAnswers, ARoleSaysMoreThanThePermission) {
  const auto access = [](const char* body) { return github::ParseAccess(body).value_or(ForgeAccess()); };
  EXPECT_EQ(access(R"({"permission": "admin"})").permission, ForgePermission::kAdmin);
  EXPECT_EQ(access(R"({"permission": "write", "role_name": "maintain"})").permission, ForgePermission::kMaintain);
  EXPECT_EQ(access(R"({"permission": "read", "role_name": "triage"})").permission, ForgePermission::kTriage);
  EXPECT_EQ(access(R"({"permission": "write", "role_name": "Release Crew"})").permission, ForgePermission::kWrite);
  EXPECT_EQ(access(R"({"permission": "write", "role_name": "Release Crew"})").word, "Release Crew");
  EXPECT_EQ(access(R"({"permission": "none"})").permission, ForgePermission::kNone);
  EXPECT_FALSE(github::ParseAccess(R"({"user": {}})").ok());
}

TEST(GitHubAnswers, OnlyAnActiveMembershipIsOne) {
  EXPECT_TRUE(github::ParseMembership(R"({"state": "active", "role": "maintainer"})").value_or(false));
  EXPECT_FALSE(github::ParseMembership(R"({"state": "pending", "role": "member"})").value_or(true));
  EXPECT_FALSE(github::ParseMembership(R"({"role": "member"})").ok());
}

TEST(GitHubAnswers, APullRequestHasBothSides) {
  const auto pull = github::ParsePull(R"({
    "number": 7, "title": "t", "body": null, "state": "closed", "merged": true, "merged_at": "2026-01-01T00:00:00Z",
    "draft": false, "labels": [{"name": "a"}], "user": {"login": "u"}, "changed_files": 3,
    "head": {"ref": "topic", "sha": "h", "repo": null},
    "base": {"ref": "main", "sha": "b", "repo": {"full_name": "o/r", "default_branch": "main"}}})");
  ASSERT_TRUE(pull.ok()) << pull.status();
  EXPECT_EQ(pull->state, ForgeState::kMerged);
  EXPECT_EQ(pull->base_ref, "main");
  EXPECT_EQ(pull->base_sha, "b");
  EXPECT_EQ(pull->default_branch, "main");
  EXPECT_EQ(pull->head_sha, "h");
  EXPECT_EQ(pull->head_repository, "") << "the fork was deleted";
  EXPECT_EQ(pull->changed_files, 3);
  EXPECT_FALSE(github::ParsePull(R"({"number": 7, "state": "open", "base": {"ref": "main"}})").ok()) << "no head";
}

TEST(GitHubAnswers, FilesOfAPullRequestKeepWhatTheForgeLeavesOut) {
  const auto files = github::ParsePullFiles(R"([
    {"filename": "a.py", "status": "renamed", "previous_filename": "b.py", "sha": "s", "additions": 1, "deletions": 2,
     "patch": "@@ -1 +1 @@"},
    {"filename": "x.bin", "status": "removed"}, {"filename": "y", "status": "something new"}])");
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 3U);
  EXPECT_EQ((*files)[0].status, ForgeFileStatus::kRenamed);
  EXPECT_EQ((*files)[0].previous_path, "b.py");
  EXPECT_EQ((*files)[0].additions, 1);
  EXPECT_EQ((*files)[0].patch, "@@ -1 +1 @@");
  EXPECT_EQ((*files)[1].status, ForgeFileStatus::kRemoved);
  EXPECT_EQ((*files)[1].patch, std::nullopt);
  EXPECT_EQ((*files)[1].additions, -1);
  EXPECT_EQ((*files)[2].status, ForgeFileStatus::kModified);
}

TEST(LinkHeader, SaysWhetherThereIsANextPage) {
  EXPECT_EQ(github::HasNextLink(""), std::nullopt);
  EXPECT_EQ(github::HasNextLink("<https://h/x?page=2>; rel=\"next\", <https://h/x?page=9>; rel=\"last\""), true);
  EXPECT_EQ(github::HasNextLink("<https://h/x?page=1>; rel=\"prev\", <https://h/x?page=1>; rel=\"first\""), false);
  EXPECT_EQ(github::HasNextLink("<https://h/x?q=a,b>; title=\"a, rel=next\"; rel=\"last\", <u>; rel=next"), true);
  EXPECT_EQ(github::HasNextLink("<unclosed"), false);
  EXPECT_EQ(github::HasNextLink("garbage"), false);
}

TEST(LinkHeader, OnlyAParameterOfTheNextUrlIsUsed) {
  const char link[] = "<https://evil.test/x?per_page=100&cursor=v1_123%3D&x=1>; rel=\"next\"";
  EXPECT_EQ(github::NextLinkParameter(link, "cursor"), "v1_123%3D");
  EXPECT_EQ(github::NextLinkParameter(link, "page"), "");
  EXPECT_EQ(github::NextLinkParameter("<https://h/x>; rel=\"next\"", "cursor"), "");
  EXPECT_EQ(github::NextLinkParameter("<https://h/x?cursor=1>; rel=\"prev\"", "cursor"), "");
}

}  // namespace
}  // namespace yardmaster
