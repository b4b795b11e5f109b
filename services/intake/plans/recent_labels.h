// Labels that repositories have, kept for a while: a label that does not exist is never added, since a forge would make
// it. The forge is asked again with the ETag of its last answer (clients/forge/conditional.h).
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_RECENT_LABELS_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_RECENT_LABELS_H_

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/forge.h"
#include "services/core/clock.h"

namespace yardmaster {

// Thread-safe.
class RecentLabels {
 public:
  using Labels = std::shared_ptr<const std::vector<std::string>>;

  // A list is asked for again after this, or sooner where it lacks a label that is wanted.
  static constexpr std::chrono::minutes kKept{10};
  static constexpr std::chrono::minutes kKeptAfterMiss{1};
  static constexpr size_t kMaxRepositories = 256;

  // `clock` outlives this object.
  explicit RecentLabels(const Clock& clock) : clock_(clock) {}

  // The labels of a repository; null if they can't be read.
  Labels Get(Forge& forge, const ForgeCall& call, std::string_view repository, const std::vector<std::string>& wanted);

 private:
  struct Entry {
    Labels labels;
    std::chrono::steady_clock::time_point read_at;
  };

  const Clock& clock_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, Entry, std::less<>> repositories_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_RECENT_LABELS_H_
