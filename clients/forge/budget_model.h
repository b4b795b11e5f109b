// The forges' limits as a model of our own: a forge does not tell most of them, and may ban an account that exceeds
// them. Pure: times are passed in, nothing waits here (budget.h does).
#ifndef YARDMASTER_CLIENTS_FORGE_BUDGET_MODEL_H_
#define YARDMASTER_CLIENTS_FORGE_BUDGET_MODEL_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "clients/forge/forge.h"
#include "clients/forge/forge_config.h"

namespace yardmaster {

// What we allow ourselves. 0 = no such limit.
struct BudgetLimits {
  uint32_t requests_per_minute = 0;
  uint32_t requests_per_hour = 0;
  // A read costs one point, a write five (GitHub).
  uint32_t points_per_minute = 0;
  uint32_t mutations_per_minute = 0;
  uint32_t mutations_per_hour = 0;
  // Between the starts of two writes. If there is one, writes are also never in flight together.
  std::chrono::milliseconds spacing{0};
  // Requests in flight.
  uint32_t concurrent = 0;
  // How long to keep still after a refusal that names no time: the first one, doubled each time, up to the last one.
  std::chrono::milliseconds first_pause{60'000};
  std::chrono::milliseconds longest_pause{900'000};
};

// What the configuration sets replaces the forge's. Limits without a key of their own (requests an hour, points) are
// raised as far as that needs, and never lowered.
BudgetLimits WithConfig(BudgetLimits limits, const ForgeBudget& config);

// The part of every limit that calls of a class may use up, in percent: the rest is kept for those that are more
// important. At least one request is always allowed.
uint32_t BudgetShare(ForgePriority priority);

// Not thread-safe.
class BudgetModel {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit BudgetModel(const BudgetLimits& limits);

  // The earliest time at which the limits that all requests share let one go; `now` if at once.
  Time EarliestShared(Time now, ForgePriority priority, bool mutation);
  // The same with the limits of writes, for writes.
  Time Earliest(Time now, ForgePriority priority, bool mutation);
  // Whether one more may be in flight.
  bool HasRoom(bool mutation) const;

  // A request leaves.
  void Begin(Time now, bool mutation);
  // Its answer is there.
  void End(bool mutation);

  // What the answer said about the primary limit: GitHub's remaining requests until a reset.
  void LearnPrimary(int64_t limit, int64_t remaining, Time reset);
  // The forge refused for its limits. `pause` is unset if it named no time.
  void LearnRefusal(Time now, std::optional<std::chrono::milliseconds> pause);
  void LearnSuccess() { refusals_ = 0; }

 private:
  // Costs within a length of time that slides.
  class Window {
   public:
    Window(uint32_t limit, std::chrono::milliseconds length) : limit_(limit), length_(length) {}
    // The earliest time at which `cost` more stays within `percent` of the limit.
    Time Earliest(Time now, uint32_t cost, uint32_t percent);
    void Add(Time now, uint32_t cost);

   private:
    const uint32_t limit_;
    const std::chrono::milliseconds length_;
    std::deque<std::pair<Time, uint32_t>> entries_;
    uint64_t sum_ = 0;
  };
  struct Primary {
    int64_t limit = 0;
    int64_t remaining = 0;
    Time reset;
  };

  const BudgetLimits limits_;
  Window requests_minute_;
  Window requests_hour_;
  Window points_minute_;
  Window mutations_minute_;
  Window mutations_hour_;
  std::optional<Time> last_mutation_;
  std::optional<Primary> primary_;
  Time paused_until_;  // long ago unless refused
  uint32_t refusals_ = 0;
  uint32_t in_flight_ = 0;
  uint32_t mutations_in_flight_ = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_BUDGET_MODEL_H_
