// Both adapters on the whole stack, as the daemon wires it, over a scripted HttpClient.
#include "clients/forge/make_forge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "clients/forge/gitcode/gitcode_profile.h"
#include "clients/forge/github/github_profile.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/fake_waiter.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::FakeClock;
using testing::FakeHttpClient;
using testing::HeaderOf;
using testing::VirtualWaiter;

constexpr char kIssueBody[] = R"({"number": 5, "title": "t", "body": "b", "state": "open",
                                  "labels": [{"name": "oncall: distributed"}, {"name": "module: fsdp"}]})";

json Comments(int from, int count) {
  json out = json::array();
  for (int i = from; i < from + count; ++i) {
    out.push_back({{"id", i}, {"body", "comment " + std::to_string(i)}, {"user", {{"login", "u"}}}});
  }
  return out;
}

class ForgeTest : public ::testing::Test {
 protected:
  std::unique_ptr<StoppableForge> Make(const std::string& name, const std::string& token = "t0ken-value") {
    ForgeConfig config;
    config.name = name;
    config.profile = name == "github" ? &GitHubProfile() : &GitCodeProfile();
    config.api_url = name == "github" ? "https://api.github.test" : "https://api.gitcode.test/api/v5";
    config.token = Secret(token);
    auto forge = MakeForge(config, ForgeEnvironment{http_, clock_, waiter_, &metrics_, /*seed=*/1, nullptr});
    EXPECT_TRUE(forge.ok()) << forge.status();
    return *std::move(forge);
  }

  FakeClock clock_;
  VirtualWaiter waiter_{clock_};
  FakeHttpClient http_;
  Metrics metrics_;
  const ForgeSubject issue_{"pytorch/pytorch", 5, false};
  const ForgeSubject pull_{"o/r", 7, true};
};

// --- GitHub ---

TEST_F(ForgeTest, GitHubAsksForAnIssueWithItsTokenInAHeader) {
  auto forge = Make("github");
  http_.Answer(200, kIssueBody);
  const auto issue = forge->GetIssue({}, issue_);
  ASSERT_TRUE(issue.ok()) << issue.status();
  EXPECT_EQ(issue->labels, (std::vector<std::string>{"oncall: distributed", "module: fsdp"}));
  EXPECT_EQ(http_.lines(), (std::vector<std::string>{"GET https://api.github.test/repos/pytorch/pytorch/issues/5"}));
  const OutgoingRequest request = http_.requests().at(0);
  EXPECT_EQ(HeaderOf(request, "Authorization"), "Bearer t0ken-value");
  EXPECT_EQ(HeaderOf(request, "Accept"), "application/vnd.github+json");
}

TEST_F(ForgeTest, GitHubAppendsLabelsAndReadsThemBack) {
  auto forge = Make("github");
  http_.Answer(200, R"([{"name": "module: fsdp"}])");
  http_.Answer(200, kIssueBody);
  const auto written = forge->AddLabels({}, issue_, {"module: fsdp"});
  ASSERT_TRUE(written.ok()) << written.status();
  ASSERT_TRUE(written->shown.has_value());
  EXPECT_EQ(*written->shown, (std::vector<std::string>{"oncall: distributed", "module: fsdp"}));
  EXPECT_EQ(http_.lines(),
            (std::vector<std::string>{"POST https://api.github.test/repos/pytorch/pytorch/issues/5/labels",
                                      "GET https://api.github.test/repos/pytorch/pytorch/issues/5"}));
  EXPECT_EQ(json::parse(http_.requests().at(0).body), json({{"labels", {"module: fsdp"}}}));
}

TEST_F(ForgeTest, AnEmptyListOfLabelsIsNeverSent) {
  auto forge = Make("github");
  const auto written = forge->AddLabels({}, issue_, {});
  EXPECT_EQ(written.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ForgeOutcomeOf(written.status()), ForgeOutcome::kNotSent);
  EXPECT_EQ(http_.count(), 0u);
}

TEST_F(ForgeTest, ALabelWhoseReadBackFailsIsWrittenButNotShown) {
  auto forge = Make("github");
  http_.Answer(200, "[]");
  http_.Answer(404, R"({"message": "Not Found"})");
  const auto written = forge->AddLabels({}, issue_, {"module: fsdp"});
  ASSERT_TRUE(written.ok());
  EXPECT_FALSE(written->shown.has_value());
  EXPECT_EQ(written->read_back.code(), absl::StatusCode::kNotFound);
}

TEST_F(ForgeTest, AWriteIsRefusedOrUnknownButNeverSentTwice) {
  auto forge = Make("github");
  http_.Answer(422, R"({"message": "Validation Failed"})");
  EXPECT_EQ(ForgeOutcomeOf(forge->AddLabels({}, issue_, {"a"}).status()), ForgeOutcome::kRefused);
  http_.Answer(502, "<html>");
  EXPECT_EQ(ForgeOutcomeOf(forge->AddLabels({}, issue_, {"a"}).status()), ForgeOutcome::kUnknown);
  http_.Fail(HttpFailure::Kind::kReset, true);
  EXPECT_EQ(ForgeOutcomeOf(forge->AddComment({}, issue_, "x").status()), ForgeOutcome::kUnknown);
  http_.Fail(HttpFailure::Kind::kTimeout, true);
  EXPECT_EQ(ForgeOutcomeOf(forge->AddComment({}, issue_, "x").status()), ForgeOutcome::kUnknown);
  EXPECT_EQ(http_.count(), 4u);
}

TEST_F(ForgeTest, GitHubsNewCommentIsFoundAgainByItsId) {
  auto forge = Make("github");
  http_.Answer(201, R"({"id": 205, "body": "hello", "user": {"login": "bot"}})");
  json page = Comments(200, 10);
  page[5]["body"] = "hello, changed by the forge";
  http_.Answer(200, page.dump());
  const auto written = forge->AddComment({}, issue_, "hello");
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(written->answered->id, "205");
  ASSERT_TRUE(written->shown.has_value());
  EXPECT_EQ(written->shown->body, "hello, changed by the forge");
  EXPECT_EQ(http_.lines().at(1),
            "GET https://api.github.test/repos/pytorch/pytorch/issues/5/comments?per_page=100&page=1");
}

