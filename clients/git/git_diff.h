// What lies between two tree objects.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_DIFF_H_
#define YARDMASTER_CLIENTS_GIT_GIT_DIFF_H_

#include <cstddef>
#include <vector>

#include "clients/git/git_tree.h"

namespace yardmaster {

// As GitRepository::Diff.
absl::StatusOr<std::vector<GitChangedFile>> DiffOfTrees(git_repository& repository, StoredGitTree& base,
                                                        StoredGitTree& head, size_t max_files);

// The same without a look at any file: renames are removals and additions, and nothing is binary.
absl::StatusOr<std::vector<GitChangedFile>> ChangesBetweenTrees(git_repository& repository, const StoredGitTree& base,
                                                                const StoredGitTree& head);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_DIFF_H_
