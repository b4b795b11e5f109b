#include "services/workflow/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "clients/git/git_repository.h"
#include "services/workflow/squash.h"
#include "tests/support/git_work.h"

namespace yardmaster::workflow {
namespace {

using ::testing::ElementsAre;
using testing::GitWork;
using ::testing::HasSubstr;

constexpr const char* kTime = "20260131T120000Z";

template <typename T>
T Good(absl::StatusOr<T> value) {
  if (!value.ok()) throw std::runtime_error(value.status().ToString());
  return *std::move(value);
}

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() {
    work_.Git("config user.name Bob");
    work_.Git("config user.email bob@example.com");
    work_.Write("a", "1\n");
    base_ = work_.Commit("base");
    work_.Git("switch -q -c topic");
    work_.Write("a", "2\n");
    work_.Commit("first");
    work_.Write("b c", "3\n");
    head_ = work_.Commit("second");
    clone_ = Good(GitClone::Open(work_.path()));
  }

  Operation Squash(Journal& journal) {
    const auto repository = Good(GitRepository::Open(work_.path()));
    const GitCloneState state = Good(clone_->State());
    const std::string merge_base = Good(repository->MergeBase(Good(clone_->Ref("refs/heads/main")), state.head));
    const SquashPlan plan =
        PlanSquash(state, merge_base, Good(repository->Commits(merge_base, state.head, 100)), "one");
    if (plan.refused) throw std::runtime_error(plan.refused->reason);
    Operation operation;
    operation.id = journal.NewId(kTime);
    operation.command = "squash";
    operation.branch = "topic";
    operation.refs = {{"refs/yardmaster/backup/" + operation.id + "/topic", "", state.head},
                      {"refs/heads/topic", state.head, Good(clone_->MakeCommit(plan.commit))}};
    return operation;
  }
  // From the base to the head of topic, with all files.
  Operation Sync(const Journal& journal, const std::string& branch) const {
    Operation operation;
    operation.id = journal.NewId(kTime);
    operation.command = "sync";
    operation.branch = branch;
    operation.refs = {{"refs/heads/" + branch, base_, head_}};
    operation.checkout_from = base_;
    operation.checkout_to = head_;
    return operation;
  }
  // What "nothing has changed" means.
  std::string Everything() const {
    return work_.Git("for-each-ref") + work_.Git("symbolic-ref HEAD") + work_.Git("ls-files -s") +
           work_.Git("status --porcelain -uall") + work_.Git("stash list") + work_.Shell("cat .git/config a");
  }

