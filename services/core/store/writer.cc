#include "services/core/store/writer.h"

#include <exception>
#include <numeric>
#include <string>

#include "services/core/errors.h"
#include "services/core/store/dialect.h"
#include "services/core/store/failure.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

// Writes of one transaction: more would make those at its head wait for the work of those at its end.
constexpr size_t kMaxGroup = 512;
// When nothing happens, so often the disk is looked at and upkeep is asked for.
constexpr std::chrono::seconds kIdle{1};
// Under load, upkeep gets a slice in each so many-th group.
constexpr int kGroupsBetweenSlices = 8;
// So many deliveries in a group are a stream of them.
constexpr int kManyDeliveries = 3;

}  // namespace

Writer::Writer(soci::session& sql, const Clock& clock, WriterOptions options)
    : sql_(sql), clock_(clock), options_(std::move(options)) {}

void Writer::Start() {
  CheckDisk(false);
  if (!options_.single_threaded) thread_ = std::thread([this] { Loop(); });
}

Writer::~Writer() { Stop(); }

bool Writer::OnWriterThread() const { return writer_thread_.load() == std::this_thread::get_id(); }

absl::Status Writer::RefusalOnWriterThread() { return errors::WriteFromCallback(); }

absl::Status Writer::Ready() const {
  if (closed_) return errors::StoreClosed();
  if (broken_) {
    std::lock_guard<std::mutex> lock(reason_mutex_);
    return broken_because_;
  }
  if (disk_low_) return errors::StoreDiskLow(free_disk_, options_.disk_floor_bytes);
  if (disk_full_) return errors::StoreDiskFull();
  return absl::OkStatus();
}

absl::Status Writer::Admit(const Write& write) {
  absl::Status ready = Ready();
  const bool room_is_short = !closed_ && !broken_;
  if (!ready.ok() && (write.kind() != WriteKind::kTransition || !room_is_short)) return ready;
  if (write.kind() != WriteKind::kDelivery) return absl::OkStatus();

  const size_t deliveries = queued_deliveries_;
  const size_t bytes = queued_bytes_;
  // One delivery is let in whatever its size.
  if (deliveries >= options_.queue_deliveries || (bytes > 0 && bytes + write.bytes() > options_.queue_bytes)) {
    return errors::StoreQueueFull(deliveries, bytes);
  }
  queued_deliveries_ += 1;
  queued_bytes_ += write.bytes();
  return absl::OkStatus();
}

void Writer::Submit(std::unique_ptr<Write> write) {
  absl::Status refusal;
  if (options_.single_threaded) {
    // Here the caller does it all. Others are told after the lock is given back: they may write in turn.
    CheckDisk(true);
    refusal = Admit(*write);
    if (refusal.ok()) {
      Group group;
      group.push_back(std::move(write));
      CommitAndTell(group);
      return;
    }
  } else {
    std::lock_guard<std::mutex> lock(mutex_);
    refusal = stopping_ ? errors::StoreClosed() : Admit(*write);
    if (refusal.ok()) {
      if (write->awaited()) ++awaited_;
      const bool tell = queue_.empty() || write->awaited();
      queue_.push_back(std::move(write));
      if (tell) changed_.notify_one();
      return;
    }
  }
  write->Done(refusal);
}

void Writer::Wake() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
}

void Writer::Stop() {
  std::lock_guard<std::mutex> stop(stop_mutex_);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  closed_ = true;
}

void Writer::Loop() {
  writer_thread_ = std::this_thread::get_id();
  int groups_since_slice = 0;
  bool slice_made = false;
  constexpr std::chrono::steady_clock::time_point kNow{};
  std::chrono::steady_clock::time_point not_before = kNow;  // of the next group
  while (true) {
    // What arrived since the last commit is the next group.
    Group group;
    bool idle = false;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (!slice_made) {
        changed_.wait_for(lock, kIdle, [this] { return !queue_.empty() || stopping_ || woken_; });
      }
      if (not_before != kNow) {
        changed_.wait_until(lock, not_before,
                            [this] { return awaited_ > 0 || queue_.size() >= kMaxGroup || stopping_; });
      }
      woken_ = false;
      if (queue_.empty() && stopping_) return;
      idle = queue_.empty();
      int deliveries = 0;
      while (!queue_.empty() && group.size() < kMaxGroup) {
        if (queue_.front()->kind() == WriteKind::kDelivery) ++deliveries;
        if (queue_.front()->awaited()) --awaited_;
        group.push_back(std::move(queue_.front()));
        queue_.pop_front();
      }
      not_before =
          deliveries >= kManyDeliveries ? std::chrono::steady_clock::now() + options_.between_groups_of_many : kNow;
    }
    CheckDisk(idle && !slice_made);

    // Upkeep, when nothing waits or it has waited for long.
    slice_made = false;
    if ((idle || ++groups_since_slice >= kGroupsBetweenSlices) && options_.next_slice != nullptr && !broken_) {
      groups_since_slice = 0;
      if (std::unique_ptr<Write> slice = options_.next_slice(); slice != nullptr) {
        group.push_back(std::move(slice));
        slice_made = true;
      }
    }
    if (!group.empty()) CommitAndTell(group);
  }
}

