// The folders of a run: the result directory, and a temporary one that is gone at the end.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_WORKSPACE_H_
#define YARDMASTER_SERVICES_WORKER_RUN_WORKSPACE_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/worker/process/unique_fd.h"
#include "services/worker/run/run.h"

namespace yardmaster::worker {

// Space that a run keeps to itself in the result directory, so that a disk that a test has filled still takes its
// results.
inline constexpr uint64_t kReserveBytes = 4 * 1024 * 1024;
// With less than this a step is stopped.
inline constexpr uint64_t kDiskFloorBytes = 8 * 1024 * 1024;

class Workspace {
 public:
  // Makes both folders. INVALID_ARGUMENT: the result directory is not empty or can't be written. Temporary folders of
  // runs that were killed, which nobody holds any more, are removed on the way; `notes` says which.
  static absl::StatusOr<std::unique_ptr<Workspace>> Make(const RunOptions& options, std::vector<std::string>& notes);
  // Removes the temporary folder and the reserve.
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::filesystem::path& out() const { return out_; }
  // Short and absolute, in the system's folder for temporary files: sockets that tests make there have names of at most
  // 107 bytes.
  const std::filesystem::path& temp() const { return temp_; }
  // Where build folders and sources are kept: the cache, or the result directory.
  const std::filesystem::path& kept() const { return kept_; }

  // A new folder below steps/, named after the step as far as file names go, each name once.
  absl::StatusOr<std::filesystem::path> MakeStepFolder(std::string_view step);
  // A new folder below temp().
  absl::StatusOr<std::filesystem::path> MakeTempFolder(std::string_view name);

  // Gives the reserved space back, for what has to be written on a full disk.
  void FreeReserve();

 private:
  Workspace() = default;

  std::filesystem::path out_;
  std::filesystem::path temp_;
  std::filesystem::path kept_;
  UniqueFd temp_lock_;
  size_t temp_folders_ = 0;
  std::set<std::string> step_folders_;
};

// A step's name as a file name: "all_reduce[dtype=float32,world_size=8]" → "all_reduce-dtype=float32,world_size=8".
std::string FileNameOf(std::string_view step);

// True for a file that may be read: no link, which a test may have pointed anywhere, and no pipe, which would be waited
// for.
bool IsPlainFile(const std::filesystem::path& file);

// Free space for us on the file system of `path`, bytes; the largest number where it can't be told.
uint64_t FreeBytes(const std::filesystem::path& path);

// Removes a folder with all below it, also where a test took away the right to write in it. False where something is
// left.
bool RemoveFolder(const std::filesystem::path& folder);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_WORKSPACE_H_
