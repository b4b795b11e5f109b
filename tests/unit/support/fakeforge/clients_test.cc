// The real clients of both forges against the fake, over loopback.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "clients/forge/http_curl.h"
#include "clients/forge/make_forge.h"
#include "clients/forges/shipped_forges.h"
#include "tests/support/app_key.h"
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
    Connect(/*app=*/false);
  }
  // A client with a token, or with an App's credentials.
  void Connect(bool app) {
    CurlHttpOptions curl;
    curl.origins = {server_->ApiUrl(GetParam())};
    absl::StatusOr<std::unique_ptr<HttpClient>> http = MakeCurlHttpClient(curl);
    ASSERT_TRUE(http.ok()) << http.status();
    http_ = *std::move(http);
    ForgeConfig config;
    config.name = GetParam();
    config.profile = FindForge(ShippedForges(), config.name);
    config.api_url = server_->ApiUrl(GetParam());
    if (app) {
      config.app = {.id = "1", .installation = "2", .private_key = yardmaster::testing::Key().Pem()};
    } else {
      config.token = Secret("secret");
    }
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

  // A pull request whose diff shows lines 2 to 4 of a.py.
  void OpenPull() {
    server_->WithState([&](State& state, Time now) {
      Subject subject;
      subject.pull = true;
      subject.title = "title";
      subject.user = "alice";
      subject.head_sha = head_;
      subject.files = {{{"filename", "a.py"}, {"status", "modified"}, {"patch", "@@ -2,2 +2,3 @@\n a\n+b\n c"}}};
      state.Open(GetParam(), "o/r", subject, true, now);
    });
  }
  bool github() const { return std::string_view(GetParam()) == "github"; }

  ForgeCall call_;
  const std::string head_ = std::string(40, 'a');
  const ForgeSubject pull_{"o/r", 1, true};
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

TEST_P(FakeForgeClients, EditACommentInPlaceAndSeeIt) {
  Open({});
  const auto comment = forge_->AddComment(call_, first_, "working");
  ASSERT_TRUE(comment.ok() && comment->shown.has_value());
  const auto edited = forge_->EditComment(call_, first_, comment->shown->id, "done");
  ASSERT_TRUE(edited.ok()) << edited.status();
  ASSERT_TRUE(edited->shown.has_value()) << edited->read_back;
  EXPECT_EQ(edited->shown->id, comment->shown->id);
  EXPECT_EQ(edited->shown->body, "done");
  const auto comments = forge_->ListComments(call_, first_);
  ASSERT_TRUE(comments.ok());
  EXPECT_THAT(comments->comments, SizeIs(1));

  EXPECT_EQ(forge_->EditComment(call_, first_, "99999", "x").status().code(), absl::StatusCode::kNotFound);
  server_->WithState([](State& state, Time) { state.RepositoryOf(GetParam(), "o/r").comments_editable = false; });
  const auto refused = forge_->EditComment(call_, first_, comment->shown->id, "more");
  ASSERT_TRUE(ForgeErrorOf(refused.status()).has_value());
  EXPECT_EQ(ForgeErrorOf(refused.status())->http_status, 405);
  EXPECT_EQ(ForgeErrorOf(refused.status())->outcome, ForgeOutcome::kRefused);
}

TEST_P(FakeForgeClients, EditTheCommentsOfPullRequestsAtTheirOwnAddress) {
  server_->WithState([](State& state, Time now) {
    Subject subject;
    subject.pull = true;
    subject.title = "title";
    subject.user = "alice";
    state.Open(GetParam(), "o/r", subject, true, now);
  });
  const ForgeSubject pull{"o/r", 1, true};
  const auto comment = forge_->AddComment(call_, pull, "working");
  ASSERT_TRUE(comment.ok() && comment->shown.has_value());
  const auto edited = forge_->EditComment(call_, pull, comment->shown->id, "done");
  ASSERT_TRUE(edited.ok()) << edited.status();
  ASSERT_TRUE(edited->shown.has_value()) << edited->read_back;
  EXPECT_EQ(edited->shown->body, "done");
}

TEST_P(FakeForgeClients, ReactOnceWhereThereAreReactions) {
  Open({});
  const auto comment = forge_->AddComment(call_, first_, "hello");
  ASSERT_TRUE(comment.ok() && comment->shown.has_value());
  const auto first = forge_->AddReaction(call_, first_, comment->shown->id, ForgeReaction::kEyes);
  const bool github = std::string_view(GetParam()) == "github";
  EXPECT_EQ(forge_->has_reactions(), github);
  if (!github) {
    EXPECT_EQ(first.status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_EQ(ForgeOutcomeOf(first.status()), ForgeOutcome::kNotSent);
    return;
  }
  ASSERT_TRUE(first.ok()) << first.status();
  const auto again = forge_->AddReaction(call_, first_, comment->shown->id, ForgeReaction::kEyes);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, *first) << "it was there";
  ASSERT_TRUE(forge_->AddReaction(call_, first_, "", ForgeReaction::kPlusOne).ok());
  EXPECT_EQ(forge_->AddReaction(call_, first_, "99999", ForgeReaction::kEyes).status().code(),
            absl::StatusCode::kNotFound);
  server_->WithState([](State& state, Time) {
    const Subject& subject = *state.Find(GetParam(), "o/r", false, 1);
    EXPECT_EQ(subject.reactions.count("yardbot +1"), 1U);
    EXPECT_EQ(subject.comments[0].reactions.size(), 1U);
  });
}

TEST_P(FakeForgeClients, TakeOneLabelOffAndMissNoneThatIsGone) {
  Open({"kind/bug", "need 帮助"});
  const auto removed = forge_->RemoveLabel(call_, first_, "kind/bug");
  ASSERT_TRUE(removed.ok()) << removed.status();
  ASSERT_TRUE(removed->shown.has_value()) << removed->read_back;
  EXPECT_THAT(*removed->shown, ElementsAre("need 帮助"));
  const auto again = forge_->RemoveLabel(call_, first_, "kind/bug");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_THAT(again->shown.value_or(std::vector<std::string>()), ElementsAre("need 帮助"));
  ASSERT_TRUE(forge_->RemoveLabel(call_, first_, "need 帮助").ok());
  const auto nowhere = forge_->RemoveLabel(call_, {"o/r", 77, false}, "kind/bug");
  EXPECT_EQ(nowhere.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ForgeOutcomeOf(nowhere.status()), ForgeOutcome::kRefused);
}

TEST_P(FakeForgeClients, KnowWhoMayDoWhat) {
  Open({});
  server_->WithState([](State& state, Time) {
    auto& permissions = state.RepositoryOf(GetParam(), "o/r").permissions;
    permissions["ann"] = "admin";
    permissions["wes"] = "write";
    permissions["new"] = "emperor";
    state.TeamOf(GetParam(), "org/core") = {{"ann", "active"}, {"bob", "pending"}};
  });
  const auto permission = [&](const std::string& login) {
    const auto access = forge_->GetPermission(call_, "o/r", login);
    EXPECT_TRUE(access.ok()) << access.status();
    return access.ok() ? access->permission : ForgePermission::kNone;
  };
  EXPECT_EQ(permission("ann"), ForgePermission::kAdmin);
  EXPECT_EQ(permission("wes"), ForgePermission::kWrite);
  EXPECT_EQ(permission("bob"), ForgePermission::kRead);
  EXPECT_EQ(permission("new"), ForgePermission::kNone) << "nobody knows what that permits";
  const auto nowhere = forge_->GetPermission(call_, "o/nothing", "ann");
  ASSERT_TRUE(nowhere.ok()) << nowhere.status();
  EXPECT_EQ(nowhere->permission, ForgePermission::kNone);

  const auto ann = forge_->IsTeamMember(call_, "org", "core", "ann");
  if (std::string_view(GetParam()) == "gitcode") {
    EXPECT_EQ(ann.status().code(), absl::StatusCode::kUnimplemented);
    return;
  }
  ASSERT_TRUE(ann.ok()) << ann.status();
  EXPECT_TRUE(*ann);
  EXPECT_FALSE(forge_->IsTeamMember(call_, "org", "core", "bob").value_or(true)) << "only invited";
  EXPECT_FALSE(forge_->IsTeamMember(call_, "org", "core", "eve").value_or(true));
  EXPECT_FALSE(forge_->IsTeamMember(call_, "org", "none", "ann").value_or(true));
}

TEST_P(FakeForgeClients, ReadFilesOfARef) {
  Open({});
  const std::string binary = std::string("\0\xff\n", 3) + std::string(100, 'b');
  server_->WithState([&](State& state, Time) {
    auto& contents = state.RepositoryOf(GetParam(), "o/r").contents;
    contents[".github/yardmaster.json"] = "{}";
    contents[".github/yardmaster.json@topic/x"] = R"({"packs": []})";
    contents["a folder/über #1?.bin"] = binary;
    contents["empty"] = "";
    contents["large"] = std::string(1'048'577, 'x');
  });
  const auto text = [&](const std::string& path, const std::string& ref) {
    const auto file = forge_->GetFile(call_, "o/r", path, ref);
    EXPECT_TRUE(file.ok()) << path << ": " << file.status();
    return file.ok() && file->has_value() ? (*file)->content : "none";
  };
  EXPECT_EQ(text(".github/yardmaster.json", "main"), "{}");
  EXPECT_EQ(text(".github/yardmaster.json", ""), "{}");
  EXPECT_EQ(text(".github/yardmaster.json", "topic/x"), R"({"packs": []})");
  EXPECT_EQ(text("a folder/über #1?.bin", "main"), binary);
  EXPECT_EQ(text("empty", "main"), "");
  EXPECT_EQ(text("not there", "main"), "none");
  EXPECT_EQ(text("a folder", "main"), "none") << "a folder is no file";
  const auto nowhere = forge_->GetFile(call_, "o/nothing", "a", "main");
  ASSERT_TRUE(nowhere.ok()) << nowhere.status();
  EXPECT_FALSE(nowhere->has_value());
  const auto large = forge_->GetFile(call_, "o/r", "large", "main");
  ASSERT_TRUE(ForgeErrorOf(large.status()).has_value());
  EXPECT_EQ(ForgeErrorOf(large.status())->reason, ForgeReason::kTooLarge);
}

TEST_P(FakeForgeClients, SeeAPullRequestAndItsFiles) {
  const bool github = std::string_view(GetParam()) == "github";
  server_->WithState([&](State& state, Time now) {
    state.RepositoryOf(GetParam(), "o/r").default_branch = "trunk";
    Subject subject;
    subject.pull = true;
    subject.title = "title";
    subject.user = "alice";
    subject.labels = {"bug"};
    subject.draft = true;
    subject.base_ref = "release/2";
    subject.head_ref = "fix";
    subject.head_sha = std::string(40, 'a');
    subject.head_repository = "alice/r";
    for (int i = 0; i < 205; ++i) {
      subject.files.push_back(
          {{"filename", "f" + std::to_string(i) + ".py"}, {"status", "modified"}, {"patch", "@@ -1 +1 @@\n-a\n+b"}});
    }
    state.Open(GetParam(), "o/r", subject, true, now);
  });
  const ForgeSubject subject{"o/r", 1, true};
  const auto pull = forge_->GetPull(call_, subject);
  ASSERT_TRUE(pull.ok()) << pull.status();
  EXPECT_EQ(pull->number, 1);
  EXPECT_TRUE(pull->draft);
  EXPECT_EQ(pull->state, ForgeState::kOpen);
  EXPECT_EQ(pull->author.login, "alice");
  EXPECT_EQ(pull->base_ref, "release/2");
  EXPECT_EQ(pull->head_ref, "fix");
  EXPECT_EQ(pull->head_sha, std::string(40, 'a'));
  EXPECT_EQ(pull->head_repository, "alice/r");
  EXPECT_EQ(pull->default_branch, github ? "trunk" : "") << "GitCode does not say it here";
  EXPECT_THAT(pull->labels, ElementsAre("bug"));
  const auto files = forge_->ListPullFiles(call_, subject);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(files->complete);
  ASSERT_THAT(files->files, SizeIs(205));
  EXPECT_EQ(files->files.back().path, "f204.py");
  EXPECT_EQ(files->files.back().patch, "@@ -1 +1 @@\n-a\n+b");

  server_->WithState([](State& state, Time) {
    Subject& kept = *state.Find(GetParam(), "o/r", true, 1);
    kept.merged = true;
    kept.open = false;
    kept.head_repository = "-";
    state.faults().wrong_types = 100;
  });
  const auto merged = forge_->GetPull(call_, subject);
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(merged->state, ForgeState::kMerged);
  EXPECT_EQ(merged->head_repository, "") << "the fork is gone";
  EXPECT_EQ(forge_->GetPull(call_, {"o/r", 9, true}).status().code(), absl::StatusCode::kNotFound);
  server_->WithState([](State& state, Time) {
    for (const Call& call : state.calls()) EXPECT_TRUE(call.expected) << call.method << " " << call.target;
  });
}

TEST_P(FakeForgeClients, CommentAtLinesAndAnswer) {
  OpenPull();
  ASSERT_TRUE(forge_->CreateReview(call_, pull_, head_, {{"a.py", 3, "first"}}).ok());
  ASSERT_TRUE(forge_->CreateReview(call_, pull_, head_, {{"a.py", 4, "second"}}).ok());
  auto list = forge_->ListReviewComments(call_, pull_);
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_THAT(list->comments, SizeIs(2));
  EXPECT_EQ(list->comments[0].comment.body, "first");
  EXPECT_EQ(list->comments[0].comment.author.login, "yardbot");
  EXPECT_EQ(list->comments[0].path, "a.py");
  EXPECT_EQ(list->comments[0].line, 3u);
  EXPECT_EQ(list->comments[1].path, "a.py");
  EXPECT_EQ(list->comments[1].line, 4u);
  const auto reply = forge_->ReplyToReviewComment(call_, pull_, list->comments[0].comment, "fixed");
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_TRUE(reply->shown.has_value()) << reply->read_back;
  EXPECT_EQ(reply->shown->body, "fixed");
  list = forge_->ListReviewComments(call_, pull_);
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_THAT(list->comments, SizeIs(3));
  size_t answers = 0;
  for (const ForgeReviewComment& comment : list->comments) {
    if (comment.in_reply_to == list->comments[0].comment.id) ++answers;
  }
  EXPECT_EQ(answers, 1u);
  server_->WithState([](State& state, Time) {
    for (const Call& call : state.calls()) EXPECT_TRUE(call.expected) << call.method << " " << call.target;
  });
}

TEST_P(FakeForgeClients, CommentAtNoLineThatTheDiffDoesNotShow) {
  OpenPull();
  std::vector<ForgeInlineComment> comments = {{"a.py", 5, "beyond"}};
  if (github()) comments.push_back({"a.py", 3, "within"});
  const absl::Status refused = forge_->CreateReview(call_, pull_, head_, comments);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(ForgeOutcomeOf(refused), ForgeOutcome::kRefused);
  const auto list = forge_->ListReviewComments(call_, pull_);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->comments, SizeIs(0)) << "one stops all of them";
}