  const GitWork work_;
  std::string base_;
  std::string head_;
  std::unique_ptr<GitClone> clone_;
};

TEST_F(JournalTest, ASquashLandsOnTheMergeBaseAndKeepsWhatItsBaseHasGained) {
  work_.Git("switch -q main");
  work_.Write("newer", "n\n");
  const std::string newer = work_.Commit("newer");
  work_.Git("switch -q topic");
  const auto journal = Good(Journal::Open(*clone_));
  const Operation operation = Squash(*journal);
  ASSERT_TRUE(journal->Do(operation).ok());
  EXPECT_EQ(work_.Git("log --format=%s main..topic"), "one");
  EXPECT_EQ(work_.Git("rev-parse topic^"), base_);
  EXPECT_EQ(work_.Git("log -1 --format=%an/%cn topic"), "Ann/Bob");
  EXPECT_EQ(work_.Git("diff " + head_ + " topic"), "");
  EXPECT_EQ(work_.Git("status --porcelain"), "");
  EXPECT_EQ(work_.Git("rev-parse " + operation.refs[0].ref), head_);
  // The newer commit of main merges without a conflict: nothing of it was taken back.
  work_.Git("merge -q --no-edit main");
  EXPECT_EQ(work_.Git("diff --stat main~0 HEAD -- newer"), "");
  work_.Git("fsck --strict");
  EXPECT_EQ(work_.Git("rev-parse main"), newer);
}

TEST_F(JournalTest, UndoBringsEverythingBack) {
  work_.Write("untracked", "u\n");
  work_.Write("a", "stashed\n");
  work_.Git("stash -q");
  const std::string before = Everything();
  const auto journal = Good(Journal::Open(*clone_));
  ASSERT_TRUE(journal->Do(Squash(*journal)).ok());
  EXPECT_NE(Everything(), before);
  ASSERT_TRUE(journal->Undo("20260131T120000Z-1").ok());
  EXPECT_EQ(Everything(), before);
  EXPECT_TRUE(absl::IsNotFound(journal->Undo("20260131T120000Z-1")));
  EXPECT_EQ(journal->NewId(kTime), "20260131T120000Z-2");
}

TEST_F(JournalTest, UndoLeavesWorkThatCameLater) {
  const auto journal = Good(Journal::Open(*clone_));
  ASSERT_TRUE(journal->Do(Squash(*journal)).ok());
  work_.Write("a", "later\n");
  work_.Commit("later");
  const std::string before = Everything();
  EXPECT_TRUE(absl::IsAborted(journal->Undo("20260131T120000Z-1")));
  EXPECT_EQ(Everything(), before);
}

TEST_F(JournalTest, ARefThatMovedMeanwhileTakesAllBack) {
  const auto journal = Good(Journal::Open(*clone_));
  const Operation operation = Squash(*journal);
  work_.Write("a", "meanwhile\n");
  work_.Commit("meanwhile");
  const std::string before = Everything();
  EXPECT_TRUE(absl::IsAborted(journal->Do(operation)));
  EXPECT_EQ(Everything(), before);
}

TEST_F(JournalTest, OneCommandAtATime) {
  const auto journal = Good(Journal::Open(*clone_));
  EXPECT_THAT(Journal::Open(*clone_).status().message(), HasSubstr("another yard workflow"));
}

TEST_F(JournalTest, ADamagedOperationIsNamed) {
  { const auto journal = Good(Journal::Open(*clone_)); }
  work_.Write(".git/yardmaster/20260131T120000Z-1.json", R"({"id": 7})");
  EXPECT_THAT(Journal::Open(*clone_).status().message(), HasSubstr("20260131T120000Z-1.json"));
}

TEST_F(JournalTest, OperationsAreInTheOrderOfTheirTime) {
  for (const std::string id : {"20260131T120000Z-10", "20260131T120000Z-9", "20260131T115959Z-11"}) {
    work_.Write(".git/yardmaster/" + id + ".json",
                R"({"id": ")" + id + R"(", "command": "squash", "branch": "b", "state": "undone", "refs": []})");
  }
  std::vector<std::string> ids;
  for (const Operation& operation : Good(ReadJournal(*clone_))) ids.push_back(operation.id);
  EXPECT_THAT(ids, ElementsAre("20260131T115959Z-11", "20260131T120000Z-9", "20260131T120000Z-10"));
}

// Files and index of one work tree are nobody else's.
TEST_F(JournalTest, WhatChangedFilesIsUndoneInItsOwnWorkTreeOnly) {
  work_.Git("worktree add -q ../linked -b linked main");
  const std::string next = head_;
  {
    const auto linked = Good(GitClone::Open(work_.Beside("linked")));
    EXPECT_EQ(linked->work_tree(), "linked");
    EXPECT_EQ(clone_->work_tree(), "");
    EXPECT_EQ(clone_->WorkTreePath("linked"), work_.Beside("linked"));
    EXPECT_EQ(linked->WorkTreePath(""), work_.path() / "");
    EXPECT_TRUE(linked->WorkTreePath("other").empty());
    const auto journal = Good(Journal::Open(*linked));
    Operation operation;
    operation.id = journal->NewId(kTime);
    operation.command = "sync";
    operation.branch = "linked";
    operation.refs = {{"refs/heads/linked", base_, next}};
    operation.checkout_from = base_;
    operation.checkout_to = next;
    ASSERT_TRUE(journal->Do(operation).ok());
  }
  const std::string files = "cat ../linked/a '../linked/b c'; git -C ../linked status --porcelain";
  EXPECT_EQ(work_.Shell(files), "2\n3");
  const std::string before = Everything();
  {
    const auto journal = Good(Journal::Open(*clone_));
    const absl::Status refused = journal->Undo("20260131T120000Z-1");
    EXPECT_TRUE(absl::IsFailedPrecondition(refused));
    EXPECT_THAT(refused.message(), HasSubstr("--repo " + work_.Beside("linked").string()));
    EXPECT_EQ(Everything(), before);
    EXPECT_EQ(work_.Shell(files), "2\n3");
  }
  // On another branch, neither.
  work_.Git("-C ../linked switch -q -c elsewhere");
  const auto linked = Good(GitClone::Open(work_.Beside("linked")));
  const auto journal = Good(Journal::Open(*linked));
  EXPECT_THAT(journal->Undo("20260131T120000Z-1").message(), HasSubstr("git switch linked"));
  work_.Git("-C ../linked switch -q linked");
  EXPECT_TRUE(journal->Undo("20260131T120000Z-1").ok());
  EXPECT_EQ(work_.Shell("cat ../linked/a; ls ../linked; git -C ../linked status --porcelain"), "1\na");
}

// Somebody was killed while files went forward, and then went on with git.
TEST_F(JournalTest, WhoHasMovedOnKeepsEverything) {
  const auto begun = [&](const std::string& state) {
    work_.Write(".git/yardmaster/20260131T120000Z-1.json",
                R"({"id": "20260131T120000Z-1", "command": "sync", "branch": "main", "state": ")" + state +
                    R"(", "refs": [{"ref": "refs/yardmaster/backup/20260131T120000Z-1/main", "old": "", "new": ")" +
                    base_ + R"("}, {"ref": "refs/heads/main", "old": ")" + base_ + R"(", "new": ")" + head_ +
                    R"("}], "checkout": {"from": ")" + base_ + R"(", "to": ")" + head_ + R"("}})");
  };
  // topic is checked out, whose files are as the operation would have left them.
  for (const std::string state : {"begun", "undoing"}) {
    begun(state);
    work_.Git("update-ref refs/yardmaster/backup/20260131T120000Z-1/main " + base_);
    const std::string before = work_.Shell("cat a 'b c'; git status --porcelain; git rev-parse HEAD main");
    const auto journal = Good(Journal::Open(*clone_));
    EXPECT_EQ(work_.Shell("cat a 'b c'; git status --porcelain; git rev-parse HEAD main"), before) << state;
    // Of what was begun the backup stays; what was being undone had its files back before.
    EXPECT_EQ(journal->operations().back().state,
              state == "begun" ? Operation::State::kDone : Operation::State::kUndone);
    EXPECT_EQ(work_.Git("for-each-ref refs/yardmaster").empty(), state == "undoing");
  }
}

