#include "services/core/store/store.h"

#include <soci/soci.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/core/store/checkpointer.h"
#include "services/core/store/dialect.h"
#include "services/core/store/failure.h"
#include "services/core/store/maintenance.h"
#include "services/core/store/reader_pool.h"
#include "services/core/store/schema.h"
#include "services/core/store/seen_deliveries.h"
#include "services/core/store/sql.h"
#include "services/core/store/sql_chat_links.h"
#include "services/core/store/sql_chat_threads.h"
#include "services/core/store/sql_commands.h"
#include "services/core/store/sql_decisions.h"
#include "services/core/store/sql_inbox.h"
#include "services/core/store/sql_jobs.h"
#include "services/core/store/sql_ledger.h"
#include "services/core/store/sql_operators.h"
#include "services/core/store/sql_reviews.h"
#include "services/core/store/sql_schedule_runs.h"
#include "services/core/store/sql_schedules.h"
#include "services/core/store/sql_shadows.h"
#include "services/core/store/sql_subjects.h"
#include "services/core/store/sql_subscriptions.h"
#include "services/core/store/totals.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {
namespace {

constexpr std::string_view kFileName = "yardmaster.db";

std::optional<uint64_t> FreeDisk(const std::filesystem::path& dir) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(dir, error);
  if (error) return std::nullopt;
  return space.available;
}

uint64_t SizeOf(const std::filesystem::path& file) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

}  // namespace

struct Store::Impl {
  Impl(StoreOptions o, const Clock& c, Metrics* metrics) : options(std::move(o)), clock(c), totals(metrics) {}

  const StoreOptions options;
  const Clock& clock;
  Totals totals;
  SeenDeliveries seen;
  std::unique_ptr<DataDirLock> own_lock;
  std::filesystem::path file;

  // What is prepared on the writer's connection is given up before it is closed, see Shutdown.
  std::unique_ptr<soci::session> sql;
  std::unique_ptr<ReaderPool> readers;
  std::unique_ptr<Checkpointer> checkpointer;
  std::unique_ptr<Maintenance> upkeep;
  std::unique_ptr<Writer> writer;
  std::unique_ptr<SqlInbox> inbox;
  std::unique_ptr<SqlLedger> ledger;
  std::unique_ptr<SqlDecisions> decisions;
  std::unique_ptr<SqlSubjects> subjects;
  std::unique_ptr<SqlSchedules> schedules;
  std::unique_ptr<SqlScheduleRuns> schedule_runs;
  std::unique_ptr<SqlSubscriptions> subscriptions;
  std::unique_ptr<SqlOperators> operators;
  std::unique_ptr<SqlCommands> commands;
  std::unique_ptr<SqlReviews> reviews;
  std::unique_ptr<SqlShadows> shadows;
  std::unique_ptr<SqlChatLinks> chat_links;
  std::unique_ptr<SqlChatThreads> chat_threads;
  std::unique_ptr<SqlJobs> jobs;

  std::atomic<bool> claimable{false};
  std::mutex shutdown_mutex;
  bool shut_down = false;

  // Both may throw, see sql.h.
  absl::Status OpenDatabase();
  void StartWriter();
};

absl::Status Store::Impl::OpenDatabase() {
  sql = Connect(file, {ConnectionRole::kWriter, options.max_database_bytes, options.single_threaded});
  const int64_t before = SchemaVersion(*sql);
  const int64_t newest = Migrations().back().version;
  RETURN_IF_ERROR(Migrate(*sql, newest, ToMicros(clock.Now())));
  if (before != newest && options.logger != nullptr) {
    options.logger->Info("database migrated", {{"from", before}, {"to", newest}});
  }
  totals.Start(CountOf(*sql, "select count(*) from deliveries where state = 'received'"),
               CountOf(*sql, "select count(*) from effects where state in ('intent', 'unknown')"),
               CountOf(*sql, "select value from totals where name = 'bodies_bytes'"));
  SqlInbox::ReadSeen(*sql, seen);
  return absl::OkStatus();
}

