// One bare repository of the cache on the disk: packs, the commits that were fetched, and where their history is cut.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_CACHE_FOLDER_H_
#define YARDMASTER_CLIENTS_GIT_GIT_CACHE_FOLDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/upload_pack.h"

namespace yardmaster {

// Changed by one thread at a time; others may read the repository meanwhile.
class GitCacheFolder {
 public:
  // An empty repository.
  static absl::StatusOr<std::shared_ptr<GitCacheFolder>> Create(const std::filesystem::path& path);
  // What an earlier process left. nullptr: its first fetch did not end.
  static std::shared_ptr<GitCacheFolder> Open(const std::filesystem::path& path);
  // Removes a folder that was discarded.
  ~GitCacheFolder();
  GitCacheFolder(const GitCacheFolder&) = delete;
  GitCacheFolder& operator=(const GitCacheFolder&) = delete;

  // Adds what a server sent for `tips`. INTERNAL: the pack can't be read.
  absl::Status Add(const FetchAnswer& answer, const std::vector<std::string>& tips);
  // It goes when nobody holds it any more.
  void Discard() { discarded_ = true; }
  void NoteUse() const;

  const std::filesystem::path& path() const { return path_; }
  // Commits that are here with what they need, the latest last.
  const std::vector<std::string>& tips() const { return tips_; }
  // Commits whose parents are not here.
  const std::vector<std::string>& shallow() const { return shallow_; }
  uint64_t bytes() const { return bytes_; }
  size_t packs() const { return packs_; }
  std::filesystem::file_time_type last_used() const;

 private:
  explicit GitCacheFolder(std::filesystem::path path) : path_(std::move(path)) {}
  void Measure();

  const std::filesystem::path path_;
  std::vector<std::string> tips_;
  std::vector<std::string> shallow_;
  uint64_t bytes_ = 0;
  size_t packs_ = 0;
  std::atomic<bool> discarded_{false};
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_CACHE_FOLDER_H_
