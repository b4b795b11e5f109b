#include "clients/git/git_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "clients/forge/http_curl.h"
#include "services/core/errors.h"
#include "tests/support/git_http_server.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using testing::GitHttpServer;
using ::testing::HasSubstr;
using testing::TempDir;

constexpr size_t kDiffedFiles = 1'000;

std::string NumberedLines(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "line number " + std::to_string(i) + "\n";
  return text;
}

// Servers that can leave out files and such that can't.
class GitCacheTest : public ::testing::TestWithParam<bool> {
 protected:
  GitCacheTest() {
    CurlHttpOptions options;
    options.origins = {server_.url()};
    http_ = *MakeCurlHttpClient(options);
    Create("o/r");
    Start();
  }

  void Create(const std::string& repository) {
    server_.Create(repository, {std::string("uploadpack.allowFilter ") + (GetParam() ? "true" : "false")});
  }
  // A new cache over the same folder, as after a restart.
  void Start() {
    cache_.reset();
    cache_ = std::make_unique<GitCache>(
        GitEnvironment{
            *http_, {server_.url(), "git"}, [this](auto) { return absl::StatusOr<Secret>(token_); }, {}, timeout_},
        folder_.path() / "cache", limits_);
  }
  void Write(const std::string& path, const std::string& text, const std::string& repository = "o/r") {
    fs::create_directories((server_.Work(repository) / path).parent_path());
    std::ofstream(server_.Work(repository) / path, std::ios::binary) << text;
  }
  // Commits what is there to the branch of the work tree and pushes it.
  std::string Commit(const std::string& repository = "o/r") {
    Git("add -A", repository);
    Git("commit -q --allow-empty -m x", repository);
    return Push("refs/heads/" + Git("branch --show-current", repository), repository);
  }
  std::string Git(const std::string& arguments, const std::string& repository = "o/r") {
    return server_.Shell("git -C " + server_.Work(repository).string() + " " + arguments);
  }
  std::string Push(const std::string& ref, const std::string& repository = "o/r") {
    Git("push -q -f ../../../served/" + repository + ".git HEAD:" + ref, repository);
    return Git("rev-parse HEAD", repository);
  }
  static GitCacheRequest Ask(const std::string& base, const std::string& head, const std::string& repository = "o/r") {
    return {repository, {base, ""}, {head, ""}, nullptr};
  }
  GitCacheHandle Fetched(const GitCacheRequest& request) {
    absl::StatusOr<GitCacheHandle> handle = cache_->Fetch(request);
    if (!handle.ok()) throw std::runtime_error(handle.status().ToString());
    return *std::move(handle);
  }
  absl::Status Refused(const GitCacheRequest& request) { return cache_->Fetch(request).status(); }
  static std::vector<GitChangedFile> Changes(const GitCacheHandle& handle) {
    const auto base = handle.repository().TreeOf(handle.merge_base());
    const auto head = handle.repository().TreeOf(handle.head());
    auto files = handle.repository().Diff(**base, **head, kDiffedFiles);
    EXPECT_TRUE(files.ok()) << files.status();
    return *std::move(files);
  }
  static std::string Text(const GitCacheHandle& handle, const std::string& path) {
    const auto tree = handle.repository().TreeOf(handle.head());
    const absl::StatusOr<std::string> text = (*tree)->Read(*(*tree)->Find(path), 1'000'000);
    return text.ok() ? *text : text.status().ToString();
  }
  std::vector<fs::path> Folders() const {
    std::vector<fs::path> folders;
    for (const auto& one : fs::directory_iterator(folder_.path() / "cache")) folders.push_back(one.path());
    return folders;
  }
  // Asked of the server by `work`.
  template <typename Work>
  size_t Requests(Work work) {
    const size_t before = server_.requests().size();
    work();
    return server_.requests().size() - before;
  }

