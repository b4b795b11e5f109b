// Clones in random states: each command does what it says or changes nothing, loses nothing either way, and `undo`
// brings everything back. YARD_WORKFLOW_STATES: how many.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "services/workflow/backport.h"
#include "services/workflow/commands.h"
#include "services/workflow/commit.h"
#include "services/workflow/sync.h"
#include "tests/support/git_fork.h"

namespace yardmaster::workflow {
namespace {

using Outcome = Result::Outcome;
using testing::GitFork;
using testing::GitWork;

class RandomState {
 public:
  explicit RandomState(unsigned seed) : random_(seed) {
    // 1. History: a branch with some commits, perhaps a merge, and the others' work.
    work_.Git("tag feat/x");
    if (Chance(8)) work_.Git("switch -q -c feat/x");
    for (int i = Below(4); i > 0; --i) {
      work_.Write(Name(), Text());
      work_.Commit("feat: " + std::to_string(i) + "\n\nSigned-off-by: Ann <ann@example.com>");
    }
    if (Chance(2)) work_.Git("push -q origin HEAD:refs/heads/feat/x");
    if (Chance(3)) fork_.Elsewhere("upstream", "main", Chance(5) ? "theirs" : "a");
    if (Chance(1)) fork_.Elsewhere("origin", "feat/x", "theirs");
    if (Chance(2)) fork_.Elsewhere("upstream", "release/1", "b");
    if (Chance(1))
      work_.Shell(
          "git switch -q -c side HEAD && echo s > side && git add side && git commit -q -m side && git switch -q - && "
          "git merge -q --no-ff -m merge side");
    work_.Git("fetch -q upstream");
    // 2. What is not committed.
    if (Chance(3)) {
      work_.Write(Name(), Text());
      work_.Shell("git stash -q -u || :");
    }
    for (int i = Below(6); i > 0; --i) Change();
    if (Chance(1)) work_.Shell("git worktree add -q ../linked -b linked 2>/dev/null || :");
    if (Chance(1)) work_.Git("checkout -q --detach");
    if (Chance(1)) work_.Shell("git merge -q upstream/main >/dev/null 2>&1 || :");
  }

  // One command, with what it was.
  std::pair<std::string, Result> Run() {
    const std::string time = "20260131T120000Z";
    const GitRemotes remotes(*fork_.git, {});
    switch (Below(4)) {
      case 0: {
        CommitRequest request;
        request.repo = work_.path();
        request.message = "feat: random";
        request.push = Chance(5);
        request.amend = Chance(2);
        request.time = time;
        return {"commit", Good(Commit(request, *fork_.git, remotes))};
      }
      case 1: {
        SyncRequest request;
        request.repo = work_.path();
        request.time = time;
        return {"sync", Good(Sync(request, remotes))};
      }
      case 2: {
        BackportRequest request;
        request.repo = work_.path();
        request.commit = Chance(5) ? "HEAD" : "main..HEAD";
        request.to = Chance(5) ? "release/1" : "main";
        request.push = Chance(5);
        request.time = time;
        return {"backport", Good(Backport(request, remotes))};
      }
      default: {
        SquashRequest request;
        request.repo = work_.path();
        request.base = "upstream/main";
        request.yes = true;
        request.time = time;
        return {"squash", Good(Squash(request))};
      }
    }
  }

