// Watches what a run uses up that no limit of the kernel covers: all of its files together, and its log.
#ifndef YARDMASTER_SERVICES_YARDWORKER_RUN_BUDGET_H_
#define YARDMASTER_SERVICES_YARDWORKER_RUN_BUDGET_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace yardmaster::yardworker {

// Bytes of all files in a folder, as they take room on the disk; links are not followed.
uint64_t BytesIn(const std::filesystem::path& folder);

// Not thread-safe.
class RunBudget {
 public:
  // 0: no limit.
  RunBudget(std::vector<std::filesystem::path> folders, std::filesystem::path log, uint64_t disk_bytes,
            uint64_t log_bytes)
      : folders_(std::move(folders)), log_(std::move(log)), disk_bytes_(disk_bytes), log_bytes_(log_bytes) {}

  // Looks when it is time again: folders with many files are looked at less often. What was passed, for people, once it
  // was; empty: nothing.
  const std::string& Look(std::chrono::steady_clock::time_point now);
  const std::string& passed() const { return passed_; }

 private:
  const std::vector<std::filesystem::path> folders_;
  const std::filesystem::path log_;
  const uint64_t disk_bytes_;
  const uint64_t log_bytes_;
  std::chrono::steady_clock::time_point next_{};
  std::string passed_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_RUN_BUDGET_H_