TEST_F(JournalTest, AWorkTreeThatIsGoneStopsNobody) {
  work_.Git("worktree add -q ../linked -b linked main");
  {
    const auto linked = Good(GitClone::Open(work_.Beside("linked")));
    const auto journal = Good(Journal::Open(*linked));
    ASSERT_TRUE(journal->Do(Sync(*journal, "linked")).ok());
  }
  work_.Shell("sed -i 's/\"done\"/\"undoing\"/' .git/yardmaster/20260131T120000Z-1.json && rm -rf ../linked");
  const auto journal = Good(Journal::Open(*clone_));
  EXPECT_EQ(journal->operations().back().state, Operation::State::kDone);
  EXPECT_EQ(work_.Git("rev-parse linked"), head_);
}

TEST_F(JournalTest, AnUntrackedFileInTheWayOfAnUndoStaysAndSoDoesAllElse) {
  {
    const auto journal = Good(Journal::Open(*clone_));
    Operation operation;
    operation.id = journal->NewId(kTime);
    operation.command = "sync";
    operation.branch = "topic";
    // From a tree with "b c" to one without.
    operation.refs = {{"refs/heads/topic", head_, base_}};
    operation.checkout_from = head_;
    operation.checkout_to = base_;
    ASSERT_TRUE(journal->Do(operation).ok());
  }
  // Empty, as the beginning of a file that somebody was killed at.
  work_.Write("b c", "");
  const std::string before = Everything() + work_.Shell("ls");
  const auto journal = Good(Journal::Open(*clone_));
  EXPECT_TRUE(absl::IsFailedPrecondition(journal->Undo("20260131T120000Z-1")));
  EXPECT_EQ(journal->operations().back().state, Operation::State::kDone);
  EXPECT_EQ(Everything() + work_.Shell("ls"), before);
  work_.Shell("rm 'b c'");
  EXPECT_TRUE(journal->Undo("20260131T120000Z-1").ok());
  EXPECT_EQ(work_.Shell("cat 'b c'; git status --porcelain"), "3");
}

// Files that git was told not to look at are not written.
TEST_F(JournalTest, ASparseWorkTreeIsLeftToGit) {
  work_.Git("switch -q main");
  work_.Git("update-index --skip-worktree a");
  work_.Write("a", "my own\n");
  const auto journal = Good(Journal::Open(*clone_));
  const std::string before = Everything();
  EXPECT_THAT(journal->Do(Sync(*journal, "main")).message(), HasSubstr("skip-worktree"));
  EXPECT_EQ(Everything(), before);
}

