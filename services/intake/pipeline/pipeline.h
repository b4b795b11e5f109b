// The pipe: takes deliveries from the inbox, has them routed, and works on each subject's events one after the other,
// on different subjects at once. It has no threads of its own: whoever calls RunOne does the work, so that a
// test drives the whole pipe in one thread on a clock of its own. pipeline_threads.h is what the daemon uses.
#ifndef YARDMASTER_SERVICES_INTAKE_PIPELINE_PIPELINE_H_
#define YARDMASTER_SERVICES_INTAKE_PIPELINE_PIPELINE_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "services/intake/backoff.h"
#include "services/intake/pipeline/delivery_router.h"
#include "services/intake/pipeline/subject_work.h"

namespace yardmaster {

struct PipelineOptions {
  // Deliveries taken from the inbox and not finished: those that wait for a limit of a forge are among them.
  size_t window = 2'000;
  // Deliveries taken at once.
  int64_t claim = 64;
  // What was being computed on when the daemon died is left until so long after the start. A daemon that is killed over
  // and over then dies while the suspect waits, which counts against no delivery; and if the suspect is at fault, the
  // others get done between two crashes.
  std::chrono::milliseconds suspect_wait{2'000};
  // Between sweeps of the ledger for effects that no delivery settles.
  std::chrono::milliseconds ledger_sweep{30'000};
  BackoffPolicy backoff;
  // For jitter; the same seed gives the same waits.
  uint64_t seed = 0;
};

// Thread-safe.
class Pipeline {
 public:
  // References outlive the pipeline.
  Pipeline(const IntakeEnvironment& environment, SubjectWork& work, PipelineOptions options);

  // Sets deliveries aside that ended the daemon too often, and notes the time of the start. Before the first RunOne.
  absl::Status Start();

  // Does one piece of work in the calling thread; false if there is none to do now.
  bool RunOne();
  // When there may be work again without anything new coming in; nullopt if only the inbox can bring some.
  std::optional<store::TimePoint> NextDue();

  // Effects that are open on a subject are settled as soon as possible.
  void Settle(const v1::Subject& subject);

  // What the work on a subject waits for is there: it goes on now.
  void Wake(const v1::Subject& subject);

  // Deliveries taken and not finished.
  size_t in_flight() const;

 private:
  // Events of one subject, in the order in which they were routed.
  struct Queue {
    std::deque<WorkItem> items;
    bool busy = false;
    bool woken = false;  // while it was busy
    store::TimePoint not_before{};
  };

  bool RouteNext();
  bool WorkNext();
  bool SweepLedger();
  bool ClaimMore();
  void Enqueue(WorkItem item);
  // Takes out what waits and is debounced, another such event having come; returns it. With the lock held.
  std::optional<WorkItem> TakeDebounced(const std::string& key, Queue& queue);
  // Notes when a queue that is not empty goes on: with its first item, at `time` or later. With the lock held.
  void Schedule(const std::string& key, Queue& queue, store::TimePoint time);
  void SettleRouted(store::Settlement settlement);
  // The store failed: the delivery is taken again later.
  void PutBack(int64_t delivery);
  // An item whose subject lacks its kind goes on as what the forge says it is. True: in another queue.
  bool MovedToItsSubject(const std::string& key, WorkItem& item, Outcome& outcome);
  void HandleOutcome(const std::string& key, const WorkItem& item, const Outcome& outcome);
  // Notes what becomes of a delivery; `again` is set if the work goes on here.
  absl::Status NoteOutcome(const WorkItem& item, const Outcome& outcome, std::optional<store::TimePoint>& again);
  void Log(const WorkItem& item, const Outcome& outcome);

  const IntakeEnvironment& env_;
  SubjectWork& work_;
  const PipelineOptions options_;
  const DeliveryRouter router_;

  mutable std::mutex mutex_;  // guards what follows
  std::deque<store::Delivery> to_route_;
  std::deque<store::Delivery> suspects_;  // taken, but left until suspects_from_
  store::TimePoint suspects_from_{};
  std::map<std::string, Queue> queues_;
  std::set<std::pair<store::TimePoint, std::string>> ready_;  // queues that are not busy, by when they may go on
  size_t in_flight_ = 0;
  store::TimePoint claim_not_before_{};  // after trouble with the store
  store::TimePoint next_ledger_sweep_{};
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PIPELINE_PIPELINE_H_
