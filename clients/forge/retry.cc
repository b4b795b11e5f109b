#include "clients/forge/retry.h"

#include <prometheus/counter.h>

#include <algorithm>
#include <utility>

namespace yardmaster {

using std::chrono::milliseconds;

RetryTransport::RetryTransport(ForgeTransport& inner, const RetryPolicy& policy, uint64_t seed, std::string forge,
                               const Clock& clock, Waiter& waiter, Metrics* metrics)
    : inner_(inner),
      policy_(policy),
      forge_(std::move(forge)),
      clock_(clock),
      waiter_(waiter),
      metrics_(metrics),
      random_(seed) {}

ForgeAnswer RetryTransport::Send(const ForgeRequest& request) {
  bool renewed = false;
  for (int attempt = 1;; ++attempt) {
    ForgeAnswer answer = inner_.Send(request);
    if (!answer.error.has_value()) return answer;

    // New credentials: once, and at once.
    milliseconds wait{0};
    if (answer.credentials_renewed && !renewed) {
      renewed = true;
    } else {
      if (attempt >= policy_.attempts || !MayRepeat(request, answer)) return answer;
      wait = WaitAfter(attempt, *answer.error);
      if (request.deadline - clock_.Monotonic() <= wait) {
        answer.error->retry_after = std::max(answer.error->retry_after.value_or(milliseconds(0)), wait);
        return answer;
      }
    }
    if (metrics_ != nullptr) {
      metrics_
          ->Counter("yardmaster_forge_retries_total", "Requests to forges that were sent once more.",
                    {{"forge", forge_}, {"reason", std::string(ForgeReasonName(answer.error->reason))}})
          ->Increment();
    }
    if (!Sleep(wait)) return answer;
  }
}

void RetryTransport::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  inner_.Stop();
}

bool RetryTransport::MayRepeat(const ForgeRequest& request, const ForgeAnswer& answer) {
  if (!answer.error->Transient()) return false;
  if (request.IsRead()) return true;
  // Limits are checked before a request is carried out.
  return answer.error->outcome == ForgeOutcome::kNotSent || answer.error->reason == ForgeReason::kRateLimited;
}

milliseconds RetryTransport::Draw(milliseconds most) {
  std::lock_guard<std::mutex> lock(mutex_);
  // Not std::uniform_int_distribution: its results differ between libraries.
  const double part = static_cast<double>(random_() >> 11) / static_cast<double>(uint64_t{1} << 53);
  return milliseconds(static_cast<int64_t>(part * static_cast<double>(most.count() + 1)));
}

milliseconds RetryTransport::WaitAfter(int attempt, const ForgeError& error) {
  if (error.retry_after.has_value()) return *error.retry_after + Draw(policy_.after_named);
  milliseconds most = policy_.base;
  for (int i = 1; i < attempt && most < policy_.cap; ++i) most *= 2;
  return Draw(std::min(most, policy_.cap));
}

bool RetryTransport::Sleep(milliseconds wait) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto until = clock_.Monotonic() + wait;
  while (!stopped_ && clock_.Monotonic() < until) waiter_.WaitUntil(lock, changed_, until);
  return !stopped_;
}

}  // namespace yardmaster
