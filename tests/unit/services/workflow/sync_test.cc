#include "services/workflow/sync.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "services/workflow/commands.h"
#include "tests/support/git_fork.h"

namespace yardmaster::workflow {
namespace {

using ::testing::HasSubstr;
using Outcome = Result::Outcome;

class WorkflowSyncTest : public ::testing::Test {
 protected:
  SyncRequest Request() const {
    SyncRequest request;
    request.repo = work_.path();
    request.time = "20260131T120000Z";
    return request;
  }
  Result Run(const SyncRequest& request) const {
    absl::StatusOr<Result> result = Sync(request, GitRemotes(*fork_.git, {}));
    if (!result.ok()) throw std::runtime_error(result.status().ToString());
    return *std::move(result);
  }
  Result Back() const {
    UndoRequest back;
    back.repo = work_.path();
    return *workflow::Undo(back);
  }

  const testing::GitFork fork_;
  const testing::GitWork& work_ = fork_.work;
};

TEST_F(WorkflowSyncTest, TheForkAndTheBranchHereGoForwardAndUnrelatedWorkStays) {
  const std::string tip = fork_.Elsewhere("upstream", "main", "a");
  work_.Write("b", "dirty\n");
  work_.Write("c", "staged\n");
  work_.Git("add c");
  work_.Write("new", "untracked\n");
  const std::string before = work_.Git("status --porcelain") + work_.Shell("cat a");
  const Result done = Run(Request());
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(fork_.There("origin", "main"), tip);
  EXPECT_EQ(work_.Git("rev-parse main"), tip);
  EXPECT_EQ(work_.Shell("cat a"), "theirs");
  EXPECT_EQ(work_.Git("status --porcelain"), " M b\nM  c\n?? new");
  EXPECT_EQ(Back().outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("status --porcelain") + work_.Shell("cat a"), before);
  EXPECT_EQ(Run(Request()).pushed.size(), 0U);
  EXPECT_EQ(work_.Git("rev-parse main"), tip);
  EXPECT_EQ(Run(Request()).outcome, Outcome::kNothing);
}

TEST_F(WorkflowSyncTest, FilesThatWereRemovedHereStayRemoved) {
  fork_.Elsewhere("upstream", "main", "a");
  work_.Git("rm -q b");
  work_.Shell("rm c");
  const std::string before = work_.Git("status --porcelain");
  ASSERT_EQ(before, "D  b\n D c");
  EXPECT_EQ(Run(Request()).outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("status --porcelain"), before);
  EXPECT_EQ(Back().outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("status --porcelain"), before);
}

TEST_F(WorkflowSyncTest, WhatIsInTheWayStaysAndTheForkFollowsAllTheSame) {
  const std::string tip = fork_.Elsewhere("upstream", "main", "a");
  for (const char* in_the_way : {"echo mine > a", "git rm -q --cached a", "rm a"}) {
    work_.Shell(in_the_way);
    const std::string before =
        work_.Git("status --porcelain") + work_.Git("rev-parse main") + work_.Shell("cat a || :");
    const Result done = Run(Request());
    EXPECT_EQ(done.steps.back().state, "left") << in_the_way;
    EXPECT_EQ(work_.Git("status --porcelain") + work_.Git("rev-parse main") + work_.Shell("cat a || :"), before)
        << in_the_way;
    EXPECT_EQ(fork_.There("origin", "main"), tip);
  }
}

TEST_F(WorkflowSyncTest, AnUntrackedFileIsNotOverwritten) {
  fork_.Elsewhere("upstream", "main", "new");
  work_.Write("new", "mine\n");
  const Result done = Run(Request());
  EXPECT_EQ(done.steps.back().state, "left");
  EXPECT_THAT(done.steps.back().detail, HasSubstr("overwritten"));
  EXPECT_EQ(work_.Shell("cat new"), "mine");
  EXPECT_EQ(work_.Git("log --format=%s main"), "base");
}

TEST_F(WorkflowSyncTest, AFileThatGoesThroughAFilterIsNotWrittenWithoutIt) {
  testing::FilterBinaries(work_);
  work_.Write("x.bin", "abc\n");
  work_.Commit("feat: x.bin");
  work_.Git("push -q upstream main && git push -q origin main");
  const std::string tip = fork_.Elsewhere("upstream", "main", "x.bin");
  const std::string before = work_.Git("status --porcelain") + work_.Git("rev-parse main") + work_.Shell("cat x.bin");
  const Result done = Run(Request());
  EXPECT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(done.steps.back().state, "left");
  EXPECT_THAT(done.steps.back().detail, HasSubstr("x.bin goes through the filter \"rot\""));
  EXPECT_EQ(work_.Git("status --porcelain") + work_.Git("rev-parse main") + work_.Shell("cat x.bin"), before);
  EXPECT_EQ(fork_.There("origin", "main"), tip);
  // The same where only upstream says so.
  fork_.Elsewhere("upstream", "main", "y.bin");
  work_.Shell(
      "cd ../other && echo '*.raw filter=rot' > .gitattributes && echo x > z.raw && git add . && "
      "git commit -q -m raw && git push -q origin main");
  work_.Git("fetch -q upstream && git reset -q --hard upstream/main~1");
  EXPECT_THAT(Run(Request()).steps.back().detail, HasSubstr("z.raw goes through"));
  // Other files, and those for which no program is set up here, are written.
  work_.Git("config --remove-section filter.rot");
  EXPECT_EQ(Run(Request()).steps.back().state, "done");
  EXPECT_EQ(work_.Git("rev-parse main"), fork_.There("upstream", "main"));
}

TEST_F(WorkflowSyncTest, ABranchThatIsNotCheckedOutMovesAlone) {
  work_.Git("switch -q -c topic");
  work_.Write("a", "mine\n");
  const std::string tip = fork_.Elsewhere("upstream", "main", "a");
  ASSERT_EQ(Run(Request()).outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("rev-parse main"), tip);
  EXPECT_EQ(work_.Shell("cat a"), "mine");
}

TEST_F(WorkflowSyncTest, ABranchOfAnotherWorkTreeStays) {
  work_.Git("switch -q -c topic");
  work_.Git("worktree add -q ../second main");
  fork_.Elsewhere("upstream", "main", "a");
  EXPECT_THAT(Run(Request()).steps.back().detail, HasSubstr("another work tree"));
  EXPECT_EQ(work_.Git("log --format=%s main"), "base");
  EXPECT_EQ(work_.Shell("cd ../second && git status --porcelain"), "");
}

TEST_F(WorkflowSyncTest, CommitsOfTheForkAreNeverOverwritten) {
  fork_.Elsewhere("upstream", "main", "a");
  fork_.Elsewhere("origin", "main", "mine");
  const std::string before = fork_.Everything();
  const Result refused = Run(Request());
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_THAT(refused.reason, HasSubstr("commits that are not here"));
  EXPECT_EQ(fork_.Everything(), before);
}

TEST_F(WorkflowSyncTest, ADefaultBranchWithASlashAndADryRun) {
  fork_.Elsewhere("upstream", "release/main", "a");
  work_.Git("--git-dir=../upstream.git symbolic-ref HEAD refs/heads/release/main");
  work_.Git("fetch -q upstream");
  const std::string before = fork_.Everything() + fork_.Objects();
  SyncRequest request = Request();
  request.dry_run = true;
  EXPECT_EQ(Run(request).pushed.size(), 1U);
  EXPECT_EQ(fork_.Everything() + fork_.Objects(), before);
  EXPECT_EQ(Run(Request()).branch, "release/main");
  EXPECT_EQ(fork_.There("origin", "release/main"), fork_.There("upstream", "release/main"));
}

TEST_F(WorkflowSyncTest, WhereHeadOfTheRemoteNamesNoBranchTheUsualNamesAreTried) {
  fork_.Elsewhere("upstream", "develop", "a");
  work_.Git("--git-dir=../upstream.git update-ref --no-deref HEAD refs/heads/main");
  EXPECT_EQ(Run(Request()).branch, "main");
  work_.Git("--git-dir=../upstream.git branch -q -m main other");
  EXPECT_EQ(Run(Request()).branch, "develop");
  work_.Git("--git-dir=../upstream.git branch -q -m develop another");
  EXPECT_THAT(Sync(Request(), GitRemotes(*fork_.git, {})).status().message(), HasSubstr("name one"));
}

TEST_F(WorkflowSyncTest, WithoutUpstreamTheWayOutIsNamed) {
  work_.Git("remote remove upstream");
  EXPECT_THAT(Run(Request()).fix, HasSubstr("git remote add upstream"));
}

}  // namespace
}  // namespace yardmaster::workflow
