#include "services/triage/decision_log.h"

#include <algorithm>

namespace yardmaster {
namespace {

// A slot gives memory back that one large plan made it take.
constexpr size_t kKeepBytes = 32 * 1024;

v1::SubjectKind KindOf(const v1::Subject& subject) {
  return subject.kind() == v1::SUBJECT_KIND_UNSPECIFIED ? v1::SUBJECT_KIND_ISSUE : subject.kind();
}

bool SameSubject(const v1::Subject& a, const v1::Subject& b) {
  return a.number() == b.number() && KindOf(a) == KindOf(b) && a.repository() == b.repository() &&
         a.forge() == b.forge();
}

}  // namespace

DecisionLog::DecisionLog(size_t capacity) : slots_(std::max<size_t>(capacity, 1)) {}

void DecisionLog::Add(const v1::Plan& plan, std::string_view serialized) {
  const uint64_t ticket = next_ticket_.fetch_add(1, std::memory_order_relaxed);
  Slot& slot = slots_[ticket % slots_.size()];
  std::lock_guard<std::mutex> lock(slot.mutex);
  // A thread that was held up for a whole round must not bury a newer plan.
  if (slot.ticket >= ticket) return;
  slot.ticket = ticket;
  slot.id = plan.id();
  slot.subject = plan.subject();
  if (slot.plan.capacity() > kKeepBytes && serialized.size() <= kKeepBytes) {
    slot.plan = std::string(serialized);
  } else {
    slot.plan.assign(serialized);
  }
}

template <typename Predicate>
std::optional<v1::Plan> DecisionLog::FindNewest(Predicate matches) const {
  const uint64_t end = next_ticket_.load(std::memory_order_relaxed);
  const uint64_t oldest = end > slots_.size() ? end - slots_.size() : 1;
  for (uint64_t ticket = end; ticket-- > oldest;) {
    const Slot& slot = slots_[ticket % slots_.size()];
    std::string serialized;
    {
      std::lock_guard<std::mutex> lock(slot.mutex);
      if (slot.ticket == 0 || !matches(slot)) continue;
      serialized = slot.plan;
    }
    v1::Plan plan;
    if (plan.ParseFromString(serialized)) return plan;
  }
  return std::nullopt;
}

std::optional<v1::Plan> DecisionLog::FindById(std::string_view id) const {
  return FindNewest([id](const Slot& slot) { return slot.id == id; });
}

std::optional<v1::Plan> DecisionLog::FindBySubject(const v1::Subject& subject) const {
  return FindNewest([&subject](const Slot& slot) { return SameSubject(slot.subject, subject); });
}

}  // namespace yardmaster
