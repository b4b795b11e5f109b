#include "services/workflow/pull.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "services/workflow/commit.h"
#include "tests/unit/services/workflow/pull_fixture.h"

namespace yardmaster::workflow {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Outcome = Result::Outcome;

class WorkflowPullTest : public PullFixture {
 protected:
  // The work is on main, and upstream has moved on: the commits are made anew.
  void OnMain() const {
    fork_.Elsewhere("upstream", "main", "theirs");
    work_.Git("switch -q main && git merge -q --ff-only feat/x");
  }
};

TEST_F(WorkflowPullTest, NewCommitsAreSignedBySsh) {
  work_.Write("b", "more\n");
  work_.Shell("git add b && git commit -q -m 'feat: more' --date '1970-02-01T00:00:00 -0330'");
  testing::SignBySsh(work_);
  OnMain();
  // 1. Made once more on upstream's tip, with authors and dates as they were.
  const std::string authors = work_.Git("log --format='%an %ae %ad' --date=raw -2 main");
  const Result opened = Open(Request());
  ASSERT_EQ(opened.outcome, Outcome::kDone) << opened.reason;
  work_.Git("verify-commit " + opened.branch + " " + opened.branch + "~1");
  EXPECT_EQ(work_.Git("log --format='%an %ae %ad' --date=raw -2 " + opened.branch), authors);
  EXPECT_EQ(work_.Git("log --format=%s,%cn -2 " + opened.branch), "feat: more,Bob\nfeat: two,Bob");
  EXPECT_EQ(fork_.There("origin", opened.branch), work_.Git("rev-parse " + opened.branch));
  // 2. Squashed, while they are pushed and afterwards.
  work_.Git("switch -q feat/x");
  PullRequestRequest request = Request();
  request.squash = true;
  const std::string tree = work_.Git("rev-parse HEAD^{tree}");
  const Result squashed = Open(request);
  ASSERT_EQ(squashed.outcome, Outcome::kDone) << squashed.reason;
  work_.Git("verify-commit HEAD");
  EXPECT_EQ(work_.Git("log -1 --format=%T:%an:%B"), tree + ":Ann:feat: two\n\n* feat: more\n");
  ASSERT_EQ(Back().outcome, Outcome::kDone);
  work_.Git("push -q --force origin HEAD");
  const int64_t number = squashed.pull->number;
  ASSERT_EQ(Good(SquashPull(Squashing(number), forge_.fork(), forge_.git)).outcome, Outcome::kDone);
  work_.Git("verify-commit HEAD");
  EXPECT_EQ(fork_.There("origin", "feat/x"), work_.Git("rev-parse HEAD"));
  // 3. Appended to, on the new base.
  work_.Write("c", "appended\n");
  const Result appended = Append(Appending(number));
  ASSERT_EQ(appended.outcome, Outcome::kDone) << appended.reason;
  work_.Git("verify-commit HEAD HEAD~1");
  EXPECT_EQ(work_.Git("rev-parse HEAD~2"), fork_.There("upstream", "main"));
}

TEST_F(WorkflowPullTest, ASignerThatFailsChangesNothing) {
  work_.Write("b", "more\n");
  work_.Commit("feat: more");
  work_.Git("config gpg.program false");
  work_.Git("config commit.gpgSign true");
  const int64_t number = Opened();
  PullRequestRequest request = Request();
  request.squash = true;
  std::string before = Everything();
  const Result refused = Open(request);
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_THAT(refused.reason, HasSubstr("gpg failed to sign"));
  EXPECT_THAT(refused.reason, HasSubstr("commit.gpgSign false"));
  EXPECT_EQ(Good(SquashPull(Squashing(number), forge_.fork(), forge_.git)).outcome, Outcome::kRefused);
  EXPECT_EQ(Everything(), before);
  // Commits that are there stay as they are.
  EXPECT_EQ(Open(Request()).outcome, Outcome::kDone);
  OnMain();
  before = Everything();
  EXPECT_THAT(Open(Request()).reason, HasSubstr("gpg failed to sign"));
  EXPECT_EQ(Everything(), before);
  // A key of ssh that is not there.
  testing::SignBySsh(work_);
  work_.Shell("rm ../key ../key.pub");
  before = Everything();
  EXPECT_THAT(Open(Request()).reason, HasSubstr("key.pub"));
  EXPECT_EQ(Everything(), before);
}

TEST_F(WorkflowPullTest, TheMessageOfSquashedCommitsIsShownBeforeItIsPushed) {
  work_.Write("b", "more\n");
  work_.Commit("feat: more");
  PullRequestRequest request = Request();
  request.yes = false;
  request.squash = true;
  request.title = "T";
  request.body = "B";
  const std::string before = Everything();
  EXPECT_THAT(OpenPull(request, forge_.fork(), forge_.git).status().message(), HasSubstr("-m MESSAGE"));
  std::vector<std::string> shown;
  request.preview = [&](const std::string& text, const std::vector<std::string>&) -> absl::StatusOr<std::string> {
    shown.push_back(text);
    return absl::CancelledError("cancelled");
  };
  EXPECT_EQ(Open(request).outcome, Outcome::kRefused);
  EXPECT_THAT(shown, ::testing::ElementsAre(HasSubstr("* feat: more")));
  EXPECT_EQ(Everything(), before);
  request.message = "feat: both";
  EXPECT_EQ(Open(request).outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("log -1 --format=%B"), "feat: both\n");
}

TEST_F(WorkflowPullTest, WhatAnOpenPullRequestDoesNotGetIsToldWithTheCommandThatGivesIt) {
  const int64_t number = Opened();
  PullRequestRequest request = Request();
  request.title = "feat: other";
  request.body = "Other.";
  request.draft = true;
  request.reviewers = {"carol", "dave"};
  request.dry_run = true;
  EXPECT_THAT(ToText(Open(request)), HasSubstr("reviewers planned: POST that asks for a review: carol, dave"));
  EXPECT_TRUE(forge_.At(number).reviewers.empty());
  request.dry_run = false;
  const Result done = Open(request);
  EXPECT_EQ(done.outcome, Outcome::kDone) << done.reason;
  const std::string told = ToText(done);
  EXPECT_THAT(told, HasSubstr("--title and --body not used: #1 is open already and keeps its text; "
                              "yard workflow update 1 --title TEXT --body TEXT"));
  EXPECT_THAT(told, HasSubstr("--draft not used"));
  EXPECT_THAT(told, HasSubstr("reviewers done: carol, dave"));
  EXPECT_EQ(forge_.At(number).title, "t");
  EXPECT_THAT(forge_.At(number).reviewers, ::testing::ElementsAre("carol", "dave"));
  // Where nothing of that was asked for, it is told how its text is made anew.
  EXPECT_THAT(ToText(Open(Request())), HasSubstr("yard workflow update 1\n"));
}

TEST_F(WorkflowPullTest, ADryRunTellsTheDraftAndTheReviewAndAReviewerWhoCantBeAskedIsTold) {
  PullRequestRequest request = Request();
  request.draft = true;
  request.reviewers = {"nobody"};
  request.dry_run = true;
  const std::string before = Everything();
  const std::string planned = ToText(Open(request));
  EXPECT_THAT(planned, HasSubstr("→ main), as a draft"));
  EXPECT_THAT(planned, HasSubstr("reviewers planned: POST that asks for a review: nobody"));
  EXPECT_EQ(Everything(), before);
  request.dry_run = false;
  forge_.refuse_review = MakeForgeStatus({ForgeReason::kInvalid, ForgeOutcome::kNotSent, 422, {}}, "no collaborator");
  const Result opened = Open(request);
  EXPECT_EQ(opened.outcome, Outcome::kDone) << opened.reason;
  EXPECT_TRUE(forge_.At(opened.pull->number).draft);
  EXPECT_EQ(opened.steps.back().state, "left");
  EXPECT_THAT(opened.steps.back().detail, HasSubstr("not asked for a review: nobody: "));
  EXPECT_THAT(opened.steps.back().detail, HasSubstr("no collaborator"));
}

TEST_F(WorkflowPullTest, AFileThatIsTheSameBehindItsFilterIsNoChange) {
  testing::FilterBinaries(work_);
  work_.Write("x.bin", "abc\n");
  work_.Commit("feat: x.bin");
  ASSERT_EQ(work_.Git("show HEAD:x.bin"), "nop");
  work_.Shell("touch -d '2 days ago' x.bin");
  const Result opened = Open(Request());
  EXPECT_EQ(opened.outcome, Outcome::kDone) << opened.reason;
  work_.Write("x.bin", "abd\n");
  EXPECT_EQ(Open(Request()).reason, "uncommitted changes: x.bin");
}

TEST_F(WorkflowPullTest, WhatADescriptionLacksIsTold) {
  const Result opened = Open(Request());
  ASSERT_EQ(opened.outcome, Outcome::kDone) << opened.reason;
  EXPECT_THAT(ToText(opened), HasSubstr("no issue is named"));
  EXPECT_THAT(forge_.At(1).body, HasSubstr("**Which issue(s) this PR fixes**"));
}

TEST_F(WorkflowPullTest, AForgeThatFailsLeavesWhatIsPushedAndTellsItsBackups) {
  work_.Write("b", "more\n");
  work_.Commit("feat: more");
  forge_.refuse_create = MakeForgeStatus({ForgeReason::kServer, ForgeOutcome::kNotSent, 502, {}}, "502");
  PullRequestRequest request = Request();
  request.squash = true;
  const Result failed = Open(request);
  EXPECT_EQ(failed.outcome, Outcome::kFailed);
  ASSERT_EQ(failed.backups.size(), 1U);
  EXPECT_EQ(work_.Git("rev-parse " + failed.backups[0]), failed.refs[0].new_id);
  EXPECT_EQ(failed.pushed.size(), 1U);
  // The same once more opens it, of what is there.
  forge_.refuse_create = absl::OkStatus();
  const Result opened = Open(request);
  EXPECT_EQ(opened.outcome, Outcome::kDone) << opened.reason;
  EXPECT_TRUE(opened.pushed.empty());
  EXPECT_EQ(forge_.created, 1);
}

TEST_F(WorkflowPullTest, FromAProtectedBranchTheSameCommitsGoToOneBranchOnly) {
  OnMain();
  forge_.refuse_create = MakeForgeStatus({ForgeReason::kServer, ForgeOutcome::kNotSent, 502, {}}, "502");
  const Result failed = Open(Request());
  ASSERT_EQ(failed.outcome, Outcome::kFailed);
  EXPECT_THAT(failed.branch, StartsWith("pr/"));
  forge_.refuse_create = absl::OkStatus();
  const std::string there = fork_.There("origin", failed.branch);
  for (int i = 0; i < 2; ++i) {
    const Result opened = Open(Request());
    EXPECT_EQ(opened.outcome, Outcome::kDone) << opened.reason;
    EXPECT_EQ(opened.branch, failed.branch);
    EXPECT_EQ(forge_.created, 1);
  }
  EXPECT_EQ(work_.Git("branch --list 'pr/*' --format='%(refname)'"), "refs/heads/" + failed.branch);
  EXPECT_EQ(work_.Git("--git-dir=../origin.git branch --list 'pr/*' --format='%(refname)'"),
            "refs/heads/" + failed.branch);
  EXPECT_EQ(fork_.There("origin", failed.branch), there);
  // Another commit is another proposal.
  work_.Write("c", "more\n");
  work_.Commit("feat: more");
  EXPECT_NE(Open(Request()).branch, failed.branch);
}

// As after a kill between the branch and its push.
TEST_F(WorkflowPullTest, APushThatIsOwedIsMadeUpByTheSameCommand) {
  OnMain();
  forge_.git.before = [](const std::vector<std::string>& arguments) {
    if (arguments.front() == "push") throw std::runtime_error("killed");
  };
  EXPECT_THROW(Open(Request()), std::runtime_error);
  forge_.git.before = nullptr;
  const std::string branch = work_.Git("branch --list 'pr/*' --format='%(refname:short)'");
  EXPECT_THAT(branch, StartsWith("pr/"));
  CommitRequest look;
  look.repo = work_.path();
  look.dry_run = true;
  look.push = false;
  const Result told = Good(workflow::Commit(look, forge_.git, forge_.remotes));
  EXPECT_THAT(told.steps.front().detail, HasSubstr("ended before " + branch + " was pushed"));
  PullRequestRequest plan = Request();
  plan.dry_run = true;
  const Result planned = Open(plan);
  EXPECT_EQ(planned.branch, branch);
  EXPECT_EQ(planned.pushed.size(), 1U);
  const Result done = Open(Request());
  ASSERT_EQ(done.outcome, Outcome::kDone) << done.reason;
  EXPECT_EQ(done.branch, branch);
  EXPECT_EQ(fork_.There("origin", branch), work_.Git("rev-parse " + branch));
  EXPECT_EQ(forge_.created, 1);
  const Result again = Open(Request());
  for (const Step& step : again.steps) EXPECT_THAT(step.detail, ::testing::Not(HasSubstr("ended before")));
}

TEST_F(WorkflowPullTest, TheBranchThatSomebodyWorksOnIsNotRemovedByUndo) {
  OnMain();
  const Result opened = Open(Request());
  ASSERT_EQ(opened.outcome, Outcome::kDone) << opened.reason;
  work_.Git("switch -q " + opened.branch);
  std::string before = Everything();
  Result refused = Back();
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_THAT(refused.reason, HasSubstr(opened.branch + " is checked out"));
  EXPECT_EQ(Everything(), before);
  // In another work tree, too.
  work_.Git("switch -q main");
  work_.Git("worktree add -q ../linked " + opened.branch);
  before = Everything();
  refused = Back();
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_EQ(Everything(), before);
  EXPECT_EQ(work_.Shell("cd ../linked && git status --porcelain && git rev-parse HEAD"),
            work_.Git("rev-parse " + opened.branch));
  work_.Git("worktree remove ../linked");
  EXPECT_EQ(Back().outcome, Outcome::kDone);
  EXPECT_EQ(work_.Git("branch --list 'pr/*'"), "");
}

TEST_F(WorkflowPullTest, ACloneThatPushesElsewhereThanItFetchesIsRefused) {
  work_.Git("init -q --bare ../elsewhere.git");
  work_.Git("remote set-url --push origin " + work_.Beside("elsewhere.git").string());
  const std::string before = Everything();
  const Result refused = Open(Request());
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_THAT(refused.reason, HasSubstr("elsewhere.git"));
  EXPECT_THAT(refused.fix, HasSubstr("git remote set-url --push origin"));
  EXPECT_EQ(Everything(), before);
  EXPECT_EQ(work_.Git("--git-dir=../elsewhere.git for-each-ref"), "");
  // As is one that pushes to both.
  work_.Git("remote set-url --add --push origin " + work_.Beside("origin.git").string());
  EXPECT_EQ(Open(Request()).outcome, Outcome::kRefused);
  work_.Git("config --unset-all remote.origin.pushurl");
  EXPECT_EQ(Open(Request()).outcome, Outcome::kDone);
}

TEST_F(WorkflowPullTest, TextThatSomebodyWritesDuringThePreviewIsNotOverwritten) {
  const int64_t number = Opened();
  UpdateRequest request;
  request.repo = work_.path();
  request.number = number;
  request.preview = [&](const std::string& text, const std::vector<std::string>&) {
    forge_.At(number).body = "written meanwhile";
    return text;
  };
  const Result refused = Good(UpdatePull(request, forge_.fork()));
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_THAT(refused.reason, HasSubstr("edited meanwhile"));
  EXPECT_EQ(forge_.At(number).body, "written meanwhile");
  request.preview = nullptr;
  request.yes = true;
  EXPECT_EQ(Good(UpdatePull(request, forge_.fork())).outcome, Outcome::kDone);
}

TEST_F(WorkflowPullTest, AForkThatIsRenamedIsOursAllTheSame) {
  forge_.forge.renamed[testing::LocalForge::kOrigin] = "alice/new-name";
  work_.Write("b", "more\n");
  work_.Commit("feat: more");
  const Result opened = Open(Request());
  ASSERT_EQ(opened.outcome, Outcome::kDone) << opened.reason;
  EXPECT_EQ(forge_.At(opened.pull->number).head_repository, "alice/new-name");
  EXPECT_EQ(Open(Request()).pull->number, opened.pull->number);
  EXPECT_EQ(forge_.created, 1);
  EXPECT_EQ(Good(SquashPull(Squashing(opened.pull->number), forge_.fork(), forge_.git)).outcome, Outcome::kDone);
  // Another one's is not.
  forge_.At(opened.pull->number).head_repository = "mallory/new-name";
  EXPECT_THAT(Good(SquashPull(Squashing(opened.pull->number), forge_.fork(), forge_.git)).reason,
              HasSubstr("your fork"));
}

TEST_F(WorkflowPullTest, AShallowCloneGetsItsHistory) {
  for (int i = 0; i < 3; ++i) fork_.Elsewhere("upstream", "main", "theirs" + std::to_string(i));
  work_.Git("pull -q upstream main --rebase && git push -q origin HEAD:main");
  work_.Shell(
      "git clone -q --depth 1 -b main file://$PWD/../origin.git ../shallow && cd ../shallow && "
      "git remote add upstream file://$PWD/../upstream.git && git config user.name Bob && "
      "git config user.email bob@example.com && git switch -q -c feat/y && echo y > y && git add y && "
      "git commit -q -m 'feat: y'");
  const std::unique_ptr<GitProgram> git = fork_.GitIn(work_.Beside("shallow"));
  testing::LocalForge forge(fork_, *git);
  PullRequestRequest request = Request();
  request.repo = work_.Beside("shallow");
  const Result opened = Good(OpenPull(request, forge.fork(), forge.git));
  EXPECT_EQ(opened.outcome, Outcome::kDone) << opened.reason;
  EXPECT_EQ(work_.Shell("git -C ../shallow rev-parse --is-shallow-repository"), "false");
}

TEST_F(WorkflowPullTest, NothingIsPushedToTheMainRepositoryAsIfItWereAFork) {
  work_.Git("remote set-url origin " + work_.Beside("upstream.git").string());
  work_.Write("a", "3\n");
  CommitRequest request;
  request.repo = work_.path();
  request.message = "feat: x";
  request.time = kTime;
  const std::string before = Everything();
  const Result refused = Good(workflow::Commit(request, forge_.git, forge_.remotes));
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_THAT(refused.fix, HasSubstr("YOUR-FORK"));
  EXPECT_EQ(Everything(), before);
  request.push = false;
  EXPECT_EQ(Good(workflow::Commit(request, forge_.git, forge_.remotes)).outcome, Outcome::kDone);
}

// --- squash N ---

TEST_F(WorkflowPullTest, CommitsOfBranchesThatOthersBuildOnAreNotReplaced) {
  work_.Write("b", "more\n");
  work_.Commit("feat: more");
  // 1. A protected branch of the fork.
  work_.Git("switch -q -c release/1");
  const int64_t number = Opened();
  std::string before = Everything();
  const Result squash = Good(SquashPull(Squashing(number), forge_.fork(), forge_.git));
  EXPECT_EQ(squash.outcome, Outcome::kRefused);
  EXPECT_THAT(squash.reason, HasSubstr("release/1"));
  EXPECT_EQ(Everything(), before);
  AppendRequest amend = Appending(number);
  amend.amend = true;
  work_.Write("a", "3\n");
  before = Everything();
  EXPECT_EQ(Append(amend).outcome, Outcome::kRefused);
  EXPECT_EQ(Everything(), before);
  // A rebase would replace them, too; a commit more does not.
  fork_.Elsewhere("upstream", "main", "theirs");
  before = Everything();
  const Result rebase = Append(Appending(number));
  EXPECT_EQ(rebase.outcome, Outcome::kRefused) << ToText(rebase);
  EXPECT_EQ(rebase.fix, "--no-rebase");
  EXPECT_EQ(Everything(), before);
  AppendRequest plain = Appending(number);
  plain.rebase = false;
  const Result appended = Append(plain);
  EXPECT_EQ(appended.outcome, Outcome::kDone) << appended.reason;
  EXPECT_FALSE(appended.pushed[0].forced);
}

TEST_F(WorkflowPullTest, ABranchOfTheMainRepositoryIsNotReplaced) {
  work_.Write("b", "more\n");
  work_.Commit("feat: more");
  const int64_t number = Opened();
  forge_.At(number).head_repository = testing::LocalForge::kUpstream;
  Fork fork = forge_.fork();
  fork.origin = fork.upstream;
  const std::string before = Everything();
  const Result refused = Good(SquashPull(Squashing(number), fork, forge_.git));
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_THAT(refused.reason, HasSubstr("main repository"));
  EXPECT_EQ(Everything(), before);
}

TEST_F(WorkflowPullTest, AMessageThatMustNotBeUsedIsNotSquashedWith) {
  work_.Write("b", "more\n");
  work_.Commit("feat: more\n\nCo-authored-by: Helper <noreply@example.com>");
  const int64_t number = Opened();
  const std::string before = Everything();
  const Result made = Good(SquashPull(Squashing(number), forge_.fork(), forge_.git));
  EXPECT_EQ(made.outcome, Outcome::kRefused);
  EXPECT_THAT(made.reason, HasSubstr("-m MESSAGE"));
  SquashPullRequest request = Squashing(number);
  request.message = "generated by: a tool";
  EXPECT_EQ(Good(SquashPull(request, forge_.fork(), forge_.git)).outcome, Outcome::kRefused);
  EXPECT_EQ(Everything(), before);
  request.message = "feat: both";
  EXPECT_EQ(Good(SquashPull(request, forge_.fork(), forge_.git)).outcome, Outcome::kDone);
}

TEST_F(WorkflowPullTest, ASquashThatWasNotPushedIsPushedByTheSameCommand) {
  work_.Write("b", "more\n");
  const std::string old_head = work_.Commit("feat: more");
  const int64_t number = Opened();
  forge_.git.before = [](const std::vector<std::string>& arguments) {
    if (arguments.front() == "push") throw std::runtime_error("killed");
  };
  EXPECT_THROW((void)SquashPull(Squashing(number), forge_.fork(), forge_.git), std::runtime_error);
  forge_.git.before = nullptr;
  const std::string squashed = work_.Git("rev-parse feat/x");
  ASSERT_NE(squashed, old_head);
  const Result done = Good(SquashPull(Squashing(number), forge_.fork(), forge_.git));
  EXPECT_EQ(done.outcome, Outcome::kDone) << done.reason;
  ASSERT_EQ(done.pushed.size(), 1U);
  EXPECT_TRUE(done.pushed[0].forced);
  EXPECT_EQ(done.pushed[0].change.old_id, old_head);
  EXPECT_EQ(fork_.There("origin", "feat/x"), squashed);
}

}  // namespace
}  // namespace yardmaster::workflow
