#include "services/core/store/maintenance.h"

#include <algorithm>
#include <string>
#include <vector>

#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

// Rows that one slice looks at. Bodies and words take more pages a row.
constexpr int64_t kRows = 256;
constexpr int64_t kBodyRows = 128;
constexpr int64_t kSubjectRows = 32;
// Pages that one slice gives back.
constexpr int64_t kGiveBack = 128;
// Compaction begins when an eighth of the file is unused, and not below 8 MiB; it stops at a quarter of that. What is
// left is used again by what comes in.
constexpr int64_t kMinUnused = 2048;
constexpr int64_t kUnusedShare = 8;
constexpr int64_t kStopShare = 4;

int64_t Micros(std::chrono::hours hours) { return std::chrono::microseconds(hours).count(); }

}  // namespace

class Maintenance::Slice final : public Write {
 public:
  explicit Slice(Maintenance& maintenance) : Write(WriteKind::kTransition), maintenance_(maintenance) {}

  absl::Status Apply(Transaction& transaction) override {
    next_ = maintenance_.Advance(transaction, maintenance_.position_);
    return absl::OkStatus();
  }
  void Done(const absl::Status& status) override {
    if (status.ok()) {
      maintenance_.position_ = next_;
      if (next_.phase != Phase::kEnd) return;
    }
    // A slice that fails ends the round; the next one begins anew.
    maintenance_.EndRound(status);
  }

 private:
  Maintenance& maintenance_;
  Position next_;
};

Maintenance::Maintenance(soci::session& sql, const Clock& clock, const Totals& totals, MaintenanceOptions options)
    : sql_(sql),
      clock_(clock),
      totals_(totals),
      options_(std::move(options)),
      words_(std::make_unique<TextIndexWriter>(sql)),
      next_round_(clock.Monotonic() + options_.interval) {}
Maintenance::~Maintenance() = default;

void Maintenance::Close() { words_.reset(); }

std::unique_ptr<Write> Maintenance::Next() {
  if (!running_) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (requested_ <= done_ && clock_.Monotonic() < next_round_) return nullptr;
    running_ = true;
    running_round_ = std::max(requested_, done_ + 1);
    requested_ = running_round_;
    position_ = Position();
  }
  return std::make_unique<Slice>(*this);
}

uint64_t Maintenance::Request() {
  std::lock_guard<std::mutex> lock(mutex_);
  // One that is under way has perhaps passed by what the caller means.
  requested_ = std::max(requested_, done_) + 1;
  return requested_;
}

std::optional<absl::Status> Maintenance::Wait(uint64_t round, std::chrono::milliseconds timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!ended_.wait_for(lock, timeout, [&] { return done_ >= round; })) return std::nullopt;
  return done_status_;
}

void Maintenance::EndRound(const absl::Status& status) {
  running_ = false;
  next_round_ = clock_.Monotonic() + options_.interval;
  if (!status.ok() && options_.logger != nullptr) {
    options_.logger->Warning("maintenance of the store was cut short", {{"error", std::string(status.message())}});
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    done_ = running_round_;
    done_status_ = status;
  }
  ended_.notify_all();
}

Maintenance::Position Maintenance::Advance(Transaction& transaction, Position position) {
  // In the order of Phase.
  static constexpr bool (Maintenance::*kPhases[])(Transaction&, Position&) = {
      &Maintenance::Bodies,   &Maintenance::Deliveries,    &Maintenance::Effects,    &Maintenance::Decisions,
      &Maintenance::Subjects, &Maintenance::RemovedLabels, &Maintenance::SeenHeads,  &Maintenance::Commands,
      &Maintenance::Reviews,  &Maintenance::ReviewImports, &Maintenance::ShadowRuns, &Maintenance::Jobs,
      &Maintenance::Compact};
  // A phase that has nothing left lets the next one begin at once, so that a round with nothing to do is one slice.
  while (position.phase != Phase::kEnd) {
    const size_t removed_before = transaction.changes.removed.size();
    const bool more = (this->*kPhases[static_cast<size_t>(position.phase)])(transaction, position);
    if (more) return position;
    position.phase = static_cast<Phase>(static_cast<int>(position.phase) + 1);
    position.after = 0;
    // This slice has done something: enough for now.
    if (transaction.changes.removed.size() > removed_before) return position;
  }
  return position;
}

