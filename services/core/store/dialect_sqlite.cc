// SQLite 3.40 through SOCI 4.0.3.
#include <soci/sqlite3/soci-sqlite3.h>

#include <algorithm>
#include <string>

#include "services/core/errors.h"
#include "services/core/store/dialect.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

// How long the log stays as a file after it was copied: rewriting it in place is cheaper than growing it again.
constexpr int64_t kKeptLogBytes = 64 * 1024 * 1024;
constexpr int kPageBytes = 4096;

soci::sqlite3_session_backend& Backend(soci::session& sql) {
  return *static_cast<soci::sqlite3_session_backend*>(sql.get_backend());
}
sqlite_api::sqlite3* Handle(soci::session& sql) { return Backend(sql).conn_; }

// Runs a statement to its end, whatever it returns; SOCI would run one step of it only.
void RunAll(soci::session& sql, const std::string& text) {
  char* message = nullptr;
  const int result = sqlite_api::sqlite3_exec(Handle(sql), text.c_str(), nullptr, nullptr, &message);
  if (result == SQLITE_OK) return;
  const std::string reason = message != nullptr ? message : "unknown error";
  sqlite_api::sqlite3_free(message);
  throw soci::sqlite3_soci_error(reason, result);
}

int64_t Pragma(soci::session& sql, const std::string& name) {
  long long value = 0;
  Select query(sql);
  query.Add("pragma ").Add(name).Into(value);
  while (query.Next()) {
  }
  return value;
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// A word as FTS5 takes it in a query: between quotes nothing has a meaning.
std::string Quoted(const std::string& word) {
  std::string out = "\"";
  for (char c : word) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

absl::Status CheckDatabasePath(const std::filesystem::path& file) {
  // SOCI's connection strings have no way to write a quote.
  if (file.native().find('"') != std::string::npos) {
    return errors::DataDirUnusable(file.parent_path().native(), "its path contains a quotation mark");
  }
  return absl::OkStatus();
}

std::unique_ptr<soci::session> Connect(const std::filesystem::path& file, const ConnectionOptions& options) {
  // The timeout is in seconds. Readers and the writer never wait for each other in WAL mode; it matters when a log is
  // recovered after a crash, and for other programs that look at the database.
  auto sql = std::make_unique<soci::session>(soci::sqlite3, "timeout=10 dbname=\"" + file.native() + "\"");
  if (options.role == ConnectionRole::kWriter) {
    // These two take effect before the first table is made, and before WAL mode is entered.
    RunAll(*sql, "pragma page_size=" + std::to_string(kPageBytes));
    RunAll(*sql, "pragma auto_vacuum=incremental");
    std::string mode;
    *sql << "pragma journal_mode=wal", soci::into(mode);
    if (mode != "wal") throw soci::soci_error("the file system can't do write-ahead logging (mode " + mode + ")");
    RunAll(*sql, "pragma synchronous=full");
    RunAll(*sql, std::string("pragma wal_autocheckpoint=") + (options.checkpoint_self ? "1000" : "0"));
    RunAll(*sql, "pragma journal_size_limit=" + std::to_string(kKeptLogBytes));
    // Debian's SQLite overwrites what is deleted, which doubles the cost of retention. "fast" does so where it is free.
    RunAll(*sql, "pragma secure_delete=fast");
    // Unique indexes over random ids want their pages at hand.
    RunAll(*sql, "pragma cache_size=-32768");
    if (options.max_bytes != 0) {
      RunAll(*sql, "pragma max_page_count=" + std::to_string(options.max_bytes / kPageBytes));
    }
  } else {
    RunAll(*sql, "pragma temp_store=memory");
    // Checkpoints sync the main file before they let the log be overwritten.
    RunAll(*sql, "pragma synchronous=full");
    RunAll(*sql, "pragma wal_autocheckpoint=0");
    if (options.role == ConnectionRole::kReader) RunAll(*sql, "pragma query_only=on");
  }
  return sql;
}

bool InTransaction(soci::session& sql) { return sqlite_api::sqlite3_get_autocommit(Handle(sql)) == 0; }

FailureKind ClassifyError(const std::exception& error) {
  const auto* sql = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
  if (sql == nullptr) return FailureKind::kOther;
  switch (sql->result() & 0xff) {
    case SQLITE_FULL:
      return FailureKind::kFull;
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      return FailureKind::kBroken;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return FailureKind::kBusy;
    default:
      return FailureKind::kOther;
  }
}

std::vector<std::string> ExpandStatement(std::string_view statement) {
  if (statement == "$TEXT_INDEX") {
    // Words only, no positions: a document either has a word or not. The words come ready from text_terms.h; to this
    // tokenizer every byte above 127 is part of a word, so it parts them at our blanks and nowhere else.
    return {
        "create virtual table subject_words using fts5(words, detail=none, columnsize=0, "
        "tokenize=\"ascii tokenchars '_'\")"};
  }
  std::string text(statement);
  ReplaceAll(text, "$IDENTITY", "integer primary key autoincrement");
  ReplaceAll(text, "$KEY", "integer primary key");
  ReplaceAll(text, "$BLOB", "blob");
  return {text};
}

bool TableExists(soci::session& sql, const std::string& table) {
  long long count = 0;
  sql << "select count(*) from sqlite_master where type = 'table' and name = :name", soci::use(table, "name"),
      soci::into(count);
  return count > 0;
}

void WatchLog(soci::session& sql, LogWatch* watch) {
  if (watch == nullptr) {
    sqlite_api::sqlite3_commit_hook(Handle(sql), nullptr, nullptr);
    sqlite_api::sqlite3_wal_hook(Handle(sql), nullptr, nullptr);
    return;
  }
  sqlite_api::sqlite3_commit_hook(
      Handle(sql),
      [](void* context) {
        static_cast<LogWatch*>(context)->committing();
        return 0;
      },
      watch);
  sqlite_api::sqlite3_wal_hook(
      Handle(sql),
      [](void* context, sqlite_api::sqlite3*, const char*, int pages) {
        static_cast<LogWatch*>(context)->committed(pages);
        return SQLITE_OK;
      },
      watch);
}

LogState Checkpoint(soci::session& sql, bool truncate) {
  int pages = 0;
  int copied = 0;
  const int result = sqlite_api::sqlite3_wal_checkpoint_v2(
      Handle(sql), nullptr, truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, &pages, &copied);
  // Busy: somebody else is at it (then both numbers are -1), or a reader is in the way of truncation. What is not
  // copied now is copied later.
  if (result != SQLITE_OK && (result & 0xff) != SQLITE_BUSY) {
    throw soci::sqlite3_soci_error(sqlite_api::sqlite3_errmsg(Handle(sql)), result);
  }
  return {std::max(pages, 0), std::max(copied, 0), pages >= 0 && pages == copied};
}

FileSpace SpaceOf(soci::session& sql) {
  return {Pragma(sql, "page_size"), Pragma(sql, "page_count"), Pragma(sql, "freelist_count")};
}

void GiveBack(soci::session& sql, int64_t pages) {
  RunAll(sql, "pragma incremental_vacuum(" + std::to_string(pages) + ")");
}

std::filesystem::path LogFile(const std::filesystem::path& file) { return file.native() + "-wal"; }

struct TextIndexWriter::Statements {
  explicit Statements(soci::session& sql)
      : get((sql.prepare << "select words from subject_words where rowid = :id", soci::use(id, "id"),
             soci::into(found))),
        remove((sql.prepare << "delete from subject_words where rowid = :id", soci::use(id, "id"))),
        insert((sql.prepare << "insert into subject_words (rowid, words) values (:id, :words)", soci::use(id, "id"),
                soci::use(words, "words"))) {}

  long long id = 0;
  std::string words;
  std::string found;
  soci::statement get;
  soci::statement remove;
  soci::statement insert;
};

TextIndexWriter::TextIndexWriter(soci::session& sql) : statements_(std::make_unique<Statements>(sql)) {}
TextIndexWriter::~TextIndexWriter() = default;

void TextIndexWriter::Put(int64_t id, const std::vector<std::string>& words) {
  Statements& s = *statements_;
  s.id = id;
  s.words.clear();
  for (const std::string& word : words) {
    if (!s.words.empty()) s.words += ' ';
    s.words += word;
  }
  if (RunOne(s.get)) {
    if (s.found == s.words) return;
    RunOne(s.remove);
  }
  RunOne(s.insert);
}

void TextIndexWriter::Remove(int64_t id) {
  statements_->id = id;
  RunOne(statements_->remove);
}

std::vector<int64_t> DocumentsWith(soci::session& sql, const std::string& word, const std::string& also,
                                   int64_t limit) {
  long long id = 0;
  Select query(sql);
  query.Add("select rowid from subject_words where subject_words match :words order by rowid desc limit :limit")
      .Bind("words", also.empty() ? Quoted(word) : Quoted(word) + " AND " + Quoted(also))
      .Bind("limit", limit)
      .Into(id);
  std::vector<int64_t> ids;
  while (query.Next()) ids.push_back(id);
  return ids;
}

}  // namespace yardmaster::store