TEST_P(FakeForgeClients, ReadReviewCommentsOverPagesAndThroughWrongTypes) {
  OpenPull();
  server_->WithState([&](State& state, Time now) {
    Subject& subject = *state.Find(GetParam(), "o/r", true, 1);
    for (int i = 0; i < 130; ++i) {
      // Places that even ids tell in the list.
      subject.review_comments.push_back(
          {.id = 2 * (i + 1), .user = "bob", .body = "b", .path = "a.py", .line = 3, .commit = head_, .created = now});
    }
    state.faults().wrong_types = 100;
  });
  const auto list = forge_->ListReviewComments(call_, pull_);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_TRUE(list->complete);
  ASSERT_THAT(list->comments, SizeIs(130));
  EXPECT_EQ(list->comments.back().line, 3u);
}

TEST_P(FakeForgeClients, ReportChecksWithAnAppAndStatusesWithAToken) {
  OpenPull();
  if (!github()) {
    EXPECT_FALSE(forge_->has_check_runs() || forge_->has_commit_statuses());
    return;
  }
  EXPECT_FALSE(forge_->has_check_runs());
  ASSERT_TRUE(forge_->SetCommitStatus(call_, "o/r", head_, {.context = "c", .state = ForgeCheckState::kFailure}).ok());
  const auto statuses = forge_->ListCommitStatuses(call_, "o/r", head_);
  ASSERT_TRUE(statuses.ok()) << statuses.status();
  ASSERT_THAT(*statuses, SizeIs(1));
  EXPECT_EQ(statuses->front().author.login, "yardbot");

  Connect(/*app=*/true);
  ASSERT_TRUE(forge_->has_check_runs());
  ForgeCheckRunWrite write;
  write.name = "yardmaster/review";
  write.head = head_;
  write.external_id = "r1";
  const auto made = forge_->CreateCheckRun(call_, "o/r", write);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->state, ForgeCheckState::kInProgress);
  write.title = "2 new";
  write.summary = "summary";
  ForgeAnnotation annotation;
  annotation.path = "a.py";
  annotation.message = "wrong";
  write.annotations.assign(kMaxForgeAnnotations, annotation);
  ASSERT_TRUE(forge_->UpdateCheckRun(call_, "o/r", made->id, write).ok());
  write.state = ForgeCheckState::kNeutral;
  write.annotations.resize(2, annotation);
  const auto ended = forge_->UpdateCheckRun(call_, "o/r", made->id, write);
  ASSERT_TRUE(ended.ok()) << ended.status();
  EXPECT_EQ(ended->annotations, 52) << "they are appended";
  ASSERT_TRUE(forge_->CreateCheckRun(call_, "o/r", write).ok());
  const auto runs = forge_->ListCheckRuns(call_, "o/r", head_, "yardmaster/review");
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_THAT(*runs, SizeIs(2));
  EXPECT_EQ(runs->at(1).id, made->id) << "newest first";
  EXPECT_EQ(runs->at(1).state, ForgeCheckState::kNeutral);
  EXPECT_EQ(runs->at(1).external_id, "r1");
  EXPECT_EQ(forge_->UpdateCheckRun(call_, "o/r", "999", write).status().code(), absl::StatusCode::kNotFound);
  const auto user = forge_->CurrentUser(call_);
  ASSERT_TRUE(user.ok()) << user.status();
  EXPECT_EQ(user->login, "yardbot[bot]");
  server_->WithState([](State& state, Time) {
    for (const Call& call : state.calls()) EXPECT_TRUE(call.expected) << call.method << " " << call.target;
  });
}

