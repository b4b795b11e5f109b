#include "services/workflow/commit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "clients/git/git_remotes.h"
#include "services/workflow/commands.h"
#include "tests/support/git_fork.h"
#include "tests/support/local_forge.h"

namespace yardmaster::workflow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Outcome = Result::Outcome;

class WorkflowCommitTest : public ::testing::Test {
 protected:
  WorkflowCommitTest() { work_.Git("switch -q -c feat/x"); }

  CommitRequest Request() const {
    CommitRequest request;
    request.repo = work_.path();
    request.message = "feat: one\n\nWhy.";
    request.time = "20260131T120000Z";
    return request;
  }
  Result Run(const CommitRequest& request) const {
    absl::StatusOr<Result> result = workflow::Commit(request, *fork_.git, GitRemotes(*fork_.git, {}));
    if (!result.ok()) throw std::runtime_error(result.status().ToString());
    return *std::move(result);
  }
  Result Back() const {
    UndoRequest request;
    request.repo = work_.path();
    return *workflow::Undo(request);
  }
  std::string Everything() const { return fork_.Everything(); }

  const testing::GitFork fork_;
  const testing::GitWork& work_ = fork_.work;
};

TEST_F(WorkflowCommitTest, TrackedChangesAreCommittedAndPushedAndUntrackedOnesNamed) {
  work_.Write("a", "2\n");
  work_.Shell("rm c");
  work_.Write("new ü", "untracked\n");
  const Result done = Run(Request());
  EXPECT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_THAT(done.untracked, ElementsAre("new ü"));
  EXPECT_EQ(work_.Git("log -1 --format=%an:%B"), "Bob:feat: one\n\nWhy.\n");
  EXPECT_EQ(work_.Git("show --format= --name-status HEAD"), "M\ta\nD\tc");
  EXPECT_EQ(work_.Git("status --porcelain"), "?? \"new \\303\\274\"");
  EXPECT_EQ(work_.Git("--git-dir=../origin.git rev-parse feat/x"), work_.Git("rev-parse HEAD"));
  ASSERT_EQ(done.pushed.size(), 1U);
  EXPECT_EQ(done.pushed[0].change.old_id, "");
  EXPECT_FALSE(done.pushed[0].forced);
  work_.Git("fsck --strict");
}

TEST_F(WorkflowCommitTest, AHookThatTheRepositoryExpectsAndThatIsNotInstalledIsTold) {
  const auto told = [this] {
    work_.Shell("date +%N >> a");
    std::string steps;
    for (const Step& step : Run(Request()).steps) {
      if (step.id == "pre-commit") steps += step.detail;
    }
    return steps;
  };
  EXPECT_EQ(told(), "");
  work_.Write(".pre-commit-config.yaml", "repos: []\n");
  EXPECT_THAT(told(), HasSubstr("pre-commit install"));
  work_.Write("scripts/pre-commit/install.sh", "exit 0\n");
  EXPECT_THAT(told(), HasSubstr("sh scripts/pre-commit/install.sh"));
  // Where it is installed by core.hooksPath, or in .git.
  work_.Shell("mkdir ../hooks && printf '#!/bin/sh\\n' > ../hooks/pre-commit && chmod +x ../hooks/pre-commit");
  work_.Git("config core.hooksPath " + work_.Beside("hooks").string());
  EXPECT_EQ(told(), "");
}

// As after a kill between the commit and its push.
TEST_F(WorkflowCommitTest, APushThatIsOwedIsToldUntilItIsDone) {
  testing::WatchedGit killed(*fork_.git);
  killed.before = [](const std::vector<std::string>& arguments) {
    if (arguments.front() == "push") throw std::runtime_error("killed");
  };
  work_.Write("a", "2\n");
  EXPECT_THROW((void)workflow::Commit(Request(), killed, GitRemotes(killed, {})), std::runtime_error);
  CommitRequest look = Request();
  look.dry_run = true;
  look.push = false;
  const auto told = [&] {
    const Result result = Run(look);
    return result.steps.empty() ? "" : result.steps.front().detail;
  };
  EXPECT_THAT(told(), HasSubstr("was pushed: the same command again, or git push origin feat/x"));
  EXPECT_THAT(told(), HasSubstr("20260131T120000Z-1"));
  const Result done = Run(Request());
  EXPECT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(fork_.There("origin", "feat/x"), work_.Git("rev-parse HEAD"));
  EXPECT_EQ(told(), "");
  EXPECT_EQ(Run(Request()).outcome, Outcome::kNothing);
}

TEST_F(WorkflowCommitTest, UndoBringsTheIndexBackWithBothVersionsOfAFile) {
  CommitRequest request = Request();
  request.push = false;
  work_.Write("a", "staged\n");
  work_.Git("add a");
  work_.Write("a", "later\n");
  work_.Write("b", "1\n3\n");
  work_.Write("n", "meant\n");
  work_.Git("add -N n");
  const std::string before = Everything();
  const Result done = Run(request);
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(work_.Git("show HEAD:a"), "later");
  EXPECT_EQ(work_.Git("show " + done.backups.at(1) + ":a"), "staged");
  EXPECT_EQ(Back().outcome, Outcome::kDone);
  EXPECT_EQ(Everything(), before);
  EXPECT_EQ(Run(request).outcome, Outcome::kDone);
}

