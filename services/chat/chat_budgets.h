// How much may be said on the platforms: so many messages within so long, for the whole application, a channel, or a
// person, a little below what the platforms document; and what they asked to wait for.
#ifndef YARDMASTER_SERVICES_CHAT_CHAT_BUDGETS_H_
#define YARDMASTER_SERVICES_CHAT_CHAT_BUDGETS_H_

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "services/core/clock.h"

namespace yardmaster {

// Where a message goes.
struct ChatGoal {
  std::string_view platform;
  std::string_view channel;
  std::string_view user;  // whom it goes to alone, or who asked for it; may be empty
};

// Thread-safe.
class ChatBudgets {
 public:
  explicit ChatBudgets(const Clock& clock) : clock_(clock) {}

  // When one more message may go there; zero: now, and it is counted.
  std::chrono::milliseconds Spend(const ChatGoal& target);
  // The platform wants to be left alone there for so long.
  void Hold(const ChatGoal& target, std::chrono::milliseconds wait);

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Bucket {
    std::deque<TimePoint> sent;  // within the longest time that counts
    TimePoint until{};  // of a limit: when none of it counts any more; of what a platform asked for: when it ends
  };
  // Forgets what no longer counts. With the lock held.
  void Prune(TimePoint now);

  const Clock& clock_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, Bucket> buckets_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CHAT_CHAT_BUDGETS_H_
