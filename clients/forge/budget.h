// Decorator: sends requests when the forge's limits allow it. Waiting calls are ordered by class (human command > gate
// > event > sweep) and then by arrival, and less important classes leave a part of every limit to the others
// (BudgetShare). What can't go before its deadline fails at once with the time at which it could.
#ifndef YARDMASTER_CLIENTS_FORGE_BUDGET_H_
#define YARDMASTER_CLIENTS_FORGE_BUDGET_H_

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "clients/forge/budget_model.h"
#include "clients/forge/transport.h"
#include "clients/forge/waiter.h"
#include "services/core/clock.h"
#include "services/core/metrics.h"

namespace yardmaster {

class BudgetTransport final : public ForgeTransport {
 public:
  // `metrics` may be null: yardmaster_forge_budget_wait_seconds_total{forge,class}.
  BudgetTransport(ForgeTransport& inner, const BudgetLimits& limits, std::string forge, const Clock& clock,
                  Waiter& waiter, Metrics* metrics);

  ForgeAnswer Send(const ForgeRequest& request) override;
  void Stop() override;

  // Calls that wait now.
  size_t Waiting() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  // Class and arrival: the order in which waiting calls go.
  using Ticket = std::pair<ForgePriority, uint64_t>;

  // Waits for the turn; unset when the request may go (Begin() is done), else the failure.
  std::optional<ForgeAnswer> Admit(const ForgeRequest& request);
  // The time until which a call ahead of `ticket` is in the way; `now` or earlier if none is. max(): until it is
  // gone.
  Time InTheWay(const Ticket& ticket, bool mutation, Time now);
  void Learn(const ForgeAnswer& answer);

  ForgeTransport& inner_;
  const std::string forge_;
  const Clock& clock_;
  Waiter& waiter_;
  Metrics* const metrics_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  BudgetModel model_;
  std::map<Ticket, bool> waiting_;  // → is it a write
  uint64_t arrivals_ = 0;
  bool stopped_ = false;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_BUDGET_H_
