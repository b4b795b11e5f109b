// `yard workflow` where scripts for forks go wrong: stale refs, names that look alike, hooks, signatures, linked work
// trees, branches that are gone. Each would lose or overwrite something, or act on the wrong place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/workflow_fixture.h"
#include "tests/support/faces.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class WorkflowTrapsTest : public testing::WorkflowFixture {
 protected:
  // Somebody else commits to a branch of a repository of the server.
  void Elsewhere(const std::string& repository, const std::string& branch, const std::string& file) const {
    Shell("rm -rf other && git clone -q root/" + repository + ".git other && cd other && (git checkout -q " + branch +
          " || git checkout -q -b " + branch + ") 2>/dev/null && echo theirs > " + file +
          " && git add -A && git commit -q -m theirs && git push -q origin " + branch);
  }
  std::string Open() const {
    const Answer made = Yard({"pr", "--yes"});
    return made.code == 0 ? made.out["pr"]["number"].dump() : made.out.dump() + made.err;
  }
  void ExpectRefused(const std::vector<std::string>& command, const std::string& reason) const {
    const std::string before = Everything();
    const Answer refused = Yard(command);
    EXPECT_EQ(refused.code, 1) << refused.out << refused.err;
    EXPECT_THAT(refused.out["reason"].dump(), HasSubstr(reason));
    EXPECT_EQ(Everything(), before);
  }
};

// With such a refspec `git fetch origin BRANCH` leaves origin/BRANCH where it was.
TEST_P(WorkflowTrapsTest, AStaleTrackingRefIsNotBelieved) {
  Git("config remote.origin.fetch +refs/heads/main:refs/remotes/origin/main");
  const std::string number = Open();
  dir_.Write("clone/b.py", "B = 1\n");
  Git("add b.py && git commit -q -m 'feat: b' && git push -q origin feat/two");
  Git("update-ref refs/remotes/origin/feat/two HEAD~1");
  Elsewhere("alice/repo", "feat/two", "c");
  // What is here is behind the fork, whatever origin/feat/two says.
  ExpectRefused({"squash", number, "--yes"}, "");
  ExpectRefused({"pr", "--yes"}, "");
}

TEST_P(WorkflowTrapsTest, ABranchOfTheForkWhoseNameOnlyEndsLikeItIsNotIt) {
  Elsewhere("alice/repo", "x/feat/two", "theirs");
  const Answer made = Yard({"pr", "--yes"});
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  EXPECT_EQ(made.out["pushed"][0]["old"], nullptr);
}

TEST_P(WorkflowTrapsTest, ABranchWithTheNameOfATagIsTheBranch) {
  Git("tag feat/two HEAD~1");
  const std::string number = Open();
  EXPECT_EQ(There("alice/repo", "refs/heads/feat/two"), Git("rev-parse refs/heads/feat/two"));
  EXPECT_EQ(Shell("git -C root/alice/repo.git for-each-ref refs/tags"), "");
  dir_.Write("clone/a.py", "changed\n");
  EXPECT_EQ(Yard({"pr", "--to", number, "-m", "fix: more"}).code, 0);
  EXPECT_EQ(There("alice/repo", "refs/heads/feat/two"), Git("rev-parse refs/heads/feat/two"));
}

TEST_P(WorkflowTrapsTest, WhatOnlyMovesFilesIsAChange) {
  Git("switch -q -c move main && mkdir 'new ü' && git mv a.py 'new ü/b c.py' && git commit -q -m 'refactor: move'");
  const Answer made = Yard({"pr", "--yes"});
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  const Answer told = Yard({"pr", "--analyze-only"});
  EXPECT_THAT(told.out.dump(), HasSubstr("new ü/b c.py"));
}

