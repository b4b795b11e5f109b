// The logs of runs, one file for each lease, as their workers send them.
#ifndef YARDMASTER_SERVICES_DISPATCH_JOB_LOGS_H_
#define YARDMASTER_SERVICES_DISPATCH_JOB_LOGS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace yardmaster::dispatch {

inline constexpr uint64_t kMaxJobLogBytes = uint64_t{1024} * 1024 * 1024;
inline constexpr size_t kMaxLogPieceBytes = 1024 * 1024;
// What a follower gets at once.
inline constexpr size_t kWatchPieceBytes = 256 * 1024;

// Thread-safe.
class JobLogs {
 public:
  // `job` in what follows is a name that CheckJobName has passed: it becomes a folder's.
  JobLogs(std::filesystem::path dir, uint64_t max_bytes) : dir_(std::move(dir)), max_bytes_(max_bytes) {}

  // Appends what is not there yet and returns what need not be sent again; more than is there if the log is full.
  // OUT_OF_RANGE if bytes before `offset` are missing.
  absl::StatusOr<uint64_t> Append(std::string_view job, uint64_t fence, uint64_t offset, std::string_view text);
  // Removes the logs of jobs for which `is_over` is true: nobody adds to them any more.
  void Remove(const std::function<bool(std::string_view job)>& is_over);
  // At most kWatchPieceBytes; empty: no more is there, or there is no log.
  absl::StatusOr<std::string> Read(std::string_view job, uint64_t fence, uint64_t offset) const;

 private:
  std::filesystem::path FileOf(std::string_view job, uint64_t fence) const;

  const std::filesystem::path dir_;
  const uint64_t max_bytes_;
  // Appends to one log come one after the other.
  std::array<std::mutex, 16> mutexes_;
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_JOB_LOGS_H_
