// Pushes to git's own server, of commits that were made in memory.
#include "clients/git/git_push.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "clients/forge/http_curl.h"
#include "clients/git/git_drafts.h"
#include "clients/git/git_repository.h"
#include "tests/support/git_http_server.h"

namespace yardmaster {
namespace {

using testing::GitHttpServer;
using ::testing::HasSubstr;
using State = PushOutcome::State;

constexpr const char* kRepository = "octo/repo";

class GitPushTest : public ::testing::Test {
 protected:
  GitPushTest() {
    server_.Create(kRepository, {"http.receivepack true"});
    Write("a", "one\ntwo\nthree\n");
    base_ = server_.Commit(kRepository);
    Write("a", "one\ntwo\nthree\nfour\n");
    first_ = server_.Commit(kRepository);
    Write("folder/b", "new\n");
    second_ = server_.Commit(kRepository);
    CurlHttpOptions options;
    options.origins = {server_.url()};
    http_ = *MakeCurlHttpClient(options);
    pusher_ = std::make_unique<HttpGitPusher>(GitEnvironment{
        *http_, {server_.url(), "x-access-token"}, [this](auto) { return absl::StatusOr<Secret>(token_); }, {}});
    drafts_ = *GitDrafts::Open(server_.Work(kRepository));
  }
  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = server_.Work(kRepository) / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string There(const std::string& revision) {
    return server_.Shell("git -C " + (server_.Work(kRepository) / "../../../served/octo/repo.git").string() +
                         " rev-parse --verify -q '" + revision + "' || echo none");
  }
  PushOutcome Push(const RefMove& move, const std::string& pack) {
    bool maybe_done = true;
    const absl::StatusOr<PushOutcome> outcome = pusher_->Push(kRepository, move, pack, maybe_done);
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_FALSE(maybe_done);
    return outcome.value_or(PushOutcome{State::kRefused, "no answer"});
  }

  GitHttpServer server_;
  std::unique_ptr<HttpClient> http_;
  std::unique_ptr<HttpGitPusher> pusher_;
  std::unique_ptr<GitDrafts> drafts_;
  Secret token_;
  std::string base_;
  std::string first_;
  std::string second_;
};

TEST_F(GitPushTest, ASquashNeedsNothingButItsCommit) {
  const GitCommitter committer{second_, 1'700'000'000};
  const std::string squashed = *drafts_->MakeCommit({second_, base_, first_, "both\n"}, committer);
  EXPECT_EQ(squashed, *drafts_->MakeCommit({second_, base_, first_, "both\n"}, committer)) << "made again, the same";
  const std::string pack = *drafts_->Pack({squashed}, {second_}, 1'000'000);
  EXPECT_LT(pack.size(), 400U);
  EXPECT_EQ(Push({"refs/heads/main", second_, squashed}, pack).state, State::kDone);
  EXPECT_EQ(There("main"), squashed);
  EXPECT_EQ(There("main^{tree}"), There(second_ + "^{tree}"));
  // Once more: it is there.
  EXPECT_EQ(Push({"refs/heads/main", second_, squashed}, pack).state, State::kDone);
  // And back, without objects.
  EXPECT_EQ(Push({"refs/heads/main", squashed, second_}, "").state, State::kDone);
  EXPECT_EQ(There("main"), second_);
}

TEST_F(GitPushTest, NothingIsPushedOverWhatSomebodyElsePushed) {
  const std::string squashed = *drafts_->MakeCommit({second_, base_, first_, "both\n"}, {second_, 1'700'000'000});
  const std::string pack = *drafts_->Pack({squashed}, {}, 1'000'000);
  const PushOutcome moved = Push({"refs/heads/main", first_, squashed}, pack);
  EXPECT_EQ(moved.state, State::kMoved);
  EXPECT_EQ(moved.reason, second_);
  EXPECT_EQ(There("main"), second_);
  EXPECT_EQ(Push({"refs/heads/main", "", squashed}, pack).state, State::kMoved);
  EXPECT_EQ(Push({"refs/heads/new", "", squashed}, pack).state, State::kDone);
  EXPECT_EQ(There("new"), squashed);
  EXPECT_EQ(Push({"refs/heads/new", squashed, ""}, "").state, State::kDone);
  EXPECT_EQ(There("new"), "none");
}

TEST_F(GitPushTest, AServerThatRefusesSaysWhy) {
  server_.Shell("git -C " + (server_.Work(kRepository) / "../../../served/octo/repo.git").string() +
                " config receive.denyNonFastForwards true");
  const std::string squashed = *drafts_->MakeCommit({second_, base_, first_, "both\n"}, {second_, 1'700'000'000});
  const PushOutcome refused = Push({"refs/heads/main", second_, squashed}, *drafts_->Pack({squashed}, {}, 1'000'000));
  EXPECT_EQ(refused.state, State::kRefused);
  EXPECT_THAT(refused.reason, HasSubstr("non-fast-forward"));
  // Objects that neither it nor the pack has.
  const std::string unknown_there = *drafts_->MakeCommit({second_, base_, first_, "again\n"}, {second_, 1'700'000'000});
  EXPECT_EQ(Push({"refs/heads/other", "", unknown_there}, "").state, State::kRefused);
  server_.Want("Basic eC1hY2Nlc3MtdG9rZW46c2VjcmV0");
  const PushOutcome unknown = Push({"refs/heads/other", "", second_}, "");
  EXPECT_EQ(unknown.state, State::kRefused);
  EXPECT_THAT(unknown.reason, HasSubstr("token"));
  token_ = Secret("secret");
  EXPECT_EQ(Push({"refs/heads/other", "", second_}, "").state, State::kDone);
}

TEST_F(GitPushTest, AReplayThatStopsShowsTheLines) {
  server_.Shell("cd " + server_.Work(kRepository).string() + " && git checkout -q " + base_);
  Write("a", "one\ntwo\nthree\nvier\n");
  const std::string other =
      server_.Shell("cd " + server_.Work(kRepository).string() + " && git commit -q -a -m other && git rev-parse HEAD");
  const GitReplay replay = *drafts_->Replay({first_, second_}, other, "", {second_, 1'700'000'000});
  EXPECT_EQ(replay.stopped_at, first_);
  ASSERT_EQ(replay.hunks.size(), 1U);
  EXPECT_EQ(replay.hunks.front().path, "a");
  EXPECT_THAT(replay.hunks.front().hunks, HasSubstr("vier"));
  EXPECT_THAT(replay.hunks.front().hunks, HasSubstr("four"));
  EXPECT_THAT(drafts_->Pack({second_}, {}, 10).status().message(), HasSubstr("bytes"));
}

}  // namespace
}  // namespace yardmaster