TEST_P(WorkflowTrapsTest, ASignatureThatFailsStopsTheCommitAndAsksNobody) {
  Git("config commit.gpgSign true && git config gpg.program false");
  dir_.Write("clone/a.py", "changed\n");
  const std::string before = Everything();
  const Answer failed = Yard({"commit", "-m", "feat: x"});
  EXPECT_NE(failed.code, 0) << failed.out;
  EXPECT_EQ(Everything(), before);
  // Those that are made in memory, too.
  Git("restore a.py && git -c commit.gpgSign=false commit -q --allow-empty -m 'feat: more'");
  ExpectRefused({"squash", Open(), "--yes"}, "could not be signed");
}

TEST_P(WorkflowTrapsTest, ALinkedWorkTreeHasItsOwnBranchAndFiles) {
  Git("worktree add -q ../linked -b feat/linked main");
  dir_.Write("linked/a.py", "linked\n");
  dir_.Write("clone/a.py", "here\n");
  const std::string here = Git("status --porcelain") + Git("rev-parse HEAD");
  const Answer done = YardIn("linked", {"commit", "-m", "feat: linked"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(There("alice/repo", "feat/linked"), Git("rev-parse feat/linked"));
  EXPECT_EQ(Git("show feat/linked:a.py"), "linked");
  EXPECT_EQ(Git("status --porcelain") + Git("rev-parse HEAD"), here);
  EXPECT_EQ(YardIn("linked", {"undo"}).code, 0);
  EXPECT_EQ(Shell("cat linked/a.py"), "linked");
}

TEST_P(WorkflowTrapsTest, ALongNameOfABranchHasRoomForItsBackup) {
  const std::string name = "feat/" + std::string(180, 'n');
  Git("switch -q -c " + name);
  dir_.Write("clone/b.py", "B = 1\n");
  Git("add b.py && git commit -q -m 'feat: b'");
  const std::string old_head = Git("rev-parse HEAD");
  const Answer done = Yard({"squash", "--base", "main", "--yes"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(Git("rev-parse " + done.out["backups"][0].get<std::string>()), old_head);
  EXPECT_EQ(Yard({"undo"}).code, 0);
  EXPECT_EQ(Git("rev-parse HEAD"), old_head);
}

TEST_P(WorkflowTrapsTest, PullRequestsThatAreMergedOrWhoseBranchIsGoneAreLeftAlone) {
  const std::string number = Open();
  dir_.Write("clone/a.py", "changed\n");
  Shell("git -C root/alice/repo.git update-ref -d refs/heads/feat/two");
  ExpectRefused({"squash", number, "--yes"}, "feat/two");
  ExpectRefused({"pr", "--to", number, "-m", "fix: x", "--no-rebase"}, "feat/two");
  Git("push -q origin feat/two");
  Forge("edit", {{"repository", "octo/repo"}, {"number", std::stoi(number)}, {"pull", true}, {"merged", true}});
  for (const std::vector<std::string>& command : {std::vector<std::string>{"squash", number, "--yes"},
                                                  {"pr", "--to", number, "-m", "fix: x"},
                                                  {"update", number, "--yes"}}) {
    ExpectRefused(command, "merged");
  }
}

TEST_P(WorkflowTrapsTest, APullRequestWhoseForkIsNotNamedIsNotOurs) {
  ASSERT_EQ(Yard({"pr", "--yes"}).code, 0);
  // The fake reads the commits from a repository of that name, and tells nobody which.
  Shell("git clone -q --bare root/octo/repo.git root/-.git");
  const json theirs = Forge("pulls", {{"repository", "octo/repo"},
                                      {"title", "t"},
                                      {"head_ref", "main"},
                                      {"head_repository", "-"},
                                      {"head_sha", Git("rev-parse main")}});
  ASSERT_TRUE(theirs.contains("number")) << theirs;
  ExpectRefused({"squash", theirs["number"].dump(), "--yes"}, "does not name");
}

TEST_P(WorkflowTrapsTest, OneBranchMayHavePullRequestsToTwoBranches) {
  Git("push -q upstream main:r1");
  const std::string first = Open();
  const Answer second = Yard({"pr", "--yes", "--base", "r1"});
  ASSERT_EQ(second.code, 0) << second.out << second.err;
  EXPECT_NE(second.out["pr"]["number"].dump(), first);
  const Answer again = Yard({"pr", "--yes"});
  EXPECT_EQ(again.out["pr"]["number"].dump(), first);
}

// A base that is not fetched would make a wrong difference of what is pushed.
TEST_P(WorkflowTrapsTest, ABaseThatCantBeFetchedIsAFailure) {
  Git("remote set-url upstream http://127.0.0.1:1/git/octo/repo.git");
  const std::string config = testing::ReadWholeFile(Path("config.json"));
  json own = json::parse(config);
  own["forges"][GetParam()]["git_url"] = "http://127.0.0.1:1/git";
  own["forges"][GetParam()]["hosts"] = {http_, "127.0.0.1:1"};
  dir_.Write("config.json", own.dump());
  const std::string before = Everything();
  const Answer failed = Yard({"pr", "--yes"});
  EXPECT_EQ(failed.code, 3) << failed.out << failed.err;
  EXPECT_EQ(Everything(), before);
}

// Local commits that are not pushed stay, and go with what is appended.
TEST_P(WorkflowTrapsTest, CommitsThatAreNotPushedAreNotDropped) {
  const std::string number = Open();
  dir_.Write("clone/b.py", "B = 1\n");
  Git("add b.py && git commit -q -m 'feat: local'");
  dir_.Write("clone/a.py", "changed\n");
  const Answer done = Yard({"pr", "--to", number, "-m", "fix: x", "--no-rebase"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(Git("log -3 --format=%s"), "fix: x\nfeat: local\nfeat(a): add two");
  EXPECT_EQ(There("alice/repo", "feat/two"), Git("rev-parse HEAD"));
}

// Another program's stash, and one of the user's own, is never made, applied or dropped.
TEST_P(WorkflowTrapsTest, StashesAreNeverTouched) {
  dir_.Write("clone/a.py", "stashed\n");
  Git("stash -q");
  const std::string stashes = Git("stash list --format=%H");
  const std::string number = Open();
  dir_.Write("clone/a.py", "changed\n");
  dir_.Write("clone/untracked", "mine\n");
  Elsewhere("octo/repo", "main", "new");
  ASSERT_EQ(Yard({"pr", "--to", number, "-m", "fix: x"}).code, 0);
  EXPECT_EQ(Git("stash list --format=%H"), stashes);
  EXPECT_EQ(Shell("cat clone/untracked clone/new"), "mine\ntheirs");
  EXPECT_EQ(Yard({"undo"}).code, 0);
  EXPECT_EQ(Git("stash list --format=%H"), stashes);
  EXPECT_EQ(Shell("cat clone/a.py"), "changed");
}

// The message of a squash has every commit's words and people, and what the base has gained is not taken back.
TEST_P(WorkflowTrapsTest, ASquashOnAnOldBaseTakesNothingBack) {
  dir_.Write("clone/b.py", "B = 1\n");
  Git("add b.py && git commit -q -m 'feat: b' -m 'Why b.' -m 'Co-authored-by: Carol <carol@example.com>'");
  const std::string number = Open();
  Elsewhere("octo/repo", "main", "newer");
  const Answer done = Yard({"squash", number, "--yes"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  const std::string message = Git("log -1 --format=%B feat/two");
  for (const char* part : {"feat(a): add two", "Since one is not enough.", "Why b.", "Carol <carol@example.com>"}) {
    EXPECT_THAT(message, HasSubstr(part));
  }
  Git("fetch -q upstream");
  EXPECT_EQ(Git("diff --name-only upstream/main...feat/two"), "a.py\nb.py");
  EXPECT_EQ(Git("merge-tree --write-tree --name-only upstream/main feat/two | wc -l"), "1");
}

INSTANTIATE_TEST_SUITE_P(Faces, WorkflowTrapsTest, ::testing::ValuesIn(testing::Faces<const char*>("gitcode")),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace yardmaster