void Maintenance::RemoveBodies(Transaction& transaction, const std::vector<int64_t>& deliveries) {
  if (deliveries.empty()) return;
  long long id = 0;
  long long stored = 0;
  soci::statement remove = (sql_.prepare << "delete from bodies where delivery = :id returning stored_bytes",
                            soci::use(id, "id"), soci::into(stored));
  for (int64_t delivery : deliveries) {
    id = delivery;
    if (RunOne(remove)) transaction.changes.bodies_bytes -= stored;
  }
}

void Maintenance::Remove(Transaction& transaction, const char* table, const std::vector<int64_t>& ids) {
  if (ids.empty()) return;
  long long id = 0;
  soci::statement remove = (sql_.prepare << "delete from " << table << " where id = :id", soci::use(id, "id"));
  for (int64_t gone : ids) {
    id = gone;
    RunOne(remove);
  }
  transaction.changes.removed.emplace_back(table, static_cast<int64_t>(ids.size()));
}

// This and RemoveAged walk from the oldest row and stop at the first that is young enough: rows are in the order of
// arrival. Rows that are still needed are passed by.
bool Maintenance::Bodies(Transaction& transaction, Position& position) {
  const int64_t cutoff = transaction.now - Micros(options_.retention.bodies);
  int64_t over =
      totals_.bodies_bytes() + transaction.changes.bodies_bytes - static_cast<int64_t>(options_.retention.bodies_bytes);
  std::vector<int64_t> gone;
  bool ended = false;
  int64_t rows = 0;
  {
    long long id = 0;
    long long kept_at = 0;
    long long stored = 0;
    std::string state;
    Select query(sql_);
    query.Add(
        "select b.delivery, b.kept_at, b.stored_bytes, coalesce(d.state, '') from bodies b left join deliveries d on "
        "d.id = b.delivery where b.delivery > :after order by b.delivery limit :limit");
    query.Bind("after", position.after).Bind("limit", kBodyRows);
    query.Into(id).Into(kept_at).Into(stored).Into(state);
    while (query.Next()) {
      ++rows;
      if (ended) continue;
      if (kept_at >= cutoff && over <= 0) {
        ended = true;
        continue;
      }
      position.after = id;
      // A dead letter can be requeued as long as its row is kept.
      if (state == "received" || state == "failed" || state == "dead") continue;
      gone.push_back(id);
      over -= stored;
    }
  }
  RemoveBodies(transaction, gone);
  if (!gone.empty()) transaction.changes.removed.emplace_back("bodies", static_cast<int64_t>(gone.size()));
  return !ended && rows == kBodyRows;
}

bool Maintenance::RemoveAged(Transaction& transaction, Position& position, const Aging& aging) {
  std::vector<int64_t> gone;
  bool ended = false;
  int64_t rows = 0;
  {
    long long id = 0;
    long long old = 0;
    long long done = 0;
    Select query(sql_);
    query.Add(aging.rows).Add(" where id > :after order by id limit :limit").Bind("after", position.after);
    query.Bind("cutoff", transaction.now - Micros(aging.kept)).Bind("limit", kRows).Into(id).Into(old).Into(done);
    while (query.Next()) {
      ++rows;
      ended = ended || old == 0;
      if (ended) continue;
      position.after = id;
      if (done != 0) gone.push_back(id);
    }
  }
  if (aging.with_bodies) RemoveBodies(transaction, gone);
  Remove(transaction, aging.table, gone);
  return !ended && rows == kRows;
}

bool Maintenance::Deliveries(Transaction& transaction, Position& position) {
  const size_t removed_before = transaction.changes.removed.size();
  const bool more = RemoveAged(transaction, position,
                               {"deliveries", "select id, received_at < :cutoff, state <> 'received' from deliveries",
                                options_.retention.digests, true});
  if (transaction.changes.removed.size() > removed_before) {
    transaction.changes.oldest_delivery = CountOf(sql_, "select coalesce(min(id), 0) from deliveries");
  }
  return more;
}

bool Maintenance::Effects(Transaction& transaction, Position& position) {
  return RemoveAged(
      transaction, position,
      {"effects", "select id, created_at < :cutoff, settled_at <> 0 and settled_at < :cutoff from effects",
       options_.retention.ledger});
}

bool Maintenance::Decisions(Transaction& transaction, Position& position) {
  return RemoveAged(transaction, position,
                    {"decisions", "select id, created_at < :cutoff, 1 from decisions", options_.retention.decisions});
}