TEST_P(FakeForgeClients, PullRequestsAreOpenedFoundAndDescribedAnew) {
  server_->WithState([&](State& state, Time) { state.RepositoryOf(GetParam(), "o/r"); });
  ForgeNewPull wanted;
  wanted.title = "feat: ü";
  wanted.body = "Why.";
  wanted.head = {"alice/r", "feat/x"};
  wanted.base = "main";
  EXPECT_THAT(forge_->FindPulls(call_, "o/r", wanted.head).value(), SizeIs(0));
  const absl::StatusOr<ForgePull> made = forge_->CreatePull(call_, "o/r", wanted);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->title, wanted.title);
  EXPECT_EQ(made->head_ref, "feat/x");
  EXPECT_EQ(made->head_repository, "alice/r");
  EXPECT_EQ(made->base_ref, "main");
  EXPECT_FALSE(made->created_at.empty());
  const absl::StatusOr<ForgePull> twice = forge_->CreatePull(call_, "o/r", wanted);
  EXPECT_EQ(ForgeOutcomeOf(twice.status()), ForgeOutcome::kRefused);
  const std::vector<ForgePull> found = forge_->FindPulls(call_, "o/r", wanted.head).value();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].number, made->number);
  EXPECT_THAT(forge_->FindPulls(call_, "o/r", {"bob/r", "feat/x"}).value(), SizeIs(0));
  EXPECT_THAT(forge_->FindPulls(call_, "o/r", {"alice/r", "x"}).value(), SizeIs(0));

  const ForgeSubject pull{"o/r", made->number, true};
  const absl::StatusOr<ForgePull> edited = forge_->EditPull(call_, pull, "fix: y", "Because.");
  ASSERT_TRUE(edited.ok()) << edited.status();
  EXPECT_EQ(edited->title, "fix: y");
  EXPECT_EQ(edited->body, "Because.");
  EXPECT_TRUE(forge_->AskForReview(call_, pull, {"carol", "dave"}).ok());
  EXPECT_TRUE(forge_->AskForReview(call_, pull, {"carol"}).ok());
  server_->WithState([&](State& state, Time) {
    EXPECT_THAT(state.Find(GetParam(), "o/r", true, made->number)->reviewers, ElementsAre("carol", "dave"));
  });
  for (const char* bad : {"", "two\nlines"}) {
    wanted.title = bad;
    EXPECT_EQ(ForgeOutcomeOf(forge_->CreatePull(call_, "o/r", wanted).status()), ForgeOutcome::kNotSent);
  }
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