TEST_F(JournalTest, WhileAnotherGitHoldsTheIndexNoFileIsTouched) {
  work_.Git("switch -q main");
  work_.Write(".git/index.lock", "");
  const std::string before = Everything();
  const auto journal = Good(Journal::Open(*clone_));
  Operation operation = Sync(*journal, "main");
  EXPECT_TRUE(absl::IsAborted(journal->Do(operation)));
  EXPECT_EQ(Everything(), before);
  EXPECT_EQ(work_.Shell("rm .git/index.lock; ls .git/yardmaster | grep index-of || echo nothing"), "nothing");
  operation.id = journal->NewId(kTime);
  EXPECT_TRUE(journal->Do(operation).ok());
  EXPECT_EQ(work_.Shell("cat a; git status --porcelain"), "2");
}

TEST_F(JournalTest, ALockOfAKilledCommandIsRemovedInItsOwnWorkTree) {
  work_.Git("worktree add -q ../linked -b linked main");
  Good(Journal::Open(*clone_));
  const std::string lock = ".git/worktrees/linked/index.lock";
  work_.Shell("touch .git/yardmaster/index-of-linked.lock && ln .git/yardmaster/index-of-linked.lock " + lock);
  // Elsewhere it stays known as ours.
  Good(Journal::Open(*clone_));
  EXPECT_EQ(work_.Shell("ls " + lock + " .git/yardmaster/*.lock | wc -l"), "2");
  const auto linked = Good(GitClone::Open(work_.Beside("linked")));
  const auto journal = Good(Journal::Open(*linked));
  EXPECT_EQ(work_.Shell("ls " + lock + " 2>/dev/null | wc -l"), "0");
  EXPECT_TRUE(journal->Do(Sync(*journal, "linked")).ok());
  EXPECT_EQ(work_.Shell("cat ../linked/a; git -C ../linked status --porcelain"), "2");
}

// Killed at random moments, a command is found done or not begun, and never in between; undo still goes back.
TEST_F(JournalTest, AKilledCommandIsFinishedOrTakenBack) {
  const std::string before = Everything();
  std::mt19937 random(7);
  int done = 0;
  for (int round = 0; round < 60; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      const auto journal = Good(Journal::Open(*clone_));
      const Operation operation = Squash(*journal);
      (void)journal->Do(operation);
      pause();
    }
    usleep(std::uniform_int_distribution<useconds_t>(0, 8'000)(random));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    // Of a branch it may be anybody's: that is for people.
    work_.Shell("find .git/refs/heads -name '*.lock' -delete");
    const auto journal = Good(Journal::Open(*clone_));
    const std::vector<Operation>& operations = journal->operations();
    if (!operations.empty() && operations.back().state == Operation::State::kDone) {
      ++done;
      ASSERT_EQ(work_.Git("log --format=%s main..topic"), "one");
      ASSERT_TRUE(journal->Undo(operations.back().id).ok());
    }
    ASSERT_EQ(Everything(), before) << round;
  }
  RecordProperty("done", done);
}

// What a killed command leaves, at each of its steps.
TEST_F(JournalTest, EachStepAtWhichACommandCanDieIsSettled) {
  const std::string before = Everything();
  for (const int moved : {0, 1, 2}) {
    Operation operation;
    {
      const auto journal = Good(Journal::Open(*clone_));
      operation = Squash(*journal);
    }
    std::string refs;
    for (const GitRefChange& change : operation.refs) {
      refs += (refs.empty() ? "" : ", ") + (R"({"ref": ")" + change.ref) + R"(", "old": ")" + change.old_id +
              R"(", "new": ")" + change.new_id + R"("})";
    }
    work_.Write(".git/yardmaster/" + operation.id + ".json",
                R"({"id": ")" + operation.id +
                    R"(", "command": "squash", "branch": "topic", "state": "begun", "refs": [)" + refs + "]}");
    for (int i = 0; i < moved; ++i) ASSERT_TRUE(clone_->MoveRef(operation.refs[i], "test").ok());
    const auto journal = Good(Journal::Open(*clone_));
    EXPECT_EQ(journal->operations().back().state, moved == 2 ? Operation::State::kDone : Operation::State::kUndone);
    if (moved == 2) EXPECT_TRUE(journal->Undo(operation.id).ok());
    EXPECT_EQ(Everything(), before) << moved;
  }
}

}  // namespace
}  // namespace yardmaster::workflow
