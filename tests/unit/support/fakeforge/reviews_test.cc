// What the fake refuses as the real forges do, and which webhooks tell of reviews.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clients/forge/gitcode/gitcode_webhook.h"
#include "clients/forge/github/github_webhook.h"
#include "tests/support/fakeforge/state.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;
using ::testing::SizeIs;

const Time kReviewStart = Time(std::chrono::seconds(1'714'564'800));
const std::string kReviewHead(40, 'a');

class FakeForgeReviews : public ::testing::Test {
 protected:
  static StateOptions Options() {
    StateOptions options;
    options.github.webhooks = options.gitcode.webhooks = true;
    options.github.token = "pat";
    return options;
  }
  void SetUp() override {
    Subject subject;
    subject.pull = true;
    subject.title = "title";
    subject.user = "alice";
    subject.head_sha = kReviewHead;
    subject.files = {{{"filename", "a.py"}, {"patch", "@@ -1 +1,2 @@\n-a\n+b\n+c\n\\ No newline at end of file"}}};
    for (const char* forge : {"github", "gitcode"}) state_.Open(forge, "o/r", subject, true, kReviewStart);
  }
  Answer Send(const std::string& method, const std::string& target, const json& body, const std::string& token) {
    return state_.Handle({method, target, {{"Authorization", "Bearer " + token}}, body.dump()}, kReviewStart);
  }
  std::string AppToken() {
    const Answer answer = Send("POST", "/app/installations/2/access_tokens", json::object(), "a.b.c");
    EXPECT_EQ(answer.status, 201);
    return json::parse(answer.body)["token"];
  }
  static json Check() {
    return {{"name", "yardmaster/review"},
            {"head_sha", kReviewHead},
            {"status", "completed"},
            {"conclusion", "failure"},
            {"output",
             {{"title", "t"},
              {"summary", "s"},
              {"annotations",
               {{{"path", "a.py"},
                 {"start_line", 1},
                 {"end_line", 1},
                 {"annotation_level", "failure"},
                 {"message", "m"}}}}}}};
  }
  int MakeCheck(const json& body) { return Send("POST", "/repos/o/r/check-runs", body, AppToken()).status; }

  State state_{Options()};
};

TEST_F(FakeForgeReviews, ChecksAreAnAppsAlone) {
  EXPECT_EQ(Send("POST", "/repos/o/r/check-runs", Check(), "pat").status, 403);
  EXPECT_EQ(Send("POST", "/repos/o/r/check-runs", Check(), "else").status, 401);
  EXPECT_EQ(Send("POST", "/app/installations/2/access_tokens", json::object(), "pat").status, 401);
  EXPECT_EQ(MakeCheck(Check()), 201);
}

TEST_F(FakeForgeReviews, ChecksBeyondTheForgesLimitsAreRefused) {
  json many = Check();
  json& annotations = many["output"]["annotations"];
  while (annotations.size() <= 50) annotations.push_back(json(annotations[0]));
  EXPECT_EQ(MakeCheck(many), 422);
  json summary = Check();
  summary["output"]["summary"] = std::string(65'536, 'x');
  EXPECT_EQ(MakeCheck(summary), 422);
  json endless = Check();
  endless.erase("conclusion");
  EXPECT_EQ(MakeCheck(endless), 422);
  json columns = Check();
  columns["output"]["annotations"][0]["end_line"] = 2;
  columns["output"]["annotations"][0]["start_column"] = 1;
  EXPECT_EQ(MakeCheck(columns), 422);
  json title = Check();
  title["output"].erase("title");
  EXPECT_EQ(MakeCheck(title), 422);
  json action = Check();
  action["actions"] = {{{"label", std::string(21, 'x')}, {"identifier", "x"}}};
  EXPECT_EQ(MakeCheck(action), 422);
  EXPECT_THAT(state_.RepositoryOf("github", "o/r").checks, SizeIs(0));
}

TEST_F(FakeForgeReviews, OneLineOffTheDiffRefusesTheWholeReview) {
  json review = {{"event", "COMMENT"},
                 {"comments",
                  {{{"path", "a.py"}, {"line", 2}, {"side", "RIGHT"}, {"body", "x"}},
                   {{"path", "a.py"}, {"line", 3}, {"side", "RIGHT"}, {"body", "y"}}}}};
  EXPECT_EQ(Send("POST", "/repos/o/r/pulls/1/reviews", review, "pat").status, 422);
  review["comments"].erase(1);
  EXPECT_EQ(Send("POST", "/repos/o/r/pulls/1/reviews", review, "pat").status, 200);
  EXPECT_THAT(state_.Find("github", "o/r", true, 1)->review_comments, SizeIs(1));
}

TEST_F(FakeForgeReviews, ALineOffTheDiffIsAGeneralCommentOnGitCode) {
  const json comment = {{"body", "x"}, {"path", "a.py"}, {"position", 3}};
  EXPECT_EQ(Send("POST", "/api/v5/repos/o/r/pulls/1/comments", comment, "").status, 201);
  const Subject& subject = *state_.Find("gitcode", "o/r", true, 1);
  EXPECT_THAT(subject.comments, SizeIs(1));
  EXPECT_THAT(subject.review_comments, SizeIs(0));
}

TEST_F(FakeForgeReviews, ACheckThatIsWantedAgainIsToldAsTheRealForgeTellsIt) {
  ASSERT_EQ(MakeCheck(Check()), 201);
  const auto ask = [&](json body) {
    body["forge"] = "github";
    body["repository"] = "o/r";
    body["head"] = kReviewHead;
    EXPECT_EQ(Send("POST", "/_fake/check", body, "").status, 200);
    const std::vector<Outgoing> due = state_.TakeDue(kReviewStart);
    EXPECT_THAT(due, SizeIs(1));
    const Request sent{.headers = due.at(0).headers};
    return ReadGitHubWebhook({.event = sent.Header("X-GitHub-Event"), .bot_login = "yardbot[bot]"}, due.at(0).body);
  };
  for (const json& how : {json::object(), json{{"suite", true}}, json{{"identifier", "rerun"}}}) {
    const WebhookReading reading = ask(how);
    ASSERT_TRUE(reading.event.has_value()) << how << reading.reason;
    EXPECT_EQ(reading.event->kind, ForgeEventKind::kRequested);
    EXPECT_EQ(reading.event->subject.number, 1);
    EXPECT_EQ(reading.event->head, kReviewHead);
  }
  state_.Find("github", "o/r", true, 1)->head_repository = "alice/r";
  EXPECT_EQ(ask(json::object()).event->subject.number, 0) << "a fork's";
}

TEST_F(FakeForgeReviews, ADraftThatBecomesReadyIsToldOnBothFaces) {
  for (const char* forge : {"github", "gitcode"}) {
    state_.SetDraft(forge, "o/r", *state_.Find(forge, "o/r", true, 1), "alice", true, kReviewStart);
    state_.SetDraft(forge, "o/r", *state_.Find(forge, "o/r", true, 1), "alice", false, kReviewStart);
  }
  const std::vector<Outgoing> due = state_.TakeDue(kReviewStart);
  ASSERT_THAT(due, SizeIs(4));
  EXPECT_FALSE(ReadGitHubWebhook({.event = "pull_request"}, due[0].body).event.has_value());
  EXPECT_EQ(ReadGitHubWebhook({.event = "pull_request"}, due[1].body).event->kind, ForgeEventKind::kReady);
  EXPECT_EQ(ReadGitCodeWebhook({.event = "Merge Request Hook"}, due[2].body).event->kind, ForgeEventKind::kEdited);
  const WebhookReading ready = ReadGitCodeWebhook({.event = "Merge Request Hook"}, due[3].body);
  EXPECT_EQ(ready.event->kind, ForgeEventKind::kReady);
  EXPECT_EQ(ready.event->head, kReviewHead);
}

TEST_F(FakeForgeReviews, LostAnswersOfReviewsAppearLater) {
  state_.faults().late = 100;
  const json review = {{"event", "COMMENT"}, {"comments", {{{"path", "a.py"}, {"line", 2}, {"body", "x"}}}}};
  EXPECT_EQ(Send("POST", "/repos/o/r/pulls/1/reviews", review, "pat").transport, Answer::Transport::kReset);
  EXPECT_THAT(state_.Find("github", "o/r", true, 1)->review_comments, SizeIs(0));
  state_.TakeDue(kReviewStart + std::chrono::seconds(6));
  EXPECT_THAT(state_.Find("github", "o/r", true, 1)->review_comments, SizeIs(1));
}

}  // namespace
}  // namespace yardmaster::fakeforge
