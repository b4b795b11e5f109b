#include "services/core/store/upkeep.h"

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

class Upkeep::Slice final : public Write {
 public:
  explicit Slice(Upkeep& upkeep) : Write(WriteKind::kTransition), upkeep_(upkeep) {}

  absl::Status Apply(Transaction& transaction) override {
    next_ = upkeep_.Advance(transaction, upkeep_.position_);
    return absl::OkStatus();
  }
  void Done(const absl::Status& status) override {
    if (status.ok()) {
      upkeep_.position_ = next_;
      if (next_.phase != Phase::kEnd) return;
    }
    // A slice that fails ends the round; the next one begins anew.
    upkeep_.EndRound(status);
  }

 private:
  Upkeep& upkeep_;
  Position next_;
};

Upkeep::Upkeep(soci::session& sql, const Clock& clock, const Totals& totals, UpkeepOptions options)
    : sql_(sql),
      clock_(clock),
      totals_(totals),
      options_(std::move(options)),
      words_(std::make_unique<TextIndexWriter>(sql)),
      next_round_(clock.Monotonic() + options_.interval) {}
Upkeep::~Upkeep() = default;

void Upkeep::Close() { words_.reset(); }

std::unique_ptr<Write> Upkeep::Next() {
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

uint64_t Upkeep::Request() {
  std::lock_guard<std::mutex> lock(mutex_);
  // One that is under way has perhaps passed by what the caller means.
  requested_ = std::max(requested_, done_) + 1;
  return requested_;
}

std::optional<absl::Status> Upkeep::Wait(uint64_t round, std::chrono::milliseconds timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!ended_.wait_for(lock, timeout, [&] { return done_ >= round; })) return std::nullopt;
  return done_status_;
}

void Upkeep::EndRound(const absl::Status& status) {
  running_ = false;
  next_round_ = clock_.Monotonic() + options_.interval;
  if (!status.ok() && options_.logger != nullptr) {
    options_.logger->Warning("upkeep of the store was cut short", {{"error", std::string(status.message())}});
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    done_ = running_round_;
    done_status_ = status;
  }
  ended_.notify_all();
}

Upkeep::Position Upkeep::Advance(Transaction& transaction, Position position) {
  // A phase that has nothing left lets the next one begin at once, so that a round with nothing to do is one slice.
  while (position.phase != Phase::kEnd) {
    const size_t removed_before = transaction.changes.removed.size();
    bool more = false;
    switch (position.phase) {
      case Phase::kBodies:
        more = Bodies(transaction, position);
        break;
      case Phase::kDeliveries:
        more = Deliveries(transaction, position);
        break;
      case Phase::kEffects:
        more = Effects(transaction, position);
        break;
      case Phase::kDecisions:
        more = Decisions(transaction, position);
        break;
      case Phase::kSubjects:
        more = Subjects(transaction);
        break;
      case Phase::kRemovedLabels:
        more = RemovedLabels(transaction);
        break;
      case Phase::kCommands:
        more = Commands(transaction);
        break;
      case Phase::kCompaction:
        more = Compact(transaction, position);
        break;
      case Phase::kEnd:
        break;
    }
    if (more) return position;
    position.phase = static_cast<Phase>(static_cast<int>(position.phase) + 1);
    position.after = 0;
    // This slice has done something: enough for now.
    if (transaction.changes.removed.size() > removed_before) return position;
  }
  return position;
}

