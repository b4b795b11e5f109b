// `yard workflow` killed at random moments, in a clone with two remotes on this machine.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/integration/workflow_fixture.h"
#include "tests/support/git_fork.h"
#include "tests/support/git_programs.h"
#include "tests/support/process.h"
#include "tests/support/rounds.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::GitEnvironment;
using testing::GitFork;
using testing::Process;

// How many times each command is killed.
int Kills() { return static_cast<int>(testing::Rounds("YARD_WORKFLOW_KILLS", testing::IsShort() ? 2 : 3)); }

// Starts `start`, and kills it at a random moment of the time that it takes.
void KillOnce(const std::function<std::unique_ptr<Process>()>& start, std::chrono::microseconds takes,
              std::mt19937& random) {
  const std::unique_ptr<Process> process = start();
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::uniform_int_distribution<int64_t>(0, takes.count())(random)));
  process->Signal(SIGKILL);
  process->Wait(std::chrono::seconds(10));
}

// A git that a killed command had started may go on for a moment.
void WaitForOrphans(const std::string& folder) {
  for (bool busy = true; busy;) {
    busy = false;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
      const std::string cwd = fs::read_symlink(entry.path() / "cwd", ignored).string();
      busy = busy || cwd.starts_with(folder);
    }
    if (busy) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// Git's own lock of a branch may stay, as after a killed git. People are told to remove it.
constexpr const char* kRemoveLocks = "find .git/refs/heads -name '*.lock' -delete";

class WorkflowKillsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Process> Start(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {std::string(YARD_PROGRAMS) + "/yard", "--json", "workflow"});
    arguments.insert(arguments.end(), {"--repo", work_.path().string()});
    return std::make_unique<Process>(arguments, GitEnvironment(work_.Beside("home")));
  }
  json Run(const std::vector<std::string>& arguments) const {
    const std::unique_ptr<Process> process = Start(arguments);
    process->Wait(std::chrono::seconds(60));
    return json::parse(process->Stdout(), nullptr, false);
  }
  // What is here: all but the remotes.
  std::string Here() const {
    return work_.Git("for-each-ref refs/heads refs/tags refs/stash refs/yardmaster") + work_.Git("ls-files -s") +
           work_.Shell(
               "cat .git/HEAD .git/config; git stash list; git status --porcelain -uall; "
               "find . -path ./.git -prune -o -type f -exec sha256sum {} + | sort");
  }
  // What a round ended with here: git's objects and the index are whole.
  void Settled(int round) const {
    work_.Shell(kRemoveLocks);
    ASSERT_EQ(work_.Shell("git fsck --strict --no-dangling --no-progress 2>&1 || echo broken"), "") << round;
  }
  // How long it takes to its end.
  std::chrono::microseconds Takes(const std::vector<std::string>& command) const {
    const auto begin = std::chrono::steady_clock::now();
    const json whole = Run(command);
    EXPECT_EQ(whole["outcome"], "done") << whole;
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  }

  // Kills `command` at random moments. Afterwards the next command finds it done, and takes it back, or not begun.
  void KillAndSettle(const std::vector<std::string>& command, const std::string& branch) {
    const std::string before = Here();
    const std::string there = work_.Git("--git-dir=../origin.git for-each-ref");
    const std::chrono::microseconds takes = Takes(command);
    const auto go_back = [&] {
      Run({"undo"});
      // The next round begins as this one did.
      work_.Shell("git --git-dir=../origin.git update-ref -d refs/heads/" + branch +
                  "; git update-ref -d refs/remotes/origin/" + branch);
      for (const std::string ref : {"main", "feat/x"}) {
        const size_t at = there.find("refs/heads/" + ref);
        if (at == std::string::npos) continue;
        work_.Git("--git-dir=../origin.git update-ref refs/heads/" + ref + " " + there.substr(at - 48, 40));
      }
    };
    go_back();
    ASSERT_EQ(Here(), before);
    std::mt19937 random(11);
    int done = 0;
    for (int round = 0; round < Kills(); ++round) {
      KillOnce([&] { return Start(command); }, takes, random);
      WaitForOrphans(work_.path().parent_path().string());
      Settled(round);
      const json back = Run({"undo"});
      done += back["outcome"] == "done" ? 1 : 0;
      ASSERT_TRUE(back["outcome"] == "done" || back["outcome"] == "nothing") << back << round;
      ASSERT_EQ(Here(), before) << round << back;
      ASSERT_FALSE(fs::exists(work_.path() / ".git/index.lock")) << round;
      go_back();
    }
    RecordProperty("done", done);
  }

  // Kills the undo of `command`, which writes nothing on the servers. The next one finishes it, or takes all of it
  // back.
  void KillUndo(const std::vector<std::string>& command) {
    const std::string before = Here();
    Run(command);
    const std::chrono::microseconds takes = Takes({"undo"});
    std::mt19937 random(13);
    int finished = 0;
    for (int round = 0; round < Kills(); ++round) {
      ASSERT_EQ(Here(), before) << round;
      ASSERT_EQ(Run(command)["outcome"], "done") << round;
      KillOnce([&] { return Start({"undo"}); }, takes, random);
      Settled(round);
      const json back = Run({"undo"});
      finished += back["outcome"] == "nothing" ? 1 : 0;
      ASSERT_TRUE(back["outcome"] == "done" || back["outcome"] == "nothing") << back << round;
      ASSERT_EQ(Here(), before) << round << back;
      ASSERT_FALSE(fs::exists(work_.path() / ".git/index.lock")) << round;
    }
    RecordProperty("finished", finished);
  }

  const GitFork fork_;
  const testing::GitWork& work_ = fork_.work;
};

