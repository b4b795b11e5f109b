// A forge in memory beside the two remotes of a GitFork: pull requests of "octo/repo" whose commits are those of the
// branches in "alice/repo", the fork. What git reads of a pull request lies in upstream, as a forge does it.
#ifndef YARDMASTER_TESTS_SUPPORT_LOCAL_FORGE_H_
#define YARDMASTER_TESTS_SUPPORT_LOCAL_FORGE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/forge/forge_pulls.h"
#include "clients/git/git_program.h"
#include "clients/git/git_remotes.h"
#include "services/workflow/fork.h"
#include "tests/support/fake_clock.h"
#include "tests/support/git_fork.h"
#include "tests/support/memory_forge.h"

namespace yardmaster::testing {

// The installed git, with something that happens before each of its runs.
class WatchedGit final : public GitProgram {
 public:
  explicit WatchedGit(GitProgram& git) : git_(git) {}
  using GitProgram::Run;
  absl::StatusOr<GitOutput> Run(const std::vector<std::string>& arguments, const std::vector<std::string>& variables,
                                const std::string& input) override {
    if (before) before(arguments);
    return git_.Run(arguments, variables, input);
  }

  std::function<void(const std::vector<std::string>& arguments)> before;

 private:
  GitProgram& git_;
};

class LocalForge final : public ForgePulls {
 public:
  static constexpr const char* kUpstream = "octo/repo";
  static constexpr const char* kOrigin = "alice/repo";

  explicit LocalForge(const GitFork& fork) : LocalForge(fork, *fork.git) {}
  // `program`: the git of the work tree in which commands run.
  LocalForge(const GitFork& fork, GitProgram& program) : git(program), remotes(git, {}), forge(clock_), fork_(fork) {
    forge.point = [this] { Refresh(); };
  }

  // For one command.
  workflow::Fork fork() {
    return {of_command_.emplace(git, std::vector<std::string>()),
            forge,
            *this,
            kUpstream,
            kOrigin,
            "refs/pull/{}/head",
            {"forge.example"},
            "",
            {"docs/PULL_REQUEST_TEMPLATE.md"}};
  }
  ForgePull& At(int64_t number) { return forge.pulls.at({kUpstream, number}); }
  // Opened by other means.
  int64_t Open(const std::string& branch, const std::string& base = "main", const std::string& title = "t",
               const std::string& body = "b") {
    const int64_t number = static_cast<int64_t>(forge.pulls.size()) + 1;
    ForgePull& pull = forge.pulls[{kUpstream, number}];
    pull.number = number;
    pull.title = title;
    pull.body = body;
    pull.head_ref = branch;
    pull.base_ref = base;
    pull.head_repository = kOrigin;
    pull.author.login = "alice";
    Refresh();
    return number;
  }
  // All that people see.
  std::string Shown() const {
    std::string all;
    for (const auto& [key, pull] : forge.pulls) {
      all += std::to_string(pull.number) + pull.head_ref + pull.base_ref + pull.title + pull.body + "\n";
    }
    return all;
  }

  absl::StatusOr<ForgePull> CreatePull(const ForgeCall&, std::string_view, const ForgeNewPull& pull) override {
    if (!refuse_create.ok()) return refuse_create;
    ++created;
    ForgePull& made = At(Open(pull.head.branch, pull.base, pull.title, pull.body));
    made.head_repository = pull.head.repository;
    made.draft = pull.draft;
    return made;
  }
  absl::StatusOr<std::vector<ForgePull>> FindPulls(const ForgeCall&, std::string_view,
                                                   const ForgePullHead& head) override {
    Refresh();
    std::vector<ForgePull> found;
    for (const auto& [key, pull] : forge.pulls) {
      const bool comes_from = pull.head_ref == head.branch && pull.head_repository == head.repository;
      if (pull.state == ForgeState::kOpen && comes_from) found.push_back(pull);
    }
    return found;
  }
  absl::StatusOr<std::vector<ForgePull>> ListOpenPulls(const ForgeCall&, std::string_view) override {
    std::vector<ForgePull> found;
    for (const auto& [key, pull] : forge.pulls) found.push_back(pull);
    return found;
  }
  absl::StatusOr<ForgePull> EditPull(const ForgeCall&, const ForgeSubject& subject, std::string_view title,
                                     std::string_view body) override {
    ForgePull& pull = At(subject.number);
    pull.title = title;
    pull.body = body;
    return pull;
  }
  absl::Status AskForReview(const ForgeCall&, const ForgeSubject& subject,
                            const std::vector<std::string>& logins) override {
    if (refuse_review.ok()) At(subject.number).reviewers = logins;
    return refuse_review;
  }

  WatchedGit git;
  const GitRemotes remotes;
  int created = 0;
  absl::Status refuse_create = absl::OkStatus();
  absl::Status refuse_review = absl::OkStatus();

 private:
  // Where the branches are now.
  void Refresh() {
    for (auto& [key, pull] : forge.pulls) {
      const std::string ref = "refs/pull/" + std::to_string(pull.number) + "/head";
      pull.head_sha = fork_.work.Shell(absl::StrCat("cd ../upstream.git && (git fetch -q ../origin.git +refs/heads/'",
                                                    pull.head_ref, "':", ref,
                                                    " 2>/dev/null || :) && git rev-parse -q --verify ", ref, " || :"));
      pull.base_sha = fork_.There("upstream", pull.base_ref);
    }
  }

  FakeClock clock_;
  std::optional<GitRemotes> of_command_;

 public:
  MemoryForge forge;

 private:
  const GitFork& fork_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_LOCAL_FORGE_H_
