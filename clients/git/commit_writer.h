// Commits made of trees that are there, for clones and for bare caches alike. For the sources of this folder only.
#ifndef YARDMASTER_CLIENTS_GIT_COMMIT_WRITER_H_
#define YARDMASTER_CLIENTS_GIT_COMMIT_WRITER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/git/git_commits.h"
#include "clients/git/libgit2.h"

namespace yardmaster::git2 {

using Signature = Owned<git_signature, git_signature_free>;

// NOT_FOUND if it is not here.
absl::StatusOr<Commit> LookUpCommit(git_repository& repository, const std::string& id);

// As GitClone::MakeCommit and GitClone::Replay, by `committer`.
absl::StatusOr<std::string> WriteCommit(git_repository& repository, const git_signature& committer,
                                        const GitNewCommit& commit);
absl::StatusOr<GitReplay> ReplayCommits(git_repository& repository, const git_signature& committer,
                                        const std::vector<std::string>& commits, const std::string& onto,
                                        const std::string& trailer);

}  // namespace yardmaster::git2

#endif  // YARDMASTER_CLIENTS_GIT_COMMIT_WRITER_H_