std::vector<int64_t> Maintenance::Outdated(Transaction& transaction, std::string_view rows, int64_t limit) {
  std::vector<int64_t> ids;
  long long id = 0;
  Select query(sql_);
  query.Add(rows).Add(" limit :limit").Bind("limit", limit);
  query.Bind("cutoff", transaction.now - Micros(options_.retention.decisions)).Into(id);
  while (query.Next()) ids.push_back(id);
  return ids;
}

bool Maintenance::Subjects(Transaction& transaction, Position&) {
  const std::vector<int64_t> gone =
      Outdated(transaction, "select id from subjects where seen_at < :cutoff order by seen_at", kSubjectRows);
  for (int64_t id : gone) words_->Remove(id);
  Remove(transaction, "subjects", gone);
  return static_cast<int64_t>(gone.size()) == kSubjectRows;
}

bool Maintenance::RemovedLabels(Transaction& transaction, Position&) {
  const std::vector<int64_t> gone =
      Outdated(transaction, "select id from removed_labels where removed_at < :cutoff order by removed_at", kRows);
  Remove(transaction, "removed_labels", gone);
  return static_cast<int64_t>(gone.size()) == kRows;
}

bool Maintenance::SeenHeads(Transaction& transaction, Position&) {
  const std::vector<int64_t> gone =
      Outdated(transaction, "select id from seen_heads where seen_at < :cutoff order by seen_at", kRows);
  Remove(transaction, "seen_heads", gone);
  return static_cast<int64_t>(gone.size()) == kRows;
}

bool Maintenance::Commands(Transaction& transaction, Position&) {
  const std::vector<int64_t> gone = Outdated(
      transaction, "select id from commands where seen_at < :cutoff and settled_at > 0 order by seen_at", kRows);
  Remove(transaction, "commands", gone);
  return static_cast<int64_t>(gone.size()) == kRows;
}

bool Maintenance::Reviews(Transaction& transaction, Position& position) {
  return RemoveAged(transaction, position,
                    {"reviews", "select id, created_at < :cutoff, 1 from reviews", options_.retention.decisions});
}

bool Maintenance::ReviewImports(Transaction& transaction, Position& position) {
  return RemoveAged(
      transaction, position,
      {"review_imports", "select id, created_at < :cutoff, 1 from review_imports", options_.retention.decisions});
}

bool Maintenance::ShadowRuns(Transaction& transaction, Position& position) {
  return RemoveAged(
      transaction, position,
      {"shadow_runs", "select id, created_at < :cutoff, 1 from shadow_runs", options_.retention.decisions});
}

bool Maintenance::Jobs(Transaction& transaction, Position&) {
  std::vector<int64_t> gone;
  std::vector<std::string> names;
  {
    long long id = 0;
    std::string name;
    Select query(sql_);
    query.Add("select id, job from jobs where ended = 1 and ended_at < :cutoff order by ended_at limit :limit");
    query.Bind("cutoff", transaction.now - Micros(options_.retention.jobs)).Bind("limit", kRows).Into(id).Into(name);
    while (query.Next()) {
      gone.push_back(id);
      names.push_back(name);
    }
  }
  std::string job;
  soci::statement remove = (sql_.prepare << "delete from leases where job = :job", soci::use(job, "job"));
  for (const std::string& name : names) {
    job = name;
    RunOne(remove);
  }
  Remove(transaction, "jobs", gone);
  return static_cast<int64_t>(gone.size()) == kRows;
}

bool Maintenance::Compact(Transaction& transaction, Position& position) {
  const FileSpace space = SpaceOf(sql_);
  const int64_t begin = std::max(kMinUnused, space.pages / kUnusedShare);
  if (!position.compacting) {
    const bool low = options_.disk_is_low != nullptr && options_.disk_is_low();
    if (space.unused == 0 || (space.unused < begin && !low)) return false;
    position.compacting = true;
  }
  GiveBack(sql_, kGiveBack);
  const int64_t left = space.unused - kGiveBack;
  const bool low = options_.disk_is_low != nullptr && options_.disk_is_low();
  position.compacting = left > (low ? 0 : begin / kStopShare);
  transaction.changes.removed.emplace_back("pages", std::min(space.unused, kGiveBack));
  return position.compacting;
}

}  // namespace yardmaster::store
