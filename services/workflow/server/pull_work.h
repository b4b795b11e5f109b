// Work on the commits of a pull request in a bare cache of its repository: what is fetched for it, and what would be
// pushed. Nothing is written but to the cache and to memory.
#ifndef YARDMASTER_SERVICES_WORKFLOW_SERVER_PULL_WORK_H_
#define YARDMASTER_SERVICES_WORKFLOW_SERVER_PULL_WORK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "clients/git/git_cache.h"
#include "clients/git/git_commits.h"
#include "clients/git/git_push.h"
#include "services/workflow/description.h"
#include "yardmaster/v1/pull_operation.pb.h"

namespace yardmaster::workflow {

// Why nothing is done.
struct PullRefusal {
  // "one-commit", "no-commits", "up-to-date", "no-such-branch", "branch-taken", "merges", "conflict", "bad-message",
  // "diverged", "too-large", "nothing-left", "moved", "protected-branch", "changed", "message-unused".
  std::string code;
  std::string detail;  // what it is about: a branch, files, why a message is bad
};

// What is wanted of one pull request.
struct PullWorkRequest {
  v1::PullOperation operation;
  ForgePull pull;
  ForgePull target;                              // KIND_APPEND
  std::string repository;                        // "owner/name" that it goes to
  std::string pull_ref;                          // where git finds the head of a pull request, "{}" being its number
  std::vector<std::string_view> templates = {};  // where the forge's repositories keep that of a pull request's text
  int64_t seconds = 0;                           // now, since 1970
  // KIND_UNDO: the push that is taken back.
  std::string undo_repository = {};
  RefMove undo = {};
};

// What was read for it.
struct PullMaterial {
  std::optional<PullRefusal> refusal;
  std::optional<GitCacheHandle> handle;   // unset: nothing could be fetched, or nothing had to
  std::vector<GitCommit> commits;         // of the pull request, oldest first
  std::vector<GitCommit> target_commits;  // KIND_APPEND
  std::string onto;                       // what new commits stand on
  std::string place;                      // where the ref is now that would be pushed
  std::vector<std::string> lacking;       // commits that the repository lacks which would be pushed to
  std::string description_template;       // of the repository
};

// What would be done: a ref that moves, and what is said about it.
struct PullWorkResult {
  std::optional<PullRefusal> refusal;
  std::vector<GitConflict> hunks;  // of a conflict
  std::string repository;          // that is pushed to; empty: nothing is pushed
  RefMove move;
  std::string pack;
  size_t commits = 0;       // of the pull request
  Description description;  // KIND_UPDATE and KIND_BACKPORT
  // KIND_UPDATE: what the description lacks, as of GapsOf.
  std::vector<std::string> gaps = {};
};

// What it stands on. References outlive it.
struct PullGit {
  GitCache& cache;
  GitPusher& pusher;
};

// "backport-160-to-r2.6".
std::string BackportBranch(int64_t number, const std::string& branch);

// Waits for the network. Errors are those of GitRemote.
absl::StatusOr<PullMaterial> ReadPullMaterial(const PullGit& git, const PullWorkRequest& request);

// Computes on what people wrote. Errors are those of GitClone.
absl::StatusOr<PullWorkResult> WorkOnPull(const PullWorkRequest& request, PullMaterial& material);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_SERVER_PULL_WORK_H_
