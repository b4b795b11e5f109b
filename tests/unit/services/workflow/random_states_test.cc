// Clones in random states: each command does what it says or changes nothing, loses nothing either way, and `undo`
// brings everything back. Half of them are plain: as people mostly have them, and the command must be done. In the
// others many things are in its way. YARD_WORKFLOW_STATES: how many, which also prints what came of them;
// YARD_WORKFLOW_SEED: the first one; YARD_WORKFLOW_COMMAND: one command instead of each in turn.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "services/workflow/backport.h"
#include "services/workflow/commands.h"
#include "services/workflow/commit.h"
#include "services/workflow/pull.h"
#include "services/workflow/sync.h"
#include "tests/support/git_fork.h"
#include "tests/support/local_forge.h"
#include "tests/support/rounds.h"

namespace yardmaster::workflow {
namespace {

using Outcome = Result::Outcome;
using testing::GitFork;
using testing::GitWork;
using testing::LocalForge;

constexpr const char* kRandomTime = "20260131T120000Z";

std::set<std::string> LinesOf(const std::string& text) {
  std::istringstream lines(text);
  std::set<std::string> all;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) all.insert(line);
  }
  return all;
}

class RandomState {
 public:
  explicit RandomState(unsigned seed)
      : random_(seed), command_(CommandOf(seed)), plain_(seed / Commands().size() % 2 == 0) {
    MakeHistory();
    // Somebody works in a tree that is linked to the clone; the first one is in any state, too.
    const bool linked = Chance(2);
    if (linked) work_.Shell("git worktree add -q ../linked -b linked 2>/dev/null || :");
    if (linked && Chance(5) && std::filesystem::exists(work_.Beside("linked"))) tree_ = work_.Beside("linked");
    const bool elsewhere = tree_ != work_.path();
    if (plain_) {
      if (elsewhere) MakeWork(work_.path().string());
      MakePlainWork();
    } else {
      MakeWork(work_.path().string());
      if (elsewhere && Chance(5)) {
        InTree(
            "git -c user.name=t -c user.email=t@t commit -q --allow-empty -m 'feat: linked' && "
            "git push -q origin linked 2>/dev/null || :");
      }
      if (elsewhere) MakeWork(tree_.string());
    }
    program_ = fork_.GitIn(tree_);
    forge_ = std::make_unique<LocalForge>(fork_, *program_);
    const std::string branch = Branch();
    const bool has_pull = plain_ ? pushed_ && (NeedsPull() || Chance(5)) : !branch.empty() && Chance(7);
    if (has_pull) number_ = forge_->Open(branch, "main", "Update", "Mine.");
    if (!plain_ && number_ != 0 && Chance(1)) forge_->At(number_).state = ForgeState::kMerged;
  }

  // Whether nothing is in the way of the command.
  bool plain() const { return plain_; }
  const std::string& command() const { return command_; }

  Result Run() {
    if (!plain_ && Chance(2)) SomebodyPushesMeanwhile();
    Result result = Run(command_);
    forge_->git.before = nullptr;
    return result;
  }

