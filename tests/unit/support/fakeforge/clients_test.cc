// The real clients of both forges against the fake, over loopback.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "clients/forge/http_curl.h"
#include "clients/forge/make_forge.h"
#include "tests/support/fakeforge/server.h"

namespace yardmaster::fakeforge {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class FakeForgeClients : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ServerOptions options;
    options.state.github.token = options.state.gitcode.token = "secret";
    std::string error;
    server_ = Server::Start(options, error);
    ASSERT_NE(server_, nullptr) << error;
    CurlHttpOptions curl;
    curl.origins = {server_->ApiUrl(GetParam())};
    absl::StatusOr<std::unique_ptr<HttpClient>> http = MakeCurlHttpClient(curl);
    ASSERT_TRUE(http.ok()) << http.status();
    http_ = *std::move(http);
    ForgeConfig config;
    config.name = GetParam();
    config.api_url = server_->ApiUrl(GetParam());
    config.token = Secret("secret");
    config.budget.spacing_ms = 1;
    absl::StatusOr<std::unique_ptr<StoppableForge>> forge =
        MakeForge(config, ForgeEnvironment{*http_, clock_, waiter_, nullptr, 1, nullptr});
    ASSERT_TRUE(forge.ok()) << forge.status();
    forge_ = *std::move(forge);
  }
  void Open(const std::vector<std::string>& labels) {
    server_->WithState([&](State& state, Time now) {
      Subject subject;
      subject.title = "title";
      subject.body = "body";
      subject.user = "alice";
      subject.labels = labels;
      state.Open(GetParam(), "o/r", subject, true, now);
    });
  }

  ForgeCall call_;
  const ForgeSubject first_{"o/r", 1, false};
  SystemClock clock_;
  SystemWaiter waiter_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<HttpClient> http_;
  std::unique_ptr<StoppableForge> forge_;
};

TEST_P(FakeForgeClients, SeeTheAccountAndTheRepository) {
  Open({});
  server_->WithState([&](State& state, Time) { state.RepositoryOf(GetParam(), "o/r").labels = {"bug", "triage"}; });
  const auto user = forge_->CurrentUser(call_);
  ASSERT_TRUE(user.ok()) << user.status();
  EXPECT_EQ(user->login, "yardbot");
  const auto repository = forge_->GetRepository(call_, "o/r");
  ASSERT_TRUE(repository.ok()) << repository.status();
  EXPECT_EQ(repository->full_name, "o/r");
  const auto labels = forge_->RepositoryLabels(call_, "o/r");
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_THAT(*labels, SizeIs(2));
}

TEST_P(FakeForgeClients, WriteLabelsAndCommentsAndFindThem) {
  Open({"triage"});
  const auto labels = forge_->AddLabels(call_, first_, {"bug"});
  ASSERT_TRUE(labels.ok()) << labels.status();
  ASSERT_TRUE(labels->shown.has_value()) << labels->read_back;
  EXPECT_THAT(*labels->shown, ElementsAre("triage", "bug"));
  const auto comment = forge_->AddComment(call_, first_, "hello");
  ASSERT_TRUE(comment.ok()) << comment.status();
  ASSERT_TRUE(comment->shown.has_value()) << comment->read_back;
  EXPECT_EQ(comment->shown->body, "hello");
  EXPECT_EQ(comment->shown->author.login, "yardbot");
  const auto issue = forge_->GetIssue(call_, first_);
  ASSERT_TRUE(issue.ok()) << issue.status();
  EXPECT_EQ(issue->body, "body");
  EXPECT_EQ(issue->author.login, "alice");
  EXPECT_EQ(issue->comments, 1);
}

