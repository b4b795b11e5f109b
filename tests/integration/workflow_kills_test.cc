// `yard workflow` killed at random moments, in a clone with two remotes on this machine.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/support/git_fork.h"
#include "tests/support/git_programs.h"
#include "tests/support/process.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::GitEnvironment;
using testing::GitFork;
using testing::Process;

class WorkflowKillsTest : public ::testing::Test {
 protected:
  static int Kills() {
    const char* const wanted = std::getenv("YARD_KILLS");
    return wanted != nullptr ? std::atoi(wanted) : 12;
  }

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
  // A git that a killed command had started may go on for a moment.
  void WaitForOrphans() const {
    const std::string here = work_.path().parent_path().string();
    for (bool busy = true; busy;) {
      busy = false;
      std::error_code ignored;
      for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
        const std::string cwd = fs::read_symlink(entry.path() / "cwd", ignored).string();
        busy = busy || cwd.starts_with(here);
      }
      if (busy) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  // What is here: all but the remotes.
  std::string Here() const {
    return work_.Git("for-each-ref refs/heads refs/tags refs/stash refs/yardmaster") + work_.Git("ls-files -s") +
           work_.Shell(
               "cat .git/HEAD .git/config; git stash list; git status --porcelain -uall; "
               "find . -path ./.git -prune -o -type f -exec sha256sum {} + | sort");
  }

  // Kills `command` at random moments. Afterwards the next command finds it done, and takes it back, or not begun.
  void KillAndSettle(const std::vector<std::string>& command, const std::string& branch) {
    const std::string before = Here();
    const std::string there = work_.Git("--git-dir=../origin.git for-each-ref");
    // How long it takes to its end.
    const auto begin = std::chrono::steady_clock::now();
    const json whole = Run(command);
    const auto takes = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    ASSERT_EQ(whole["outcome"], "done") << whole;
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
      const std::unique_ptr<Process> process = Start(command);
      std::this_thread::sleep_for(
          std::chrono::microseconds(std::uniform_int_distribution<int64_t>(0, takes.count())(random)));
      process->Signal(SIGKILL);
      process->Wait(std::chrono::seconds(10));
      WaitForOrphans();
      ASSERT_EQ(work_.Shell("git fsck --strict --no-dangling --no-progress 2>&1 || echo broken"), "") << round;
      const json back = Run({"undo"});
      done += back["outcome"] == "done" ? 1 : 0;
      ASSERT_TRUE(back["outcome"] == "done" || back["outcome"] == "nothing") << back << round;
      ASSERT_EQ(Here(), before) << round << back;
      ASSERT_FALSE(fs::exists(work_.path() / ".git/index.lock")) << round;
      go_back();
    }
    RecordProperty("done", done);
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

}  // namespace
}  // namespace yardmaster
