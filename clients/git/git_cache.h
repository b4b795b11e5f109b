// Repositories of a git server, each in one bare repository on the disk that is kept and grows with what is asked for.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_CACHE_H_
#define YARDMASTER_CLIENTS_GIT_GIT_CACHE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_cache_folder.h"
#include "clients/git/git_repository.h"
#include "clients/git/git_session.h"
#include "services/core/limits.h"

namespace yardmaster {

struct GitCacheLimits {
  size_t answer_bytes = kMaxGitCacheAnswerBytes;
  uint64_t repository_bytes = kMaxGitCacheRepositoryBytes;
  uint64_t total_bytes = kMaxGitCacheBytes;
  size_t packs = kMaxGitCachePacks;
};

// A commit on the server: by its name, by a ref that points to it, or by both, where the ref helps with a server that
// gives no commit by its name.
struct GitPoint {
  std::string commit;  // 40 hex digits; empty: what `ref` points to now
  std::string ref;     // "refs/pull/7/head"; may be empty
};

struct GitCacheRequest {
  std::string repository;  // "owner/name"
  GitPoint base;
  GitPoint head;
  // As in GitFolderRequest.
  std::function<absl::Status()> alive;
};

class GitCache;

// Two commits with their trees, with history down to their merge base, and with the content of the files that differ
// between merge base and head. What it stands on stays on the disk while it lives; the cache outlives it. Used by one
// thread at a time.
class GitCacheHandle {
 public:
  GitRepository& repository() const { return *repository_; }
  // Where it lies.
  const std::filesystem::path& path() const { return folder_->path(); }
  const std::string& base() const { return base_; }
  const std::string& head() const { return head_; }
  // Empty: they have no common history.
  const std::string& merge_base() const { return merge_base_; }

  // Fetches the content of other files of these commits, all at once, as far as it is not here.
  absl::Status NeedBlobs(const std::vector<std::string>& objects);

 private:
  friend class GitCache;
  GitCacheHandle() = default;

  GitCache* cache_ = nullptr;
  std::string name_;
  std::function<absl::Status()> alive_;
  std::shared_ptr<GitCacheFolder> folder_;  // outlives repository_
  std::unique_ptr<GitRepository> repository_;
  std::string base_;
  std::string head_;
  std::string merge_base_;
};

// Thread-safe. Nothing of a repository is ever run.
class GitCache {
 public:
  // Takes over what an earlier cache left in `folder`, which belongs to this cache alone.
  GitCache(GitEnvironment environment, std::filesystem::path folder, GitCacheLimits limits = {});

  // Asks the server only for what is not here. One fetch of a repository at a time; who waits for it may find that
  // everything came. Errors are those of GitRemote.
  absl::StatusOr<GitCacheHandle> Fetch(const GitCacheRequest& request);
  // What the server's refs that begin with one of `prefixes` ("refs/heads/") point to now. Errors are those of
  // GitRemote; UNAVAILABLE, too, if the list is too long.
  absl::StatusOr<std::vector<std::string>> TargetsOf(const std::string& repository,
                                                     const std::vector<std::string>& prefixes,
                                                     const std::function<absl::Status()>& alive);

 private:
  friend class GitCacheHandle;
  struct Entry {
    std::shared_ptr<GitCacheFolder> folder;
    uint64_t bytes = 0;
    std::filesystem::file_time_type last_used;
    bool busy = false;
  };
  class Turn;

  absl::Status Wait(std::unique_lock<std::mutex>& lock, const std::function<absl::Status()>& alive,
                    const std::function<bool()>& free);
  // The right to hold an answer in memory.
  absl::Status TakeSlot(const std::function<absl::Status()>& alive);
  void GiveSlot();
  absl::StatusOr<GitCacheHandle> Fill(const GitCacheRequest& request, std::shared_ptr<GitCacheFolder> folder);
  absl::Status FetchHistory(const GitSession& session, const GitCacheRequest& request, GitCacheHandle& handle) const;
  absl::Status FetchBlobs(const GitSession& session, const GitCacheHandle& handle,
                          const std::vector<std::string>& objects) const;
  GitSession::Limits AnswerLimits(const std::string& name) const;
  std::filesystem::path NextPath(const std::string& name);
  // The least recently used go until all fit; none that is in use.
  void Evict();

  const GitEnvironment env_;
  const std::filesystem::path folder_;
  const GitCacheLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Entry> entries_;
  int fetches_ = 0;  // that talk to the server now
  size_t generation_ = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_CACHE_H_
