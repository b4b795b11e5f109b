// A clone on a feature branch with one commit, its two remotes and their forge.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_WORKFLOW_PULL_FIXTURE_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_WORKFLOW_PULL_FIXTURE_H_

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "services/workflow/commands.h"
#include "services/workflow/pull.h"
#include "tests/support/git_fork.h"
#include "tests/support/local_forge.h"

namespace yardmaster::workflow {

class PullFixture : public ::testing::Test {
 protected:
  PullFixture() {
    work_.Git("switch -q -c feat/x");
    work_.Write("a", "2\n");
    head_ = work_.Commit("feat: two");
    work_.Git("fetch -q upstream");
  }

  static constexpr const char* kTime = "20260131T120000Z";

  PullRequestRequest Request() const {
    PullRequestRequest request;
    request.repo = work_.path();
    request.yes = true;
    request.time = kTime;
    return request;
  }
  Result Open(const PullRequestRequest& request) { return Good(OpenPull(request, forge_.fork(), forge_.git)); }
  AppendRequest Appending(int64_t number) const {
    AppendRequest request;
    request.repo = work_.path();
    request.number = number;
    request.message = "fix: more";
    request.time = kTime;
    return request;
  }
  Result Append(const AppendRequest& request) { return Good(AppendToPull(request, forge_.fork(), forge_.git)); }
  SquashPullRequest Squashing(int64_t number) const {
    SquashPullRequest request;
    request.repo = work_.path();
    request.number = number;
    request.yes = true;
    request.time = kTime;
    return request;
  }
  Result Back() const {
    UndoRequest request;
    request.repo = work_.path();
    return Good(workflow::Undo(request));
  }
  // What is here, on both servers, and what people see of pull requests.
  std::string Everything() const { return fork_.Everything() + forge_.Shown(); }
  // The branch is pushed and has a pull request; its number.
  int64_t Opened() {
    work_.Git("push -q origin HEAD");
    return forge_.Open(work_.Git("symbolic-ref --short HEAD"));
  }

  template <typename T>
  static T Good(absl::StatusOr<T> value) {
    if (!value.ok()) throw std::runtime_error(value.status().ToString());
    return *std::move(value);
  }

  const testing::GitFork fork_;
  const testing::GitWork& work_ = fork_.work;
  testing::LocalForge forge_{fork_};
  std::string head_;
};

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_WORKFLOW_PULL_FIXTURE_H_
