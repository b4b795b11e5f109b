// The newest decisions of the running daemon, in memory.
#ifndef YARDMASTER_SERVICES_TRIAGE_DECISION_LOG_H_
#define YARDMASTER_SERVICES_TRIAGE_DECISION_LOG_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/limits.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

// A ring of the newest plans, kept serialized: that is what was made for the answer anyway, it takes a quarter of the
// memory of a message, and a slot that is written again needs no new memory. Thread-safe; Add takes a ticket and locks
// only its own slot, so that calls don't wait for each other. Finding is a walk from the newest to the oldest: it is
// rare and the ring is short.
class DecisionLog {
 public:
  explicit DecisionLog(size_t capacity = kMaxDecisionsKept);

  // Keeps a copy. `serialized` is the plan in protobuf's wire format.
  void Add(const v1::Plan& plan, std::string_view serialized);
  void Add(const v1::Plan& plan) { Add(plan, plan.SerializeAsString()); }

  // nullopt if unknown or forgotten.
  std::optional<v1::Plan> FindById(std::string_view id) const;
  // The newest about that subject (forge, repository, kind, number; an unspecified kind is an issue).
  std::optional<v1::Plan> FindBySubject(const v1::Subject& subject) const;

  size_t capacity() const { return slots_.size(); }

 private:
  struct Slot {
    mutable std::mutex mutex;
    uint64_t ticket = 0;  // 0: empty
    std::string id;
    v1::Subject subject;
    std::string plan;  // serialized
  };
  template <typename Predicate>
  std::optional<v1::Plan> FindNewest(Predicate matches) const;

  std::vector<Slot> slots_;
  std::atomic<uint64_t> next_ticket_{1};
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_DECISION_LOG_H_
