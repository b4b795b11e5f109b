// Files that come in parts and are named by their SHA-256: source trees and artifacts. They survive a restart at any
// point; an upload goes on where it was.
#ifndef YARDMASTER_SERVICES_DISPATCH_PART_FILES_H_
#define YARDMASTER_SERVICES_DISPATCH_PART_FILES_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace yardmaster::dispatch {

inline constexpr size_t kMaxPartBytes = 1024 * 1024;
// So long a file stays that was just used, whoever needs room.
inline constexpr std::chrono::minutes kPartFileRest{30};
inline constexpr uint64_t kMaxPartFileBytes = uint64_t{2} * 1024 * 1024 * 1024;

// True for 64 lower-case hex digits: nothing else ever becomes a file's name.
bool IsDigest(std::string_view text);

struct PartProgress {
  uint64_t received = 0;
  bool complete = false;
};

// Thread-safe.
class PartFiles {
 public:
  // Keeps files in `dir`, which is made when needed, with `budget` bytes in all: when a new one begins, those not used
  // for `age` are removed, and then the one that was not used for the longest, until there is room. What was used
  // within kPartFileRest stays, so that an upload under way, or a result that is about to be told, is not taken away;
  // and what is needed (see KeepWhile) stays however long it takes.
  PartFiles(std::filesystem::path dir, uint64_t budget, std::chrono::hours age)
      : dir_(std::move(dir)), budget_(budget), age_(age) {}

  // Before anything is put. A file for which `needed` is true is not removed; it is asked with a lock held.
  void KeepWhile(std::function<bool(std::string_view digest)> needed) { needed_ = std::move(needed); }

  // See PutPartRequest in proto/yardmaster/v1/dispatch.proto.
  absl::StatusOr<PartProgress> Put(std::string_view digest, uint64_t size, uint64_t offset, std::string_view part);
  // At most kMaxPartBytes from `offset` on; empty at the end. `size` is set to the size of the whole.
  absl::StatusOr<std::string> Read(std::string_view digest, uint64_t offset, uint64_t& size);
  // Having it is using it: it counts as young again.
  bool Has(std::string_view digest);
  // Removes what was not used for the age.
  void RemoveOld();

 private:
  absl::Status MakeRoom(uint64_t size);
  bool IsNeeded(const std::filesystem::path& file) const;
  // Whether the file is there.
  bool IsThere(std::string_view digest) const;

  const std::filesystem::path dir_;
  const uint64_t budget_;
  const std::chrono::hours age_;
  std::function<bool(std::string_view)> needed_;
  std::mutex mutex_;  // one change at a time
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PART_FILES_H_
