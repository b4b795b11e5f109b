#include "services/intake/pipeline/pipeline.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "services/core/reasons.h"
#include "services/core/status_macros.h"
#include "services/intake/chat_bridge.h"
#include "services/intake/plans/long_work.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using store::Delivery;
using store::DeliveryState;

// After the store could not be read or written.
constexpr milliseconds kStoreTrouble{2'000};
// Open effects that one look through the ledger reads at once.
constexpr int64_t kLedgerPage = 200;

}  // namespace

Pipeline::Pipeline(const IntakeEnvironment& environment, SubjectWork& work, PipelineOptions options)
    : env_(environment), work_(work), options_(options), router_(environment) {}

size_t Pipeline::in_flight() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return in_flight_;
}

absl::Status Pipeline::Start() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    suspects_from_ = env_.clock.Now() + options_.suspect_wait;
    next_ledger_sweep_ = env_.clock.Now();
  }
  for (const int64_t id : env_.marks.PoisonMessages()) {
    const absl::StatusOr<Delivery> delivery = env_.inbox.Get(id);
    if (!delivery.ok() && !absl::IsNotFound(delivery.status())) return delivery.status();
    if (delivery.ok() && delivery->state == DeliveryState::kReceived) {
      if (delivery->subject.number() > 0) {
        RETURN_IF_ERROR(work_.Abandon(delivery->subject, id, reasons::kCrashed));
      }
      RETURN_IF_ERROR(env_.inbox.MarkDead(
          id, reasons::WithDetail(reasons::kCrashed,
                                  absl::StrCat("work on it ended the daemon ", env_.marks.CrashCount(id), " times"))));
      env_.logger.Error("delivery set aside: work on it ended the daemon too often",
                        {{"delivery", delivery->delivery_id}, {"forge", delivery->forge}, {"row", id}});
    }
    env_.marks.Forget(id);
  }
  return absl::OkStatus();
}

bool Pipeline::RunOne() {
  // Routing before work: it is quick, and most deliveries end there. New deliveries when there is room.
  return SweepLedger() || RouteNext() || WorkNext() || ClaimMore();
}

std::optional<store::TimePoint> Pipeline::NextDue() {
  std::optional<store::TimePoint> due;
  const auto earlier = [&](store::TimePoint time) {
    if (!due.has_value() || time < *due) due = time;
  };
  bool full = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!to_route_.empty()) return env_.clock.Now();
    if (!suspects_.empty()) earlier(suspects_from_);
    if (!ready_.empty()) earlier(ready_.begin()->first);
    if (claim_not_before_ > env_.clock.Now()) earlier(claim_not_before_);
    full = in_flight_ >= options_.window;
  }
  const absl::StatusOr<int64_t> open = env_.ledger.CountPending();
  if (!open.ok()) {
    earlier(env_.clock.Now() + kStoreTrouble);
  } else if (*open > 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    earlier(next_ledger_sweep_);
  }
  if (full) return due;
  const absl::StatusOr<std::optional<store::TimePoint>> retry = env_.inbox.NextDue();
  if (!retry.ok()) {
    earlier(env_.clock.Now() + kStoreTrouble);
  } else if (retry->has_value()) {
    earlier(**retry);
  }
  return due;
}

bool Pipeline::SweepLedger() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (env_.clock.Now() < next_ledger_sweep_) return false;
    next_ledger_sweep_ = env_.clock.Now() + options_.ledger_sweep;
  }
  bool found = false;
  for (int64_t after = 0;;) {
    const absl::StatusOr<std::vector<store::Effect>> open = env_.ledger.Pending(after, kLedgerPage);
    if (!open.ok()) {
      env_.logger.Error("the ledger can't be read", {{"error", std::string(open.status().message())}});
      return found;
    }
    for (const store::Effect& effect : *open) {
      after = effect.id;
      {
        // The work on a subject settles what is open there by itself.
        const std::lock_guard<std::mutex> lock(mutex_);
        if (queues_.contains(SubjectKey(effect.subject))) continue;
      }
      found = true;
      Settle(effect.subject);
    }
    if (static_cast<int64_t>(open->size()) < kLedgerPage) return found;
  }
}

void Pipeline::Settle(const v1::Subject& subject) {
  WorkItem item;
  *item.event.mutable_subject() = subject;
  Enqueue(std::move(item));
}

bool Pipeline::ClaimMore() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (in_flight_ >= options_.window || env_.clock.Now() < claim_not_before_) return false;
  }
  absl::StatusOr<std::vector<Delivery>> claimed = env_.inbox.Claim(options_.claim);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!claimed.ok()) {
    claim_not_before_ = env_.clock.Now() + kStoreTrouble;
    env_.logger.Error("deliveries can't be taken from the inbox", {{"error", std::string(claimed.status().message())}});
    return false;
  }
  in_flight_ += claimed->size();
  for (Delivery& delivery : *claimed) {
    std::deque<Delivery>& queue = env_.marks.CrashCount(delivery.id) > 0 ? suspects_ : to_route_;
    queue.push_back(std::move(delivery));
  }
  return !claimed->empty();
}

