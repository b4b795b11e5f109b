// `yard workflow` in a clone of a fork, from outside: both faces of the forge, a git server over HTTP, the real `yard`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/integration/workflow_fixture.h"
#include "tests/support/faces.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class WorkflowTest : public testing::WorkflowFixture {};

TEST_P(WorkflowTest, ThePullRequestsCommitsAreBackportedByItsNumber) {
  const Answer made = Yard({"pr", "--yes"});
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  Git("push -q upstream main:r1");
  const std::string number = made.out["pr"]["number"].dump();
  const Answer done = Yard({"backport", number, "--to", "r1"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(There("alice/repo", done.out["branch"]), done.out["pushed"][0]["new"]);
  EXPECT_EQ(Git("log -1 --format=%s " + done.out["branch"].get<std::string>()), "feat(a): add two");
  EXPECT_EQ(Yard({"backport", "#99", "--to", "r1"}).code, 1);
}

TEST_P(WorkflowTest, TestsThatTheCommitsChangePassBeforeAnythingIsPushed) {
  MakeToyPack();
  // 1. Nothing is to run, and that is said.
  const Answer none = Yard({"test"});
  EXPECT_EQ(none.code, 0) << none.out << none.err;
  EXPECT_EQ(none.out["outcome"], "nothing");
  // 2. A changed test that fails stops all, until somebody says that it is to be skipped.
  dir_.Write("clone/tests/unit/test_two.sh", "exit 3\n");
  Git("add -A && git commit -q -m 'test(a): two'");
  EXPECT_EQ(Yard({"test"}).code, 1);
  const std::string before = Everything();
  const Answer refused = Yard({"pr", "--yes"});
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_EQ(refused.out["outcome"], "refused");
  EXPECT_THAT(refused.out["reason"], HasSubstr("toy/ut did not pass"));
  EXPECT_THAT(refused.out["fix"], HasSubstr("--ut skip"));
  EXPECT_EQ(Everything(), before);
  EXPECT_EQ(Yard({"pr", "--yes", "--ut", "some"}).code, 2);
  // Nobody has said whether they run, and nobody can be asked.
  const Answer undecided = Yard({"pr", "--title", "T", "--body", "B"});
  EXPECT_EQ(undecided.code, 2);
  EXPECT_THAT(undecided.err, HasSubstr("--ut changed, full or skip"));
  EXPECT_THAT(undecided.err, HasSubstr("tests/unit/test_two.sh"));
  const Answer planned = Yard({"pr", "--yes", "--dry-run"});
  EXPECT_EQ(planned.code, 0) << planned.err;
  EXPECT_THAT(planned.out["steps"].dump(),
              HasSubstr(R"({"detail":"toy/ut: tests/unit/test_two.sh","id":"ut","state":"planned"})"));
  EXPECT_EQ(Everything(), before);
  // On a terminal it is asked.
  EXPECT_EQ(OnTerminal("pr", "").code, 1);
  const Answer asked = OnTerminal("pr", "c\n");
  EXPECT_EQ(asked.code, 1);
  EXPECT_THAT(asked.err, HasSubstr("Run them first?"));
  EXPECT_THAT(asked.err, HasSubstr("toy/ut did not pass"));
  EXPECT_EQ(Everything(), before);
  // 3. It passes: the pull request is opened, and says what ran.
  dir_.Write("clone/tests/unit/test_two.sh", "exit 0\n");
  dir_.Write("clone/tests/unit/test_old.sh", "exit 1\n");
  Git("add tests/unit/test_two.sh && git commit -q --amend --no-edit");
  const Answer made = Yard({"pr", "--yes"});
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  EXPECT_EQ(made.out["steps"][0]["id"], "ut");
  EXPECT_THAT(made.out["steps"][0]["detail"], HasSubstr("passed: tests/unit/test_two.sh"));
  // 4. All tests, the untracked one too.
  EXPECT_EQ(Yard({"test", "--scope", "full"}).code, 1);
  // 5. A commit for that pull request has the same gate.
  const std::string number = made.out["pr"]["number"].dump();
  dir_.Write("clone/tests/unit/test_two.sh", "exit 4\n");
  EXPECT_EQ(Yard({"pr", "--to", number, "-m", "test: break it", "--ut", "changed"}).code, 1);
  EXPECT_EQ(Yard({"pr", "--to", number, "-m", "test: break it", "--ut", "skip"}).code, 0);
}

TEST_P(WorkflowTest, MadeTextIsTakenEditedOrRefusedOnATerminal) {
  dir_.Write("clone/a.py", "def three():\n    return 3\n");
  const std::string before = Everything();
  // 1. Cancelled, by a word and by the end of the input: nothing has changed.
  const Answer cancelled = OnTerminal("commit --no-push", "c\n");
  EXPECT_EQ(cancelled.code, 1) << cancelled.err;
  EXPECT_THAT(cancelled.err, HasSubstr("Update a.py"));
  EXPECT_EQ(OnTerminal("commit --no-push", "").code, 1);
  EXPECT_EQ(Everything(), before);
  // 2. Edited, shown again, and taken.
  const Answer edited = OnTerminal("commit --no-push", "e\ny\n");
  ASSERT_EQ(edited.code, 0) << edited.err;
  EXPECT_EQ(Git("log -1 --format=%B"), "fix(a): three\n\nBy hand.\n");
  // 3. Taken as it is.
  const Answer opened = OnTerminal("pr", "\n");
  ASSERT_EQ(opened.code, 0) << opened.err;
  EXPECT_THAT(opened.err, HasSubstr("Use it?"));
  EXPECT_THAT(Pulls(), HasSubstr("feat(a): add two")) << opened.err;
}

TEST_P(WorkflowTest, WhatTheCommitsHoldIsToldWithoutAWord) {
  const std::string before = Everything();
  const Answer told = Yard({"pr", "--analyze-only"});
  ASSERT_EQ(told.code, 0) << told.out << told.err;
  const json& analysis = told.out["analysis"];
  EXPECT_EQ(analysis["files"][0]["path"], "a.py");
  EXPECT_EQ(analysis["files"][0]["added"], json::array({"two"}));
  EXPECT_EQ(analysis["commits"][0]["type"], "feat");
  EXPECT_EQ(analysis["issues"], json::array({"#7"}));
  EXPECT_EQ(Everything(), before);
}

TEST_P(WorkflowTest, ABranchBecomesAPullRequestOnceAndFollowsLaterPushes) {
  // 1. Nothing is done before somebody has seen the text.
  const std::string before = Everything();
  const Answer planned = Yard({"pr", "--dry-run"});
  EXPECT_EQ(planned.code, 0) << planned.out << planned.err;
  EXPECT_EQ(planned.out["pushed"].size(), 1U) << planned.out;
  const Answer asked = Yard({"pr"});
  EXPECT_EQ(asked.code, 2);
  EXPECT_THAT(asked.err, HasSubstr("--title"));
  EXPECT_EQ(Everything(), before);

  // 2. The pull request, by the template.
  const Answer made = Yard({"pr", "--yes", "--reviewer", "carol,dave"});
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  const int64_t number = made.out["pr"]["number"];
  EXPECT_EQ(There("alice/repo", "feat/two"), Git("rev-parse HEAD"));
  EXPECT_EQ(made.out["pushed"][0]["old"], nullptr);
  const std::string dump = Forge("state").dump();
  EXPECT_THAT(dump, HasSubstr("feat(a): add two"));
  EXPECT_THAT(dump, HasSubstr("/kind feature"));
  EXPECT_THAT(dump, HasSubstr("Since one is not enough."));
  EXPECT_THAT(dump, HasSubstr("Fixes #7"));
  EXPECT_THAT(dump, HasSubstr("- [ ] tests"));
  EXPECT_THAT(dump, HasSubstr("carol"));

  // 3. One more commit goes to the same one.
  dir_.Write("clone/b.py", "B = 1\n");
  Git("add -A && git commit -q -m 'feat: b'");
  const Answer again = Yard({"pr", "--yes"});
  ASSERT_EQ(again.code, 0) << again.out;
  EXPECT_EQ(again.out["pr"]["number"], number);
  EXPECT_FALSE(again.out["pushed"][0]["forced"]);
  const Answer status = Yard({"status"});
  ASSERT_EQ(status.code, 0) << status.out << status.err;
  EXPECT_EQ(status.out["pr"]["number"], number);
  EXPECT_EQ(status.out["pr"]["commits"], 2) << status.out;
  EXPECT_EQ(status.out["pr"]["state"], "open");
  EXPECT_EQ(status.out["pr"]["head"], "alice/repo:feat/two");
  for (const std::string& name :
       {std::to_string(number), "#" + std::to_string(number), "octo/repo#" + std::to_string(number),
        "https://" + std::string(GetParam()) + ".com/octo/repo/pull/" + std::to_string(number)}) {
    EXPECT_EQ(Yard({"status", name}).code, 0) << name;
  }
  // The same number on another forge is another pull request.
  const std::string other = std::string("https://") + (github() ? "gitcode" : "github") + ".com/octo/repo/pull/";
  const Answer elsewhere = Yard({"status", other + std::to_string(number)});
  EXPECT_EQ(elsewhere.code, 1);
  EXPECT_THAT(elsewhere.out["reason"], HasSubstr("is on"));
  EXPECT_EQ(Yard({"status", "other/repo#1"}).code, 1);
  EXPECT_EQ(Yard({"status", "9999"}).code, 1);
  EXPECT_EQ(Yard({"status", "nonsense"}).code, 2);
}

TEST_P(WorkflowTest, FromAProtectedBranchTheCommitsGoToABranchOfTheirOwn) {
  Git("switch -q main && git merge -q --ff-only feat/two");
  // The main repository has moved on.
  Shell(
      "git clone -q root/octo/repo.git other && cd other && echo x > new && git add new && git commit -q -m newer && "
      "git push -q");
  const std::string head = Git("rev-parse main");
  const Answer made = Yard({"pr", "--yes"});
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  const std::string branch = made.out["branch"];
  EXPECT_THAT(branch, StartsWith("pr/"));
  EXPECT_EQ(Git("rev-parse main"), head);
  EXPECT_EQ(Git("symbolic-ref HEAD"), "refs/heads/main");
  EXPECT_EQ(Git("log --format=%s upstream/main.." + branch), "feat(a): add two");
  EXPECT_EQ(Git("status --porcelain"), "");
  EXPECT_EQ(There("alice/repo", branch), Git("rev-parse " + branch));
}

TEST_P(WorkflowTest, WhatTheForkHasIsReplacedOnlyOnRequest) {
  ASSERT_EQ(Yard({"pr", "--yes"}).code, 0);
  Git("commit -q --amend -m 'feat(a): add two, again'");
  const std::string before = Everything();
  const Answer refused = Yard({"pr", "--yes"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out["outcome"], "refused");
  EXPECT_THAT(refused.out["fix"], HasSubstr("--force"));
  EXPECT_EQ(Everything(), before);
  const Answer forced = Yard({"pr", "--yes", "--force"});
  ASSERT_EQ(forced.code, 0) << forced.out;
  EXPECT_TRUE(forced.out["pushed"][0]["forced"]);
  EXPECT_EQ(There("alice/repo", "feat/two"), Git("rev-parse HEAD"));
}

TEST_P(WorkflowTest, SeveralCommitsBecomeOneAndTheOldOnesHaveAName) {
  dir_.Write("clone/b.py", "B = 1\n");
  Git("add -A && git commit -q -m 'feat: b'");
  const std::string old_head = Git("rev-parse HEAD");
  const Answer made = Yard({"pr", "--yes", "--squash"});
  ASSERT_EQ(made.code, 0) << made.out;
  EXPECT_EQ(Git("log --format=%s upstream/main..HEAD"), "feat(a): add two");
  EXPECT_EQ(Git("diff " + old_head + " HEAD"), "");
  EXPECT_EQ(Git("rev-parse " + made.out["backups"][0].get<std::string>()), old_head);
  EXPECT_EQ(Yard({"undo"}).code, 0);
  EXPECT_EQ(Git("rev-parse HEAD"), old_head);
}

TEST_P(WorkflowTest, ACommitIsAppendedToAPullRequestOnItsNewBase) {
  const std::string number = std::to_string(Yard({"pr", "--yes"}).out["pr"]["number"].get<int64_t>());
  // The main repository has moved on, in another file.
  Shell(
      "git clone -q root/octo/repo.git other && cd other && echo x > new && git add new && git commit -q -m newer && "
      "git push -q");
  dir_.Write("clone/a.py", "def one():\n    return 1\n\n\ndef two():\n    return 3\n");
  dir_.Write("clone/mine", "untracked\n");
  const std::string before = Everything();
  const Answer planned = Yard({"pr", "--to", number, "-m", "fix: three", "--dry-run"});
  EXPECT_EQ(planned.code, 0) << planned.out << planned.err;
  EXPECT_EQ(Everything(), before);
  const std::string old_head = Git("rev-parse HEAD");
  const Answer done = Yard({"pr", "--to", number, "-m", "fix: three"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(Git("log --format=%s upstream/main.."), "fix: three\nfeat(a): add two");
  EXPECT_EQ(Git("rev-parse upstream/main"), There("octo/repo", "main"));
  EXPECT_EQ(Git("status --porcelain"), "?? mine");
  EXPECT_EQ(Shell("cat clone/new"), "x");
  EXPECT_EQ(There("alice/repo", "feat/two"), Git("rev-parse HEAD"));
  EXPECT_TRUE(done.out["pushed"][0]["forced"]);
  EXPECT_EQ(done.out["pushed"][0]["old"], old_head);
  // One undo takes all of the command back, but for what is on the server.
  ASSERT_EQ(Yard({"undo"}).code, 0);
  EXPECT_EQ(Git("rev-parse HEAD"), old_head);
  EXPECT_EQ(Git("status --porcelain"), " M a.py\n?? mine");
  EXPECT_FALSE(std::filesystem::exists(Path("clone/new")));
}

TEST_P(WorkflowTest, AppendingStopsAtConflictsAndAtOthersWork) {
  const std::string number = std::to_string(Yard({"pr", "--yes"}).out["pr"]["number"].get<int64_t>());
  Shell(
      "git clone -q root/octo/repo.git other && cd other && echo theirs > a.py && git commit -q -a -m newer && "
      "git push -q");
  dir_.Write("clone/a.py", "mine\n");
  std::string before = Everything();
  const Answer conflict = Yard({"pr", "--to", number, "-m", "fix: mine"});
  EXPECT_EQ(conflict.code, 1);
  EXPECT_EQ(conflict.out["outcome"], "conflict") << conflict.out;
  EXPECT_EQ(conflict.out["fix"], "--no-rebase");
  EXPECT_EQ(Everything(), before);
  // Somebody pushes to the branch of the fork.
  Shell(
      "git clone -q -b feat/two root/alice/repo.git third && cd third && git commit -q --allow-empty -m theirs && "
      "git push -q");
  before = Everything();
  const Answer behind = Yard({"pr", "--to", number, "-m", "fix: mine", "--no-rebase"});
  EXPECT_EQ(behind.code, 1);
  EXPECT_EQ(behind.out["outcome"], "refused");
  EXPECT_EQ(Everything(), before);
  Git("stash -q && git pull -q --rebase origin feat/two && git stash pop -q");
  const Answer done = Yard({"pr", "--to", number, "-m", "fix: mine", "--no-rebase"});
  ASSERT_EQ(done.code, 0) << done.out;
  EXPECT_FALSE(done.out["pushed"][0]["forced"]);
  dir_.Write("clone/a.py", "amended\n");
  const Answer amended = Yard({"pr", "--to", number, "--amend", "--no-rebase"});
  ASSERT_EQ(amended.code, 0) << amended.out << amended.err;
  EXPECT_TRUE(amended.out["pushed"][0]["forced"]);
  EXPECT_EQ(Git("log -2 --format=%s"), "fix: mine\ntheirs");
  EXPECT_EQ(There("alice/repo", "feat/two"), Git("rev-parse HEAD"));
}

TEST_P(WorkflowTest, APullRequestIsSquashedOverWhatItShowedOnly) {
  dir_.Write("clone/b.py", "B = 1\n");
  Git("add -A && git commit -q -m 'feat: b'");
  const std::string number = std::to_string(Yard({"pr", "--yes"}).out["pr"]["number"].get<int64_t>());
  Git("switch -q main");
  dir_.Write("clone/a.py", "dirty\n");
  const std::string old_head = Git("rev-parse feat/two");
  const std::string before = Everything();
  EXPECT_EQ(Yard({"squash", number, "--dry-run"}).code, 0);
  EXPECT_EQ(Yard({"squash", number}).code, 2);
  EXPECT_EQ(Everything(), before);
  const Answer done = Yard({"squash", number, "--yes"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(Git("log --format=%s main..feat/two"), "feat(a): add two");
  EXPECT_EQ(Git("diff " + old_head + " feat/two"), "");
  EXPECT_EQ(There("alice/repo", "feat/two"), Git("rev-parse feat/two"));
  EXPECT_EQ(Git("status --porcelain"), " M a.py");
  EXPECT_EQ(Yard({"squash", number, "--yes"}).out["outcome"], "nothing");
  // A branch that the forge shows elsewhere than the fork has it, or that is ahead here, is left alone.
  Git("stash -q && git switch -q feat/two && git commit -q --allow-empty -m ahead");
  EXPECT_EQ(Yard({"squash", number, "--yes"}).code, 1);
}

TEST_P(WorkflowTest, ADescriptionIsWrittenAnewAndKeepsWhatPeopleWrote) {
  const json made = Yard({"pr", "--title", "Update", "--body", "**What does this PR do**:\n\n**Notes**:\nMine."}).out;
  const std::string number = std::to_string(made["pr"]["number"].get<int64_t>());
  EXPECT_EQ(Yard({"update", number}).code, 2);
  const Answer done = Yard({"update", number, "--yes"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  const std::string dump = Forge("state").dump();
  EXPECT_THAT(dump, HasSubstr("feat(a): add two"));
  EXPECT_THAT(dump, HasSubstr("Since one is not enough."));
  EXPECT_THAT(dump, HasSubstr("Mine."));
  EXPECT_EQ(Yard({"update", number, "--yes"}).out["outcome"], "nothing");
  // Somebody else's: not ours to change.
  const json theirs = Forge("pulls", {{"repository", "octo/repo"}, {"title", "t"}, {"head_ref", "main"}});
  const std::string other = std::to_string(theirs["number"].get<int64_t>());
  for (const std::vector<std::string>& command : {std::vector<std::string>{"update", other, "--yes"},
                                                  {"squash", other, "--yes"},
                                                  {"pr", "--to", other, "--yes"}}) {
    const Answer refused = Yard(command);
    EXPECT_EQ(refused.code, 1) << refused.out;
    EXPECT_THAT(refused.out["reason"], HasSubstr("your fork"));
  }
}

TEST_P(WorkflowTest, WhatIsRefusedAndWhatCantBeReached) {
  dir_.Write("clone/a.py", "dirty\n");
  std::string before = Everything();
  EXPECT_THAT(Yard({"pr", "--yes"}).out["reason"], HasSubstr("uncommitted changes: a.py"));
  EXPECT_EQ(Everything(), before);
  Git("restore a.py");
  Git("switch -q -c empty upstream/main 2>/dev/null || git switch -q -c empty main");
  before = Everything();
  const Answer none = Yard({"pr", "--yes"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.out["reason"], HasSubstr("no new commits"));
  Git("switch -q feat/two");
  Git("remote set-url upstream https://example.com/octo/repo.git");
  EXPECT_THAT(Yard({"pr", "--yes"}).out["reason"], HasSubstr("example.com"));
  Git("remote set-url upstream http://" + http_ + "/git/octo/repo.git");
  Git("fetch -q upstream");
  dir_.Write("token", "wrong");
  const Answer denied = Yard({"pr", "--yes"});
  EXPECT_EQ(denied.code, 3) << denied.out << denied.err;
  EXPECT_EQ(denied.out["outcome"], "failed");
  EXPECT_THAT(denied.out["fix"], HasSubstr("token"));
  EXPECT_EQ(denied.out.dump().find("wrong"), std::string::npos);
  forge_.reset();
  const Answer gone = Yard({"pr", "--yes"});
  EXPECT_EQ(gone.code, 3);
  EXPECT_EQ(gone.out["outcome"], "failed");
  EXPECT_EQ(Shell("git -C root/alice/repo.git for-each-ref --format='%(refname)' refs/heads"), "refs/heads/main");
}

// Of what a commit would have, not of what lies around; index and files stay as they are.
TEST_P(WorkflowTest, LintersOfTheProjectSeeWhatWouldBeCommitted) {
  if (Shell("command -v clang-format || :").empty()) GTEST_SKIP() << "there is no clang-format here";
  dir_.Write("clone/.clang-format", "BasedOnStyle: Google\n");
  dir_.Write("clone/a.cc", "int main() { return 0; }\n");
  Git("add -A && git commit -q -m cc");
  EXPECT_EQ(Yard({"check"}).out["outcome"], "nothing");
  dir_.Write("clone/a.cc", "int   main() { return 0; }\n");
  Git("add a.cc");
  dir_.Write("clone/a.cc", "int main() { return 1; }\n");
  dir_.Write("clone/b.cc", "int   untracked;\n");
  const std::string before = Everything() + Git("count-objects -v");
  const Answer good = Yard({"check", "--tool", "clang-format", "--tool", "codespell"});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_EQ(Everything() + Git("count-objects -v"), before);
  dir_.Write("clone/a.cc", "int   main() { return 1; }\n");
  const Answer bad = Yard({"check"});
  EXPECT_EQ(bad.code, 1) << bad.out << bad.err;
  EXPECT_EQ(bad.out["outcome"], "refused");
  EXPECT_EQ(bad.out["findings"][0]["path"], "a.cc");
  EXPECT_THAT(bad.out["findings"][0]["rule_id"], StartsWith("clang-format/"));
  // A linter that is named in a list, and that is not installed, is told.
  dir_.Write("clone/.pre-commit-config.yaml", "repos:\n  - id: cmakelint\n  - id: codespell\n");
  dir_.Write("clone/CMakeLists.txt", "project(x)\n");
  Git("add .pre-commit-config.yaml CMakeLists.txt");
  const std::string steps = Yard({"check"}).out["steps"].dump();
  EXPECT_THAT(steps, HasSubstr("cmakelint"));
  EXPECT_THAT(steps, HasSubstr("not run"));
  EXPECT_EQ(Yard({"check", "--no-tools"}).code, 0);
}

// By its labels alone, under the pack that has suites of the repository.
TEST_P(WorkflowTest, StatusTellsWhoReviewsAndWhereTheGateStands) {
  MakeGatedToyPack();
  const Answer made = Yard({"pr", "--yes", "--ut", "skip", "--reviewer", "carol"});
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  const std::string number = made.out["pr"]["number"].dump();
  const json fresh = Yard({"status", number}).out["pr"];
  EXPECT_EQ(fresh["reviewers"], json::array({"carol"}));
  EXPECT_EQ(fresh["gate"]["pack"], "toy");
  const auto relabel = [&](const std::string& add, const std::string& remove) {
    Forge("labels", {{"repository", "octo/repo"},
                     {"number", std::stoi(number)},
                     {"pull", true},
                     {"add", json::array({add})},
                     {"remove", json::array({remove})}});
    return Yard({"status", number}).out["pr"]["gate"]["phase"];
  };
  EXPECT_EQ(relabel("ci-running", "none"), "P2_RUNNING");
  EXPECT_EQ(relabel("ci-passed", "ci-running"), "GREEN");
  packs_ = "";
  EXPECT_EQ(Yard({"status", number}).out["pr"]["gate"], nullptr);
}

// Programs take time to start.
TEST_P(WorkflowTest, WhatACommandAsksTheInstalledGitItAsksOnce) {
  dir_.Write("bin/git", "#!/bin/sh\necho \"$@\" >> " + Path("calls") + "\nPATH=${PATH#*:}\nexec git \"$@\"\n");
  Shell("chmod +x bin/git");
  const auto calls = [&] {
    std::vector<std::string> lines = absl::StrSplit(testing::ReadWholeFile(Path("calls")), '\n', absl::SkipEmpty());
    std::filesystem::remove(Path("calls"));
    return lines;
  };
  const Answer made = Yard({"pr", "--yes", "--ut", "skip"});
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  const std::vector<std::string> opening = calls();
  EXPECT_EQ(std::set<std::string>(opening.begin(), opening.end()).size(), opening.size())
      << absl::StrJoin(opening, "\n");
  EXPECT_LE(opening.size(), 6U) << absl::StrJoin(opening, "\n");
  ASSERT_EQ(Yard({"status"}).code, 0);
  EXPECT_THAT(calls(), ::testing::ElementsAre(::testing::EndsWith("remote --verbose")));
}

// With the pack's thresholds, and without what the project's own lists leave out.
TEST_P(WorkflowTest, LintersOfThePackRunWithItsArgumentsAndLists) {
  MakeGatedToyPack();
  dir_.Write(
      "bin/pylint",
      "#!/bin/sh\necho \"$@\" > " + Path("pylint-arguments") +
          "\necho \"a.py:1:0: warning: Bad name [invalid-name]\"\necho \"a.py:2:0: warning: Unused x [unused]\"\n");
  dir_.Write("bin/lizard",
             "#!/bin/sh\necho \"$@\" > " + Path("lizard-arguments") +
                 "\necho \"./a.py:1: warning: one has 120 NLOC, 30 CCN, 9 token, 0 PARAM, 9 length, 0 ND\"\n");
  dir_.Write("bin/markdownlint-cli2", "#!/bin/sh\ncat .markdownlint.json > " + Path("settings") + "\n");
  dir_.Write("bin/shellcheck", "#!/bin/sh\necho \"$@\" > " + Path("shellcheck-arguments") + "\n");
  Shell("chmod +x bin/*");
  for (const std::string name : {"ci/build", "ci/old/build.sh", "run.sh"}) dir_.Write("clone/" + name, "true\n");
  dir_.Write("clone/ci/filter.txt", "\"repo/a.py\" \"invalid-name\"\n");
  dir_.Write("clone/ci/white.txt", "repo/a.py:one\n");
  dir_.Write("clone/r.md", "# R\n");
  Git("add -A && git commit -q -m lists");
  dir_.Write("clone/a.py", "ONE = 1\nx = 2\n");
  dir_.Write("clone/r.md", "# R\n\nMore.\n");
  for (const std::string name : {"ci/build", "ci/old/build.sh", "run.sh"}) dir_.Write("clone/" + name, "false\n");
  const Answer told = Yard({"check"});
  EXPECT_EQ(told.code, 1) << told.out << told.err;
  ASSERT_EQ(told.out["findings"].size(), 1U) << told.out;
  EXPECT_THAT(told.out["findings"][0]["message"], HasSubstr("Unused x"));
  EXPECT_THAT(testing::ReadWholeFile(Path("pylint-arguments")), HasSubstr("--max-line-length=120 a.py"));
  EXPECT_THAT(testing::ReadWholeFile(Path("lizard-arguments")), HasSubstr("--CCN 15 a.py"));
  // Only the files that the project gives it.
  EXPECT_THAT(testing::ReadWholeFile(Path("shellcheck-arguments")), ::testing::EndsWith("gcc ci/build\n"));
  EXPECT_THAT(testing::ReadWholeFile(Path("settings")), HasSubstr("\"MD013\": false"));
  // What is not installed is told as not run, and is no pass.
  if (Shell("command -v codespell || :").empty())
    EXPECT_THAT(told.out["steps"].dump(), HasSubstr("there is no codespell"));
}

// Those that no other case gives.
TEST_P(WorkflowTest, OptionsReachTheirCommands) {
  MakeToyPack();
  // 1. A message, in either language.
  EXPECT_EQ(Yard({"gen-commit-msg", "--scope", "core", "--lang", "zh"}).out["message"]["subject"],
            "feat(core): 新增 two");
  // 2. A commit that keeps its years, and `undo` by its id.
  dir_.Write("clone/a.py", "# Copyright 2020 Acme\n");
  const Answer kept = Yard({"commit", "--keep-years", "--lang", "zh", "--yes", "--no-push"});
  ASSERT_EQ(kept.code, 0) << kept.out << kept.err;
  EXPECT_EQ(Git("log -1 --format=%s"), "更新 a.py");
  EXPECT_EQ(Shell("cat clone/a.py"), "# Copyright 2020 Acme");
  dir_.Write("clone/a.py", "# Copyright 2020 Acme, all of it\n");
  ASSERT_EQ(Yard({"commit", "-m", "feat: more", "--no-push"}).code, 0);
  EXPECT_THAT(Shell("cat clone/a.py"), StartsWith("# Copyright 2020-"));
  const json list = Yard({"undo", "--list"}).out["steps"];
  ASSERT_EQ(list.size(), 2U) << list;
  const std::string first = list[1]["id"];
  const std::string before = Everything();
  const Answer planned = Yard({"undo", list[0]["id"].get<std::string>(), "--dry-run"});
  EXPECT_EQ(planned.out["steps"][0]["state"], "planned") << planned.out;
  // The later one stands on it.
  EXPECT_EQ(Yard({"undo", first}).code, 1);
  EXPECT_EQ(Everything(), before);
  EXPECT_EQ(Yard({"undo"}).code, 0);
  EXPECT_EQ(Yard({"undo", first}).code, 0);
  EXPECT_EQ(Yard({"undo", first}).code, 1);
  Git("restore -q a.py");
  // 3. Kinds of tests: the toy has unit tests only.
  const Answer none = Yard({"test", "--kind", "st"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("no pack has a suite of kind st for "));
  EXPECT_EQ(Yard({"test", "--kind", "it"}).code, 2);
  // 4. A draft, with text in Chinese.
  const Answer opened = Yard({"pr", "--yes", "--draft", "--st", "full", "--lang", "zh", "--reviewer", "carol"});
  ASSERT_EQ(opened.code, 0) << opened.out << opened.err;
  EXPECT_THAT(opened.out["steps"].dump(),
              HasSubstr(R"("detail":"no pack has a suite of them for octo/repo","id":"st")"));
  EXPECT_EQ(Yard({"status"}).out["pr"]["state"], "draft");
  const std::string number = opened.out["pr"]["number"].dump();
  const Answer again = Yard({"pr", "--yes", "--title", "T", "--reviewer", "dave"});
  EXPECT_THAT(again.out["steps"].dump(), HasSubstr("yard workflow update " + number + " --title TEXT"));
  EXPECT_THAT(Pulls(), HasSubstr("dave"));
  // 5. A branch of the fork that is named, and a range on another branch.
  Git("push -q ../root/octo/repo.git main:release/1");
  EXPECT_EQ(Yard({"sync", "release/1"}).out["pushed"][0]["ref"], "refs/heads/release/1");
  EXPECT_EQ(There("alice/repo", "release/1"), Git("rev-parse main"));
  const std::string planned_from = Everything();
  const Answer sync = Yard({"sync", "main", "--dry-run"});
  EXPECT_EQ(sync.out["outcome"], "nothing") << sync.out;
  const Answer backport = Yard({"backport", "main..feat/two", "--to", "release/1", "--dry-run"});
  EXPECT_EQ(backport.code, 0) << backport.out << backport.err;
  EXPECT_EQ(backport.out["pushed"].size(), 1U) << backport.out;
  EXPECT_EQ(Everything(), planned_from);
  // 6. The pack that checks.
  packs_ = "";
  dir_.Write("clone/a.py", "def two():\n    return 2\n");
  const Answer checked = Yard({"check", "--pack", "hyper-parallel", "--no-tools"});
  EXPECT_THAT(checked.out["steps"].dump(), HasSubstr("hyper-parallel")) << checked.out << checked.err;
  EXPECT_EQ(Yard({"check", "--pack", "nowhere"}).code, 1);
}

INSTANTIATE_TEST_SUITE_P(Faces, WorkflowTest, ::testing::ValuesIn(testing::Faces<const char*>("github")),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace yardmaster
