// How often one thing is said in the log where strangers decide how often it happens.
#ifndef YARDMASTER_SERVICES_CORE_LOG_BUDGET_H_
#define YARDMASTER_SERVICES_CORE_LOG_BUDGET_H_

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace yardmaster {

// At most so many lines in a minute. Thread-safe.
class LogBudget {
 public:
  explicit LogBudget(int64_t per_minute) : per_minute_(per_minute) {}

  // Whether the line at hand may be written: then how many were left out since the last one, else nullopt.
  std::optional<int64_t> Spend(std::chrono::steady_clock::time_point now) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!minute_.has_value() || now - *minute_ >= std::chrono::minutes(1)) {
      minute_ = now;
      written_ = 0;
    }
    if (written_ >= per_minute_) {
      ++left_out_;
      return std::nullopt;
    }
    ++written_;
    return std::exchange(left_out_, 0);
  }

 private:
  const int64_t per_minute_;
  std::mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> minute_;  // when the one at hand began
  int64_t written_ = 0;
  int64_t left_out_ = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_LOG_BUDGET_H_
