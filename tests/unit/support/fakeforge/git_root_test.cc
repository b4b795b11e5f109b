// Pull requests of real repositories: opened, pushed to and fetched.
#include "tests/support/fakeforge/git_root.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fakeforge/server.h"
#include "tests/support/git_programs.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;
using ::testing::SizeIs;
using yardmaster::testing::GitEnvironment;
using yardmaster::testing::Process;
using yardmaster::testing::TempDir;

TEST(FilesOfDiff, HaveWhatTheForgesTellOfThem) {
  const json files = FilesOfDiff(
      "diff --git a/a b.py b/a b.py\nindex 1..2 100644\n--- a/a b.py\t\n+++ b/a b.py\t\n@@ -1,2 +1,2 @@\n "
      "x\n-old\n+new\n"
      "diff --git a/gone.py b/gone.py\ndeleted file mode 100644\nindex 1..0\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 "
      "@@\n-x\n"
      "diff --git a/from.py b/to.py\nsimilarity index 100%\nrename from from.py\nrename to to.py\n"
      "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n");
  ASSERT_THAT(files, SizeIs(4));
  EXPECT_EQ(files[0], json({{"filename", "a b.py"},
                            {"status", "modified"},
                            {"additions", 1},
                            {"deletions", 1},
                            {"patch", "@@ -1,2 +1,2 @@\n x\n-old\n+new"}}));
  EXPECT_EQ(files[1]["filename"], "gone.py");
  EXPECT_EQ(files[1]["status"], "removed");
  EXPECT_EQ(files[2]["filename"], "to.py");
  EXPECT_EQ(files[2]["previous_filename"], "from.py");
  EXPECT_FALSE(files[2].contains("patch"));
  EXPECT_EQ(files[3]["filename"], "run.sh");
}

class FakeForgeGit : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    Shell("git init -q --bare served/o/r.git && git init -q --bare served/alice/r.git && git init -q -b main work");
    Shell("git -C served/o/r.git symbolic-ref HEAD refs/heads/main");
    Commit("main", "a.py", "a\nb\n");
    ServerOptions options;
    options.state.git_root = (folder_.path() / "served").string();
    options.webhook_url_github = options.webhook_url_gitcode = "http://127.0.0.1:9/nobody";
    std::string error;
    server_ = Server::Start(options, error);
    ASSERT_NE(server_, nullptr) << error;
  }
  std::string Shell(const std::string& command) const {
    Process process({"sh", "-c", "cd '" + folder_.path().string() + "' && " + command}, GitEnvironment(folder_.path()));
    EXPECT_EQ(process.Wait(std::chrono::seconds(60)), 0) << command << process.Stderr();
    const std::string out = process.Stdout();
    return out.substr(0, out.find('\n'));
  }
  // Commits a file on a branch, and pushes it to a repository; the commit's name.
  std::string Commit(const std::string& branch, const std::string& file, const std::string& text,
                     const std::string& to = "o/r") const {
    Shell("git -C work checkout -q -B " + branch);
    folder_.Write("work/" + file, text);
    return Shell("cd work && git add -A && git commit -q -m x && git push -q -f ../served/" + to + ".git " + branch +
                 " && git rev-parse HEAD");
  }
  json Post(const std::string& what, json body) {
    body["forge"] = GetParam();
    body["repository"] = "o/r";
    Answer answer;
    server_->WithState([&](State& state, Time now) {
      answer = state.Handle({.method = "POST", .target = "/_fake/" + what, .body = body.dump()}, now);
    });
    return json::parse(answer.body);
  }
  std::string PullRef() const {
    return std::string_view(GetParam()) == "github" ? "refs/pull/1/head" : "refs/merge-requests/1/head";
  }

  const TempDir folder_;
  std::unique_ptr<Server> server_;
};

TEST_P(FakeForgeGit, APullRequestIsWhatItsBranchesSay) {
  const std::string base = Shell("git -C work rev-parse main");
  const std::string head = Commit("topic", "a.py", "a\nb\nc\n");
  const json opened = Post("pulls", {{"title", "t"}, {"head_ref", "topic"}, {"base_ref", "main"}});
  EXPECT_EQ(opened, json({{"number", 1}, {"head_sha", head}, {"base_sha", base}}));
  // A client of git sees its head, at the forge's own ref.
  const std::string url = server_->GitUrl() + "/o/r.git";
  EXPECT_EQ(Shell("git -c protocol.version=2 ls-remote " + url + " " + PullRef()), head + "\t" + PullRef());
  EXPECT_EQ(Shell("git init -q --bare copy && git -C copy fetch -q --depth 1 " + url + " " + PullRef() +
                  " && git -C copy rev-parse FETCH_HEAD"),
            head);

  // A push: its files are those between the merge base and the new head.
  Commit("main", "b.py", "b\n");
  const std::string next = Commit("topic", "a.py", "a\nc\n");
  const json pushed = Post("push", {{"number", 1}, {"pull", true}});
  EXPECT_EQ(pushed["head_sha"], next);
  EXPECT_EQ(Shell("git ls-remote " + url + " " + PullRef()), next + "\t" + PullRef());
  server_->WithState([&](State& state, Time) {
    const Subject& subject = *state.Find(GetParam(), "o/r", true, 1);
    EXPECT_EQ(subject.head_sha, next);
    EXPECT_TRUE(IsInDiff(subject, "a.py", 2));
    const json told = json::parse(state.deliveries().back().body);
    const json& named = std::string_view(GetParam()) == "github" ? told["before"] : told["object_attributes"]["oldrev"];
    EXPECT_EQ(named, head);
  });
}

TEST_P(FakeForgeGit, AForksHeadIsReadThroughTheTarget) {
  const std::string head = Commit("topic", "new.py", "x\n", "alice/r");
  const json opened =
      Post("pulls", {{"title", "t"}, {"head_ref", "topic"}, {"base_ref", "main"}, {"head_repository", "alice/r"}});
  EXPECT_EQ(opened["head_sha"], head);
  EXPECT_EQ(Shell("git ls-remote " + server_->GitUrl() + "/o/r.git " + PullRef()), head + "\t" + PullRef());
}

TEST_P(FakeForgeGit, WhatIsNotThereIsRefused) {
  EXPECT_TRUE(Post("pulls", {{"title", "t"}, {"head_ref", "nothing"}, {"base_ref", "main"}}).contains("error"));
  EXPECT_TRUE(Post("pulls", {{"title", "t"}, {"head_ref", "--help"}, {"base_ref", "main"}}).contains("error"));
  const GitRoot root(folder_.path() / "served");
  EXPECT_EQ(root.Serve({.target = "/git/o/none.git/info/refs?service=git-upload-pack"}).status, 404);
  EXPECT_NE(root.Serve({.target = "/git/../work/.git/HEAD"}).status, 200);
}

INSTANTIATE_TEST_SUITE_P(Forges, FakeForgeGit, ::testing::Values("github", "gitcode"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace yardmaster::fakeforge
