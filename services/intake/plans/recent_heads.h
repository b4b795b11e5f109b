// The heads of pull requests as events told them: whether one has moved since somebody spoke of it. In memory: after a
// restart nothing is known, and nothing is held against anybody.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_RECENT_HEADS_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_RECENT_HEADS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

inline constexpr size_t kMaxRecentHeads = 10'000;

// Thread-safe.
class RecentHeads {
 public:
  // `delivery`: the row of the delivery that told it; rows rise as deliveries arrive.
  void Note(const v1::Subject& subject, std::string_view head, int64_t delivery);
  // Whether `head` is another one than events have told up to now, or was told after `delivery` had come: whoever sent
  // that has not seen it.
  bool MovedSince(const v1::Subject& subject, std::string_view head, int64_t delivery) const;

 private:
  struct Told {
    std::string head;
    int64_t delivery = 0;
  };

  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, Told> heads_;
  std::deque<std::string> order_;  // of heads_, the oldest first
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_RECENT_HEADS_H_
