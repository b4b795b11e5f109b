#include "services/core/decision_log.h"

#include <algorithm>
#include <utility>

namespace yardmaster {
namespace {

v1::SubjectKind KindOf(const v1::Subject& subject) {
  return subject.kind() == v1::SUBJECT_KIND_UNSPECIFIED ? v1::SUBJECT_KIND_ISSUE : subject.kind();
}

bool SameSubject(const v1::Subject& a, const v1::Subject& b) {
  return a.number() == b.number() && KindOf(a) == KindOf(b) && a.repository() == b.repository() &&
         a.forge() == b.forge();
}

}  // namespace

DecisionLog::DecisionLog(size_t capacity) : slots_(std::max<size_t>(capacity, 1)) {}

void DecisionLog::Add(std::shared_ptr<const v1::Plan> plan) {
  const uint64_t ticket = next_ticket_.fetch_add(1, std::memory_order_relaxed);
  Slot& slot = slots_[ticket % slots_.size()];
  {
    std::lock_guard<std::mutex> lock(slot.mutex);
    // A thread that was held up for a whole round must not bury a newer plan.
    if (slot.ticket < ticket) {
      slot.ticket = ticket;
      slot.plan.swap(plan);
    }
  }
  // The plan that fell out is destroyed here, outside of the lock.
}

template <typename Predicate>
std::shared_ptr<const v1::Plan> DecisionLog::FindNewest(Predicate matches) const {
  const uint64_t end = next_ticket_.load(std::memory_order_relaxed);
  const uint64_t oldest = end > slots_.size() ? end - slots_.size() : 1;
  for (uint64_t ticket = end; ticket-- > oldest;) {
    const Slot& slot = slots_[ticket % slots_.size()];
    std::shared_ptr<const v1::Plan> plan;
    {
      std::lock_guard<std::mutex> lock(slot.mutex);
      plan = slot.plan;
    }
    if (plan != nullptr && matches(*plan)) return plan;
  }
  return nullptr;
}

std::shared_ptr<const v1::Plan> DecisionLog::FindById(std::string_view id) const {
  return FindNewest([id](const v1::Plan& plan) { return plan.id() == id; });
}

std::shared_ptr<const v1::Plan> DecisionLog::FindBySubject(const v1::Subject& subject) const {
  return FindNewest([&subject](const v1::Plan& plan) { return SameSubject(plan.subject(), subject); });
}

}  // namespace yardmaster