  Result Back() const {
    UndoRequest request;
    request.repo = tree_;
    return Good(Undo(request));
  }
  // All that a command may change here, but for refs that follow a remote.
  std::string Here() const {
    std::string all = work_.Git("for-each-ref refs/heads refs/tags refs/stash refs/yardmaster") +
                      work_.Shell("cat .git/config; git stash list --format=%H");
    for (const std::string& tree : Trees()) {
      all += In(tree, "git symbolic-ref -q HEAD || git rev-parse HEAD; git ls-files -s; git status --porcelain -uall");
    }
    return all + Files();
  }
  std::string Files() const {
    std::string all;
    for (const std::string& tree : Trees()) {
      all += In(tree, "find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 -r sha256sum");
    }
    return all;
  }
  // Objects that somebody has given a name: commits of refs, what is staged, what is stashed.
  std::set<std::string> Named() const {
    std::string all = work_.Git("for-each-ref --format='%(objectname)' refs/heads refs/tags refs/stash") + "\n" +
                      work_.Git("stash list --format=%H") + "\n";
    for (const std::string& tree : Trees()) {
      all += In(tree,
                "git ls-files -s | grep -v ^160000 | cut -d' ' -f2 | "
                "grep -v e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 || :") +
             "\n";
    }
    return LinesOf(all);
  }
  // The bytes of files, whether git knows them or not, by the ids that they would have.
  std::set<std::string> Bytes() const {
    std::string all;
    for (const std::string& tree : Trees()) {
      all += In(tree,
                "find . -name .git -prune -o -type f -size +0 -print0 | xargs -0 -r git hash-object --no-filters --") +
             "\n";
    }
    return LinesOf(all);
  }
  // What can be reached from a ref, a reflog of the stash, or an index.
  std::set<std::string> Reachable() const {
    std::string all = work_.Shell(
        "(git rev-list --objects --missing=allow-promisor --all; git stash list --format=%H) | cut -d' ' -f1");
    for (const std::string& tree : Trees()) all += "\n" + In(tree, "git ls-files -s | cut -d' ' -f2");
    return LinesOf(all);
  }
  std::string Remotes() const {
    return work_.Git("--git-dir=../origin.git for-each-ref refs/heads") +
           work_.Git("--git-dir=../upstream.git for-each-ref refs/heads") + forge_->Shown();
  }
  // What the servers had when the command wrote last, or began; and what somebody else has pushed meanwhile.
  const std::optional<std::string>& remotes_meanwhile() const { return remotes_meanwhile_; }
  bool HasWhatOthersPushed() const {
    return theirs_.empty() || work_.Shell("git --git-dir=../origin.git merge-base --is-ancestor " + theirs_ + " '" +
                                          their_branch_ + "' && echo yes || :") == "yes";
  }
  // What of "done" does not hold; empty: all of it does.
  std::string WhyNotDone(const std::string& command, const Result& result) const {
    // 1. What is said to be pushed is there.
    for (const PushedRef& one : result.pushed) {
      const std::string there =
          work_.Shell("git --git-dir=../" + one.remote + ".git rev-parse -q --verify '" + one.change.ref + "' || :");
      if (there != one.change.new_id) return one.change.ref + " is at '" + there + "' there";
    }
    const auto did = [&result](const std::string& step) {
      return std::any_of(result.steps.begin(), result.steps.end(),
                         [&step](const Step& one) { return one.id == step && one.state == "done"; });
    };
    const auto contains = [this](const std::string& commit, const std::string& base) {
      return work_.Shell("git merge-base --is-ancestor '" + base + "' " + commit + " && echo yes || :") == "yes";
    };
    if (command == "sync" && !result.pushed.empty() &&
        result.pushed[0].change.new_id != fork_.There("upstream", result.branch)) {
      return "the fork is not where upstream is";
    }
    // 2. Branches that moved here.
    for (const GitRefChange& change : result.refs) {
      if (change.ref.starts_with("refs/yardmaster/")) {
        if (work_.Git("rev-parse " + change.ref) != change.new_id) return change.ref + " names something else";
        continue;
      }
      const std::string& tip = change.new_id;
      const bool squashed = did("squash") && !change.old_id.empty();
      if (squashed &&
          work_.Git("rev-parse " + tip + "^{tree}") != work_.Git("rev-parse " + change.old_id + "^{tree}")) {
        return "the squash has another tree";
      }
      if (squashed && work_.Git("rev-parse " + tip + "^") != work_.Git("merge-base upstream/main " + change.old_id)) {
        return "the squash is not one commit on the merge base";
      }
      const bool rebased = did("rebase") && &change == &result.refs.back();
      const bool moved = command == "pr" && change.old_id.empty();
      if ((rebased || moved) && !contains(tip, "upstream/main")) return "the commits are not on upstream's tip";
      // "backport/ID-to-main", perhaps with "-2" behind it.
      const std::string onto = result.branch.find("-to-release/1") != std::string::npos ? "release/1" : "main";
      if (command == "backport" && !contains(tip, "upstream/" + onto)) return "the backport is not on its branch";
    }
    return "";
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
  std::string In(const std::string& tree, const std::string& command) const {
    return work_.Shell("cd '" + tree + "' && " + command);
  }
  std::string InTree(const std::string& command) const { return In(tree_.string(), command); }
  // That of the command; empty: none is checked out. Git's own short name is longer where a tag has the same.
  std::string Branch() const { return InTree("git symbolic-ref -q HEAD | sed s,^refs/heads/,,"); }
  std::vector<std::string> Trees() const {
    std::vector<std::string> trees = {work_.path().string()};
    if (std::filesystem::exists(work_.Beside("linked"))) trees.push_back(work_.Beside("linked").string());
    return trees;
  }
  static const std::vector<std::string>& Names() {
    static const std::vector<std::string> kNames = {"a", "b", "c", "-dash", "deep/er/ü x", "tab\tname", "release/1"};
    return kNames;
  }
  std::string Name() { return Names()[static_cast<size_t>(Below(static_cast<int>(Names().size())))]; }
  std::string Text() {
    return (Chance(2) ? "# Copyright 2020 Acme\n" : "") + std::to_string(Below(1'000'000)) +
           (Chance(3) ? "\r\n" : "\n") + (Chance(2) ? "  \n" : "");
  }
  void Write(const std::string& tree, const std::string& name, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(tree) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

  static const std::vector<std::string>& Commands() {
    static const std::vector<std::string> kCommands = {"commit", "sync",    "backport", "squash",
                                                       "pr",     "pr --to", "squash N", "update"};
    return kCommands;
  }
  // Each in turn.
  static std::string CommandOf(unsigned seed) {
    const char* const only = std::getenv("YARD_WORKFLOW_COMMAND");
    return only != nullptr ? only : Commands()[seed % Commands().size()];
  }
  bool NeedsPull() const { return command_ == "pr --to" || command_ == "squash N" || command_ == "update"; }
  // A rebase does not write files that a sparse work tree leaves out, and fetches none that a partial clone lacks.
  bool Rebases() const { return command_ == "pr --to"; }
  bool NeedsChanges() const { return command_ == "commit" || command_ == "pr --to"; }
  bool NeedsNoChanges() const { return command_ == "pr" || command_ == "squash" || command_ == "squash N"; }

  // A branch with some commits, perhaps a merge and a submodule, and the others' work.
  void MakeHistory() {
    const bool partial = Chance(1) && !(plain_ && Rebases());
    if (Chance(1)) MakeSubmodule();
    work_.Git("tag feat/x");
    if (plain_) {
      MakePlainCommits();
    } else {
      MakeCommits();
    }
    if (partial) {
      // Files of upstream that nobody has needed yet are not here.
      work_.Shell(
          "git --git-dir=../upstream.git config uploadpack.allowFilter true && "
          "git --git-dir=../upstream.git config uploadpack.allowAnySHA1InWant true && "
          "git config core.repositoryFormatVersion 1 && git config extensions.partialClone upstream && "
          "git config remote.upstream.promisor true && git config remote.upstream.partialCloneFilter blob:none");
    }
    work_.Git("fetch -q upstream");
  }
  void MakeSubmodule() {
    work_.Shell(
        "git init -q ../sub && cd ../sub && git commit -q --allow-empty -m x && echo s > s && git add s && "
        "git commit -q -m s");
    work_.Shell("git -c protocol.file.allow=always submodule --quiet add ../sub sub && git commit -q -m 'feat: sub'");
    if (plain_) return;
    if (Chance(2)) work_.Shell("echo dirty > sub/s");
    if (Chance(2)) work_.Shell("cd sub && git commit -q --allow-empty -m more");
  }
  void MakeCommits() {
    if (Chance(8)) work_.Git("switch -q -c feat/x");
    for (int i = Below(4); i > 0; --i) CommitFile(Name(), i);
    if (Chance(5)) work_.Git("push -q origin HEAD:refs/heads/feat/x");
    if (Chance(3)) fork_.Elsewhere("upstream", "main", Chance(5) ? "theirs" : "a");
    if (Chance(1)) fork_.Elsewhere("origin", "feat/x", "theirs");
    if (Chance(2)) fork_.Elsewhere("upstream", "release/1", "b");
    if (Chance(1)) MergeSide();
  }
  // At least two, each in a file of its own, on a branch that nobody else has; what the others do is in other files.
  void MakePlainCommits() {
    if (command_ != "sync" || Chance(5)) {
      work_.Git("switch -q -c feat/x");
      std::vector<std::string> names = Names();
      std::shuffle(names.begin(), names.end(), random_);
      for (int i = 2 + Below(3); i > 0; --i) CommitFile(names[static_cast<size_t>(i)], i);
      if ((command_ == "squash" || command_ == "squash N") && Chance(2)) MergeSide();
    }
    if (command_ == "sync" || Chance(5)) fork_.Elsewhere("upstream", "main", "theirs");
    if (command_ == "backport") fork_.Elsewhere("upstream", "release/1", "released");
  }
  void CommitFile(const std::string& name, int number) {
    Write(work_.path(), name, Text());
    work_.Commit("feat: " + std::to_string(number) + "\n\nSigned-off-by: Ann <ann@example.com>");
  }
  void MergeSide() const {
    work_.Shell(
        "git switch -q -c side HEAD && echo s > side && git add side && git commit -q -m side && git switch -q - && "
        "git merge -q --no-ff -m merge side");
  }
  // What is not committed.
  void MakeWork(const std::string& tree) {
    if (Chance(3)) Stash(tree);
    if (Chance(1)) LeaveOut(tree);
    for (int i = Below(6); i > 0; --i) Change(tree);
    if (Chance(1)) In(tree, "git checkout -q --detach");
    if (Chance(1)) In(tree, "git merge -q upstream/main >/dev/null 2>&1 || :");
  }
  // The same in the tree of the command, as that asks for it; and whether its branch is in the fork.
  void MakePlainWork() {
    const std::string tree = tree_.string();
    if (Chance(3)) Stash(tree);
    if (Chance(1) && !Rebases()) LeaveOut(tree);
    if (NeedsChanges() || (!NeedsNoChanges() && Chance(5))) {
      Write(tree, "a", Text());
      if (Chance(5)) In(tree, "git add a");
      if (Chance(3)) Write(tree, "b", Text());
      if (Chance(3)) In(tree, "chmod +x b");
    }
    if (Chance(3)) Write(tree, "untracked", Text());
    const std::string branch = Branch();
    pushed_ = branch != "main" && (NeedsPull() || Chance(5));
    if (pushed_) InTree("git push -q origin 'HEAD:refs/heads/" + branch + "'");
  }
  void Stash(const std::string& tree) {
    Write(tree, Name(), Text());
    In(tree, "git stash -q -u || :");
  }
  void LeaveOut(const std::string& tree) const {
    In(tree, "git sparse-checkout set --no-cone '/*' '!/c' '!/theirs' || :");
  }
  void Change(const std::string& tree) {
    const std::string name = Name();
    switch (Below(7)) {
      case 0:
        Write(tree, name, Text());
        break;
      case 1:
        Write(tree, name, Text());
        In(tree, "git add --sparse -- '" + name + "'");
        break;
      case 2:
        Write(tree, name, Text());
        In(tree, "git add --sparse -- '" + name + "'");
        Write(tree, name, Text());
        break;
      case 3:
        In(tree, "rm -f -- '" + name + "'");
        break;
      case 4:
        In(tree, "git mv -- a moved-a 2>/dev/null || :");
        break;
      case 5:
        Write(tree, "intended", Text());
        In(tree, "git add -N intended");
        break;
      default:
        In(tree, "chmod +x b 2>/dev/null || :");
    }
  }
  // To the branch that the command is about to push, between its look and its push.
  void SomebodyPushesMeanwhile() {
    forge_->git.before = [this](const std::vector<std::string>& arguments) {
      if (arguments.front() != "push" || !theirs_.empty()) return;
      const std::string to = arguments.back().substr(arguments.back().find(":refs/heads/") + 12);
      their_branch_ = to;
      theirs_ = fork_.Elsewhere("origin", to, "meanwhile");
      remotes_meanwhile_ = Remotes();
    };
  }

  Result Run(const std::string& command) {
    const Fork fork = forge_->fork();
    if (command == "commit") {
      CommitRequest request;
      request.repo = tree_;
      request.message = "feat: random";
      request.push = Chance(5);
      request.amend = Chance(2);
      request.time = kRandomTime;
      return Good(Commit(request, forge_->git, forge_->remotes));
    }
    if (command == "sync") {
      SyncRequest request;
      request.repo = tree_;
      request.time = kRandomTime;
      return Good(Sync(request, forge_->remotes));
    }
    if (command == "backport") {
      BackportRequest request;
      request.repo = tree_;
      request.commit = Chance(5) ? "HEAD" : "main..HEAD";
      request.to = Chance(5) ? "release/1" : "main";
      request.push = Chance(5);
      request.time = kRandomTime;
      return Good(number_ != 0 && Chance(3) ? BackportPull(request, number_, fork, forge_->git)
                                            : Backport(request, forge_->git, forge_->remotes));
    }
    if (command == "pr") {
      PullRequestRequest request;
      request.repo = tree_;
      request.yes = true;
      request.squash = Chance(4);
      request.force = Chance(3) || (plain_ && pushed_ && request.squash);
      request.time = kRandomTime;
      return Good(OpenPull(request, fork, forge_->git));
    }
    if (command == "pr --to") {
      AppendRequest request;
      request.repo = tree_;
      request.number = number_ != 0 ? number_ : 1;
      request.message = "fix: random";
      request.amend = Chance(3);
      request.rebase = Chance(6);
      request.time = kRandomTime;
      return Good(AppendToPull(request, fork, forge_->git));
    }
    if (command == "squash N") {
      SquashPullRequest request;
      request.repo = tree_;
      request.number = number_ != 0 ? number_ : 1;
      request.yes = true;
      request.time = kRandomTime;
      return Good(SquashPull(request, fork, forge_->git));
    }
    if (command == "update") {
      UpdateRequest request;
      request.repo = tree_;
      request.number = number_ != 0 ? number_ : 1;
      request.yes = true;
      return Good(UpdatePull(request, fork));
    }
    SquashRequest request;
    request.repo = tree_;
    request.base = "upstream/main";
    request.yes = true;
    request.time = kRandomTime;
    return Good(Squash(request, forge_->git));
  }

  std::mt19937 random_;
  const std::string command_;  // that is tried
  const bool plain_;
  const GitFork fork_;
  const GitWork& work_ = fork_.work;
  std::filesystem::path tree_ = work_.path();  // in which the command runs
  std::unique_ptr<GitProgram> program_;
  std::unique_ptr<LocalForge> forge_;
  bool pushed_ = false;  // the branch of a plain state, to the fork
  int64_t number_ = 0;   // of the branch's pull request; 0: it has none
  std::string theirs_;
  std::string their_branch_;
  std::optional<std::string> remotes_meanwhile_;
};

// How often each outcome came, by command.
using Outcomes = std::map<std::string, std::map<std::string, int>>;

// A reason without what differs from state to state.
std::string KindOf(const Result& result) {
  if (result.outcome == Outcome::kDone) return "done";
  std::string reason = result.reason.substr(0, result.reason.find(": "));
  RE2::GlobalReplace(&reason, "[0-9a-f]{8,40}", "ID");
  return std::string(result.outcome == Outcome::kNothing ? "nothing, " : "") + reason;
}

// One state and one command.
void TryState(int seed, Outcomes& outcomes) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomState state(static_cast<unsigned>(seed));
  const std::string& command = state.command();
  const std::string before = state.Here();
  const std::string files = state.Files();
  const std::string remotes = state.Remotes();
  const std::set<std::string> named = state.Named();
  const std::set<std::string> bytes = state.Bytes();
  SCOPED_TRACE(before);
  const Result result = state.Run();
  SCOPED_TRACE(command + ": " + ToText(result));
  ++outcomes[command][KindOf(result)];
  state.Check();
  ASSERT_TRUE(state.HasWhatOthersPushed());
  // Nothing is lost, whatever came of it.
  const std::set<std::string> reachable = state.Reachable();
  const std::set<std::string> bytes_now = state.Bytes();
  for (const std::string& id : named) ASSERT_TRUE(reachable.contains(id)) << id;
  for (const std::string& id : bytes) ASSERT_TRUE(reachable.contains(id) || bytes_now.contains(id)) << id;
  if (result.outcome != Outcome::kDone) {
    ASSERT_FALSE(state.plain());
    ASSERT_EQ(state.Here(), before);
    ASSERT_EQ(state.Remotes(), state.remotes_meanwhile().value_or(remotes));
    return;
  }
  ASSERT_EQ(state.WhyNotDone(command, result), "");
  static const std::set<std::string> kWriteFiles = {"commit", "sync", "pr --to"};
  if (!kWriteFiles.contains(command)) ASSERT_EQ(state.Files(), files);
  if (result.refs.empty()) return;
  const Result back = state.Back();
  ASSERT_EQ(back.outcome, Outcome::kDone) << back.reason << "\n" << before;
  ASSERT_EQ(state.Here(), before);
  ASSERT_EQ(state.Files(), files);
  state.Check();
}

TEST(RandomStates, EachCommandDoesWhatItSaysOrChangesNothingAndUndoBringsAllBack) {
  constexpr int kFew = 16;
  constexpr int kMany = 1'000;
  const int states = static_cast<int>(testing::Rounds("YARD_WORKFLOW_STATES", kFew));
  Outcomes outcomes;
  const int first = static_cast<int>(testing::Rounds("YARD_WORKFLOW_SEED", 0));
  for (int seed = first; seed < first + states && !::testing::Test::HasFatalFailure(); ++seed) {
    try {
      TryState(seed, outcomes);
    } catch (const std::exception& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what();
      break;
    }
  }
  for (const auto& [command, kinds] : outcomes) {
    // The states are hostile enough for something to be in the way of each.
    if (states >= kMany) EXPECT_GT(kinds.size(), 2U) << command;
    for (const auto& [kind, count] : kinds) {
      if (states > kFew) std::cout << command << "\t" << count << "\t" << kind << "\n";
    }
  }
}

}  // namespace
}  // namespace yardmaster::workflow
