#include "tests/support/fakeforge/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Time kStart = Time(std::chrono::seconds(1'714'564'800));
constexpr char kIssue[] = "/repos/o/r/issues/1";

class FakeForgeState : public ::testing::Test {
 protected:
  static StateOptions Options() {
    StateOptions options;
    options.github.webhooks = options.gitcode.webhooks = true;
    options.github.secret = options.gitcode.secret = "fgiuagyds";
    return options;
  }
  Answer Send(const std::string& method, const std::string& target, const json& body = nullptr) {
    Request request;
    request.method = method;
    request.target = target;
    if (!body.is_null()) request.body = body.dump();
    return state_.Handle(request, now_);
  }
  json Get(const std::string& target) {
    const Answer answer = Send("GET", target);
    EXPECT_EQ(answer.status, 200) << target << answer.body;
    return json::parse(answer.body);
  }
  Subject& Open(const std::string& forge, std::vector<std::string> labels = {}) {
    Subject subject;
    subject.title = "title";
    subject.user = "alice";
    subject.labels = std::move(labels);
    return *state_.Open(forge, "o/r", subject, true, now_);
  }

  State state_{Options()};
  Time now_ = kStart;
};

TEST(SignBody, IsTheForgesSignature) {
  EXPECT_EQ(SignBody("fgiuagyds", "fihoagdshajbolkhasdb"),
            "sha256=e723b56a8b51b13d11bbdc02775cd180af20a89ff128f052cc09cf66ab6ca6cf");
}

TEST_F(FakeForgeState, AnOpenedIssueIsToldBySignedWebhookOnBothFaces) {
  Subject subject;
  subject.title = "crash";
  subject.body = "it crashes";
  subject.user = "alice";
  subject.labels = {"triage"};
  state_.Open("github", "o/r", subject, false, now_);
  state_.Open("gitcode", "o/r", subject, false, now_);
  const std::vector<Outgoing> due = state_.TakeDue(now_);
  ASSERT_THAT(due, SizeIs(2));
  Request github{.headers = due[0].headers};
  Request gitcode{.headers = due[1].headers};
  EXPECT_EQ(github.Header("X-GitHub-Event"), "issues");
  EXPECT_EQ(github.Header("X-Hub-Signature-256"), SignBody("fgiuagyds", due[0].body));
  EXPECT_EQ(github.Header("X-GitHub-Delivery").size(), 36U);
  const json opened = json::parse(due[0].body);
  EXPECT_EQ(opened["action"], "opened");
  EXPECT_EQ(opened["repository"]["full_name"], "o/r");
  EXPECT_EQ(opened["issue"]["labels"][0]["name"], "triage");
  EXPECT_EQ(gitcode.Header("X-GitCode-Event"), "Issue Hook");
  EXPECT_EQ(gitcode.Header("X-GitCode-Signature-256"), SignBody("fgiuagyds", due[1].body));
  const json hook = json::parse(due[1].body);
  EXPECT_EQ(hook["project"]["path_with_namespace"], "o/r");
  EXPECT_EQ(hook["object_attributes"]["action"], "open");
  EXPECT_EQ(hook["object_attributes"]["iid"], 1);
  EXPECT_THAT(state_.TakeDue(now_), IsEmpty());
  EXPECT_EQ(state_.Pending(), 2U);
  state_.Settle(due[0].id, 202, now_);
  state_.Settle(due[1].id, 202, now_);
  EXPECT_EQ(state_.Pending(), 0U);
}

TEST_F(FakeForgeState, LabelsAreAppendedOnceAndEachIsTold) {
  Open("github", {"old"});
  EXPECT_EQ(Send("POST", std::string(kIssue) + "/labels", {{"labels", {"a", "old"}}}).status, 200);
  EXPECT_EQ(Send("POST", std::string(kIssue) + "/labels", {{"labels", {"a"}}}).status, 200);
  const Subject& subject = *state_.Find("github", "o/r", false, 1);
  EXPECT_THAT(subject.labels, ElementsAre("old", "a"));
  EXPECT_EQ(subject.additions.at("a"), 1);
  const std::vector<Outgoing> due = state_.TakeDue(now_);
  ASSERT_THAT(due, SizeIs(1));
  const json told = json::parse(due[0].body);
  EXPECT_EQ(told["action"], "labeled");
  EXPECT_EQ(told["label"]["name"], "a");
  EXPECT_EQ(told["sender"]["login"], "yardbot");
}