void Upkeep::RemoveBodies(Transaction& transaction, const std::vector<int64_t>& deliveries) {
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

void Upkeep::Remove(Transaction& transaction, const char* what, const char* statement,
                    const std::vector<int64_t>& ids) {
  if (ids.empty()) return;
  long long id = 0;
  soci::statement remove = (sql_.prepare << statement, soci::use(id, "id"));
  for (int64_t gone : ids) {
    id = gone;
    RunOne(remove);
  }
  transaction.changes.removed.emplace_back(what, static_cast<int64_t>(ids.size()));
}

// Each of the next three walks from the oldest row and stops at the first that is young enough: rows are in the order
// of arrival. Rows that are still needed are passed by.
bool Upkeep::Bodies(Transaction& transaction, Position& position) {
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

bool Upkeep::Deliveries(Transaction& transaction, Position& position) {
  const int64_t cutoff = transaction.now - Micros(options_.retention.digests);
  std::vector<int64_t> gone;
  bool ended = false;
  int64_t rows = 0;
  {
    long long id = 0;
    long long received_at = 0;
    std::string state;
    Select query(sql_);
    query.Add("select id, received_at, state from deliveries where id > :after order by id limit :limit");
    query.Bind("after", position.after).Bind("limit", kRows).Into(id).Into(received_at).Into(state);
    while (query.Next()) {
      ++rows;
      ended = ended || received_at >= cutoff;
      if (ended) continue;
      position.after = id;
      if (state != "received") gone.push_back(id);
    }
  }
  RemoveBodies(transaction, gone);
  Remove(transaction, "deliveries", "delete from deliveries where id = :id", gone);
  if (!gone.empty()) {
    long long oldest = 0;
    Select query(sql_);
    query.Add("select coalesce(min(id), 0) from deliveries").Into(oldest);
    while (query.Next()) {
    }
    transaction.changes.oldest_delivery = oldest;
  }
  return !ended && rows == kRows;
}

bool Upkeep::Effects(Transaction& transaction, Position& position) {
  const int64_t cutoff = transaction.now - Micros(options_.retention.ledger);
  std::vector<int64_t> gone;
  bool ended = false;
  int64_t rows = 0;
  {
    long long id = 0;
    long long created_at = 0;
    long long settled_at = 0;
    Select query(sql_);
    query.Add("select id, created_at, settled_at from effects where id > :after order by id limit :limit");
    query.Bind("after", position.after).Bind("limit", kRows).Into(id).Into(created_at).Into(settled_at);
    while (query.Next()) {
      ++rows;
      ended = ended || created_at >= cutoff;
      if (ended) continue;
      position.after = id;
      if (settled_at != 0 && settled_at < cutoff) gone.push_back(id);
    }
  }
  Remove(transaction, "effects", "delete from effects where id = :id", gone);
  return !ended && rows == kRows;
}

bool Upkeep::Decisions(Transaction& transaction, Position& position) {
  const int64_t cutoff = transaction.now - Micros(options_.retention.decisions);
  std::vector<int64_t> gone;
  bool ended = false;
  int64_t rows = 0;
  {
    long long id = 0;
    long long created_at = 0;
    Select query(sql_);
    query.Add("select id, created_at from decisions where id > :after order by id limit :limit");
    query.Bind("after", position.after).Bind("limit", kRows).Into(id).Into(created_at);
    while (query.Next()) {
      ++rows;
      ended = ended || created_at >= cutoff;
      if (ended) continue;
      position.after = id;
      gone.push_back(id);
    }
  }
  Remove(transaction, "decisions", "delete from decisions where id = :id", gone);
  return !ended && rows == kRows;
}

bool Upkeep::Subjects(Transaction& transaction) {
  std::vector<int64_t> gone;
  {
    long long id = 0;
    Select query(sql_);
    query.Add("select id from subjects where seen_at < :cutoff order by seen_at limit :limit");
    query.Bind("cutoff", transaction.now - Micros(options_.retention.decisions)).Bind("limit", kSubjectRows).Into(id);
    while (query.Next()) gone.push_back(id);
  }
  for (int64_t id : gone) words_->Remove(id);
  Remove(transaction, "subjects", "delete from subjects where id = :id", gone);
  return static_cast<int64_t>(gone.size()) == kSubjectRows;
}

bool Upkeep::RemovedLabels(Transaction& transaction) {
  std::vector<int64_t> gone;
  {
    long long id = 0;
    Select query(sql_);
    query.Add("select id from removed_labels where removed_at < :cutoff order by removed_at limit :limit");
    query.Bind("cutoff", transaction.now - Micros(options_.retention.decisions)).Bind("limit", kRows).Into(id);
    while (query.Next()) gone.push_back(id);
  }
  Remove(transaction, "removed_labels", "delete from removed_labels where id = :id", gone);
  return static_cast<int64_t>(gone.size()) == kRows;
}

bool Upkeep::Commands(Transaction& transaction) {
  std::vector<int64_t> gone;
  {
    long long id = 0;
    Select query(sql_);
    query.Add("select id from commands where seen_at < :cutoff and settled_at > 0 order by seen_at limit :limit");
    query.Bind("cutoff", transaction.now - Micros(options_.retention.decisions)).Bind("limit", kRows).Into(id);
    while (query.Next()) gone.push_back(id);
  }
  Remove(transaction, "commands", "delete from commands where id = :id", gone);
  return static_cast<int64_t>(gone.size()) == kRows;
}

bool Upkeep::Compact(Transaction& transaction, Position& position) {
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