TEST_F(ForgeTest, ACommentThatIsNotVisibleYetIsNotShown) {
  auto forge = Make("github");
  http_.Answer(201, R"({"id": 205, "body": "hello"})");
  http_.Answer(200, "[]");
  const auto written = forge->AddComment({}, issue_, "hello");
  ASSERT_TRUE(written.ok());
  EXPECT_FALSE(written->shown.has_value());
  EXPECT_EQ(written->read_back.code(), absl::StatusCode::kNotFound);
}

TEST_F(ForgeTest, AnUnreadableAnswerToAWriteIsStillAWriteAndFoundByItsText) {
  auto forge = Make("github");
  http_.Answer(201, "<html>");
  http_.Answer(200, R"([{"id": 1, "body": "other"}, {"id": 2, "body": "hello"}])");
  const auto written = forge->AddComment({}, issue_, "hello");
  ASSERT_TRUE(written.ok());
  EXPECT_FALSE(written->answered.has_value());
  EXPECT_EQ(written->shown->id, "2");
}

TEST_F(ForgeTest, AllPagesOfCommentsAreReadUntilAShortOne) {
  auto forge = Make("github");
  http_.Answer(200, Comments(1, 100).dump());
  http_.Answer(200, Comments(101, 100).dump());
  http_.Answer(200, Comments(201, 3).dump());
  const auto list = forge->ListComments({}, issue_);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->comments.size(), 203u);
  EXPECT_TRUE(list->complete);
  EXPECT_EQ(list->comments.back().id, "203");
}

TEST_F(ForgeTest, ALinkHeaderThatNamesAnotherHostOnlySaysThatThereIsMore) {
  auto forge = Make("github");
  http_.Answer(200, Comments(1, 2).dump(), {{"Link", "<https://evil.test/x?page=2>; rel=\"next\""}});
  http_.Answer(200, Comments(3, 2).dump(), {{"Link", "<https://evil.test/x?page=1>; rel=\"prev\""}});
  const auto list = forge->ListComments({}, issue_);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->comments.size(), 4u);
  for (const std::string& line : http_.lines()) EXPECT_EQ(line.find("GET https://api.github.test/"), 0u) << line;
}

TEST_F(ForgeTest, AnErrorOnALaterPageIsAnErrorOfTheList) {
  auto forge = Make("github");
  http_.Answer(200, Comments(1, 100).dump());
  http_.Answer(404, "{}");
  EXPECT_EQ(forge->ListComments({}, issue_).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ForgeTest, IssuesAreListedAsTheContractSays) {
  auto forge = Make("github");
  http_.Answer(200, R"([{"number": 3, "title": "t", "state": "open"}])");
  ForgeIssueQuery query;
  query.labels = {"oncall: distributed"};
  query.state = ForgeState::kOpen;
  const auto page = forge->ListIssues({}, "pytorch/pytorch", query);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->issues.size(), 1u);
  EXPECT_EQ(page->next, "");
  EXPECT_EQ(http_.lines().at(0),
            "GET https://api.github.test/repos/pytorch/pytorch/issues?labels=oncall%3A%20distributed&state=open&sort="
            "created&direction=asc&per_page=100&page=1");
}

TEST_F(ForgeTest, AListOfIssuesIsContinuedByItsCursorAndEndsWhenAPageRepeats) {
  auto forge = Make("github");
  json full = json::array();
  for (int i = 1; i <= 100; ++i) full.push_back({{"number", i}, {"state", "open"}});
  http_.Answer(200, full.dump());
  http_.Answer(200, full.dump());
  ForgeIssueQuery query;
  const auto first = forge->ListIssues({}, "o/r", query);
  ASSERT_TRUE(first.ok());
  ASSERT_NE(first->next, "");
  query.cursor = first->next;
  const auto second = forge->ListIssues({}, "o/r", query);
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(second->issues.empty());
  EXPECT_EQ(second->next, "");
  EXPECT_NE(http_.lines().at(1).find("&page=2"), std::string::npos);
}

TEST_F(ForgeTest, AListGoesOnAsItsLinkSaysBeyondWhatPageNumbersReach) {
  auto forge = Make("github");
  const std::string after = "state=open&per_page=100&after=Y3Vyc29yOnYyOpK5MjAyNA%3D%3D&page=2";
  http_.Answer(200, R"([{"number": 1, "state": "open"}])",
               {{"Link", "<https://api.github.test/repositories/7/issues?" + after + ">; rel=\"next\""}});
  http_.Answer(200, R"([{"number": 2, "state": "open"}])",
               {{"Link", "<https://api.github.test/x?page=1>; rel=\"prev\""}});
  ForgeIssueQuery query;
  const auto first = forge->ListIssues({}, "o/r", query);
  ASSERT_TRUE(first.ok()) << first.status();
  query.cursor = first->next;
  const auto second = forge->ListIssues({}, "o/r", query);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->issues.size(), 1U);
  EXPECT_EQ(second->next, "");
  EXPECT_EQ(http_.lines().at(1), "GET https://api.github.test/repos/o/r/issues?" + after);
  // A query that no forge would write is not taken.
  http_.Answer(200, R"([{"number": 3, "state": "open"}])", {{"Link", "<https://h/x?page=2#/../y>; rel=\"next\""}});
  query.cursor.clear();
  const auto strange = forge->ListIssues({}, "o/r", query);
  ASSERT_TRUE(strange.ok());
  EXPECT_EQ(strange->next, "2.3") << "the number of the page is as good";
}

TEST_F(ForgeTest, AForeignCursorIsRefused) {
  auto forge = Make("github");
  ForgeIssueQuery query;
  for (const char* cursor : {"x", "0", "-1.5", "99999999999"}) {
    query.cursor = cursor;
    EXPECT_EQ(forge->ListIssues({}, "o/r", query).status().code(), absl::StatusCode::kInvalidArgument) << cursor;
  }
  EXPECT_EQ(forge->ListHookDeliveries({}, "o/r", "1", "a&b=c").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(http_.count(), 0u);
}

TEST_F(ForgeTest, DeliveriesAreReadByTheForgesCursorAndAskedForAgain) {
  auto forge = Make("github");
  http_.Answer(200, R"([{"id": 11, "guid": "g", "event": "issues", "status_code": 502}])",
               {{"Link", "<https://api.github.test/x?per_page=100&cursor=v1_10>; rel=\"next\""}});
  http_.Answer(200, "[]");
  http_.Answer(202, "{}");
  const auto page = forge->ListHookDeliveries({}, "o/r", "42", "");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->next, "v1_10");
  EXPECT_EQ(forge->ListHookDeliveries({}, "o/r", "42", page->next)->next, "");
  EXPECT_TRUE(forge->Redeliver({}, "o/r", "42", "11").ok());
  EXPECT_EQ(http_.lines(), (std::vector<std::string>{
                               "GET https://api.github.test/repos/o/r/hooks/42/deliveries?per_page=100",
                               "GET https://api.github.test/repos/o/r/hooks/42/deliveries?per_page=100&cursor=v1_10",
                               "POST https://api.github.test/repos/o/r/hooks/42/deliveries/11/attempts"}));
}