  const TempDir folder_;
  GitHttpServer server_;
  std::unique_ptr<HttpClient> http_;
  Secret token_;
  std::chrono::milliseconds timeout_{20'000};
  GitCacheLimits limits_;
  std::unique_ptr<GitCache> cache_;
};
INSTANTIATE_TEST_SUITE_P(Servers, GitCacheTest, ::testing::Bool(), [](const auto& param) {
  return param.param ? std::string("ThatFilter") : std::string("ThatDoNotFilter");
});

TEST_P(GitCacheTest, WhatADiffNeedsIsThereAndComesOnce) {
  Write("a.py", NumberedLines(0, 50));
  Write("other/large.txt", NumberedLines(0, 20'000));
  const std::string root = Commit();
  Git("checkout -q -b topic");
  Git("mv a.py b.py");
  Write("b.py", NumberedLines(1, 51));
  const std::string head = Commit();
  Git("checkout -q main");

  std::optional<GitCacheHandle> handle;
  EXPECT_EQ(Requests([&] { handle = Fetched(Ask(root, head)); }), GetParam() ? 3u : 2u);
  EXPECT_EQ(handle->merge_base(), root);
  const auto files = Changes(*handle);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].change, GitChangedFile::Change::kRenamed);
  EXPECT_EQ(Text(*handle, "b.py"), NumberedLines(1, 51));

  // Other files come when they are asked for, if they did not come with the commits.
  EXPECT_EQ(server_.longest() < 20'000, GetParam()) << server_.longest();
  const auto tree = handle->repository().TreeOf(head);
  const std::string large = (*(*tree)->Find("other/large.txt")).object;
  EXPECT_EQ(Requests([&] { EXPECT_TRUE(handle->NeedBlobs({large}).ok()); }), GetParam() ? 2u : 0u);
  EXPECT_EQ(Text(*handle, "other/large.txt"), NumberedLines(0, 20'000));
  EXPECT_EQ(Requests([&] { EXPECT_TRUE(handle->NeedBlobs({large}).ok()); }), 0u);

  EXPECT_EQ(Requests([&] { Fetched(Ask(root, head)); }), 0u);
  Start();
  EXPECT_EQ(Requests([&] { Fetched(Ask(root, head)); }), 0u) << "also after a restart";
  EXPECT_EQ(Folders().size(), 1u);
}

TEST_P(GitCacheTest, AForcePushAndARebaseAreNewCommits) {
  Write("a.py", "1\n");
  const std::string root = Commit();
  Git("checkout -q -b topic");
  Write("a.py", "2\n");
  const std::string first = Commit();
  EXPECT_EQ(Fetched(Ask(root, first)).merge_base(), root);
  Git("checkout -q main");
  Write("b.py", "1\n");
  const std::string base = Commit();
  Git("checkout -q topic");
  Git("reset -q --hard main");
  Write("a.py", "3\n");
  Git("commit -q -am rebased");
  const std::string second = Push("refs/heads/topic");
  const GitCacheHandle handle = Fetched(Ask(base, second));
  EXPECT_EQ(handle.merge_base(), base);
  EXPECT_EQ(Changes(handle).size(), 1u);
  EXPECT_EQ(Text(handle, "a.py"), "3\n");
}

TEST_P(GitCacheTest, ARefLeadsToItsCommit) {
  Write("a.py", "1\n");
  const std::string root = Commit();
  Write("a.py", "2\n");
  Git("commit -q -am fork");
  const std::string head = Push("refs/pull/7/head");
  GitCacheRequest request = Ask(root, "");
  request.head.ref = "refs/pull/7/head";
  EXPECT_EQ(Fetched(request).head(), head);
  request.head.ref = "refs/pull/8/head";
  EXPECT_EQ(Refused(request), errors::CommitUnknown("refs/pull/8/head", "o/r"));
  // A commit that nobody has is said, with and without a ref.
  request.head = {std::string(40, 'a'), "refs/pull/7/head"};
  EXPECT_EQ(Refused(request).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Refused(Ask(root, std::string(40, 'a'))), errors::CommitUnknown(std::string(40, 'a'), "o/r"));
  EXPECT_EQ(Refused(Ask(root, head, "o/absent")), errors::RepositoryNotOnForge("o/absent"));
  EXPECT_EQ(Refused(Ask(root, head, "../../x")).code(), absl::StatusCode::kNotFound);
}

TEST_P(GitCacheTest, ALongHistoryIsFetchedAsFarAsItIsNeeded) {
  // A minute apart: where commits have one time, any order of them is right, and more may be needed to be sure.
  const auto many = [this](int count) {
    server_.Shell(
        "cd " + server_.Work("o/r").string() + " && n=$(git rev-list --count HEAD) && for i in $(seq 1 " +
        std::to_string(count) +
        "); do GIT_COMMITTER_DATE=\"$((1700000000 + 60 * (n + i))) +0000\" git commit -q --allow-empty -m $i; done");
  };
  Write("a.py", "1\n");
  Commit();
  server_.Shell("cd " + server_.Work("o/r").string() +
                " && GIT_COMMITTER_DATE='1700000000 +0000' git commit -q --amend --no-edit");
  const std::string root = Git("rev-parse HEAD");
  many(150);
  Git("checkout -q -b topic");
  Write("b.py", "1\n");
  const std::string head = Commit();
  Git("checkout -q main");
  many(20);
  const std::string base = Push("refs/heads/main");
  const GitCacheHandle near = Fetched(Ask(base, head));
  EXPECT_EQ(near.merge_base(), Git("merge-base main topic"));
  EXPECT_FALSE(near.repository().TreeOf(root).ok()) << "so far nobody needs it";
  // What was cut off is fetched when it is needed.
  Git("checkout -q -b old " + root);
  Write("c.py", "1\n");
  const std::string old = Commit();
  const GitCacheHandle far = Fetched(Ask(base, old));
  EXPECT_EQ(far.merge_base(), root);
  EXPECT_EQ(Changes(far).size(), 1u);
  const auto commits = far.repository().Commits(base, old, 10);
  ASSERT_TRUE(commits.ok()) << commits.status();
  EXPECT_EQ(commits->size(), 1u);
  // And git itself finds nothing wrong.
  server_.Shell("git -C " + Folders().at(0).string() + " -c safe.directory='*' log --oneline " + base + " >/dev/null");
}

TEST_P(GitCacheTest, HistoriesThatHaveNothingInCommonAreNoError) {
  Write("a.py", "1\n");
  const std::string root = Commit();
  Git("checkout -q --orphan alone");
  Git("commit -q -m alone");
  const std::string alone = Push("refs/heads/alone");
  const GitCacheHandle handle = Fetched(Ask(root, alone));
  EXPECT_EQ(handle.merge_base(), "");
  EXPECT_EQ(Text(handle, "a.py"), "1\n");
}

TEST_P(GitCacheTest, ADamagedCacheIsMadeAgain) {
  Write("a.py", "1\n");
  const std::string root = Commit();
  Write("a.py", "2\n");
  const std::string head = Commit();
  Fetched(Ask(root, head));
  const auto damage = [this](const std::string& extension, const std::string& content) {
    cache_.reset();
    for (const auto& file : fs::directory_iterator(Folders().at(0) / "objects/pack")) {
      if (file.path().extension() != extension) continue;
      fs::permissions(file.path(), fs::perms::owner_all);
      std::ofstream(file.path(), std::ios::binary) << content;
    }
    Start();
  };
  for (const auto& [extension, content] : {std::pair(".pack", "PACK"), {".idx", ""}, {".pack", ""}}) {
    damage(extension, content);
    const GitCacheHandle handle = Fetched(Ask(root, head));
    EXPECT_EQ(handle.merge_base(), root);
    EXPECT_EQ(Text(handle, "a.py"), "2\n");
    EXPECT_EQ(Folders().size(), 1u);
  }
  // As a crash leaves it: no list of what came, and a pack that was being written.
  cache_.reset();
  const fs::path folder = Folders().at(0);
  fs::remove(folder / "tips");
  Start();
  EXPECT_TRUE(Folders().empty());
  Fetched(Ask(root, head));
  cache_.reset();
  std::ofstream(Folders().at(0) / "objects/pack/tmp_pack_x") << "PACK";
  Start();
  EXPECT_FALSE(fs::exists(Folders().at(0) / "objects/pack/tmp_pack_x"));
  EXPECT_EQ(Requests([&] { Fetched(Ask(root, head)); }), 0u);
}

TEST_P(GitCacheTest, ManyPacksBecomeOne) {
  limits_.packs = 3;
  Start();
  Write("a.py", "0\n");
  const std::string root = Commit();
  for (int i = 1; i < 10; ++i) {
    Write("a.py", std::to_string(i) + "\n");
    const GitCacheHandle handle = Fetched(Ask(root, Commit()));
    EXPECT_EQ(Text(handle, "a.py"), std::to_string(i) + "\n");
    EXPECT_LE(Folders().size(), 2u);
  }
  EXPECT_EQ(Folders().size(), 1u);
}

TEST_P(GitCacheTest, WhatWasNotUsedForLongGoesAndNeverWhatIsInUse) {
  limits_.total_bytes = 1;
  Start();
  std::vector<std::string> commits;
  for (const std::string repository : {"o/r", "o/second", "o/third"}) {
    if (repository != "o/r") Create(repository);
    Write("a.py", repository, repository);
    commits.push_back(Commit(repository));
  }
  std::optional<GitCacheHandle> used = Fetched(Ask(commits[0], commits[0]));
  Fetched(Ask(commits[1], commits[1], "o/second"));
  EXPECT_EQ(Folders().size(), 2u);
  Fetched(Ask(commits[2], commits[2], "o/third"));
  EXPECT_EQ(Folders().size(), 2u) << "the second went";
  EXPECT_TRUE(used->repository().TreeOf(commits[0]).ok());
  EXPECT_EQ(Requests([&] { Fetched(Ask(commits[0], commits[0])); }), 0u);
  used.reset();
  Fetched(Ask(commits[1], commits[1], "o/second"));
  EXPECT_EQ(Folders().size(), 1u);
}

TEST_P(GitCacheTest, LimitsAreErrorsThatNameThem) {
  Write("a.py", NumberedLines(0, 1'000));
  const std::string root = Commit();
  Write("a.py", NumberedLines(1, 1'001));
  const std::string head = Commit();
  limits_.answer_bytes = 100;
  Start();
  EXPECT_EQ(Refused(Ask(root, head)), errors::CommitTooLarge("o/r", 100));
  limits_.answer_bytes = kMaxGitCacheAnswerBytes;
  limits_.repository_bytes = 200;
  Start();
  EXPECT_EQ(Refused(Ask(root, head)), errors::CommitTooLarge("o/r", 200));
  EXPECT_TRUE(Folders().empty()) << "nothing is left of it";
}

TEST_P(GitCacheTest, APrivateRepositoryWantsTheToken) {
  Write("a.py", "1\n");
  const std::string root = Commit();
  server_.Want("Basic Z2l0OnMzY3JldC10b2tlbg==");  // git:s3cret-token
  EXPECT_EQ(Refused(Ask(root, root)), errors::GitCredentialsRefused("o/r", false));
  token_ = Secret("another-token");
  EXPECT_EQ(Refused(Ask(root, root)), errors::GitCredentialsRefused("o/r", true));
  token_ = Secret("s3cret-token");
  Fetched(Ask(root, root));
  for (const std::string& line : server_.requests()) EXPECT_THAT(line, ::testing::Not(HasSubstr("s3cret")));
}

TEST_P(GitCacheTest, AServerThatFailsLosesNothingOfWhatIsThere) {
  Write("a.py", "1\n");
  const std::string root = Commit();
  Fetched(Ask(root, root));
  server_.Want("Basic nobody");
  EXPECT_FALSE(cache_->Fetch(Ask(root, std::string(40, 'b'))).ok());
  EXPECT_EQ(Requests([&] { Fetched(Ask(root, root)); }), 0u);
}

TEST_P(GitCacheTest, TwoAtOnceShareOneFetch) {
  Write("a.py", "1\n");
  const std::string root = Commit();
  Write("a.py", "2\n");
  const std::string head = Commit();
  const size_t requests = Requests([&] {
    std::vector<std::thread> threads(4);
    for (std::thread& thread : threads) {
      thread = std::thread([&] {
        const GitCacheHandle handle = Fetched(Ask(root, head));
        EXPECT_EQ(Text(handle, "a.py"), "2\n");
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(requests, GetParam() ? 3u : 2u);
}

TEST_P(GitCacheTest, ACallThatIsGivenUpEndsWithItsReason) {
  Write("a.py", "1\n");
  const std::string root = Commit();
  GitCacheRequest request = Ask(root, root);
  request.alive = [] { return errors::CallCancelled(); };
  EXPECT_EQ(Refused(request).code(), absl::StatusCode::kCancelled);
  http_->Stop();
  EXPECT_EQ(Refused(Ask(root, root)), errors::ShuttingDown());
}

TEST_P(GitCacheTest, NothingOfARepositoryIsRun) {
  const fs::path marker = folder_.path() / "marker";
  Write(".gitattributes", "* filter=evil diff=evil\n");
  Write(".gitmodules",
        "[submodule \"x\"]\n path = x\n url = http://127.0.0.1:1/x\n update = !touch " + marker.string() + "\n");
  Write(".git-hooks/post-checkout", "#!/bin/sh\ntouch " + marker.string() + "\n");
  const std::string root = Commit();
  Git("update-index --add --cacheinfo 160000," + root + ",x");
  Git("commit -q -m sub");
  const std::string head = Push("refs/heads/main");
  const GitCacheHandle handle = Fetched(Ask(root, head));
  ASSERT_EQ(Changes(handle).size(), 1u);
  EXPECT_EQ(Changes(handle)[0].head.mode, kGitSubmoduleMode);
  EXPECT_FALSE(fs::exists(marker));
}

}  // namespace
}  // namespace yardmaster
