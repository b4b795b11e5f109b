// Which deliveries our own code was computing on when the daemon died, in a file that outlives the process: memory that
// was mapped from a file keeps what was stored, however the process ends. A mark is set while code that a body could
// break runs on it (parse, zones, match, decide) and lifted while the work waits for anything, so that a crash at
// another moment counts against no delivery. A crash of the machine may lose marks, which only means another try.
#ifndef YARDMASTER_SERVICES_INTAKE_CRASH_MARKS_H_
#define YARDMASTER_SERVICES_INTAKE_CRASH_MARKS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "absl/status/statusor.h"

namespace yardmaster {

// Starts of the daemon that find a delivery marked, until it is set aside.
inline constexpr int kMaxCrashes = 3;

// Thread-safe.
class CrashMarks {
 public:
  // Deliveries that can be remembered at once. What finds no place runs without a mark.
  static constexpr size_t kEntries = 1'024;

  // Opens or makes the file and counts a crash for each mark that is still set. A file of another size or version is
  // replaced: it only holds hints. INTERNAL if the file can't be made.
  static absl::StatusOr<std::unique_ptr<CrashMarks>> Open(const std::filesystem::path& file);
  ~CrashMarks();
  CrashMarks(const CrashMarks&) = delete;
  CrashMarks& operator=(const CrashMarks&) = delete;

  // Poison messages: deliveries (by row id) that were found marked at kMaxCrashes starts or more. They are to be set
  // aside as dead, then forgotten.
  std::vector<int64_t> PoisonMessages() const;
  // How often a delivery was found marked.
  int CrashCount(int64_t delivery) const;
  // Removes what is known about a delivery: it is finished, or a person wants it tried again. A mark that is set stays.
  void Forget(int64_t delivery);

  // The mark, set for as long as this object lives. A delivery that was found marked before computes alone: no
  // other is marked at the same time, so that a crash is certainly its own. Several of one delivery are one mark, which
  // is lifted with the last of them.
  class Computing {
   public:
    Computing(CrashMarks& marks, int64_t delivery);
    ~Computing();
    Computing(const Computing&) = delete;
    Computing& operator=(const Computing&) = delete;

   private:
    CrashMarks& marks_;
    size_t entry_;  // kEntries: none was free
    bool alone_;
  };

 private:
  struct Entry;
  struct File;
  explicit CrashMarks(File* file) : file_(file) {}
  // Index of the entry of `delivery`; makes one if `create`; kEntries if there is none.
  size_t Find(int64_t delivery, bool create);

  mutable std::mutex mutex_;                    // guards ids of entries, and the next
  std::array<uint32_t, kEntries> computing_{};  // how many compute on an entry's delivery
  std::shared_mutex compute_;
  File* file_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_CRASH_MARKS_H_