TEST_F(ForgeTest, ReadsAreRetriedAndARateLimitIsWaitedOut) {
  auto forge = Make("github");
  http_.Answer(502, "");
  http_.Answer(429, "{}", {{"Retry-After", "7"}});
  http_.Answer(200, kIssueBody);
  EXPECT_TRUE(forge->GetIssue({}, issue_).ok());
  EXPECT_EQ(http_.count(), 3u);
  EXPECT_GE(waiter_.total(), seconds(7));
}

TEST_F(ForgeTest, ARateLimitLongerThanTheCallIsToldAndNotWaitedFor) {
  auto forge = Make("github");
  http_.Answer(429, "{}", {{"Retry-After", "600"}});
  ForgeCall call;
  call.timeout = seconds(5);
  const auto first = forge->GetIssue(call, issue_);
  EXPECT_EQ(first.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_GE(*ForgeErrorOf(first.status())->retry_after, seconds(600));
  // The next call does not even ask.
  const auto second = forge->GetIssue(call, issue_);
  EXPECT_EQ(ForgeErrorOf(second.status())->reason, ForgeReason::kBudget);
  EXPECT_EQ(http_.count(), 1u);
  EXPECT_EQ(waiter_.total(), milliseconds(0));
}

TEST_F(ForgeTest, AnUnchangedIssueIsAskedForWithItsTag) {
  auto forge = Make("github");
  http_.Answer(200, kIssueBody, {{"ETag", "\"abc\""}});
  http_.Answer(304, "");
  EXPECT_TRUE(forge->GetIssue({}, issue_).ok());
  const auto again = forge->GetIssue({}, issue_);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->title, "t");
  EXPECT_EQ(HeaderOf(http_.requests().at(1), "If-None-Match"), "\"abc\"");
}

TEST_F(ForgeTest, ATransferredIssueIsNotTakenForTheOneAskedFor) {
  auto forge = Make("github");
  http_.Answer(301, "", {{"Location", "https://api.github.test/repositories/9/issues/77"}});
  http_.Answer(200, R"({"number": 77, "title": "elsewhere", "state": "open"})");
  const auto issue = forge->GetIssue({}, issue_);
  EXPECT_EQ(ForgeErrorOf(issue.status())->reason, ForgeReason::kMoved);
}

