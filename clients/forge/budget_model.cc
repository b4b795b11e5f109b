#include "clients/forge/budget_model.h"

#include <algorithm>

namespace yardmaster {
namespace {

using std::chrono::milliseconds;

constexpr uint32_t kReadPoints = 1;
constexpr uint32_t kMutationPoints = 5;
// The forge counts when a request arrives, we when it leaves: what left evenly may arrive closer together.
constexpr milliseconds kSlack{500};
constexpr milliseconds kMinute = milliseconds(60'000) + kSlack;
constexpr milliseconds kHour = milliseconds(3'600'000) + kSlack;
// Two reset times this close are the same window.
constexpr milliseconds kSameReset{2'000};

uint32_t AtMost(uint64_t value) { return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX)); }

}  // namespace

BudgetLimits WithConfig(BudgetLimits limits, const ForgeBudget& config) {
  if (config.mutations_per_minute.has_value()) limits.mutations_per_minute = *config.mutations_per_minute;
  if (config.mutations_per_hour.has_value()) limits.mutations_per_hour = *config.mutations_per_hour;
  if (config.spacing_ms.has_value()) limits.spacing = milliseconds(*config.spacing_ms);
  if (config.requests_per_minute.has_value()) {
    // Who raises the minute has another agreement, or another server: the hour, which has no key, goes with it.
    if (limits.requests_per_hour != 0 && *config.requests_per_minute > limits.requests_per_minute) {
      limits.requests_per_hour = std::max(limits.requests_per_hour, AtMost(uint64_t{*config.requests_per_minute} * 60));
    }
    limits.requests_per_minute = *config.requests_per_minute;
  }
  // Points are the same requests counted in another way: they must not take back what was raised.
  if (limits.points_per_minute != 0) {
    const uint64_t raised = std::max(uint64_t{config.requests_per_minute.value_or(0)},
                                     uint64_t{config.mutations_per_minute.value_or(0)} * kMutationPoints);
    limits.points_per_minute = std::max(limits.points_per_minute, AtMost(raised));
  }
  return limits;
}

uint32_t BudgetShare(ForgePriority priority) {
  switch (priority) {
    case ForgePriority::kCommand:
      return 100;
    case ForgePriority::kGate:
      return 95;
    case ForgePriority::kEvent:
      return 90;
    case ForgePriority::kSweep:
      return 60;
  }
  return 60;
}

BudgetModel::Time BudgetModel::Window::Earliest(Time now, uint32_t cost, uint32_t percent) {
  if (limit_ == 0) return now;
  while (!entries_.empty() && entries_.front().first + length_ <= now) {
    sum_ -= entries_.front().second;
    entries_.pop_front();
  }
  const uint64_t allowed = std::max<uint64_t>(uint64_t{limit_} * percent / 100, cost);
  if (sum_ + cost <= allowed) return now;
  // The oldest entries leave first.
  uint64_t too_much = sum_ + cost - allowed;
  for (const auto& [time, entry_cost] : entries_) {
    if (entry_cost >= too_much) return time + length_;
    too_much -= entry_cost;
  }
  return now;
}

void BudgetModel::Window::Add(Time now, uint32_t cost) {
  if (limit_ == 0) return;
  entries_.emplace_back(now, cost);
  sum_ += cost;
}

BudgetModel::BudgetModel(const BudgetLimits& limits)
    : limits_(limits),
      requests_minute_(limits.requests_per_minute, kMinute),
      requests_hour_(limits.requests_per_hour, kHour),
      points_minute_(limits.points_per_minute, kMinute),
      mutations_minute_(limits.mutations_per_minute, kMinute),
      mutations_hour_(limits.mutations_per_hour, kHour),
      paused_until_(Time::min()) {}

BudgetModel::Time BudgetModel::EarliestShared(Time now, ForgePriority priority, bool mutation) {
  const uint32_t percent = BudgetShare(priority);
  Time earliest = std::max(now, paused_until_);
  earliest = std::max(earliest, requests_minute_.Earliest(now, 1, percent));
  earliest = std::max(earliest, requests_hour_.Earliest(now, 1, percent));
  earliest = std::max(earliest, points_minute_.Earliest(now, mutation ? kMutationPoints : kReadPoints, percent));
  if (primary_.has_value() && primary_->reset <= now) primary_.reset();
  if (primary_.has_value()) {
    const int64_t kept = primary_->limit * (100 - percent) / 100;
    if (primary_->remaining <= kept) earliest = std::max(earliest, primary_->reset);
  }
  return earliest;
}

BudgetModel::Time BudgetModel::Earliest(Time now, ForgePriority priority, bool mutation) {
  Time earliest = EarliestShared(now, priority, mutation);
  if (!mutation) return earliest;
  const uint32_t percent = BudgetShare(priority);
  earliest = std::max(earliest, mutations_minute_.Earliest(now, 1, percent));
  earliest = std::max(earliest, mutations_hour_.Earliest(now, 1, percent));
  if (last_mutation_.has_value()) earliest = std::max(earliest, *last_mutation_ + limits_.spacing);
  return earliest;
}

bool BudgetModel::HasRoom(bool mutation) const {
  if (limits_.concurrent != 0 && in_flight_ >= limits_.concurrent) return false;
  return !mutation || limits_.spacing.count() == 0 || mutations_in_flight_ == 0;
}

void BudgetModel::Begin(Time now, bool mutation) {
  ++in_flight_;
  requests_minute_.Add(now, 1);
  requests_hour_.Add(now, 1);
  points_minute_.Add(now, mutation ? kMutationPoints : kReadPoints);
  if (primary_.has_value()) --primary_->remaining;
  if (!mutation) return;
  ++mutations_in_flight_;
  mutations_minute_.Add(now, 1);
  mutations_hour_.Add(now, 1);
  last_mutation_ = now;
}

void BudgetModel::End(bool mutation) {
  --in_flight_;
  if (mutation) --mutations_in_flight_;
}

void BudgetModel::LearnPrimary(int64_t limit, int64_t remaining, Time reset) {
  // Requests that are still out are not counted in what the answer says.
  remaining -= in_flight_;
  if (primary_.has_value()) {
    // An answer of the window before, which was slow to arrive.
    if (reset + kSameReset < primary_->reset) return;
  }
  primary_ = Primary{limit, remaining, reset};
}

void BudgetModel::LearnRefusal(Time now, std::optional<milliseconds> pause) {
  // Requests that were out together are refused together: that is one refusal.
  const bool known = now < paused_until_;
  if (!pause.has_value()) {
    if (known) return;
    milliseconds wait = limits_.first_pause;
    for (uint32_t i = 0; i < refusals_ && wait < limits_.longest_pause; ++i) wait *= 2;
    pause = std::min(wait, limits_.longest_pause);
  }
  if (!known) ++refusals_;
  paused_until_ = std::max(paused_until_, now + *pause);
}

}  // namespace yardmaster