void Store::Impl::StartWriter() {
  readers = std::make_unique<ReaderPool>(file, options.readers);
  checkpointer = std::make_unique<Checkpointer>(file, *sql, !options.single_threaded);

  MaintenanceOptions keep;
  keep.retention = options.retention;
  keep.interval = options.maintenance_interval;
  keep.disk_is_low = [this] { return !writer->Ready().ok(); };
  keep.logger = options.logger;
  upkeep = std::make_unique<Maintenance>(*sql, clock, totals, std::move(keep));

  WriterOptions write;
  write.queue_deliveries = options.queue_deliveries;
  write.queue_bytes = options.queue_bytes;
  write.disk_floor_bytes = options.disk_floor_bytes;
  write.single_threaded = options.single_threaded;
  write.logger = options.logger;
  write.free_disk = [this] {
    const std::filesystem::path dir = file.parent_path();
    const std::optional<uint64_t> free =
        options.free_disk_bytes != nullptr ? options.free_disk_bytes(dir) : FreeDisk(dir);
    if (free.has_value()) totals.SetFreeDisk(*free);
    return free;
  };
  // Sums are kept in the transaction that changes them.
  write.before_commit = [](Transaction& transaction) {
    if (transaction.changes.bodies_bytes == 0) return;
    const long long change = transaction.changes.bodies_bytes;
    transaction.sql << "update totals set value = value + :change where name = 'bodies_bytes'",
        soci::use(change, "change");
  };
  write.committed = [this](const Changes& changes, int64_t writes) {
    totals.Apply(changes, writes);
    seen.Add(changes.seen);
    if (changes.oldest_delivery > 0) seen.ForgetBelow(changes.oldest_delivery);
    totals.SetQueue(static_cast<int64_t>(writer->queued_deliveries()));
    if (changes.claimable) claimable = true;
  };
  write.between_groups = [this] { checkpointer->BetweenGroups(); };
  write.told = [this] {
    if (claimable.exchange(false)) inbox->NotifyListener();
  };
  if (!options.single_threaded) {
    write.next_slice = [this] { return upkeep->Next(); };
  }
  writer = std::make_unique<Writer>(*sql, clock, std::move(write));

  // All statements are prepared before the thread that uses them begins.
  inbox = std::make_unique<SqlInbox>(*sql, *writer, *readers, seen, clock);
  ledger = std::make_unique<SqlLedger>(*sql, *writer, *readers);
  decisions = std::make_unique<SqlDecisions>(*sql, *writer, *readers);
  subjects = std::make_unique<SqlSubjects>(*sql, *writer, *readers);
  schedules = std::make_unique<SqlSchedules>(*writer, *readers);
  schedule_runs = std::make_unique<SqlScheduleRuns>(*writer, *readers);
  subscriptions = std::make_unique<SqlSubscriptions>(*writer, *readers);
  operators = std::make_unique<SqlOperators>(*writer, *readers);
  commands = std::make_unique<SqlCommands>(*writer, *readers);
  reviews = std::make_unique<SqlReviews>(*writer, *readers);
  shadows = std::make_unique<SqlShadows>(*writer, *readers);
  chat_links = std::make_unique<SqlChatLinks>(*writer, *readers);
  chat_threads = std::make_unique<SqlChatThreads>(*writer, *readers);
  jobs = std::make_unique<SqlJobs>(*writer, *readers);
  writer->Start();
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() { Shutdown(); }

absl::StatusOr<std::unique_ptr<Store>> Store::Open(StoreOptions options, const Clock& clock, Metrics* metrics) {
  auto impl = std::make_unique<Impl>(std::move(options), clock, metrics);

  // The data directory is ours, or the caller's.
  if (impl->options.lock == nullptr) {
    ASSIGN_OR_RETURN(std::unique_ptr<DataDirLock> lock, DataDirLock::Take(impl->options.data_dir));
    impl->own_lock = std::move(lock);
  }
  impl->file = (impl->own_lock != nullptr ? impl->own_lock->dir() : impl->options.lock->dir()) / kFileName;
  RETURN_IF_ERROR(CheckDatabasePath(impl->file));

  try {
    RETURN_IF_ERROR(impl->OpenDatabase());
    impl->StartWriter();
  } catch (const std::exception& error) {
    return errors::StoreUnusable(impl->file.native(), std::string(FailureOf(error).status.message()));
  }
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

Inbox& Store::inbox() { return *impl_->inbox; }
Ledger& Store::ledger() { return *impl_->ledger; }
Decisions& Store::decisions() { return *impl_->decisions; }
Subjects& Store::subjects() { return *impl_->subjects; }
Schedules& Store::schedules() { return *impl_->schedules; }
ScheduleRuns& Store::schedule_runs() { return *impl_->schedule_runs; }
Subscriptions& Store::subscriptions() { return *impl_->subscriptions; }
Operators& Store::operators() { return *impl_->operators; }
Commands& Store::commands() { return *impl_->commands; }
Reviews& Store::reviews() { return *impl_->reviews; }
Shadows& Store::shadows() { return *impl_->shadows; }
ChatLinks& Store::chat_links() { return *impl_->chat_links; }
ChatThreads& Store::chat_threads() { return *impl_->chat_threads; }
Jobs& Store::jobs() { return *impl_->jobs; }

absl::Status Store::Ready() const { return impl_->writer->Ready(); }

StoreStats Store::Stats() const {
  StoreStats stats;
  stats.database_bytes = SizeOf(impl_->file);
  stats.wal_bytes = SizeOf(LogFile(impl_->file));
  const absl::Status read = impl_->readers->Read([&](soci::session& sql) {
    const FileSpace space = SpaceOf(sql);
    stats.unused_bytes = static_cast<uint64_t>(space.unused * space.page_bytes);
    return absl::OkStatus();
  });
  read.IgnoreError();  // after shutdown; the rest is known all the same
  stats.bodies_bytes = static_cast<uint64_t>(impl_->totals.bodies_bytes());
  stats.queued_deliveries = impl_->writer->queued_deliveries();
  stats.queued_bytes = impl_->writer->queued_bytes();
  stats.commits = impl_->totals.commits();
  stats.committed_writes = impl_->totals.writes();
  return stats;
}

absl::Status Store::Maintain() {
  const uint64_t round = impl_->upkeep->Request();
  if (impl_->options.single_threaded) {
    while (std::unique_ptr<Write> slice = impl_->upkeep->Next()) impl_->writer->Submit(std::move(slice));
  } else {
    impl_->writer->Wake();
  }
  while (true) {
    const std::optional<absl::Status> done = impl_->upkeep->Wait(round, std::chrono::milliseconds(50));
    if (done.has_value()) {
      if (!done->ok()) return *done;
      // What was given back leaves the file when it is copied there.
      return impl_->checkpointer->RunNow();
    }
    // A store that has failed or closed does no upkeep any more; a low disk is no reason not to.
    absl::Status ready = Ready();
    if (!ready.ok() && ready.code() != absl::StatusCode::kResourceExhausted) return ready;
  }
}

void Store::Shutdown() {
  std::lock_guard<std::mutex> lock(impl_->shutdown_mutex);
  if (impl_->shut_down) return;
  impl_->shut_down = true;
  impl_->writer->Stop();
  impl_->checkpointer->Stop();
  impl_->readers->Close();
  impl_->inbox->Close();
  impl_->ledger->Close();
  impl_->decisions->Close();
  impl_->subjects->Close();
  impl_->upkeep->Close();
  try {
    Checkpoint(*impl_->sql, true);
  } catch (const std::exception& error) {
    // The log stays and is read by the next start.
    if (impl_->options.logger != nullptr) {
      impl_->options.logger->Warning("no checkpoint at shutdown",
                                     {{"error", std::string(FailureOf(error).status.message())}});
    }
  }
  impl_->sql.reset();
  impl_->own_lock.reset();
}

}  // namespace yardmaster::store