TEST_F(ForgeTest, AnAnswerOfAnotherShapeNamesRequestAndField) {
  auto forge = Make("github");
  http_.Answer(200, R"({"number": {}, "state": "open"})");
  const auto issue = forge->GetIssue({}, issue_);
  EXPECT_EQ(issue.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(issue.status().message(),
            "GET /repos/pytorch/pytorch/issues/5: unexpected answer: number: expected a whole number, got an object");
}

TEST_F(ForgeTest, RepositoryAndUserAreRead) {
  auto forge = Make("github");
  http_.Answer(200, R"({"login": "yard-bot", "id": 5, "type": "User"})");
  http_.Answer(200, R"({"full_name": "o/r", "default_branch": "main", "private": false, "archived": true})");
  http_.Answer(200, R"([{"name": "bug", "description": null, "color": "f00"}])");
  EXPECT_EQ(forge->CurrentUser({})->login, "yard-bot");
  EXPECT_TRUE(forge->GetRepository({}, "o/r")->archived);
  EXPECT_EQ(forge->RepositoryLabels({}, "o/r")->at(0).name, "bug");
  EXPECT_EQ(http_.lines(),
            (std::vector<std::string>{"GET https://api.github.test/user", "GET https://api.github.test/repos/o/r",
                                      "GET https://api.github.test/repos/o/r/labels?per_page=100&page=1"}));
}

TEST_F(ForgeTest, TheTokenAppearsInNoMessageAndNoMetric) {
  auto forge = Make("github", "ghp_verysecret");
  http_.Answer(400, R"({"message": "bad token ghp_verysecret"})");
  http_.Fail(HttpFailure::Kind::kProtocol, true, "ghp_verysecret");
  for (int i = 0; i < 2; ++i) {
    const auto written = forge->AddComment({}, issue_, "x");
    EXPECT_EQ(std::string(written.status().message()).find("ghp_verysecret"), std::string::npos) << written.status();
  }
  EXPECT_EQ(metrics_.Serialize().find("ghp_verysecret"), std::string::npos);
  for (const OutgoingRequest& request : http_.requests()) EXPECT_EQ(request.url.find("secret"), std::string::npos);
}

TEST_F(ForgeTest, RepositoriesThatWouldClimbInTheUrlAreNotAskedFor) {
  auto forge = Make("github");
  EXPECT_FALSE(forge->GetIssue({}, {"../admin", 1, false}).ok());
  EXPECT_FALSE(forge->GetRepository({}, "o/r?x=1").ok());
  EXPECT_FALSE(forge->Redeliver({}, "o/r", "1/2", "3").ok());
  EXPECT_EQ(http_.count(), 0u);
}

TEST_F(ForgeTest, AfterStopNothingIsSent) {
  auto forge = Make("github");
  forge->Stop();
  EXPECT_EQ(forge->GetIssue({}, issue_).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(http_.count(), 0u);
}

// --- GitCode ---

TEST_F(ForgeTest, GitCodeHasItsOwnHeaderAndPathsForBothKinds) {
  auto forge = Make("gitcode");
  http_.Answer(200, R"({"number": "5", "title": "t", "state": "open", "labels": []})");
  http_.Answer(200, R"({"number": 7, "title": "t", "state": "opened", "labels": []})");
  EXPECT_FALSE(forge->GetIssue({}, issue_)->pull_request);
  const auto pull = forge->GetIssue({}, pull_);
  ASSERT_TRUE(pull.ok()) << pull.status();
  EXPECT_TRUE(pull->pull_request);
  EXPECT_EQ(http_.lines(),
            (std::vector<std::string>{"GET https://api.gitcode.test/api/v5/repos/pytorch/pytorch/issues/5",
                                      "GET https://api.gitcode.test/api/v5/repos/o/r/pulls/7"}));
  EXPECT_EQ(HeaderOf(http_.requests().at(0), "PRIVATE-TOKEN"), "t0ken-value");
  EXPECT_EQ(HeaderOf(http_.requests().at(0), "Authorization"), "");
}

TEST_F(ForgeTest, GitCodeTakesLabelsAsABareArray) {
  auto forge = Make("gitcode");
  http_.Answer(201, R"([{"id": 1, "name": "kind/bug", "textColor": "#fff"}])");
  http_.Answer(200, R"({"number": 7, "title": "t", "state": "opened", "labels": [{"name": "kind/bug"}]})");
  const auto written = forge->AddLabels({}, pull_, {"kind/bug"});
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(*written->shown, (std::vector<std::string>{"kind/bug"}));
  EXPECT_EQ(http_.requests().at(0).body, R"(["kind/bug"])");
  EXPECT_EQ(http_.lines().at(0), "POST https://api.gitcode.test/api/v5/repos/o/r/pulls/7/labels");
}

TEST_F(ForgeTest, GitCodesLabelsAreAtMostTwentyCharacters) {
  auto forge = Make("gitcode");
  EXPECT_EQ(forge->AddLabels({}, pull_, {"oncall: distributed checkpointing"}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(http_.count(), 0u);
}

TEST_F(ForgeTest, AGitCodeErrorWith200IsARefusal) {
  auto forge = Make("gitcode");
  http_.Answer(200, R"({"error_code": 400, "error_code_name": "UN_KNOW", "error_message": "label missing"})");
  const auto written = forge->AddLabels({}, pull_, {"kind/bug"});
  EXPECT_EQ(ForgeOutcomeOf(written.status()), ForgeOutcome::kRefused);
  EXPECT_NE(written.status().message().find("label missing"), std::string::npos);
  EXPECT_EQ(http_.count(), 1u);
}

TEST_F(ForgeTest, ATextThatTheFirewallRefusesIsNotSentAgain) {
  auto forge = Make("gitcode");
  http_.Answer(418, "<html>unsafe</html>");
  const auto written = forge->AddComment({}, issue_, "rm -rf /");
  EXPECT_EQ(ForgeErrorOf(written.status())->reason, ForgeReason::kTextRefused);
  EXPECT_EQ(ForgeOutcomeOf(written.status()), ForgeOutcome::kRefused);
  EXPECT_EQ(http_.count(), 1u);
}

TEST_F(ForgeTest, AGitCodePullRequestCommentIsFoundByEitherOfItsIds) {
  auto forge = Make("gitcode");
  http_.Answer(201, R"({"id": "d1", "note_id": 9, "body": "hello"})");
  http_.Answer(200, R"([{"id": "d0", "body": "x"}, {"id": "d1", "body": "hello"}])");
  const auto by_discussion = forge->AddComment({}, pull_, "hello");
  ASSERT_TRUE(by_discussion.ok()) << by_discussion.status();
  EXPECT_EQ(by_discussion->shown->id, "d1");
  http_.Answer(201, R"({"id": "d2", "note_id": 10, "body": "hello"})");
  http_.Answer(200, R"([{"id": 10, "discussion_id": "d2", "body": "hello"}])");
  EXPECT_EQ(forge->AddComment({}, pull_, "hello")->shown->id, "10");
}

TEST_F(ForgeTest, GitCodesListsUseTheOrderWordOfTheirKind) {
  auto forge = Make("gitcode");
  http_.Answer(200, "[]");
  http_.Answer(200, "[]");
  EXPECT_TRUE(forge->ListComments({}, issue_).ok());
  EXPECT_TRUE(forge->ListComments({}, pull_).ok());
  EXPECT_EQ(
      http_.lines().at(0),
      "GET https://api.gitcode.test/api/v5/repos/pytorch/pytorch/issues/5/comments?page=1&per_page=100&order=asc");
  EXPECT_EQ(http_.lines().at(1),
            "GET https://api.gitcode.test/api/v5/repos/o/r/pulls/7/comments?page=1&per_page=100&direction=asc");
}

TEST_F(ForgeTest, CommentsThatComeNewestFirstAreTurned) {
  auto forge = Make("gitcode");
  http_.Answer(200, R"([{"id": 2, "body": "b", "created_at": "2025-10-01T09:00:00Z"},
                        {"id": 1, "body": "a", "created_at": "2025-10-01T16:00:00+08:00"}])");
  const auto list = forge->ListComments({}, issue_);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->comments.at(0).id, "1");
}

TEST_F(ForgeTest, AServerThatIgnoresThePageNumberIsNotAskedFiftyTimes) {
  auto forge = Make("gitcode");
  const std::string page = Comments(1, 100).dump();
  http_.Otherwise([page](const OutgoingRequest&) { return OutgoingResponse{200, {}, page}; });
  const auto list = forge->ListComments({}, issue_);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->comments.size(), 100u);
  EXPECT_FALSE(list->complete);
  EXPECT_EQ(http_.count(), 2u);
}

TEST_F(ForgeTest, TotalPageSavesTheEmptyLastPage) {
  auto forge = Make("gitcode");
  http_.Answer(200, Comments(1, 100).dump(), {{"total_page", "1"}, {"total_count", "100"}});
  const auto list = forge->ListComments({}, issue_);
  ASSERT_TRUE(list.ok());
  EXPECT_TRUE(list->complete);
  EXPECT_EQ(http_.count(), 1u);
}

TEST_F(ForgeTest, GitCodeKeepsNoDeliveries) {
  auto forge = Make("gitcode");
  EXPECT_EQ(forge->ListHookDeliveries({}, "o/r", "1", "").status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(forge->Redeliver({}, "o/r", "1", "2").code(), absl::StatusCode::kUnimplemented);
}

// --- For commands ---

TEST_F(ForgeTest, CallsForCommandsGoWhereTheContractSays) {
  http_.Otherwise([](const OutgoingRequest&) { return OutgoingResponse{404, {}, "{}"}; });
  const std::string base = "https://api.github.test/repos/o/r";
  auto github = Make("github");
  EXPECT_TRUE(github->GetPermission({}, "o/r", "dependabot[bot]").ok());
  EXPECT_TRUE(github->IsTeamMember({}, "org", "core", "ann").ok());
  EXPECT_TRUE(github->GetFile({}, "o/r", ".github/a b.json", "release/1").ok());
  EXPECT_FALSE(github->GetPull({}, pull_).ok());
  EXPECT_FALSE(github->ListPullFiles({}, pull_).ok());
  EXPECT_FALSE(github->EditComment({}, pull_, "12", "text").ok());
  EXPECT_FALSE(github->AddReaction({}, pull_, "12", ForgeReaction::kEyes).ok());
  EXPECT_FALSE(github->AddReaction({}, pull_, "", ForgeReaction::kPlusOne).ok());
  EXPECT_FALSE(github->RemoveLabel({}, pull_, "kind/b g").ok());
  EXPECT_EQ(http_.lines(),
            (std::vector<std::string>{
                "GET " + base + "/collaborators/dependabot%5Bbot%5D/permission",
                "GET https://api.github.test/orgs/org/teams/core/memberships/ann",
                "GET " + base + "/contents/.github/a%20b.json?ref=release%2F1", "GET " + base + "/pulls/7",
                "GET " + base + "/pulls/7/files?per_page=100&page=1", "PATCH " + base + "/issues/comments/12",
                "POST " + base + "/issues/comments/12/reactions", "POST " + base + "/issues/7/reactions",
                "DELETE " + base + "/issues/7/labels/kind%2Fb%20g", "GET " + base + "/issues/7"}));
  EXPECT_EQ(json::parse(http_.requests().at(5).body), json({{"body", "text"}}));
  EXPECT_EQ(json::parse(http_.requests().at(7).body), json({{"content", "+1"}}));
  EXPECT_EQ(http_.requests().at(8).body, "");
}

TEST_F(ForgeTest, GitCodesCallsForCommandsHaveAddressesForBothKinds) {
  http_.Otherwise([](const OutgoingRequest&) { return OutgoingResponse{404, {}, "{}"}; });
  const std::string base = "https://api.gitcode.test/api/v5/repos/o/r";
  auto gitcode = Make("gitcode");
  const ForgeSubject issue{"o/r", 7, false};
  EXPECT_FALSE(gitcode->EditComment({}, issue, "12", "text").ok());
  EXPECT_FALSE(gitcode->EditComment({}, pull_, "12", "text").ok());
  EXPECT_FALSE(gitcode->RemoveLabel({}, issue, "kind/bug").ok());
  EXPECT_FALSE(gitcode->RemoveLabel({}, pull_, "kind/bug").ok());
  EXPECT_EQ(http_.lines(),
            (std::vector<std::string>{"PATCH " + base + "/issues/comments/12", "PATCH " + base + "/pulls/comments/12",
                                      "DELETE " + base + "/issues/7/labels/kind%2Fbug", "GET " + base + "/issues/7",
                                      "DELETE " + base + "/pulls/7/labels/kind%2Fbug", "GET " + base + "/pulls/7"}));
  EXPECT_EQ(gitcode->AddReaction({}, issue, "12", ForgeReaction::kEyes).status().code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(gitcode->IsTeamMember({}, "o", "t", "u").status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(http_.count(), 6u);
}

TEST_F(ForgeTest, ALabelWithASlashIsGoneWhenTheIssueSaysSo) {
  auto gitcode = Make("gitcode");
  const auto issue = [](const std::string& labels) {
    return R"({"number": "7", "title": "t", "state": "open", "labels": )" + labels + "}";
  };
  // It is taken at its word, and was not meant.
  http_.Answer(200, "[]");
  http_.Answer(200, issue(R"([{"name": "kind/bug"}])"));
  http_.Answer(200, "[]");
  http_.Answer(200, issue("[]"));
  const auto written = gitcode->RemoveLabel({}, {"o/r", 7, false}, "kind/bug");
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_TRUE(written->shown->empty());
  const std::string base = "https://api.gitcode.test/api/v5/repos/o/r/issues/7";
  EXPECT_EQ(http_.lines(), (std::vector<std::string>{"DELETE " + base + "/labels/kind%2Fbug", "GET " + base,
                                                     "DELETE " + base + "/labels/kind/bug", "GET " + base}));
  // What would climb has no second way.
  http_.Answer(200, "[]");
  http_.Answer(200, issue(R"([{"name": "a/../b"}])"));
  const auto climbing = gitcode->RemoveLabel({}, {"o/r", 7, false}, "a/../b");
  ASSERT_TRUE(climbing.ok()) << climbing.status();
  EXPECT_EQ(climbing->shown->size(), 1U);
  EXPECT_EQ(http_.count(), 6U);
}

TEST_F(ForgeTest, WhatWouldClimbInTheUrlIsNotAskedFor) {
  auto forge = Make("github");
  EXPECT_FALSE(forge->GetFile({}, "o/r", "../../user", "main").ok());
  EXPECT_FALSE(forge->GetPermission({}, "o/r", "..").ok());
  EXPECT_FALSE(forge->IsTeamMember({}, "o", "a/b", "u").ok());
  EXPECT_FALSE(forge->EditComment({}, issue_, "1/../2", "x").ok());
  EXPECT_FALSE(forge->EditComment({}, issue_, "", "x").ok());
  EXPECT_FALSE(forge->AddReaction({}, issue_, "1?x", ForgeReaction::kEyes).ok());
  EXPECT_FALSE(forge->RemoveLabel({}, issue_, "..").ok());
  EXPECT_EQ(http_.count(), 0u);
}

TEST_F(ForgeTest, EditsReactionsAndRemovalsAreNotSentTwiceOnSuspicion) {
  auto forge = Make("github");
  http_.Answer(502, "<html>");
  EXPECT_EQ(ForgeOutcomeOf(forge->EditComment({}, issue_, "12", "x").status()), ForgeOutcome::kUnknown);
  http_.Fail(HttpFailure::Kind::kReset, true);
  EXPECT_EQ(ForgeOutcomeOf(forge->AddReaction({}, issue_, "12", ForgeReaction::kEyes).status()),
            ForgeOutcome::kUnknown);
  EXPECT_EQ(http_.count(), 2u);
  http_.Fail(HttpFailure::Kind::kTimeout, true);
  EXPECT_EQ(ForgeOutcomeOf(forge->RemoveLabel({}, issue_, "a").status()), ForgeOutcome::kUnknown);
  EXPECT_EQ(http_.count(), 3u);
  // A limit is no suspicion.
  http_.Answer(429, "{}", {{"Retry-After", "1"}});
  http_.Answer(201, R"({"id": 9})");
  EXPECT_EQ(forge->AddReaction({}, issue_, "12", ForgeReaction::kEyes).value_or(""), "9");
}

TEST_F(ForgeTest, ReadsForCommandsAreRetried) {
  auto forge = Make("github");
  http_.Answer(502, "<html>");
  http_.Answer(200, R"({"permission": "write"})");
  EXPECT_EQ(forge->GetPermission({}, "o/r", "u").value_or(ForgeAccess()).permission, ForgePermission::kWrite);
  // What the forge does not tell us is an error, and never a permission.
  http_.Answer(403, R"({"message": "Must have push access to view collaborator permission."})");
  EXPECT_EQ(forge->GetPermission({}, "o/r", "u").status().code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(ForgeTest, RemovedLabelIsReadBackAndOneThatIsGoneIsASuccess) {
  auto forge = Make("github");
  http_.Answer(404, R"({"message": "Label does not exist"})");
  http_.Answer(200, kIssueBody);
  const auto gone = forge->RemoveLabel({}, issue_, "stale");
  ASSERT_TRUE(gone.ok()) << gone.status();
  EXPECT_EQ(gone->shown, (std::vector<std::string>{"oncall: distributed", "module: fsdp"}));
  // Nobody knows whether it is gone if that can't be read.
  http_.Answer(404, R"({"message": "Label does not exist"})");
  http_.Answer(401, "{}");
  const auto unseen = forge->RemoveLabel({}, issue_, "stale");
  ASSERT_TRUE(unseen.ok()) << unseen.status();
  EXPECT_FALSE(unseen->shown.has_value());
  // The issue is not there.
  http_.Answer(404, R"({"message": "Not Found"})");
  http_.Answer(404, R"({"message": "Not Found"})");
  EXPECT_EQ(forge->RemoveLabel({}, issue_, "stale").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ForgeTest, EditedCommentIsShownAsItIsNow) {
  auto forge = Make("github");
  http_.Answer(200, R"({"id": 3, "body": "new"})");
  http_.Answer(200, Comments(1, 5).dump());
  const auto edited = forge->EditComment({}, issue_, "3", "new");
  ASSERT_TRUE(edited.ok()) << edited.status();
  ASSERT_TRUE(edited->answered.has_value());
  EXPECT_EQ(edited->answered->body, "new");
  ASSERT_TRUE(edited->shown.has_value());
  EXPECT_EQ(edited->shown->body, "comment 3") << "not visible yet";
}

TEST_F(ForgeTest, FileThatIsNoPlainTextAnswerIsToldApart) {
  auto forge = Make("github");
  http_.Answer(200, R"({"type": "file", "size": 3, "encoding": "base64", "content": "YWJj\n", "sha": "s"})");
  const auto file = forge->GetFile({}, "o/r", "a.txt", "main");
  ASSERT_TRUE(file.ok() && file->has_value()) << file.status();
  EXPECT_EQ((*file)->content, "abc");
  EXPECT_EQ((*file)->path, "a.txt");
  EXPECT_EQ((*file)->sha, "s");
  for (const char* none : {"[]", R"([{"type": "file", "path": "a"}])", R"({"type": "submodule", "size": 0})", "null"}) {
    http_.Answer(200, none);
    const auto answer = forge->GetFile({}, "o/r", "a.txt", "");
    ASSERT_TRUE(answer.ok()) << none << answer.status();
    EXPECT_FALSE(answer->has_value()) << none;
  }
  for (const char* large : {R"({"type": "file", "size": 2000000, "encoding": "base64", "content": "YWJj"})",
                            R"({"type": "file", "size": 5, "encoding": "none", "content": ""})",
                            R"({"type": "file", "size": 5, "encoding": "base64", "content": ""})"}) {
    http_.Answer(200, large);
    EXPECT_EQ(ForgeErrorOf(forge->GetFile({}, "o/r", "a.txt", "").status())->reason, ForgeReason::kTooLarge) << large;
  }
  for (const char* bad : {R"({"type": "file", "encoding": "base64", "content": "?!"})",
                          R"({"type": "file", "encoding": "utf-16", "content": "abc"})", R"("text")"}) {
    http_.Answer(200, bad);
    EXPECT_EQ(ForgeErrorOf(forge->GetFile({}, "o/r", "a.txt", "").status())->reason, ForgeReason::kBadAnswer) << bad;
  }
}

TEST_F(ForgeTest, MoreFilesThanTheForgeShowsIsNotAWholeList) {
  auto forge = Make("github");
  http_.Otherwise([](const OutgoingRequest& request) {
    const size_t page = std::stoul(request.url.substr(request.url.rfind('=') + 1));
    json files = json::array();
    for (size_t i = 0; i < 100; ++i) {
      files.push_back({{"filename", "f" + std::to_string((page - 1) * 100 + i)}, {"status", "added"}, {"patch", "+"}});
    }
    return OutgoingResponse{200, {}, files.dump()};
  });
  const auto files = forge->ListPullFiles({}, pull_);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->files.size(), 3'000u);
  EXPECT_FALSE(files->complete);
  EXPECT_LE(http_.count(), 31u);
}

TEST_F(ForgeTest, FilesOfAForgeWithoutPagesAreReadOnce) {
  auto forge = Make("gitcode");
  json files = json::array();
  for (int i = 0; i < 150; ++i) files.push_back({{"filename", "f" + std::to_string(i)}, {"status", "modified"}});
  http_.Otherwise([files](const OutgoingRequest&) { return OutgoingResponse{200, {}, files.dump()}; });
  const auto list = forge->ListPullFiles({}, pull_);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->files.size(), 150u);
  EXPECT_TRUE(list->complete);
  EXPECT_EQ(http_.count(), 2u);
}

TEST_F(ForgeTest, CommitsOfAPullRequestHaveTheCommittersTime) {
  for (const char* name : {"github", "gitcode"}) {
    auto forge = Make(name);
    http_.Answer(200, R"([{"sha": "a1", "commit": {"author": {"date": "2025-01-01T00:00:00Z"},
                                                   "committer": {"date": "2025-01-02T00:00:00Z"}}},
                         {"sha": "b2", "commit": {"author": {"date": "2025-01-03T08:00:00+08:00"}}}])");
    const auto commits = forge->ListPullCommits({}, pull_);
    ASSERT_TRUE(commits.ok()) << commits.status();
    ASSERT_EQ(commits->size(), 2u);
    EXPECT_EQ((*commits)[0].committed_at, "2025-01-02T00:00:00Z");
    EXPECT_EQ((*commits)[1].sha, "b2");
    EXPECT_EQ((*commits)[1].committed_at, "2025-01-03T08:00:00+08:00");
  }
}

TEST_F(ForgeTest, TheHistoryOfAPullRequestTellsWhenLabelsCameAndWent) {
  auto gitcode = Make("gitcode");
  http_.Answer(200, R"([{"action": "label", "content": "add label lgtm", "created_at": "2025-01-01T00:00:00Z",
                         "user": {"login": "bot"}},
                       {"action": "label", "content": "删除了标签 lgtm", "created_at": "2025-01-02T00:00:00Z"},
                       {"action": "remove_label", "content": "lgtm", "created_at": "2025-01-03T00:00:00Z"},
                       {"action": "update", "content": "changed the title", "created_at": "2025-01-04T00:00:00Z"}])");
  const auto history = gitcode->ListPullHistory({}, pull_);
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->size(), 4u);
  EXPECT_EQ((*history)[0].kind, ForgeHistoryEntry::Kind::kLabelsAdded);
  EXPECT_EQ((*history)[0].content, "add label lgtm");
  EXPECT_EQ((*history)[0].author.login, "bot");
  EXPECT_EQ((*history)[1].kind, ForgeHistoryEntry::Kind::kLabelsRemoved);
  EXPECT_EQ((*history)[2].kind, ForgeHistoryEntry::Kind::kLabelsRemoved);
  EXPECT_EQ((*history)[3].kind, ForgeHistoryEntry::Kind::kOther);
}

TEST_F(ForgeTest, EventsOfGitHubTellOfLabelsAndOfTheMergeQueue) {
  auto github = Make("github");
  http_.Answer(200, R"([{"event": "labeled", "label": {"name": "ready"}, "created_at": "2025-01-01T00:00:00Z",
                         "actor": {"login": "bot"}},
                        {"event": "unlabeled", "label": {"name": "ready"}, "created_at": "2025-01-01T00:00:00Z", "actor": null},
                        {"event": "added_to_merge_queue", "created_at": "2025-01-02T00:00:00Z"},
                        {"event": "removed_from_merge_queue", "created_at": "2025-01-03T00:00:00Z"},
                        {"event": "subscribed", "created_at": "2025-01-04T00:00:00Z"}])");
  const auto history = github->ListPullHistory({}, pull_);
  ASSERT_TRUE(history.ok()) << history.status();
  using Kind = ForgeHistoryEntry::Kind;
  ASSERT_EQ(history->size(), 5u) << "two in one second are two";
  EXPECT_EQ((*history)[0].kind, Kind::kLabelsAdded);
  EXPECT_EQ((*history)[0].content, "ready");
  EXPECT_EQ((*history)[0].author.login, "bot");
  EXPECT_EQ((*history)[1].kind, Kind::kLabelsRemoved);
  EXPECT_EQ((*history)[2].kind, Kind::kQueued);
  EXPECT_EQ((*history)[3].kind, Kind::kUnqueued);
  EXPECT_EQ((*history)[4].kind, Kind::kOther);
  EXPECT_NE(http_.lines()[0].find("/issues/"), std::string::npos);
}

