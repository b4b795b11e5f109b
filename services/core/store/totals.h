// What the store knows about itself without asking the database: kept up by the writer after each commit.
#ifndef YARDMASTER_SERVICES_CORE_STORE_TOTALS_H_
#define YARDMASTER_SERVICES_CORE_STORE_TOTALS_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "services/core/metrics.h"
#include "services/core/store/inbox.h"
#include "services/core/store/ledger.h"
#include "services/core/store/seen_deliveries.h"

namespace yardmaster::store {

// What one transaction changes. Collected while it runs, forgotten if it is rolled back.
struct Changes {
  int64_t inbox_pending = 0;
  int64_t effects_pending = 0;
  int64_t bodies_bytes = 0;
  bool claimable = false;          // a delivery can be claimed that could not before
  std::vector<SeenDelivery> seen;  // taken in
  int64_t oldest_delivery = 0;     // the first row that retention has left, where it took some
  // Entered states: (forge, state) and (kind, state).
  std::vector<std::pair<std::string, DeliveryState>> deliveries;
  std::vector<std::pair<std::string, EffectState>> effects;
  std::vector<std::string> duplicates;                   // by forge
  std::vector<std::pair<const char*, int64_t>> removed;  // by retention: what, how many
};

// Thread-safe to read; changed by the writer only.
class Totals {
 public:
  // `metrics` may be null.
  explicit Totals(Metrics* metrics);

  // What the database held when it was opened.
  void Start(int64_t inbox_pending, int64_t effects_pending, int64_t bodies_bytes);
  // `changes` have been committed together with `writes` writes.
  void Apply(const Changes& changes, int64_t writes);
  void SetQueue(int64_t deliveries);
  void SetFreeDisk(uint64_t bytes);

  int64_t inbox_pending() const { return inbox_pending_.load(); }
  int64_t effects_pending() const { return effects_pending_.load(); }
  int64_t bodies_bytes() const { return bodies_bytes_.load(); }
  uint64_t commits() const { return commits_.load(); }
  uint64_t writes() const { return writes_.load(); }

 private:
  void Publish();

  Metrics* const metrics_;
  std::atomic<int64_t> inbox_pending_{0};
  std::atomic<int64_t> effects_pending_{0};
  std::atomic<int64_t> bodies_bytes_{0};
  std::atomic<uint64_t> commits_{0};
  std::atomic<uint64_t> writes_{0};
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_TOTALS_H_