TEST_P(FakeForgeClients, WalkAllPages) {
  for (int i = 0; i < 101; ++i) Open({"triage"});
  server_->WithState([&](State& state, Time now) {
    Subject& subject = *state.Find(GetParam(), "o/r", false, 1);
    for (int i = 0; i < 150; ++i) {
      state.AddComment(GetParam(), "o/r", subject, "bob", "comment " + std::to_string(i), true, now);
    }
  });
  ForgeIssueQuery query;
  query.labels = {"triage"};
  query.state = ForgeState::kOpen;
  std::vector<int64_t> numbers;
  do {
    const auto page = forge_->ListIssues(call_, "o/r", query);
    ASSERT_TRUE(page.ok()) << page.status();
    for (const ForgeIssue& issue : page->issues) numbers.push_back(issue.number);
    query.cursor = page->next;
  } while (!query.cursor.empty());
  ASSERT_THAT(numbers, SizeIs(101));
  EXPECT_EQ(numbers.front(), 1);
  EXPECT_EQ(numbers.back(), 101);
  const auto comments = forge_->ListComments(call_, first_);
  ASSERT_TRUE(comments.ok()) << comments.status();
  EXPECT_TRUE(comments->complete);
  ASSERT_THAT(comments->comments, SizeIs(150));
  EXPECT_EQ(comments->comments.back().body, "comment 149");
  server_->WithState([](State& state, Time) {
    for (const Call& call : state.calls()) EXPECT_TRUE(call.expected) << call.method << " " << call.target;
  });
}

TEST_P(FakeForgeClients, ReadThroughWrongTypes) {
  Open({"triage"});
  server_->WithState([](State& state, Time) { state.faults().wrong_types = 100; });
  const auto issue = forge_->GetIssue(call_, first_);
  ASSERT_TRUE(issue.ok()) << issue.status();
  EXPECT_EQ(issue->number, 1);
  EXPECT_THAT(issue->labels, ElementsAre("triage"));
}

TEST_P(FakeForgeClients, AreToldThatALostWriteIsUnknown) {
  Open({});
  server_->WithState([](State& state, Time) { state.faults().reset_after = 100; });
  const auto comment = forge_->AddComment(call_, first_, "hello");
  ASSERT_FALSE(comment.ok());
  ASSERT_TRUE(ForgeErrorOf(comment.status()).has_value());
  EXPECT_EQ(ForgeErrorOf(comment.status())->outcome, ForgeOutcome::kUnknown);
  server_->WithState([](State& state, Time) { state.faults() = {}; });
  const auto comments = forge_->ListComments(call_, first_);
  ASSERT_TRUE(comments.ok()) << comments.status();
  EXPECT_THAT(comments->comments, SizeIs(1));
}

INSTANTIATE_TEST_SUITE_P(Forges, FakeForgeClients, ::testing::Values("github", "gitcode"),
                         [](const auto& info) { return std::string(info.param); });

TEST(FakeForgeServer, SendsWebhooksOverHttpAndNotesWhatCameBack) {
  std::mutex mutex;
  std::vector<Request> received;
  std::string error;
  const auto receiver = HttpListener::Start(
      "127.0.0.1", 0,
      [&](const Request& request) {
        std::lock_guard<std::mutex> lock(mutex);
        received.push_back(request);
        return Answer{.status = 202, .body = "{}"};
      },
      error);
  ASSERT_NE(receiver, nullptr) << error;
  ServerOptions options;
  options.webhook_url_github = "http://127.0.0.1:" + std::to_string(receiver->port()) + "/webhooks/github";
  options.state.github.secret = "key";
  const auto server = Server::Start(options, error);
  ASSERT_NE(server, nullptr) << error;
  server->WithState([](State& state, Time now) {
    Subject subject;
    subject.title = "title";
    subject.user = "alice";
    state.Open("github", "o/r", subject, false, now);
  });
  size_t pending = 1;
  for (int i = 0; i < 1'000 && pending > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    server->WithState([&](State& state, Time) { pending = state.Pending(); });
  }
  ASSERT_EQ(pending, 0U);
  std::lock_guard<std::mutex> lock(mutex);
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0].path(), "/webhooks/github");
  EXPECT_EQ(received[0].Header("X-Hub-Signature-256"), SignBody("key", received[0].body));
  server->WithState([](State& state, Time) { EXPECT_EQ(state.deliveries()[0].status, 202); });
}

}  // namespace
}  // namespace yardmaster::fakeforge