TEST_F(ForgeTest, RequiredChecksAreThoseOfRulesAndOfTheBranchsProtection) {
  auto github = Make("github");
  http_.Answer(200, R"([{"type": "merge_queue", "parameters": {}},
                        {"type": "required_status_checks",
                         "parameters": {"required_status_checks": [{"context": "build", "integration_id": 7}, {"context": "lint"}]}}])");
  http_.Answer(200, R"({"name": "release/1", "protected": true, "protection": {"enabled": true,
                        "required_status_checks": {"contexts": ["lint", "docs"], "checks": [{"context": "docs", "app_id": 1}]}}})");
  const auto required = github->ListRequiredChecks({}, "o/r", "release/1");
  ASSERT_TRUE(required.ok()) << required.status();
  EXPECT_THAT(*required, ::testing::ElementsAre("build", "lint", "docs"));
  EXPECT_NE(http_.lines()[0].find("/rules/branches/release%2F1"), std::string::npos) << http_.lines()[0];
  // Neither.
  http_.Answer(200, "[]");
  http_.Answer(200, R"({"name": "main", "protected": false})");
  EXPECT_THAT(github->ListRequiredChecks({}, "o/r", "main").value_or(std::vector<std::string>{"error"}),
              ::testing::IsEmpty());
  EXPECT_EQ(Make("gitcode")->ListRequiredChecks({}, "o/r", "main").status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_FALSE(github->ListRequiredChecks({}, "o/r", "../main").ok());
}

