// Files of repositories that every event asks for, kept for a minute: a forge that allows few calls is not asked for
// the same file again with each delivery. When a minute is over the forge is asked with the ETag of its last answer
// (clients/forge/conditional.h).
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_RECENT_FILES_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_RECENT_FILES_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/core/clock.h"
#include "services/core/limits.h"

namespace yardmaster {

// Thread-safe.
class RecentFiles {
 public:
  // nullopt: there is no such file, which is kept, too.
  using Text = std::optional<std::string>;

  static constexpr std::chrono::seconds kKept{60};
  static constexpr size_t kMaxFiles = 256;
  // Of a longer text the beginning is kept: enough to see that it is too long for what it is read as.
  static constexpr size_t kMaxBytes = kMaxRepositoryFileBytes + 1;

  // `clock` outlives this object.
  explicit RecentFiles(const Clock& clock) : clock_(clock) {}

  // The file as it was within the last minute; else what `read` says, which is kept unless it is an error. `read` runs
  // in the calling thread, and perhaps in others at the same time.
  absl::StatusOr<Text> Get(std::string_view forge, std::string_view repository, std::string_view path,
                           std::string_view ref, const std::function<absl::StatusOr<Text>()>& read);

  // Somebody pushed to the repository: what is known of it may be wrong, and so may be what is being read right now.
  void Forget(std::string_view forge, std::string_view repository);

 private:
  struct Entry {
    Text text;
    std::chrono::steady_clock::time_point read_at;
  };
  // Callers hold the mutex.
  void MakeRoom(std::chrono::steady_clock::time_point now);

  const Clock& clock_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, Entry, std::less<>> files_;
  uint64_t forgotten_ = 0;  // how often Forget was called
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_RECENT_FILES_H_
