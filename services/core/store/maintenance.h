// What keeps the database from growing: retention, then compaction. In slices, each a transaction of a few milliseconds
// between those of others, so that nothing ever waits for it.
#ifndef YARDMASTER_SERVICES_CORE_STORE_MAINTENANCE_H_
#define YARDMASTER_SERVICES_CORE_STORE_MAINTENANCE_H_

#include <soci/soci.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "services/core/clock.h"
#include "services/core/logging.h"
#include "services/core/store/dialect.h"
#include "services/core/store/retention.h"
#include "services/core/store/totals.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

struct MaintenanceOptions {
  RetentionConfig retention;
  std::chrono::milliseconds interval{60'000};
  // True while the disk is low: then every unused page is given back, not only when there are many.
  std::function<bool()> disk_is_low;
  Logger* logger = nullptr;
};

// Next and what it returns belong to the writer's thread; the rest is thread-safe.
class Maintenance {
 public:
  // `totals` and `clock` must outlive this object. Throws, see sql.h.
  Maintenance(soci::session& sql, const Clock& clock, const Totals& totals, MaintenanceOptions options);
  ~Maintenance();

  // The next slice: of the round under way, or the first of a new one if it is time or somebody asked; else null.
  std::unique_ptr<Write> Next();

  // Asks for a whole round, and returns its number for Wait.
  uint64_t Request();
  // Waits up to `timeout` for the end of that round; nullopt if it did not end by then.
  std::optional<absl::Status> Wait(uint64_t round, std::chrono::milliseconds timeout);

  // Gives up what is prepared. After the writer has stopped.
  void Close();

 private:
  // In this order.
  enum class Phase {
    kBodies,
    kDeliveries,
    kEffects,
    kDecisions,
    kSubjects,
    kRemovedLabels,
    kSeenHeads,
    kCommands,
    kReviews,
    kReviewImports,
    kShadowRuns,
    kJobs,
    kCompaction,
    kEnd
  };
  // Where a round has got to.
  struct Position {
    Phase phase = Phase::kBodies;
    int64_t after = 0;        // the last row id that was looked at in this phase
    bool compacting = false;  // until little is unused
  };
  // A table whose rows go when they are old enough and done with.
  struct Aging {
    const char* table;
    // A select of id, whether the row is older than :cutoff, and whether it is done with.
    std::string_view rows;
    std::chrono::hours kept;
    bool with_bodies = false;
  };
  class Slice;

  // Does one piece of work at `position` and returns the next position. Runs in a transaction that may yet fail.
  Position Advance(Transaction& transaction, Position position);
  bool Bodies(Transaction& transaction, Position& position);
  bool Deliveries(Transaction& transaction, Position& position);
  bool Effects(Transaction& transaction, Position& position);
  bool Decisions(Transaction& transaction, Position& position);
  bool Subjects(Transaction& transaction, Position& position);
  bool RemovedLabels(Transaction& transaction, Position& position);
  bool SeenHeads(Transaction& transaction, Position& position);
  bool Commands(Transaction& transaction, Position& position);
  bool Reviews(Transaction& transaction, Position& position);
  bool ReviewImports(Transaction& transaction, Position& position);
  bool ShadowRuns(Transaction& transaction, Position& position);
  bool Jobs(Transaction& transaction, Position& position);
  bool Compact(Transaction& transaction, Position& position);
  void RemoveBodies(Transaction& transaction, const std::vector<int64_t>& deliveries);
  bool RemoveAged(Transaction& transaction, Position& position, const Aging& aging);
  // The ids that a select of them gives with ":cutoff", where decisions are no longer kept.
  std::vector<int64_t> Outdated(Transaction& transaction, std::string_view rows, int64_t limit);
  // Deletes these rows, and counts them as removed.
  void Remove(Transaction& transaction, const char* table, const std::vector<int64_t>& ids);
  void EndRound(const absl::Status& status);

  soci::session& sql_;
  const Clock& clock_;
  const Totals& totals_;
  const MaintenanceOptions options_;
  std::unique_ptr<TextIndexWriter> words_;

  // The round under way.
  bool running_ = false;
  Position position_;
  uint64_t running_round_ = 0;
  std::chrono::steady_clock::time_point next_round_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable ended_;
  uint64_t requested_ = 0;
  uint64_t done_ = 0;
  absl::Status done_status_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_MAINTENANCE_H_