TEST_F(WorkflowCommitTest, FilesOfTheCommitGetThisYearAndUndoTakesItBack) {
  work_.Write("a", "# Copyright 2024 Acme\r\n1\r\n");
  work_.Write("b", "# Copyright 2024-2026 Acme\n");
  work_.Write("c", "1\n");
  work_.Git("add -A && git commit -q -m before && git push -q origin feat/x");
  work_.Write("a", "# Copyright 2024 Acme\r\n2\r\n");
  work_.Write("b", "# Copyright 2024-2026 Acme\n2\n");
  work_.Shell("chmod 755 a");
  work_.Write("other", "# Copyright 2020 Acme\n");
  const std::string before = Everything();
  CommitRequest look = Request();
  look.dry_run = true;
  const std::string objects = fork_.Objects();
  EXPECT_EQ(Run(look).steps.at(1).detail, "2026 in a");
  EXPECT_EQ(Everything() + fork_.Objects(), before + objects);
  CommitRequest request = Request();
  request.push = false;
  const Result done = Run(request);
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(work_.Shell("head -1 a; head -1 b; head -1 other; stat -c %a a"),
            "# Copyright 2024-2026 Acme\r\n# Copyright 2024-2026 Acme\n# Copyright 2020 Acme\n755");
  EXPECT_EQ(work_.Git("status --porcelain"), "?? other");
  EXPECT_EQ(work_.Shell("git show HEAD:a | cmp - a && git show " + done.refs.front().new_id + ":a | head -1"),
            "# Copyright 2024 Acme\r");
  EXPECT_EQ(Back().outcome, Outcome::kDone);
  EXPECT_EQ(Everything(), before);
  request.keep_years = true;
  ASSERT_EQ(Run(request).outcome, Outcome::kDone);
  EXPECT_EQ(work_.Shell("head -1 a"), "# Copyright 2024 Acme\r");
}

// With autocrlf the file has other bytes than the commit.
TEST_F(WorkflowCommitTest, AFileThatAFilterChangesKeepsItsYears) {
  work_.Git("config core.autocrlf true");
  work_.Write("a", "# Copyright 2024 Acme\r\n");
  const Result done = Run(Request());
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(done.steps.front().id, "copyright");
  EXPECT_EQ(done.steps.front().state, "left");
  EXPECT_EQ(work_.Shell("cat a"), "# Copyright 2024 Acme\r");
}

// Same size, same time: only the time of the index tells git to look into the file.
TEST_F(WorkflowCommitTest, AFileThatChangesInTheMomentOfTheIndexIsNotMissed) {
  work_.Git("config core.trustctime false && git config core.checkStat minimal");
  work_.Shell("touch -d @1700000000 a && git update-index --refresh && touch -d @1700000000 .git/index");
  work_.Shell("printf '2\\n' > a && touch -d @1700000000 a");
  const Result done = Run(Request());
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(work_.Git("show HEAD:a"), "2");
}

TEST_F(WorkflowCommitTest, UndoIsRefusedOnceSomethingElseIsStaged) {
  work_.Write("a", "2\n");
  ASSERT_EQ(Run(Request()).outcome, Outcome::kDone);
  work_.Write("b", "later\n");
  work_.Git("add b");
  const std::string before = Everything();
  EXPECT_THAT(Back().reason, HasSubstr("index"));
  EXPECT_EQ(Everything(), before);
}

TEST_F(WorkflowCommitTest, WhatIsCosmeticStaysInTheFileUnlessItWasStagedByHand) {
  work_.Write("a", "1  \n\n");
  work_.Write("b", "1\n\n2\n");
  work_.Git("add b");
  work_.Shell("chmod +x c");
  const Result done = Run(Request());
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(work_.Git("show --format= --name-only HEAD"), "b\nc");
  EXPECT_EQ(work_.Git("status --porcelain"), " M a");
  EXPECT_THAT(done.steps.front().detail, HasSubstr("uncommitted"));
  work_.Git("restore a");
  work_.Write("a", "1 \n");
  const std::string before = Everything();
  const Result none = Run(Request());
  EXPECT_EQ(none.outcome, Outcome::kNothing);
  EXPECT_THAT(none.reason, HasSubstr("cosmetic"));
  EXPECT_EQ(Everything(), before);
}

TEST_F(WorkflowCommitTest, ADryRunWritesNothingNotEvenObjects) {
  work_.Write("a", "2\n");
  const std::string before = Everything() + fork_.Objects();
  CommitRequest request = Request();
  request.dry_run = true;
  request.message.clear();
  const Result planned = Run(request);
  EXPECT_EQ(planned.outcome, Outcome::kDone) << planned.reason;
  EXPECT_EQ(planned.refs.size(), 3U);
  EXPECT_EQ(planned.pushed.size(), 1U);
  EXPECT_EQ(planned.steps.front().state, "planned");
  EXPECT_EQ(Everything() + fork_.Objects(), before);
}

