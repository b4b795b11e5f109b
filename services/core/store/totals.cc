#include "services/core/store/totals.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>

namespace yardmaster::store {

Totals::Totals(Metrics* metrics) : metrics_(metrics) {}

void Totals::Start(int64_t inbox_pending, int64_t effects_pending, int64_t bodies_bytes) {
  inbox_pending_ = inbox_pending;
  effects_pending_ = effects_pending;
  bodies_bytes_ = bodies_bytes;
  Publish();
}

void Totals::Apply(const Changes& changes, int64_t writes) {
  inbox_pending_ += changes.inbox_pending;
  effects_pending_ += changes.effects_pending;
  bodies_bytes_ += changes.bodies_bytes;
  commits_ += 1;
  writes_ += static_cast<uint64_t>(writes);
  if (metrics_ == nullptr) return;

  // Counters. A group has a few distinct label sets at most, so they are added up first.
  std::vector<std::pair<std::pair<std::string, DeliveryState>, int>> deliveries;
  for (const auto& entered : changes.deliveries) {
    bool found = false;
    for (auto& [key, count] : deliveries) {
      if (key == entered) found = true, ++count;
    }
    if (!found) deliveries.emplace_back(entered, 1);
  }
  for (const auto& [key, count] : deliveries) {
    metrics_
        ->Counter("yardmaster_deliveries_total", "Deliveries that entered a state.",
                  {{"forge", key.first}, {"state", std::string(DeliveryStateName(key.second))}})
        ->Increment(count);
  }
  for (const auto& [kind, state] : changes.effects) {
    metrics_
        ->Counter("yardmaster_effects_total", "Effects that entered a state.",
                  {{"kind", kind}, {"state", std::string(EffectStateName(state))}})
        ->Increment();
  }
  for (const std::string& forge : changes.duplicates) {
    metrics_
        ->Counter("yardmaster_deliveries_duplicate_total", "Deliveries whose id had been stored before.",
                  {{"forge", forge}})
        ->Increment();
  }
  for (const auto& [what, count] : changes.removed) {
    metrics_->Counter("yardmaster_store_removed_total", "Rows that retention removed.", {{"what", what}})
        ->Increment(static_cast<double>(count));
  }
  metrics_->Counter("yardmaster_store_commits_total", "Transactions of the store.")->Increment();
  metrics_->Counter("yardmaster_store_writes_total", "Writes in those transactions.")
      ->Increment(static_cast<double>(writes));
  Publish();
}

void Totals::SetQueue(int64_t deliveries) {
  if (metrics_ == nullptr) return;
  metrics_->Gauge("yardmaster_store_queue", "Deliveries that wait for their commit.")
      ->Set(static_cast<double>(deliveries));
}

void Totals::SetFreeDisk(uint64_t bytes) {
  if (metrics_ == nullptr) return;
  metrics_->Gauge("yardmaster_store_free_disk_bytes", "Free space of the disk that holds the data directory.")
      ->Set(static_cast<double>(bytes));
}

void Totals::Publish() {
  if (metrics_ == nullptr) return;
  metrics_->Gauge("yardmaster_inbox_pending", "Deliveries that wait, are worked on or will be retried.")
      ->Set(static_cast<double>(inbox_pending_.load()));
  metrics_->Gauge("yardmaster_effects_pending", "Effects in the states intent and unknown.")
      ->Set(static_cast<double>(effects_pending_.load()));
  metrics_->Gauge("yardmaster_store_bodies_bytes", "Bodies of deliveries as stored, compressed.")
      ->Set(static_cast<double>(bodies_bytes_.load()));
}

}  // namespace yardmaster::store