bool Pipeline::RouteNext() {
  Delivery delivery;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::deque<Delivery>& queue = to_route_.empty() && env_.clock.Now() >= suspects_from_ ? suspects_ : to_route_;
    if (queue.empty()) return false;
    delivery = std::move(queue.front());
    queue.pop_front();
  }
  Routing routing = router_.Route(delivery);
  if (auto* const work = std::get_if<WorkItem>(&routing)) {
    Enqueue(std::move(*work));
  } else if (auto* const settlement = std::get_if<store::Settlement>(&routing)) {
    SettleRouted(std::move(*settlement));
  } else {
    PutBack(delivery.id);
  }
  return true;
}

void Pipeline::PutBack(int64_t delivery) {
  env_.inbox.Release({delivery});
  const std::lock_guard<std::mutex> lock(mutex_);
  claim_not_before_ = env_.clock.Now() + kStoreTrouble;
  --in_flight_;
}

void Pipeline::SettleRouted(store::Settlement settlement) {
  const int64_t id = settlement.id;
  env_.inbox.SettleAsync(std::move(settlement), [this, id](const absl::Status& status) {
    if (status.ok()) {
      env_.marks.Forget(id);
    } else {
      env_.logger.Error("a delivery can't be settled", {{"error", std::string(status.message())}, {"row", id}});
      env_.inbox.Release({id});
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    --in_flight_;
  });
}

void Pipeline::Schedule(const std::string& key, Queue& queue, store::TimePoint time) {
  queue.not_before = std::max(time, queue.items.front().debounced_until.value_or(time));
  ready_.emplace(queue.not_before, key);
}

std::optional<WorkItem> Pipeline::TakeDebounced(const std::string& key, Queue& queue) {
  auto item = queue.items.begin();
  if (queue.busy) ++item;
  item = std::find_if(item, queue.items.end(), [](const WorkItem& one) { return one.debounced_until.has_value(); });
  if (item == queue.items.end()) return std::nullopt;
  std::optional<WorkItem> taken = std::move(*item);
  const bool was_next = item == queue.items.begin();
  queue.items.erase(item);
  if (was_next) {
    ready_.erase({queue.not_before, key});
    if (!queue.items.empty()) Schedule(key, queue, env_.clock.Now());
  }
  return taken;
}

void Pipeline::Enqueue(WorkItem item) {
  const std::string key = SubjectKey(item.event.subject());
  std::optional<WorkItem> superseded;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Queue& queue = queues_[key];
    if (item.debounced_until.has_value()) superseded = TakeDebounced(key, queue);
    const bool idle = queue.items.empty() && !queue.busy;
    queue.items.push_back(std::move(item));
    if (idle) Schedule(key, queue, env_.clock.Now());
  }
  if (superseded.has_value()) {
    SettleRouted({superseded->delivery, DeliveryState::kIgnored, std::string(reasons::kSuperseded), {}, {}});
  }
}

void Pipeline::Wake(const v1::Subject& subject) {
  const std::string key = SubjectKey(subject);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = queues_.find(key);
  if (found == queues_.end()) return;
  Queue& queue = found->second;
  queue.woken = queue.busy;
  if (queue.busy) return;
  ready_.erase({queue.not_before, key});
  Schedule(key, queue, env_.clock.Now());
}

bool Pipeline::WorkNext() {
  std::string key;
  WorkItem item;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ready_.empty() || ready_.begin()->first > env_.clock.Now()) return false;
    key = ready_.begin()->second;
    ready_.erase(ready_.begin());
    Queue& queue = queues_[key];
    queue.busy = true;
    queue.woken = false;
    item = queue.items.front();
  }
  Outcome outcome;
  if (item.delivery == 0) {
    outcome = work_.SettleOpen(item.event.subject());
  } else if (item.event.has_chat() && item.event.subject().kind() == v1::SUBJECT_KIND_UNSPECIFIED) {
    if (MovedToItsSubject(key, item, outcome)) return true;
  } else {
    outcome = work_.Run(item);
  }
  HandleOutcome(key, item, outcome);
  return true;
}