TEST_F(WorkflowKillsTest, Commit) {
  work_.Git("switch -q -c feat/x");
  work_.Write("a", "staged\n");
  work_.Git("add a");
  work_.Write("a", "later\n");
  work_.Write("b", "# Copyright 2020 Acme\nchanged\n");
  work_.Write("new", "untracked\n");
  KillAndSettle({"commit", "-m", "feat: x"}, "feat/x");
}

TEST_F(WorkflowKillsTest, Sync) {
  fork_.Elsewhere("upstream", "main", "a");
  // So much that a kill often hits while files are written.
  work_.Shell(
      "cd ../other && for i in $(seq 40); do seq $i 100000 > file$i; done && cp file1 c && git add . && "
      "git commit -q -m many && git push -q origin main");
  work_.Write("b", "dirty\n");
  work_.Git("fetch -q upstream");
  KillAndSettle({"sync"}, "none");
}

TEST_F(WorkflowKillsTest, Backport) {
  fork_.Elsewhere("upstream", "release/1", "there");
  work_.Write("b", "1\n2\n3\n");
  const std::string fix = work_.Commit("fix: three");
  work_.Git("fetch -q upstream");
  KillAndSettle({"backport", "HEAD", "--to", "release/1"}, "backport/" + fix.substr(0, 8) + "-to-release/1");
}

TEST_F(WorkflowKillsTest, Squash) {
  work_.Git("switch -q -c feat/x");
  for (const std::string text : {"one", "two", "three"}) {
    work_.Write("a", text + "\n");
    work_.Commit("feat: " + text);
  }
  work_.Git("fetch -q upstream");
  KillAndSettle({"squash", "--yes"}, "none");
}

TEST_F(WorkflowKillsTest, UndoOfACommit) {
  work_.Git("switch -q -c feat/x");
  work_.Write("a", "staged\n");
  work_.Git("add a");
  work_.Write("a", "later\n");
  work_.Write("b", "# Copyright 2020 Acme\nchanged\n");
  KillUndo({"commit", "-m", "feat: x", "--no-push"});
}

TEST_F(WorkflowKillsTest, UndoOfASync) {
  fork_.Elsewhere("upstream", "main", "a");
  work_.Shell(
      "cd ../other && for i in $(seq 40); do seq $i 100000 > file$i; done && git add . && git commit -q -m many && "
      "git push -q origin main");
  work_.Write("b", "dirty\n");
  work_.Git("fetch -q upstream");
  Run({"sync"});
  Run({"undo"});
  KillUndo({"sync"});
}

// --- With a forge ---

class WorkflowForgeKillsTest : public testing::WorkflowFixture {
 protected:
  struct Kind {
    std::string name;
    // Makes round N ready; the command.
    std::function<std::vector<std::string>(int round)> prepare;
    int pulls = 1;  // of the branch, afterwards
  };

