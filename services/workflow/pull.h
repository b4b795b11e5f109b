// `pr` and `status`: a branch becomes a pull request of the main repository, and how that stands.
#ifndef YARDMASTER_SERVICES_WORKFLOW_PULL_H_
#define YARDMASTER_SERVICES_WORKFLOW_PULL_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/workflow/fork.h"
#include "services/workflow/gate.h"
#include "services/workflow/preview.h"
#include "services/workflow/result.h"

namespace yardmaster::workflow {

struct PullRequestRequest {
  std::filesystem::path repo;
  Gate gate;          // asked before anything is changed; empty: none
  std::string base;   // a branch of upstream; empty: its default branch
  std::string title;  // empty, as `body`: made of the commits and the repository's template, which needs `yes`
  std::string body;
  std::vector<std::string> reviewers;
  Language language = Language::kEnglish;  // of text that is made
  bool squash = false;                     // several commits become one before they are pushed
  std::string message;                     // of that one; empty: made of theirs, which needs `yes`
  bool force = false;  // the branch of the fork may lose commits, if it is still where it is seen now
  bool draft = false;
  bool yes = false;
  Preview preview;  // as of CommitRequest
  bool dry_run = false;
  std::string time;  // now, "YYYYMMDDTHHMMSSZ"
};
absl::StatusOr<Result> OpenPull(const PullRequestRequest& request, const Fork& fork, GitProgram& git);

// `pr --to`: what is changed becomes a commit of a pull request whose branch is checked out.
struct AppendRequest {
  std::filesystem::path repo;
  Gate gate;  // as of PullRequestRequest
  int64_t number = 0;
  std::string message;  // empty: "Update FILE", which needs `yes`; with `amend` that of the last commit
  Language language = Language::kEnglish;
  bool amend = false;
  bool rebase = true;  // onto where the base is now, if that has moved
  bool yes = false;
  Preview preview;  // as of CommitRequest
  bool dry_run = false;
  std::string time;  // now, "YYYYMMDDTHHMMSSZ"
};
absl::StatusOr<Result> AppendToPull(const AppendRequest& request, const Fork& fork, GitProgram& git);

// `squash N`: the commits of a pull request become one on the merge base, and the branch of the fork is replaced.
struct SquashPullRequest {
  std::filesystem::path repo;
  int64_t number = 0;
  std::string message;  // empty: made of those of the commits, which needs `yes`
  bool yes = false;
  Preview preview;  // as of CommitRequest
  bool dry_run = false;
  std::string time;  // now, "YYYYMMDDTHHMMSSZ"
};
absl::StatusOr<Result> SquashPull(const SquashPullRequest& request, const Fork& fork, GitProgram& git);

// `update`: title and description anew, by what the commits say now. What somebody has written stays.
struct UpdateRequest {
  std::filesystem::path repo;
  int64_t number = 0;
  std::string title;  // empty, as `body`: made of the commits, which needs `yes`
  std::string body;
  Language language = Language::kEnglish;
  bool yes = false;
  Preview preview;  // as of CommitRequest
  bool dry_run = false;
};
absl::StatusOr<Result> UpdatePull(const UpdateRequest& request, const Fork& fork);

struct StatusRequest {
  int64_t number = 0;  // 0: that of the branch that is checked out
  std::filesystem::path repo;
};
absl::StatusOr<Result> PullStatus(const StatusRequest& request, const Fork& fork);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_PULL_H_