TEST_F(FakeForgeState, GitCodeRefusesLabelsOfMoreThanTwentyCharacters) {
  Open("gitcode");
  const std::string target = std::string("/api/v5") + kIssue + "/labels";
  const Answer refused = Send("POST", target, json::array({std::string(21, 'x')}));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(json::parse(refused.body)["error_code"], 400);
  EXPECT_EQ(Send("POST", target, json::array({std::string(20, 'x')})).status, 201);
}

TEST_F(FakeForgeState, AddingALabelThatTheRepositoryLacksMakesIt) {
  Open("github");
  state_.RepositoryOf("github", "o/r").labels = {"known"};
  EXPECT_EQ(Send("POST", std::string(kIssue) + "/labels", {{"labels", {"known"}}}).status, 200);
  EXPECT_TRUE(state_.RepositoryOf("github", "o/r").made.empty());
  EXPECT_EQ(Send("POST", std::string(kIssue) + "/labels", {{"labels", {"unknown"}}}).status, 200);
  EXPECT_EQ(state_.RepositoryOf("github", "o/r").made, std::vector<std::string>{"unknown"});
}

TEST_F(FakeForgeState, PagesHoldAHundredAtMostAndOldestComeFirst) {
  for (int i = 0; i < 103; ++i) Open("github", {"triage"});
  const std::string query = "/repos/o/r/issues?labels=triage&state=open&sort=created&direction=asc&per_page=500";
  const json first = Get(query + "&page=1");
  ASSERT_EQ(first.size(), 100U);
  EXPECT_EQ(first[0]["number"], 1);
  EXPECT_EQ(Get(query + "&page=2").size(), 3U);
  EXPECT_EQ(Get("/repos/o/r/issues?labels=other").size(), 0U);
}

TEST_F(FakeForgeState, ACallThatNobodyPromisedIsRecorded) {
  Open("github");
  EXPECT_EQ(Send("PUT", std::string(kIssue) + "/labels", {{"labels", json::array()}}).status, 404);
  EXPECT_EQ(Send("POST", "/graphql", {{"query", "x"}}).status, 404);
  Send("GET", kIssue);
  const json unexpected = Get("/_fake/unexpected");
  ASSERT_EQ(unexpected.size(), 2U);
  EXPECT_EQ(unexpected[0]["method"], "PUT");
  EXPECT_EQ(unexpected[1]["target"], "/graphql");
  EXPECT_EQ(Get("/_fake/calls").size(), 3U);
}

TEST_F(FakeForgeState, ALateWriteLosesItsAnswerAndAppearsWithinFiveSeconds) {
  Open("github");
  state_.faults().late = 100;
  const Answer answer = Send("POST", std::string(kIssue) + "/comments", {{"body", "hello"}});
  EXPECT_EQ(answer.transport, Answer::Transport::kReset);
  state_.faults().late = 0;
  EXPECT_EQ(Get(std::string(kIssue) + "/comments").size(), 0U);
  EXPECT_EQ(state_.Pending(), 1U);
  now_ += std::chrono::seconds(5);
  EXPECT_EQ(Get(std::string(kIssue) + "/comments").size(), 1U);
}

TEST_F(FakeForgeState, ALateWriteTakesNoPlaceOfANewerOne) {
  Open("github");
  const std::string comments = std::string(kIssue) + "/comments";
  EXPECT_EQ(Send("POST", comments, {{"body", "first"}}).status, 201);
  const std::string comment = "/repos/o/r/issues/comments/" + Get(comments)[0]["id"].dump();
  state_.faults().late = 100;
  Send("PATCH", comment, {{"body", "late"}});
  state_.faults().late = 0;
  EXPECT_EQ(Send("PATCH", comment, {{"body", "newer"}}).status, 200);
  now_ += std::chrono::seconds(5);
  EXPECT_EQ(Get(comments)[0]["body"], "newer");
}

