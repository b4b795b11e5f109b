#include "clients/forge/budget.h"

#include <prometheus/counter.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/limits.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;

// Longest time to a reset that is believed; GitHub's windows are an hour.
constexpr std::chrono::hours kLongestReset{2};

std::optional<int64_t> HeaderNumber(const ForgeAnswer& answer, std::string_view name) {
  const std::string_view text = answer.Header(name);
  int64_t value = 0;
  if (text.empty() || !absl::SimpleAtoi(Abs(text), &value)) return std::nullopt;
  return value;
}

}  // namespace

BudgetTransport::BudgetTransport(ForgeTransport& inner, const BudgetLimits& limits, std::string forge,
                                 const Clock& clock, Waiter& waiter, Metrics* metrics)
    : inner_(inner), forge_(std::move(forge)), clock_(clock), waiter_(waiter), metrics_(metrics), model_(limits) {}

ForgeAnswer BudgetTransport::Send(const ForgeRequest& request) {
  if (std::optional<ForgeAnswer> failure = Admit(request); failure.has_value()) return *std::move(failure);
  ForgeAnswer answer = inner_.Send(request);
  std::lock_guard<std::mutex> lock(mutex_);
  model_.End(!request.IsRead());
  Learn(answer);
  changed_.notify_all();
  return answer;
}

void BudgetTransport::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  inner_.Stop();
}

size_t BudgetTransport::Waiting() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return waiting_.size();
}

std::optional<ForgeAnswer> BudgetTransport::Admit(const ForgeRequest& request) {
  const bool mutation = !request.IsRead();
  std::unique_lock<std::mutex> lock(mutex_);
  const Time begin = clock_.Monotonic();
  const Ticket ticket{request.priority, arrivals_++};
  waiting_.emplace(ticket, mutation);

  std::optional<ForgeAnswer> failure;
  for (;;) {
    const Time now = clock_.Monotonic();
    if (stopped_) {
      failure = FailedAnswer({ForgeReason::kStopped, ForgeOutcome::kNotSent, 0, std::nullopt},
                             absl::StrCat(DescribeRequest(request), ": the client was stopped"));
      break;
    }
    const Time earliest = model_.Earliest(now, request.priority, mutation);
    const Time behind = InTheWay(ticket, mutation, now);
    const bool room = model_.HasRoom(mutation);
    if (earliest <= now && behind <= now && room) {
      model_.Begin(now, mutation);
      break;
    }
    // Nobody waits for what can't come in time.
    if (now >= request.deadline || earliest >= request.deadline) {
      const milliseconds wait = std::chrono::ceil<milliseconds>(std::max(earliest, now) - now);
      failure = FailedAnswer({ForgeReason::kBudget, ForgeOutcome::kNotSent, 0, wait},
                             absl::StrCat(DescribeRequest(request), ": the forge's limits leave no room for it before ",
                                          wait.count(), " ms from now"));
      break;
    }
    // Somebody who leaves notifies; time is the other thing that changes.
    Time until = request.deadline;
    if (earliest > now) until = std::min(until, earliest);
    if (behind > now) until = std::min(until, behind);
    waiter_.WaitUntil(lock, changed_, until);
  }

  // Gone, one way or the other: those behind look again.
  waiting_.erase(ticket);
  changed_.notify_all();
  const std::chrono::duration<double> waited = clock_.Monotonic() - begin;
  lock.unlock();
  if (metrics_ != nullptr && waited.count() > 0) {
    metrics_
        ->Counter("yardmaster_forge_budget_wait_seconds_total", "Seconds that calls to forges waited for the limits.",
                  {{"forge", forge_}, {"class", std::string(ForgePriorityName(request.priority))}})
        ->Increment(waited.count());
  }
  return failure;
}

BudgetTransport::Time BudgetTransport::InTheWay(const Ticket& ticket, bool mutation, Time now) {
  Time until = now;
  for (const auto& [ahead, ahead_mutation] : waiting_) {
    if (!(ahead < ticket)) break;
    // Writes go one after the other. Everything else may pass those who wait for the limits of writes only, but must
    // not take from under them what all requests share.
    if (mutation && ahead_mutation) return Time::max();
    const Time shared = model_.EarliestShared(now, ahead.first, ahead_mutation);
    if (shared > now) {
      until = std::max(until, shared);
    } else if (model_.HasRoom(ahead_mutation) && model_.Earliest(now, ahead.first, ahead_mutation) <= now) {
      // About to go, as soon as its thread runs.
      return Time::max();
    }
  }
  return until;
}

void BudgetTransport::Learn(const ForgeAnswer& answer) {
  const Time now = clock_.Monotonic();
  // The primary limit. GitHub has several; ours is "core".
  const std::string_view resource = answer.Header("X-RateLimit-Resource");
  // An answer to wrong credentials tells the limits of no account.
  const bool ours = !answer.error.has_value() || answer.error->reason != ForgeReason::kUnauthorized;
  if (ours && (resource.empty() || resource == "core")) {
    const std::optional<int64_t> limit = HeaderNumber(answer, "X-RateLimit-Limit");
    const std::optional<int64_t> remaining = HeaderNumber(answer, "X-RateLimit-Remaining");
    const std::optional<int64_t> reset = HeaderNumber(answer, "X-RateLimit-Reset");
    if (limit.has_value() && remaining.has_value() && reset.has_value()) {
      const auto wall = std::chrono::time_point_cast<std::chrono::seconds>(clock_.Now()).time_since_epoch();
      const int64_t most = std::chrono::duration_cast<std::chrono::seconds>(kLongestReset).count();
      const int64_t seconds = *reset > wall.count() ? std::min(*reset - wall.count(), most) : 0;
      if (seconds > 0) model_.LearnPrimary(*limit, *remaining, now + std::chrono::seconds(seconds));
    }
  }
  // Refusals.
  if (answer.error.has_value() && answer.error->reason == ForgeReason::kRateLimited) {
    model_.LearnRefusal(now, answer.error->retry_after);
  } else if (answer.status >= 200 && answer.status < 400) {
    model_.LearnSuccess();
  }
}

}  // namespace yardmaster
