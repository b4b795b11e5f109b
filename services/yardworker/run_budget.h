// Watches what a run uses up that no limit of the kernel covers: all of its files together, and its log.
#ifndef YARDMASTER_SERVICES_YARDWORKER_RUN_BUDGET_H_
#define YARDMASTER_SERVICES_YARDWORKER_RUN_BUDGET_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace yardmaster::yardworker {

// What there is in a folder.
struct FolderUse {
  uint64_t bytes = 0;  // as they take room on the disk
  uint64_t files = 0;  // folders and links included; links are not followed
};
// No more than `most_files` are counted.
FolderUse UseOf(const std::filesystem::path& folder, uint64_t most_files = UINT64_MAX);

// 0: no limit.
struct BudgetLimits {
  uint64_t disk_bytes = 0;
  uint64_t files = 0;
  uint64_t log_bytes = 0;
};

// Not thread-safe.
class RunBudget {
 public:
  // The folders are on one file system.
  RunBudget(std::vector<std::filesystem::path> folders, std::filesystem::path log, const BudgetLimits& limits)
      : folders_(std::move(folders)), log_(std::move(log)), limits_(limits) {}

  // Looks when it is time again: folders with many files are looked at less often, unless the file system has lost as
  // many files as the run may still make. What was passed, for people, once it was; empty: nothing. What was passed
  // stays.
  const std::string& Look(std::chrono::steady_clock::time_point now);

 private:
  // Of the file system; nothing where it makes room for files as they come.
  uint64_t FreeFiles() const;
  void Count();

  const std::vector<std::filesystem::path> folders_;
  const std::filesystem::path log_;
  const BudgetLimits limits_;
  std::chrono::steady_clock::time_point next_{};
  std::chrono::steady_clock::time_point count_at_{};
  uint64_t files_ = 0;       // of the run, when they were counted last
  uint64_t free_files_ = 0;  // of the file system at that time
  std::string passed_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_RUN_BUDGET_H_
