#include "services/workflow/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "services/workflow/squash.h"
#include "tests/support/git_fork.h"

namespace yardmaster::workflow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Outcome = Result::Outcome;
using testing::GitWork;

Result MustRun(absl::StatusOr<Result> result) {
  if (!result.ok()) throw std::runtime_error(result.status().ToString());
  return *std::move(result);
}

class WorkflowCommandsTest : public ::testing::Test {
 protected:
  WorkflowCommandsTest() {
    work_.Git("config user.name Bob");
    work_.Git("config user.email bob@example.com");
    work_.Write("a", "1\n");
    work_.Commit("base");
    // A default branch with a slash.
    work_.Git("update-ref refs/remotes/upstream/release/main HEAD");
    work_.Git("symbolic-ref refs/remotes/upstream/HEAD refs/remotes/upstream/release/main");
    work_.Git("switch -q -c feat/x");
    work_.Write("a", "2\n");
    work_.Commit("feat: first\n\nWhy.\n\nSigned-off-by: Ann <ann@example.com>");
    work_.Git("mv a 'b ü'");
    work_.Commit("second\n\nSigned-off-by: Ann <ann@example.com>\nFixes: #7");
  }

  SquashRequest Request() const {
    SquashRequest request;
    request.repo = work_.path();
    request.message = "one";
    request.time = "20260131T120000Z";
    return request;
  }
  UndoRequest Back() const {
    UndoRequest request;
    request.repo = work_.path();
    return request;
  }
  // Refs, HEAD, index, files, stash, configuration and, with `objects`, every object.
  std::string Everything(bool objects = false) const {
    return work_.Git("for-each-ref") +
           work_.Shell(
               "cat .git/HEAD .git/config; git stash list; git ls-files -s; "
               "git status --porcelain -uall; find . -path ./.git -prune -o -type f "
               "-exec sha256sum {} + | sort") +
           (objects ? work_.Shell("find .git/objects .git/yardmaster -type f 2>/dev/null | sort; sha256sum .git/index")
                    : "");
  }

  const GitWork work_;
  const std::unique_ptr<GitProgram> git_ = testing::GitProgramIn(work_, work_.path());
};

TEST_F(WorkflowCommandsTest, FilesThatASparseWorkTreeLeavesOutAreNoChanges) {
  work_.Write("c", "1\n");
  work_.Commit("third");
  work_.Git("sparse-checkout set --no-cone '/*' '!/c'");
  const std::string before = Everything();
  const Result done = MustRun(Squash(Request(), *git_));
  EXPECT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(work_.Git("show HEAD:c"), "1");
  EXPECT_EQ(MustRun(Undo(Back())).outcome, Outcome::kDone);
  EXPECT_EQ(Everything(), before);
  // One that somebody removes from the index is.
  work_.Git("rm -q --cached --sparse c");
  EXPECT_THAT(MustRun(Squash(Request(), *git_)).reason, HasSubstr("uncommitted changes: c"));
}

TEST_F(WorkflowCommandsTest, SquashAndUndo) {
  work_.Write("mine", "untracked\n");
  const std::string before = Everything();
  const Result done = MustRun(Squash(Request(), *git_));
  EXPECT_EQ(done.outcome, Outcome::kDone);
  EXPECT_EQ(done.branch, "feat/x");
  EXPECT_THAT(done.backups, ElementsAre("refs/yardmaster/backup/20260131T120000Z-1/feat/x"));
  EXPECT_THAT(done.untracked, ElementsAre("mine"));
  const nlohmann::ordered_json json = ToJson(done);
  EXPECT_EQ(json["before"]["refs/yardmaster/backup/20260131T120000Z-1/feat/x"], nullptr);
  EXPECT_EQ(json["after"]["refs/heads/feat/x"], work_.Git("rev-parse HEAD"));
  EXPECT_EQ(MustRun(Squash(Request(), *git_)).outcome, Outcome::kNothing);
  EXPECT_EQ(MustRun(Undo(Back())).outcome, Outcome::kDone);
  EXPECT_EQ(Everything(), before);
  EXPECT_EQ(MustRun(Undo(Back())).outcome, Outcome::kNothing);
}

TEST_F(WorkflowCommandsTest, ASecondUndoTakesBackTheOneBefore) {
  const std::string before = Everything();
  ASSERT_EQ(MustRun(Squash(Request(), *git_)).outcome, Outcome::kDone);
  const std::string squashed = Everything();
  work_.Write("c", "3\n");
  work_.Commit("third");
  const std::string third = Everything();
  ASSERT_EQ(MustRun(Squash(Request(), *git_)).outcome, Outcome::kDone);
  UndoRequest list = Back();
  list.list = true;
  EXPECT_EQ(MustRun(Undo(list)).steps.size(), 2U);
  ASSERT_EQ(MustRun(Undo(Back())).outcome, Outcome::kDone);
  EXPECT_EQ(Everything(), third);
  // The commit in between is the user's: the first squash can't be taken back over it.
  EXPECT_EQ(MustRun(Undo(Back())).outcome, Outcome::kRefused);
  EXPECT_EQ(Everything(), third);
  work_.Git("reset -q --hard HEAD^");
  ASSERT_EQ(Everything(), squashed);
  ASSERT_EQ(MustRun(Undo(Back())).outcome, Outcome::kDone);
  EXPECT_EQ(Everything(), before);
}

TEST_F(WorkflowCommandsTest, ADryRunWritesNothingNotEvenObjects) {
  const std::string before = Everything(/*objects=*/true);
  SquashRequest request = Request();
  request.dry_run = true;
  const Result planned = MustRun(Squash(request, *git_));
  EXPECT_EQ(planned.outcome, Outcome::kDone);
  EXPECT_EQ(planned.refs.size(), 2U);
  UndoRequest back = Back();
  back.dry_run = true;
  EXPECT_EQ(MustRun(Undo(back)).outcome, Outcome::kNothing);
  EXPECT_EQ(Everything(/*objects=*/true), before);
}