TEST_F(FakeForgeState, ErrorsBeforeDoNothingAndErrorsAfterHaveDoneIt) {
  Open("github");
  state_.faults().error_before = 100;
  EXPECT_GE(Send("POST", std::string(kIssue) + "/comments", {{"body", "one"}}).status, 500);
  state_.faults() = {};
  EXPECT_EQ(Get(std::string(kIssue) + "/comments").size(), 0U);
  state_.faults().error_after = 100;
  EXPECT_GE(Send("POST", std::string(kIssue) + "/comments", {{"body", "two"}}).status, 500);
  state_.faults() = {};
  EXPECT_EQ(Get(std::string(kIssue) + "/comments")[0]["body"], "two");
}

TEST_F(FakeForgeState, LimitsComeWithAndWithoutRetryAfter) {
  Open("github");
  state_.faults().limited = 100;
  int with = 0;
  int without = 0;
  for (int i = 0; i < 40; ++i) {
    const Answer answer = Send("GET", kIssue);
    EXPECT_TRUE(answer.status == 403 || answer.status == 429);
    bool found = false;
    for (const auto& [name, value] : answer.headers) found |= name == "Retry-After";
    ++(found ? with : without);
  }
  EXPECT_GT(with, 0);
  EXPECT_GT(without, 0);
}

TEST_F(FakeForgeState, MoreWritesThanAMinuteAllowsAreRefusedUntilItIsOver) {
  Open("github");
  state_.settings("github").limits.writes_per_minute = 1;
  const std::string target = std::string(kIssue) + "/comments";
  EXPECT_EQ(Send("POST", target, {{"body", "one"}}).status, 201);
  EXPECT_GE(Send("POST", target, {{"body", "two"}}).status, 403);
  EXPECT_EQ(Send("GET", kIssue).status, 200);
  now_ += std::chrono::seconds(61);
  EXPECT_EQ(Send("POST", target, {{"body", "three"}}).status, 201);
}

TEST_F(FakeForgeState, ADuplicateDeliveryHasTheSameId) {
  state_.faults().webhook_duplicate = 100;
  Subject& subject = Open("github");
  state_.AddComment("github", "o/r", subject, "bob", "hi", false, now_);
  const std::vector<Outgoing> due = state_.TakeDue(now_ + std::chrono::seconds(10));
  ASSERT_THAT(due, SizeIs(2));
  EXPECT_EQ(Request{.headers = due[0].headers}.Header("X-GitHub-Delivery"),
            Request{.headers = due[1].headers}.Header("X-GitHub-Delivery"));
  EXPECT_EQ(due[0].body, due[1].body);
}

TEST_F(FakeForgeState, AFailedDeliveryIsListedAndCanBeAskedForAgain) {
  Subject& subject = Open("github");
  state_.AddComment("github", "o/r", subject, "bob", "hi", false, now_);
  const std::vector<Outgoing> first = state_.TakeDue(now_);
  ASSERT_THAT(first, SizeIs(1));
  state_.Settle(first[0].id, 503, now_);
  const json list = Get("/repos/o/r/hooks/1/deliveries?per_page=100");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["status_code"], 503);
  EXPECT_EQ(list[0]["event"], "issue_comment");
  const std::string id = std::to_string(list[0]["id"].get<int64_t>());
  EXPECT_EQ(Send("POST", "/repos/o/r/hooks/1/deliveries/" + id + "/attempts").status, 202);
  const std::vector<Outgoing> again = state_.TakeDue(now_);
  ASSERT_THAT(again, SizeIs(1));
  EXPECT_EQ(again[0].body, first[0].body);
  state_.Settle(again[0].id, 202, now_);
  EXPECT_EQ(json::parse(Send("POST", "/_fake/redeliver").body)["redelivered"], 0);
}