  std::unique_ptr<Process> Start(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {testing::Program("yard"), "--json", "workflow"});
    arguments.insert(arguments.end(), {"--repo", Path("clone"), "--config", Path("config.json")});
    return std::make_unique<Process>(arguments, GitEnvironment(dir_.path()));
  }
  void Upstream(int round) const {
    Shell("cd other && git pull -q && echo " + std::to_string(round) +
          " > new && git add new && git commit -q -m newer" + std::to_string(round) + " && git push -q");
  }
  std::string Branch(int round) const { return "feat/k" + std::to_string(round); }
  void CommitFile(const std::string& file, const std::string& number) const {
    dir_.Write("clone/" + file, number + "\n");
    Git("add " + file + " && git commit -q -m 'feat: " + file + " " + number + "'");
  }
  // A branch of that round with two commits, each in a file of its own.
  void MakeBranch(int round) const {
    Git("fetch -q upstream && git switch -q -c " + Branch(round) + " upstream/main");
    for (const char* file : {"one.py", "two.py"}) CommitFile(file, std::to_string(round));
  }
  // Pull requests of a branch.
  int PullsOf(const std::string& branch) const {
    int count = 0;
    const json state = Forge("state");
    for (const json& pull : state.at(GetParam()).at("octo/repo").at("subjects")) {
      count += pull.dump().find("\"" + branch + "\"") != std::string::npos ? 1 : 0;
    }
    return count;
  }

  // Kills the command at random moments; the same once more finishes it, once.
  void KillAndFinish(const Kind& kind) {
    Shell("git clone -q root/octo/repo.git other");
    const auto begin = std::chrono::steady_clock::now();
    const Answer whole = Yard(kind.prepare(0));
    ASSERT_EQ(whole.code, 0) << whole.out << whole.err;
    const auto takes = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    std::mt19937 random(17);
    for (int round = 1; round <= Kills(); ++round) {
      const std::vector<std::string> command = kind.prepare(round);
      const std::string named = Git("rev-parse HEAD");
      KillOnce([&] { return Start(command); }, takes, random);
      WaitForOrphans(dir_.path().string());
      Shell(std::string("cd clone && ") + kRemoveLocks);
      ASSERT_EQ(Git("fsck --strict --no-dangling --no-progress 2>&1 || echo broken"), "") << round;
      const Answer again = Yard(command);
      ASSERT_EQ(again.code, 0) << round << again.out << again.err;
      // Done, pushed, and shown, once.
      const std::string branch = again.out["branch"];
      ASSERT_EQ(There("alice/repo", branch), Git("rev-parse refs/heads/" + branch)) << round << again.out;
      ASSERT_EQ(PullsOf(branch), kind.pulls) << round << again.out;
      ASSERT_EQ(Git("for-each-ref --format='%(refname)' refs/heads/pr | wc -l"),
                kind.name == "protected" ? std::to_string(round + 1) : "0")
          << round << again.out;
      ASSERT_EQ(Git("status --porcelain"), "") << round;
      ASSERT_EQ(Git("for-each-ref --contains " + named + " | head -c 1 | wc -c"), "1") << round;
      ASSERT_FALSE(fs::exists(Path("clone/.git/index.lock"))) << round;
    }
  }
};

TEST_P(WorkflowForgeKillsTest, PullRequestOfSquashedCommits) {
  KillAndFinish({"squashed", [&](int round) -> std::vector<std::string> {
                   MakeBranch(round);
                   return {"pr", "--squash", "--yes"};
                 }});
}

TEST_P(WorkflowForgeKillsTest, PullRequestFromAProtectedBranch) {
  KillAndFinish({"protected", [&](int round) -> std::vector<std::string> {
                   Git("switch -q main && git fetch -q upstream && git reset -q --hard upstream/main");
                   dir_.Write("clone/main.py", std::to_string(round) + "\n");
                   Git("add main.py && git commit -q -m 'feat: main " + std::to_string(round) + "'");
                   // So that its commits are made anew.
                   Upstream(round);
                   return {"pr", "--yes"};
                 }});
}

TEST_P(WorkflowForgeKillsTest, AnAmendedCommitOnANewBase) {
  KillAndFinish({"append", [&](int round) -> std::vector<std::string> {
                   MakeBranch(round);
                   const std::string number = Yard({"pr", "--yes"}).out["pr"]["number"].dump();
                   Upstream(round);
                   dir_.Write("clone/two.py", std::to_string(round) + " more\n");
                   return {"pr", "--to", number, "--amend", "-m", "feat: amended " + std::to_string(round)};
                 }});
}

TEST_P(WorkflowForgeKillsTest, SquashOfAPullRequest) {
  KillAndFinish({"squash N", [&](int round) -> std::vector<std::string> {
                   MakeBranch(round);
                   return {"squash", Yard({"pr", "--yes"}).out["pr"]["number"].dump(), "--yes"};
                 }});
}

TEST_P(WorkflowForgeKillsTest, WhatTheForkHasIsReplaced) {
  KillAndFinish({"force", [&](int round) -> std::vector<std::string> {
                   MakeBranch(round);
                   Yard({"pr", "--yes"});
                   Git("commit -q --amend -m 'feat: again " + std::to_string(round) + "'");
                   return {"pr", "--yes", "--force"};
                 }});
}

TEST_P(WorkflowForgeKillsTest, BackportOfAPullRequest) {
  Git("push -q ../root/octo/repo.git main:release/1");
  KillAndFinish({"backport N",
                 [&](int round) -> std::vector<std::string> {
                   MakeBranch(round);
                   return {"backport", Yard({"pr", "--yes"}).out["pr"]["number"].dump(), "--to", "release/1"};
                 },
                 /*pulls=*/0});
}

INSTANTIATE_TEST_SUITE_P(Faces, WorkflowForgeKillsTest, ::testing::Values("gitcode"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace yardmaster