TEST_F(WorkflowCommandsTest, WhatIsRefusedChangesNothing) {
  const std::vector<std::pair<std::string, std::string>> states = {
      {"git switch -q --detach", "detached"},
      {"echo x >> 'b ü'", "uncommitted"},
      {"echo x >> n && git add n", "uncommitted"},
      {"git checkout -q --orphan none", "no commit"},
      {"git rev-parse HEAD > .git/MERGE_HEAD", "a merge"},
      {"git rev-parse HEAD > .git/CHERRY_PICK_HEAD", "a cherry-pick"},
      {"mkdir .git/rebase-merge && touch .git/rebase-merge/interactive", "a rebase"},
      {"git config commit.gpgSign true && git config gpg.program false", "sign"},
      {"git switch -q --orphan other && git commit -q --allow-empty -m o", "no common history"}};
  for (const auto& [command, why] : states) {
    const GitWork copy;
    copy.Shell("rm -rf .git && cp -a " + work_.path().string() + "/. . && " + command);
    const std::string all = "git for-each-ref; cat .git/HEAD; git ls-files -s; git status --porcelain -uall";
    const std::string before = copy.Shell(all);
    SquashRequest request = Request();
    request.repo = copy.path();
    const Result result = MustRun(Squash(request, *testing::GitProgramIn(copy, copy.path())));
    EXPECT_EQ(result.outcome, Outcome::kRefused) << command;
    EXPECT_THAT(result.reason, HasSubstr(why)) << command;
    EXPECT_EQ(copy.Shell(all), before) << command;
  }
}

TEST_F(WorkflowCommandsTest, AMissingMessageOrBaseIsNamed) {
  SquashRequest request = Request();
  request.message.clear();
  EXPECT_THAT(Squash(request, *git_).status().message(), HasSubstr("--yes"));
  request.yes = true;
  ASSERT_EQ(MustRun(Squash(request, *git_)).outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("log -1 --format=%B"),
            "feat: first\n\nWhy.\n\n* second\n\nSigned-off-by: Ann <ann@example.com>\nFixes: #7\n");
  work_.Git("symbolic-ref -d refs/remotes/upstream/HEAD");
  EXPECT_THAT(Squash(Request(), *git_).status().message(), HasSubstr("--base"));
}

TEST_F(WorkflowCommandsTest, AMessageThatMustNotBeUsedIsNotSquashedWith) {
  const std::string before = Everything();
  SquashRequest request = Request();
  for (const char* message :
       {"generated by: a tool", "feat: x\n\nCo-authored-by: Helper <noreply@example.com>", " \n"}) {
    request.message = message;
    EXPECT_EQ(MustRun(Squash(request, *git_)).outcome, Outcome::kRefused) << message;
  }
  EXPECT_EQ(Everything(), before);
  // One that is made of those of the commits, too.
  work_.Write("c", "3\n");
  work_.Commit("third\n\nCo-authored-by: Helper <noreply@example.com>");
  request.message.clear();
  request.yes = true;
  const Result refused = MustRun(Squash(request, *git_));
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_THAT(refused.reason, HasSubstr("-m MESSAGE"));
}

// Whatever a killed command left that can't be settled here is a refusal.
TEST_F(WorkflowCommandsTest, WhatCantBeSettledIsRefusedAndNotAnError) {
  const std::string head = work_.Git("rev-parse HEAD");
  work_.Write("new", "x\n");
  const std::string next = work_.Commit("third");
  work_.Git("reset -q --hard HEAD~1");
  // Killed while it went forward, in another work tree.
  work_.Git("worktree add -q ../linked -b linked");
  work_.Write(
      ".git/yardmaster/20260101T000000Z-1.json",
      R"({"id": "20260101T000000Z-1", "command": "sync", "branch": "linked", "state": "begun", "work_tree": "linked",
                  "refs": [{"ref": "refs/heads/linked", "old": ")" +
          head + R"(", "new": ")" + next + R"("}], "checkout": {"from": ")" + head + R"(", "to": ")" + next + R"("}})");
  const std::string before = Everything();
  const Result refused = MustRun(Squash(Request(), *git_));
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_THAT(refused.reason, HasSubstr(work_.Beside("linked").string()));
  EXPECT_EQ(MustRun(Undo(Back())).outcome, Outcome::kRefused);
  EXPECT_EQ(Everything(), before);
  // There it is settled.
  UndoRequest there = Back();
  there.repo = work_.Beside("linked");
  EXPECT_EQ(MustRun(Undo(there)).outcome, Outcome::kNothing);
  EXPECT_EQ(MustRun(Squash(Request(), *git_)).outcome, Outcome::kDone);
}

TEST_F(WorkflowCommandsTest, AMergeOfTheBaseIsNotPartOfWhatIsSquashed) {
  work_.Git("switch -q -c up refs/remotes/upstream/HEAD");
  work_.Write("gained", "g\n");
  const std::string up = work_.Commit("gained");
  work_.Git("update-ref refs/remotes/upstream/release/main HEAD");
  work_.Git("switch -q feat/x");
  work_.Git("merge -q --no-edit up");
  ASSERT_EQ(MustRun(Squash(Request(), *git_)).outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("rev-parse HEAD^"), up);
  EXPECT_THAT(work_.Git("-c core.quotePath=false diff --name-only HEAD^ HEAD"), "a\nb ü");
}

}  // namespace
}  // namespace yardmaster::workflow