TEST_F(FakeForgeState, AWrongTokenIsRefused) {
  StateOptions options;
  options.github.token = options.gitcode.token = "secret";
  State state(options);
  EXPECT_EQ(state.Handle({.target = "/user"}, now_).status, 401);
  EXPECT_EQ(state.Handle({.target = "/user", .headers = {{"authorization", "Bearer secret"}}}, now_).status, 200);
  EXPECT_EQ(state.Handle({.target = "/api/v5/user", .headers = {{"PRIVATE-TOKEN", "secret"}}}, now_).status, 200);
}

TEST_F(FakeForgeState, TheTestsOwnCallsChangeWhatTheFacesShow) {
  const json issue = {{"forge", "gitcode"}, {"repository", "o/r"}, {"title", "t"}, {"body", "b"}};
  EXPECT_EQ(json::parse(Send("POST", "/_fake/issues", issue).body)["number"], 1);
  const json where = {{"forge", "gitcode"}, {"repository", "o/r"}, {"number", 1}};
  json change = where;
  change["add"] = {"kind/bug"};
  EXPECT_EQ(Send("POST", "/_fake/labels", change).status, 200);
  change = where;
  change["state"] = "closed";
  change["title"] = "new";
  EXPECT_EQ(Send("POST", "/_fake/edit", change).status, 200);
  change = where;
  change["body"] = "more";
  EXPECT_EQ(Send("POST", "/_fake/comments", change).status, 200);
  const json shown = Get(std::string("/api/v5") + kIssue);
  EXPECT_EQ(shown["number"], "1");
  EXPECT_EQ(shown["title"], "new");
  EXPECT_EQ(shown["state"], "closed");
  EXPECT_EQ(shown["labels"][0]["name"], "kind/bug");
  EXPECT_EQ(Get("/_fake/state")["gitcode"]["o/r"]["subjects"][0]["comments"][0]["body"], "more");
  EXPECT_EQ(Send("POST", "/_fake/issues", {{"forge", "gitlab"}}).status, 400);
  EXPECT_EQ(Send("POST", "/_fake/faults", {{"lat", 5}}).status, 400);
  EXPECT_EQ(Send("POST", "/_fake/faults", {{"late", 5}, {"seed", 3}}).status, 200);
  EXPECT_EQ(state_.faults().late, 5);
}

TEST_F(FakeForgeState, AnEditedCommentIsToldOnBothFaces) {
  for (const std::string forge : {"github", "gitcode"}) {
    Subject& subject = Open(forge);
    const int64_t id = state_.AddComment(forge, "o/r", subject, "alice", "old", true, now_).id;
    const json edit = {{"forge", forge}, {"repository", "o/r"}, {"number", 1},
                       {"user", "bob"},  {"comment", id},       {"body", "new"}};
    ASSERT_EQ(Send("POST", "/_fake/edit", edit).status, 200);
    const std::vector<Outgoing> sent = state_.TakeDue(now_);
    ASSERT_THAT(sent, SizeIs(1));
    const json body = json::parse(sent[0].body);
    if (forge == "github") {
      EXPECT_EQ(body["action"], "edited");
      EXPECT_EQ(body["comment"]["body"], "new");
      EXPECT_EQ(body["comment"]["user"]["login"], "alice");
      EXPECT_EQ(body["changes"]["body"]["from"], "old");
      EXPECT_EQ(body["sender"]["login"], "bob");
    } else {
      EXPECT_EQ(body["object_attributes"]["action"], "update");
      EXPECT_EQ(body["object_attributes"]["note"], "new");
      EXPECT_EQ(body["user"]["username"], "bob");
    }
    EXPECT_EQ(subject.comments[0].edits, 1);
  }
}