void Writer::CheckDisk(bool idle) {
  // A disk that was full is tried again by the next write, after a while.
  if (disk_full_ && (idle || clock_.Monotonic().time_since_epoch() - full_since_.load() >= kIdle)) disk_full_ = false;
  const std::optional<uint64_t> free = options_.free_disk != nullptr ? options_.free_disk() : std::nullopt;
  if (!free.has_value()) return;
  free_disk_ = *free;
  const bool low = *free < options_.disk_floor_bytes;
  if (low == disk_low_.exchange(low) || options_.logger == nullptr) return;
  if (low) {
    options_.logger->Error("disk below its floor: nothing new is taken in",
                           {{"free_bytes", *free}, {"floor_bytes", options_.disk_floor_bytes}});
  } else {
    options_.logger->Info("disk above its floor again", {{"free_bytes", *free}});
  }
}

void Writer::CommitAndTell(Group& group) {
  std::vector<absl::Status> statuses(group.size());
  {
    std::lock_guard<std::mutex> lock(commit_mutex_);
    std::vector<size_t> all(group.size());
    std::iota(all.begin(), all.end(), size_t{0});
    CommitTogether(group, all, statuses);
    // Statements that look at the log or copy it may fail as any other.
    if (options_.between_groups != nullptr && !broken_) {
      try {
        options_.between_groups();
      } catch (const std::exception& error) {
        const Failure failure = FailureOf(error);
        if (failure.kind == FailureKind::kBroken) Break(failure.status);
      }
    }
  }
  for (size_t i = 0; i < group.size(); ++i) {
    if (group[i]->kind() == WriteKind::kDelivery) {
      queued_deliveries_ -= 1;
      queued_bytes_ -= group[i]->bytes();
    }
    group[i]->Done(statuses[i]);
    group[i].reset();
  }
  if (options_.told != nullptr) options_.told();
}

void Writer::CommitTogether(Group& group, const std::vector<size_t>& indexes, std::vector<absl::Status>& statuses) {
  if (indexes.empty()) return;
  const auto all_become = [&](const std::vector<size_t>& which, const absl::Status& status) {
    for (size_t i : which) statuses[i] = status;
  };
  if (broken_) return all_become(indexes, Ready());

  // The good case.
  Changes changes;
  size_t at = 0;
  Failure failure;
  try {
    sql_.begin();
    Transaction transaction{sql_, ToMicros(clock_.Now()), changes};
    for (; at < indexes.size(); ++at) statuses[indexes[at]] = group[indexes[at]]->Apply(transaction);
    if (options_.before_commit != nullptr) options_.before_commit(transaction);
    sql_.commit();
    if (options_.committed != nullptr) options_.committed(changes, static_cast<int64_t>(indexes.size()));
    return;
  } catch (const std::exception& error) {
    failure = FailureOf(error);
  }
  RollBack();
  if (options_.logger != nullptr) {
    options_.logger->Error("a transaction of the store failed",
                           {{"writes", indexes.size()}, {"error", std::string(failure.status.message())}});
  }

  switch (failure.kind) {
    case FailureKind::kBroken:
      Break(failure.status);
      return all_become(indexes, failure.status);
    case FailureKind::kFull: {
      // What was begun can perhaps still be noted: it needs little room.
      full_since_ = clock_.Monotonic().time_since_epoch();
      disk_full_ = true;
      std::vector<size_t> small;
      for (size_t i : indexes) {
        if (group[i]->kind() == WriteKind::kTransition) small.push_back(i);
      }
      all_become(indexes, failure.status);
      if (small.size() < indexes.size()) CommitTogether(group, small, statuses);
      return;
    }
    case FailureKind::kBusy:
      return all_become(indexes, failure.status);
    case FailureKind::kOther:
      break;
  }
  // One of them is at fault: the others must not suffer for it.
  if (indexes.size() == 1 || at == indexes.size()) return all_become(indexes, failure.status);
  CommitTogether(group, {indexes.begin(), indexes.begin() + at}, statuses);
  CommitTogether(group, {indexes[at]}, statuses);
  CommitTogether(group, {indexes.begin() + at + 1, indexes.end()}, statuses);
}

void Writer::RollBack() {
  try {
    if (InTransaction(sql_)) sql_.rollback();
  } catch (const std::exception& error) {
    Break(FailureOf(error).status);
  }
}

void Writer::Break(const absl::Status& status) {
  {
    std::lock_guard<std::mutex> lock(reason_mutex_);
    if (broken_) return;
    broken_because_ = status;
  }
  broken_ = true;
  if (options_.logger != nullptr) {
    options_.logger->Error("the store has failed and takes nothing in", {{"error", std::string(status.message())}});
  }
}

}  // namespace yardmaster::store
