// Everything in which one database differs from another: connections, errors, types, housekeeping, text search. All
// other SQL of the store is understood by SQLite (3.35 and later) and PostgreSQL alike. dialect_sqlite.cc implements
// it. Functions that take a session may throw, see sql.h.
#ifndef YARDMASTER_SERVICES_CORE_STORE_DIALECT_H_
#define YARDMASTER_SERVICES_CORE_STORE_DIALECT_H_

#include <soci/soci.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "services/core/store/failure.h"

namespace yardmaster::store {

// --- Connections ---

enum class ConnectionRole {
  kWriter,      // makes the database if it is not there; commits are durable (WAL, synchronous=FULL)
  kReader,      // can't write
  kCheckpoint,  // only for Checkpoint
};

struct ConnectionOptions {
  ConnectionRole role = ConnectionRole::kReader;
  uint64_t max_bytes = 0;        // largest size of the database; 0 = any (kWriter)
  bool checkpoint_self = false;  // checkpoints after commits as it likes (kWriter); else only Checkpoint does
};

// Whether the path can be handed to the database at all.
absl::Status CheckDatabasePath(const std::filesystem::path& file);

std::unique_ptr<soci::session> Connect(const std::filesystem::path& file, const ConnectionOptions& options);

// True between BEGIN and COMMIT or ROLLBACK, also where an error has ended the transaction already.
bool InTransaction(soci::session& sql);

FailureKind ClassifyError(const std::exception& error);

// --- Schema ---

// Replaces the words that stand for types: $IDENTITY (a key that the database counts up and never uses again), $KEY (a
// 64-bit key that we give), $BLOB; and the line $TEXT_INDEX by what makes the text index.
std::vector<std::string> ExpandStatement(std::string_view statement);

// Whether a table exists.
bool TableExists(soci::session& sql, const std::string& table);

// --- Housekeeping ---

// Both are called on the thread that commits.
struct LogWatch {
  std::function<void()> committing;              // a commit begins; it may fail
  std::function<void(int64_t pages)> committed;  // it wrote to the log, which now holds so many pages
};
// Calls `watch`, which outlives the session, at each commit of this connection. Null: no longer.
void WatchLog(soci::session& sql, LogWatch* watch);

struct LogState {
  int64_t pages = 0;      // in the write-ahead log
  int64_t copied = 0;     // of them, already in the main file
  bool complete = false;  // all are. False where another checkpoint was in the way
};
// Copies what can be copied from the log to the main file without waiting for anybody. `truncate`: waits for readers
// and makes the log empty (at the end).
LogState Checkpoint(soci::session& sql, bool truncate);

struct FileSpace {
  int64_t page_bytes = 0;
  int64_t pages = 0;
  int64_t unused = 0;  // pages that hold nothing
};
FileSpace SpaceOf(soci::session& sql);
// Gives up to `pages` unused pages back to the file system, inside the current transaction.
void GiveBack(soci::session& sql, int64_t pages);

// Files of a database beside the main one.
std::filesystem::path LogFile(const std::filesystem::path& file);

// --- Text index: which subjects contain which words ---

// Prepared statements of the writer. A document is a set of words, see search_terms.h.
class TextIndexWriter {
 public:
  explicit TextIndexWriter(soci::session& sql);
  ~TextIndexWriter();
  TextIndexWriter(const TextIndexWriter&) = delete;
  TextIndexWriter& operator=(const TextIndexWriter&) = delete;

  // Replaces the document of that id; does nothing if it is the same.
  void Put(int64_t id, const std::vector<std::string>& words);
  void Remove(int64_t id);

 private:
  struct Statements;
  std::unique_ptr<Statements> statements_;
};

// Ids of at most `limit` documents that contain both words (`also` may be empty), the newest first.
std::vector<int64_t> DocumentsWith(soci::session& sql, const std::string& word, const std::string& also, int64_t limit);

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_DIALECT_H_
