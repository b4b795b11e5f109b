// The tree of a commit as the archive that runners fetch.
#ifndef YARDMASTER_SERVICES_DISPATCH_PULLS_HEAD_TREE_H_
#define YARDMASTER_SERVICES_DISPATCH_PULLS_HEAD_TREE_H_

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "absl/status/statusor.h"
#include "clients/git/git_cache.h"
#include "services/dispatch/dispatch.h"
#include "services/dispatch/part_files.h"

namespace yardmaster::dispatch {

inline constexpr uint64_t kMaxTreeBytes = uint64_t{1} * 1024 * 1024 * 1024;

// What the repository itself has for its head: its default branch.
inline constexpr std::string_view kOwnHead = "HEAD";

// Fetches the head with all of its files, and keeps it in `files` as a tar archive. The same commit gives the same
// archive. `scratch`: a folder for the archive while it is written. Submodules are left out. `is_own` of
// what is returned is set only where the base is kOwnHead: the head is that commit, or before it. RESOURCE_EXHAUSTED
// over kMaxTreeBytes; else the errors of GitRemote.
absl::StatusOr<KeptTree> KeepHeadTree(GitCache& cache, const GitCacheRequest& request, PartFiles& files,
                                      const std::filesystem::path& scratch);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PULLS_HEAD_TREE_H_