  Result Back() const {
    UndoRequest request;
    request.repo = work_.path();
    return Good(Undo(request));
  }
  // All that a command may change here, but for refs that follow a remote.
  std::string Here() const {
    return work_.Git("for-each-ref refs/heads refs/tags refs/stash refs/yardmaster") + work_.Git("ls-files -s") +
           work_.Shell("cat .git/HEAD .git/config; git stash list --format=%H; git status --porcelain -uall; ") +
           Files();
  }
  std::string Files() const {
    return work_.Shell("find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 -r sha256sum");
  }
  // Objects that somebody has given a name: commits of refs, what is staged, what is stashed.
  std::set<std::string> Named() const {
    std::istringstream lines(
        work_.Git("for-each-ref --format='%(objectname)' refs/heads refs/tags refs/stash") + "\n" +
        work_.Git("stash list --format=%H") + "\n" +
        work_.Shell("git ls-files -s | cut -d' ' -f2 | grep -v e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 || :"));
    std::set<std::string> ids;
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) ids.insert(line);
    }
    return ids;
  }
  // What can be reached from a ref, a reflog of the stash, or the index.
  std::set<std::string> Reachable() const {
    std::istringstream lines(
        work_.Shell("(git rev-list --objects --all --indexed-objects; git stash list --format=%H) | cut -d' ' -f1"));
    std::set<std::string> ids;
    for (std::string line; std::getline(lines, line);) ids.insert(line);
    return ids;
  }
  std::string Remotes() const {
    return work_.Git("--git-dir=../origin.git for-each-ref") + work_.Git("--git-dir=../upstream.git for-each-ref");
  }
  void Check() const { work_.Git("fsck --strict --no-dangling --no-progress"); }

 private:
  template <typename T>
  static T Good(absl::StatusOr<T> value) {
    if (!value.ok()) throw std::runtime_error(value.status().ToString());
    return *std::move(value);
  }
  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool Chance(int of_ten) { return Below(10) < of_ten; }
  std::string Name() {
    static const std::vector<std::string> kNames = {"a", "b", "c", "-dash", "deep/er/ü x", "tab\tname", "release/1"};
    return kNames[static_cast<size_t>(Below(static_cast<int>(kNames.size())))];
  }
  std::string Text() {
    return std::to_string(Below(1'000'000)) + (Chance(3) ? "\r\n" : "\n") + (Chance(2) ? "  \n" : "");
  }
  void Change() {
    const std::string name = Name();
    switch (Below(7)) {
      case 0:
        work_.Write(name, Text());
        break;
      case 1:
        work_.Write(name, Text());
        work_.Git("add -- '" + name + "'");
        break;
      case 2:
        work_.Write(name, Text());
        work_.Git("add -- '" + name + "'");
        work_.Write(name, Text());
        break;
      case 3:
        work_.Shell("rm -f -- '" + name + "'");
        break;
      case 4:
        work_.Shell("git mv -- a moved-a 2>/dev/null || :");
        break;
      case 5:
        work_.Write("intended", Text());
        work_.Git("add -N intended");
        break;
      default:
        work_.Shell("chmod +x b 2>/dev/null || :");
    }
  }

  std::mt19937 random_;
  const GitFork fork_;
  const GitWork& work_ = fork_.work;
};

TEST(RandomStates, EachCommandDoesWhatItSaysOrChangesNothingAndUndoBringsAllBack) {
  const char* const wanted = std::getenv("YARD_WORKFLOW_STATES");
  const int states = wanted != nullptr ? std::atoi(wanted) : 24;
  int done = 0;
  const char* const given = std::getenv("YARD_WORKFLOW_SEED");
  const int first = given != nullptr ? std::atoi(given) : 0;
  for (int seed = first; seed < states; ++seed) {
    RandomState state(static_cast<unsigned>(seed));
    const std::string before = state.Here();
    const std::string files = state.Files();
    const std::string remotes = state.Remotes();
    const std::set<std::string> named = state.Named();
    const auto [command, result] = state.Run();
    SCOPED_TRACE(command + ", seed " + std::to_string(seed) + ": " + ToText(result));
    state.Check();
    if (result.outcome != Outcome::kDone) {
      ASSERT_EQ(state.Here(), before);
      ASSERT_EQ(state.Remotes(), remotes);
      continue;
    }
    ++done;
    const std::set<std::string> reachable = state.Reachable();
    for (const std::string& id : named) ASSERT_TRUE(reachable.contains(id)) << id;
    if (command != "sync") ASSERT_EQ(state.Files(), files);
    if (result.refs.empty()) continue;
    const Result back = state.Back();
    ASSERT_EQ(back.outcome, Outcome::kDone) << back.reason << "\n" << before;
    ASSERT_EQ(state.Here(), before);
    state.Check();
  }
  EXPECT_GE(done, (states - first) / 5);
  RecordProperty("done", done);
}

}  // namespace
}  // namespace yardmaster::workflow