TEST_F(ForgeTest, CheckSuitesTellOfWorkflowsWithoutCheckRuns) {
  auto github = Make("github");
  const std::string head(40, 'a');
  http_.Answer(200, R"({"total_count": 3, "check_suites": [
      {"id": 1, "head_sha": "aa", "status": "completed", "conclusion": "action_required", "latest_check_runs_count": 0,
       "app": {"slug": "github-actions", "name": "GitHub Actions"}},
      {"id": 2, "status": "completed", "conclusion": "startup_failure", "latest_check_runs_count": 0, "app": null},
      {"id": 3, "status": "queued", "conclusion": null, "app": {"slug": "codecov"}}]})");
  const auto suites = github->ListCheckSuites({}, "o/r", head);
  ASSERT_TRUE(suites.ok()) << suites.status();
  ASSERT_EQ(suites->size(), 3U);
  EXPECT_EQ((*suites)[0].app, "GitHub Actions");
  EXPECT_EQ((*suites)[0].state, ForgeCheckState::kActionRequired);
  EXPECT_EQ((*suites)[0].check_runs, 0);
  EXPECT_EQ((*suites)[1].app, "");
  EXPECT_EQ((*suites)[1].state, ForgeCheckState::kFailure);
  EXPECT_EQ((*suites)[2].app, "codecov");
  EXPECT_EQ((*suites)[2].state, ForgeCheckState::kQueued);
  EXPECT_EQ((*suites)[2].check_runs, -1);
  EXPECT_NE(http_.lines()[0].find("/commits/" + head + "/check-suites"), std::string::npos) << http_.lines()[0];
  EXPECT_FALSE(github->ListCheckSuites({}, "o/r", "main").ok());
  EXPECT_EQ(Make("gitcode")->ListCheckSuites({}, "o/r", head).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(ForgeTest, RunsOfGitCodesActionsAreReadInTheirOwnVersionOfTheApi) {
  auto gitcode = Make("gitcode");
  http_.Answer(200, R"({"total_count": 2, "workflow_runs": [
      {"workflow_run_id": "a1", "workflow_name": "gate", "status": "COMPLETED", "run_number": 1, "head_sha": "77ab"},
      {"workflow_run_id": "a2", "workflow_name": "gate", "status": "INIT", "run_number": 2, "head_sha": "88cd"}]})");
  const auto runs = gitcode->ListPullRuns({}, pull_);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ((*runs)[0].id, "a2");
  EXPECT_EQ((*runs)[0].state, ForgeCheckState::kQueued);
  EXPECT_EQ((*runs)[1].state, ForgeCheckState::kSuccess);
  EXPECT_THAT(http_.requests().back().url,
              ::testing::HasSubstr("/api/v8/repos/" + pull_.repository + "/actions/runs?"));
  EXPECT_THAT(http_.requests().back().url, ::testing::HasSubstr("pull_request_id=" + std::to_string(pull_.number)));
  EXPECT_FALSE(gitcode->GetPullRun({}, pull_.repository, "../x").ok());
  EXPECT_EQ(Make("github")->ListPullRuns({}, pull_).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(ForgeTest, APullRequestWithoutRunsOfActionsHasThoseOfGitCodesPipelines) {
  auto gitcode = Make("gitcode");
  const std::string none = R"({"total_count": 0, "workflow_runs": []})";
  http_.Answer(200, none);
  http_.Answer(200, R"({"page_num": 1, "page_size": 20, "total": 2, "page_count": 1, "content": [
      {"id": 505783, "web_url": "https://gitcode.com/o/r/pipelines/505783", "sha": "88cd", "ref": "topic",
       "status": "failed", "name": "gate_all", "pipeline_id": "c8", "pipeline_run_id": "b4", "pipeline_detail": "{}"},
      {"id": 505790, "sha": "99ef", "status": "success", "name": "gate_all"}]})");
  const auto runs = gitcode->ListPullRuns({}, pull_);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ((*runs)[0].head, "99ef");
  EXPECT_EQ((*runs)[0].state, ForgeCheckState::kSuccess);
  EXPECT_EQ((*runs)[1].name, "gate_all");
  EXPECT_EQ((*runs)[1].state, ForgeCheckState::kFailure);
  EXPECT_EQ((*runs)[1].url, "https://gitcode.com/o/r/pipelines/505783");
  EXPECT_FALSE((*runs)[1].has_details);
  EXPECT_THAT(http_.requests().back().url,
              ::testing::HasSubstr("/api/v5/repos/" + pull_.repository + "/merge_requests/" +
                                   std::to_string(pull_.number) + "/pipeline?"));
  EXPECT_THAT(http_.requests().back().url, ::testing::HasSubstr("type=report_pipeline"));
  // A repository that never had pipelines.
  http_.Answer(200, none);
  http_.Answer(404, R"({"error_message": "404 Not Found"})");
  EXPECT_THAT(gitcode->ListPullRuns({}, pull_).value(), ::testing::IsEmpty());
  // What can't be read is not taken for none.
  http_.Answer(200, none);
  http_.Answer(403, R"({"error_message": "403 Forbidden"})");
  EXPECT_FALSE(gitcode->ListPullRuns({}, pull_).ok());
}