TEST_F(FakeForgeState, APushChangesTheHeadAndIsToldOnBothFaces) {
  for (const std::string forge : {"github", "gitcode"}) {
    Subject pull;
    pull.pull = true;
    pull.title = "title";
    pull.user = "alice";
    state_.Open(forge, "o/r", pull, true, now_);
    const json push = {
        {"forge", forge}, {"repository", "o/r"}, {"number", 1}, {"pull", true}, {"head_sha", std::string(40, 'b')}};
    ASSERT_EQ(Send("POST", "/_fake/push", push).status, 200);
    const std::vector<Outgoing> sent = state_.TakeDue(now_);
    ASSERT_THAT(sent, SizeIs(1));
    const json body = json::parse(sent[0].body);
    if (forge == "github") {
      EXPECT_EQ(body["action"], "synchronize");
      EXPECT_EQ(body["before"], std::string(40, '1'));
      EXPECT_EQ(body["pull_request"]["head"]["sha"], std::string(40, 'b'));
      EXPECT_EQ(body["pull_request"]["base"]["repo"]["full_name"], "o/r");
    } else {
      EXPECT_EQ(body["object_attributes"]["action"], "update");
      EXPECT_EQ(body["object_attributes"]["oldrev"], std::string(40, '1'));
      EXPECT_EQ(body["object_attributes"]["last_commit"]["id"], std::string(40, 'b'));
    }
  }
}

TEST_F(FakeForgeState, AnotherAccountsCommentCantBeEdited) {
  Subject& subject = Open("github");
  const int64_t id = state_.AddComment("github", "o/r", subject, "alice", "hers", true, now_).id;
  EXPECT_EQ(Send("PATCH", "/repos/o/r/issues/comments/" + std::to_string(id), {{"body", "x"}}).status, 403);
  EXPECT_EQ(subject.comments[0].body, "hers");
}

TEST_F(FakeForgeState, ALateEditAndALateReactionAppearWithinFiveSeconds) {
  Subject& subject = Open("github");
  const int64_t id = state_.AddComment("github", "o/r", subject, "yardbot", "working", true, now_).id;
  const std::string comment = "/repos/o/r/issues/comments/" + std::to_string(id);
  state_.faults().late = 100;
  EXPECT_EQ(Send("PATCH", comment, {{"body", "done"}}).transport, Answer::Transport::kReset);
  EXPECT_EQ(Send("POST", comment + "/reactions", {{"content", "eyes"}}).transport, Answer::Transport::kReset);
  EXPECT_EQ(subject.comments[0].body, "working");
  state_.faults() = {};
  // The reaction is sent again before the first one has landed.
  EXPECT_EQ(Send("POST", comment + "/reactions", {{"content", "eyes"}}).status, 201);
  now_ += std::chrono::seconds(5);
  EXPECT_EQ(Send("POST", comment + "/reactions", {{"content", "eyes"}}).status, 200);
  EXPECT_EQ(subject.comments[0].body, "done");
  EXPECT_EQ(subject.comments[0].reactions.size(), 1U);
  EXPECT_EQ(state_.Pending(), 1U) << "the webhook about the edit";
}

TEST_F(FakeForgeState, CommentsOfIssuesAndPullRequestsHaveTheirOwnAddressesOnGitCode) {
  Subject& issue = Open("gitcode");
  const int64_t id = state_.AddComment("gitcode", "o/r", issue, "yardbot", "ours", true, now_).id;
  const std::string end = "/comments/" + std::to_string(id);
  EXPECT_EQ(Send("PATCH", "/api/v5/repos/o/r/pulls" + end, {{"body", "x"}}).status, 404);
  EXPECT_EQ(Send("PATCH", "/api/v5/repos/o/r/issues" + end, {{"body", "x"}}).status, 200);
  // Nobody answers reactions there.
  EXPECT_EQ(Send("POST", "/api/v5/repos/o/r/issues" + end + "/reactions", {{"content", "eyes"}}).status, 404);
  EXPECT_FALSE(state_.calls().back().expected);
}

TEST(FakeForgeFaults, TextsAreReadCompletelyOrNotAtAll) {
  FaultRates rates;
  std::string error;
  EXPECT_TRUE(ParseFaultRates("all=1,slow=20", rates, error));
  EXPECT_EQ(rates.late, 1);
  EXPECT_EQ(rates.slow, 20);
  EXPECT_FALSE(ParseFaultRates("late=7,slow=101", rates, error));
  EXPECT_EQ(rates.late, 1);
}

}  // namespace
}  // namespace yardmaster::fakeforge