TEST_F(WorkflowCommitTest, HooksRunAndMayRefuse) {
  work_.Write("a", "2\n");
  work_.Write(".git/hooks/pre-commit", "#!/bin/sh\necho no way >&2\nexit 1\n");
  work_.Shell("chmod +x .git/hooks/pre-commit");
  const std::string before = Everything();
  const Result refused = Run(Request());
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_THAT(refused.reason, HasSubstr("no way"));
  EXPECT_EQ(Everything(), before);
  // One that changes a file and stages it, and one that adds a line to the message.
  work_.Write(".git/hooks/pre-commit", "#!/bin/sh\necho 3 > a && git add a\n");
  work_.Write(".git/hooks/commit-msg", "#!/bin/sh\necho 'Signed-off-by: Bob <bob@example.com>' >> \"$1\"\n");
  work_.Shell("chmod +x .git/hooks/commit-msg");
  ASSERT_EQ(Run(Request()).outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("show HEAD:a"), "3");
  EXPECT_THAT(work_.Git("log -1 --format=%B"), HasSubstr("Signed-off-by: Bob"));
  EXPECT_EQ(work_.Git("status --porcelain"), "");
}

TEST_F(WorkflowCommitTest, ARejectedPushTakesTheCommitBack) {
  // The hook of the server.
  work_.Write("hook", "#!/bin/sh\nexit 1\n");
  work_.Shell("chmod +x hook && mv hook ../origin.git/hooks/update");
  work_.Write("a", "2\n");
  work_.Git("add a");
  work_.Write("a", "3\n");
  const std::string before = Everything();
  const Result refused = Run(Request());
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_THAT(refused.reason, HasSubstr("rejected"));
  EXPECT_EQ(Everything(), before);
}

TEST_F(WorkflowCommitTest, NobodysCommitsInTheForkAreOverwritten) {
  work_.Git("push -q origin feat/x");
  work_.Shell(
      "git clone -q ../origin.git ../other -b feat/x && cd ../other && git commit -q --allow-empty -m theirs && git "
      "push "
      "-q");
  work_.Write("a", "2\n");
  const std::string before = Everything();
  const Result refused = Run(Request());
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_EQ(refused.fix, "git pull --rebase origin feat/x");
  EXPECT_EQ(Everything(), before);
}

TEST_F(WorkflowCommitTest, ARemoteThatCantBeReachedIsAFailureAndChangesNothing) {
  work_.Write("a", "2\n");
  work_.Git("remote set-url origin http://127.0.0.1:1/o/r.git");
  const std::string before = Everything();
  const Result failed = Run(Request());
  EXPECT_EQ(failed.outcome, Outcome::kFailed);
  EXPECT_EQ(Everything(), before);
}

TEST_F(WorkflowCommitTest, MessagesThatCreditATool) {
  work_.Write("a", "2\n");
  const std::string before = Everything();
  for (const char* message :
       {"feat: x\n\nCo-Authored-By: Helper <noreply@example.com>", "fix: y \xF0\x9F\xA4\x96", " \n"}) {
    CommitRequest request = Request();
    request.message = message;
    EXPECT_EQ(Run(request).outcome, Outcome::kRefused) << message;
  }
  EXPECT_EQ(Everything(), before);
  CommitRequest request = Request();
  request.message = "feat: z\n\nCo-authored-by: Ann <1+ann@users.noreply.github.com>";
  EXPECT_EQ(Run(request).outcome, Outcome::kDone);
}

TEST_F(WorkflowCommitTest, WithoutAMessageTheOptionIsNamed) {
  work_.Write("a", "2\n");
  CommitRequest request = Request();
  request.message.clear();
  EXPECT_THAT(workflow::Commit(request, *fork_.git, GitRemotes(*fork_.git, {})).status().message(), HasSubstr("--yes"));
  request.yes = true;
  EXPECT_EQ(Run(request).outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("log -1 --format=%s"), "Update a");
}

TEST_F(WorkflowCommitTest, StatesInWhichNothingIsCommitted) {
  EXPECT_EQ(Run(Request()).reason, "no changes to commit");
  work_.Write("a", "2\n");
  work_.Git("checkout -q --detach");
  EXPECT_THAT(Run(Request()).reason, HasSubstr("detached"));
  work_.Git("switch -q feat/x");
  work_.Git("init -q sub");
  work_.Shell("cd sub && git -c user.name=t -c user.email=t@t commit -q --allow-empty -m x");
  work_.Git("-c protocol.file.allow=always submodule --quiet add ./sub sub");
  work_.Git("commit -q -m sub");
  work_.Shell("touch sub/new");
  const std::string before = Everything();
  const Result refused = Run(Request());
  EXPECT_THAT(refused.reason, HasSubstr("sub"));
  EXPECT_THAT(refused.fix, HasSubstr("git -C sub"));
  EXPECT_EQ(Everything(), before);
}

}  // namespace
}  // namespace yardmaster::workflow