bool Pipeline::MovedToItsSubject(const std::string& key, WorkItem& item, Outcome& outcome) {
  v1::SubjectKind kind = v1::SUBJECT_KIND_UNSPECIFIED;
  outcome = work_.FindKind(item, kind);
  if (!outcome.done()) return false;
  item.event.mutable_subject()->set_kind(kind);
  const absl::Status described = env_.inbox.Describe(item.delivery, kRoutedFromChat, item.event.subject());
  if (!described.ok()) {
    env_.logger.Warning("a delivery can't be described", {{"error", std::string(described.message())}});
  }
  {
    // Out of this queue, and to the end of the subject's, which may be the same.
    const std::lock_guard<std::mutex> lock(mutex_);
    Queue& queue = queues_[key];
    queue.busy = false;
    queue.items.pop_front();
    if (queue.items.empty()) {
      queues_.erase(key);
    } else {
      Schedule(key, queue, env_.clock.Now());
    }
  }
  Enqueue(std::move(item));
  return true;
}

absl::Status Pipeline::NoteOutcome(const WorkItem& item, const Outcome& outcome,
                                   std::optional<store::TimePoint>& again) {
  const v1::Subject& subject = item.event.subject();
  const store::TimePoint now = env_.clock.Now();
  switch (outcome.kind) {
    case Outcome::Kind::kDone:
    case Outcome::Kind::kIgnored:
    case Outcome::Kind::kFailed: {
      const DeliveryState state = outcome.done()     ? DeliveryState::kDone
                                  : outcome.failed() ? DeliveryState::kFailed
                                                     : DeliveryState::kIgnored;
      if (outcome.failed()) RETURN_IF_ERROR(work_.Abandon(subject, item.delivery, outcome.reason));
      RETURN_IF_ERROR(env_.inbox.Settle({item.delivery, state, outcome.reason, {}, {}}));
      env_.marks.Forget(item.delivery);
      return absl::OkStatus();
    }
    case Outcome::Kind::kRetry: {
      const int attempts = static_cast<int>(item.attempts) + 1;
      if (attempts >= options_.backoff.max_attempts) {
        const std::string reason = reasons::WithDetail(reasons::kForgeFailed, outcome.reason);
        RETURN_IF_ERROR(work_.Abandon(subject, item.delivery, reason));
        RETURN_IF_ERROR(env_.inbox.MarkFailed(item.delivery, reason));
        env_.marks.Forget(item.delivery);
        return absl::OkStatus();
      }
      const uint64_t jitter =
          options_.seed + static_cast<uint64_t>(item.delivery) * 1'000 + static_cast<uint64_t>(attempts);
      std::optional<milliseconds> at_least;
      if (outcome.delay.count() > 0) at_least = outcome.delay;
      return env_.inbox.Retry(item.delivery, now + BackoffDelay(options_.backoff, attempts, jitter, at_least),
                              outcome.reason);
    }
    case Outcome::Kind::kChanged:
    case Outcome::Kind::kWait:
      again = now + std::max(outcome.delay, milliseconds(1));
      return absl::OkStatus();
    case Outcome::Kind::kStopped:
      env_.inbox.Release({item.delivery});
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

void Pipeline::HandleOutcome(const std::string& key, const WorkItem& item, const Outcome& outcome) {
  Log(item, outcome);
  std::optional<store::TimePoint> again;
  if (item.delivery == 0) {
    // What could not be read back now is found by the next look through the ledger.
    if (outcome.kind == Outcome::Kind::kWait) again = env_.clock.Now() + std::max(outcome.delay, milliseconds(1));
  } else if (const absl::Status noted = NoteOutcome(item, outcome, again); !noted.ok()) {
    // A store that can't note it now is asked again later, by running the work again.
    env_.logger.Error("the outcome of a delivery can't be noted",
                      {{"error", std::string(noted.message())}, {"row", item.delivery}});
    again = env_.clock.Now() + kStoreTrouble;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  Queue& queue = queues_[key];
  queue.busy = false;
  if (!again.has_value()) {
    queue.items.pop_front();
    if (item.delivery != 0) --in_flight_;
  }
  if (queue.items.empty()) {
    queues_.erase(key);
    if (env_.long_work != nullptr) env_.long_work->Forget(item.event.subject());
    return;
  }
  Schedule(key, queue, queue.woken ? env_.clock.Now() : again.value_or(env_.clock.Now()));
}

void Pipeline::Log(const WorkItem& item, const Outcome& outcome) {
  static constexpr const char* kWords[] = {"done", "ignored", "failed", "changed", "waiting", "retry", "stopped"};
  const LogLevel level =
      outcome.kind == Outcome::Kind::kRetry || outcome.failed() ? LogLevel::kWarning : LogLevel::kDebug;
  if (!env_.logger.Enabled(level)) return;
  env_.logger.Log(level, item.delivery == 0 ? "settled what was open" : "worked on a delivery",
                  {{"row", item.delivery},
                   {"delivery", item.event.id()},
                   {"subject", SubjectKey(item.event.subject())},
                   {"outcome", kWords[static_cast<size_t>(outcome.kind)]},
                   {"reason", outcome.reason}});
}

}  // namespace yardmaster
