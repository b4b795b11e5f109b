#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "services/workflow/pull.h"
#include "tests/unit/services/workflow/pull_fixture.h"

namespace yardmaster::workflow {
namespace {

using ::testing::HasSubstr;
using Outcome = Result::Outcome;

class WorkflowAppendTest : public PullFixture {
 protected:
  // Ends the command as a kill would right before it pushes.
  void KillAtPush() {
    forge_.git.before = [](const std::vector<std::string>& arguments) {
      if (arguments.front() == "push") throw std::runtime_error("killed");
    };
  }
  void GoOn() { forge_.git.before = nullptr; }
};

TEST_F(WorkflowAppendTest, APlanHasTheRebase) {
  const int64_t number = Opened();
  fork_.Elsewhere("upstream", "main", "theirs");
  work_.Git("fetch -q upstream");
  work_.Write("b", "more\n");
  const std::string before = Everything() + fork_.Objects();
  AppendRequest request = Appending(number);
  request.dry_run = true;
  const Result planned = Append(request);
  ASSERT_EQ(planned.outcome, Outcome::kDone) << planned.reason;
  ASSERT_EQ(planned.pushed.size(), 1U);
  EXPECT_TRUE(planned.pushed[0].forced);
  EXPECT_EQ(planned.pushed[0].change.old_id, head_);
  EXPECT_EQ(planned.pushed[0].change.new_id, planned.refs.back().new_id);
  EXPECT_EQ(planned.backups.size(), 3U);
  EXPECT_THAT(planned.steps[planned.steps.size() - 2].detail, HasSubstr("2 commits onto upstream/main"));
  EXPECT_EQ(Everything() + fork_.Objects(), before);
  // What does not fit is told before, too.
  work_.Write("theirs", "mine\n");
  work_.Git("add theirs");
  const Result conflict = Append(request);
  EXPECT_EQ(conflict.outcome, Outcome::kConflict) << ToText(conflict);
}

TEST_F(WorkflowAppendTest, NobodyComesInBetweenItsSteps) {
  const int64_t number = Opened();
  fork_.Elsewhere("upstream", "main", "theirs");
  work_.Write("a", "3\n");
  int tried = 0;
  forge_.git.before = [&](const std::vector<std::string>& arguments) {
    // Between the commit, the rebase and the push.
    if (arguments.front() != "fetch" && arguments.front() != "push") return;
    ++tried;
    UndoRequest request;
    request.repo = work_.path();
    EXPECT_THAT(Good(workflow::Undo(request)).reason, HasSubstr("another yard workflow"));
  };
  EXPECT_EQ(Append(Appending(number)).outcome, Outcome::kDone);
  EXPECT_EQ(tried, 2);
}

TEST_F(WorkflowAppendTest, WhatCantBeTakenBackIsTold) {
  const int64_t number = Opened();
  work_.Write("a", "3\n");
  // While it pushes, the server says no, and somebody commits here.
  work_.Write("hook", "#!/bin/sh\nexit 1\n");
  work_.Shell("chmod +x hook && mv hook ../origin.git/hooks/update");
  forge_.git.before = [&](const std::vector<std::string>& arguments) {
    if (arguments.front() == "push") work_.Git("commit -q --allow-empty -m meanwhile");
  };
  const Result failed = Append(Appending(number));
  EXPECT_EQ(failed.outcome, Outcome::kFailed);
  EXPECT_THAT(failed.reason, HasSubstr("stays"));
  EXPECT_THAT(failed.fix, HasSubstr("yard workflow undo 20260131T120000Z-1"));
  EXPECT_FALSE(failed.refs.empty());
  EXPECT_EQ(work_.Git("log -3 --format=%s"), "meanwhile\nfix: more\nfeat: two");
  EXPECT_EQ(fork_.There("origin", "feat/x"), head_);
}

TEST_F(WorkflowAppendTest, ACommitThatWasNotPushedIsPushedByTheSameCommand) {
  const int64_t number = Opened();
  work_.Write("a", "3\n");
  KillAtPush();
  EXPECT_THROW(Append(Appending(number)), std::runtime_error);
  GoOn();
  EXPECT_EQ(fork_.There("origin", "feat/x"), head_);
  const std::string made = work_.Git("rev-parse HEAD");
  const Result done = Append(Appending(number));
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(fork_.There("origin", "feat/x"), made);
  EXPECT_EQ(Append(Appending(number)).outcome, Outcome::kNothing);
}

TEST_F(WorkflowAppendTest, AnAmendedAndRebasedCommitThatWasNotPushedIsToo) {
  const int64_t number = Opened();
  fork_.Elsewhere("upstream", "main", "theirs");
  work_.Write("a", "3\n");
  AppendRequest request = Appending(number);
  request.amend = true;
  KillAtPush();
  EXPECT_THROW(Append(request), std::runtime_error);
  GoOn();
  const Result done = Append(request);
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_TRUE(done.pushed[0].forced);
  EXPECT_EQ(done.pushed[0].change.old_id, head_);
  EXPECT_EQ(fork_.There("origin", "feat/x"), work_.Git("rev-parse HEAD"));
  EXPECT_EQ(work_.Git("log --format=%s upstream/main.."), "fix: more");
  EXPECT_EQ(Back().outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("rev-parse HEAD"), head_);
  EXPECT_EQ(work_.Shell("cat a"), "3");
}

TEST_F(WorkflowAppendTest, WhatOthersPushedMeanwhileIsNotReplacedByWhatIsOwed) {
  const int64_t number = Opened();
  work_.Write("a", "3\n");
  AppendRequest request = Appending(number);
  request.amend = true;
  KillAtPush();
  EXPECT_THROW(Append(request), std::runtime_error);
  GoOn();
  const std::string theirs = fork_.Elsewhere("origin", "feat/x", "theirs");
  const std::string before = Everything();
  EXPECT_EQ(Append(request).outcome, Outcome::kRefused);
  EXPECT_EQ(Everything(), before);
  EXPECT_EQ(fork_.There("origin", "feat/x"), theirs);
}

TEST_F(WorkflowAppendTest, APushInTheLastMomentIsNotOverwritten) {
  const int64_t number = Opened();
  fork_.Elsewhere("upstream", "main", "new");
  work_.Write("a", "3\n");
  const std::string before = work_.Git("for-each-ref refs/heads refs/yardmaster") + work_.Git("status --porcelain");
  std::string theirs;
  forge_.git.before = [&](const std::vector<std::string>& arguments) {
    if (arguments.front() == "push") theirs = fork_.Elsewhere("origin", "feat/x", "theirs");
  };
  const Result refused = Append(Appending(number));
  EXPECT_EQ(refused.outcome, Outcome::kRefused) << ToText(refused);
  EXPECT_EQ(fork_.There("origin", "feat/x"), theirs);
  EXPECT_EQ(work_.Git("for-each-ref refs/heads refs/yardmaster") + work_.Git("status --porcelain"), before);
  EXPECT_EQ(work_.Shell("cat a; ls new 2>/dev/null || :"), "3");
}

}  // namespace
}  // namespace yardmaster::workflow
