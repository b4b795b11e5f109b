#include "services/intake/plans/recent_heads.h"

#include "services/intake/effect.h"

namespace yardmaster {

void RecentHeads::Note(const v1::Subject& subject, std::string_view head, int64_t delivery) {
  const std::string key = SubjectKey(subject);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [told, fresh] = heads_.try_emplace(key);
  if (fresh) order_.push_back(key);
  // Deliveries may be worked on in another order than they came, and an event that changes something else names the
  // head, too.
  if (delivery >= told->second.delivery && told->second.head != head) {
    told->second = {std::string(head), delivery};
  }
  for (; order_.size() > kMaxRecentHeads; order_.pop_front()) heads_.erase(order_.front());
}

bool RecentHeads::MovedSince(const v1::Subject& subject, std::string_view head, int64_t delivery) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto told = heads_.find(SubjectKey(subject));
  if (told == heads_.end()) return false;
  return told->second.head != head || told->second.delivery > delivery;
}

}  // namespace yardmaster