TEST_F(ForgeTest, GitCodesFiftyRequestsAMinuteHoldForTheWholeStack) {
  auto forge = Make("gitcode");
  std::vector<std::chrono::steady_clock::time_point> times;
  http_.Otherwise([&](const OutgoingRequest&) {
    times.push_back(clock_.Monotonic());
    return OutgoingResponse{200, {}, R"({"number": "5", "title": "t", "state": "open"})"};
  });
  ForgeCall call;
  call.priority = ForgePriority::kCommand;
  call.timeout = std::chrono::minutes(5);
  for (int i = 0; i < 120; ++i) ASSERT_TRUE(forge->GetIssue(call, issue_).ok());
  for (size_t i = 50; i < times.size(); ++i) EXPECT_GE(times[i] - times[i - 50], std::chrono::minutes(1));
}

// --- Wiring ---

TEST_F(ForgeTest, WhatCannotBeAForgeIsRefused) {
  const ForgeEnvironment environment{http_, clock_, waiter_, nullptr, 0, nullptr};
  ForgeConfig config;
  config.name = "gitlab";
  config.api_url = "https://gitlab.test";
  EXPECT_EQ(MakeForge(config, environment).status().code(), absl::StatusCode::kInvalidArgument);
  config.name = "github";
  config.profile = &GitHubProfile();
  for (const char* url : {"", "ftp://x", "http://api.github.com", "github.com"}) {
    config.api_url = url;
    EXPECT_FALSE(MakeForge(config, environment).ok()) << url;
  }
  config.api_url = "http://127.0.0.1:8081/api";
  EXPECT_TRUE(MakeForge(config, environment).ok());
  config.app = ForgeApp{"1", "2", Secret("no key")};
  EXPECT_FALSE(MakeForge(config, environment).ok());
}

TEST_F(ForgeTest, WithoutMetricsEverythingWorksTheSame) {
  ForgeConfig config;
  config.name = "github";
  config.profile = &GitHubProfile();
  config.api_url = "https://api.github.test";
  auto forge = MakeForge(config, ForgeEnvironment{http_, clock_, waiter_, nullptr, 0, nullptr});
  ASSERT_TRUE(forge.ok());
  http_.Answer(200, kIssueBody);
  EXPECT_TRUE((*forge)->GetIssue({}, issue_).ok());
  EXPECT_EQ(HeaderOf(http_.requests().at(0), "Authorization"), "");
}

}  // namespace
}  // namespace yardmaster
