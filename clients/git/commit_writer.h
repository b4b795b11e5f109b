// Commits made of trees that are there, for clones and for bare caches alike. For the sources of this folder only.
#ifndef YARDMASTER_CLIENTS_GIT_COMMIT_WRITER_H_
#define YARDMASTER_CLIENTS_GIT_COMMIT_WRITER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/git/git_commits.h"
#include "clients/git/libgit2.h"

namespace yardmaster::git2 {

using Signature = Owned<git_signature, git_signature_free>;

// NOT_FOUND if it is not here.
absl::StatusOr<Commit> LookUpCommit(git_repository& repository, const std::string& id);

// A commit that is about to be made. Valid for the call that gets it.
struct CommitParts {
  const git_signature* author;
  const char* encoding;  // of the message; nullptr: UTF-8
  const std::string& message;
  const git_tree* tree;
  const git_commit* parent;
};
// Makes a commit, for those that are signed; its id.
using CommitMaker = std::function<absl::StatusOr<std::string>(const CommitParts&)>;

// As GitClone::MakeCommit and GitClone::Replay, by `committer`; with `make` by that in its place.
absl::StatusOr<std::string> WriteCommit(git_repository& repository, const git_signature& committer,
                                        const GitNewCommit& commit, const CommitMaker& make = nullptr);
absl::StatusOr<GitReplay> ReplayCommits(git_repository& repository, const git_signature& committer,
                                        const std::vector<std::string>& commits, const std::string& onto,
                                        const std::string& trailer, const CommitMaker& make = nullptr);

}  // namespace yardmaster::git2

#endif  // YARDMASTER_CLIENTS_GIT_COMMIT_WRITER_H_
