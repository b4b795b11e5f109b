// The tables, as numbered steps. A database says which step it has reached; opening it takes the steps that are
// missing.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SCHEMA_H_
#define YARDMASTER_SERVICES_CORE_STORE_SCHEMA_H_

#include <soci/soci.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace yardmaster::store {

struct Migration {
  int64_t version = 0;  // 1, 2, …: without gaps
  std::string_view what;
  // In order; see ExpandStatement in dialect.h for the words that begin with "$".
  std::vector<std::string_view> statements;
  // What SQL can't do, after the statements and in the same transaction; null: nothing.
  void (*convert)(soci::session& sql, int64_t now_micros) = nullptr;
};

// All steps, oldest first. A step that was released never changes: what is wrong with it is put right by a later one.
const std::vector<Migration>& Migrations();

// The step that a database has reached; 0 for an empty one.
int64_t SchemaVersion(soci::session& sql);

// Takes the steps up to `version` that are missing, each in a transaction of its own. FAILED_PRECONDITION
// (errors::StoreTooNew) if the database is past the last step that this program knows. Throws as sql.h says.
absl::Status Migrate(soci::session& sql, int64_t version, int64_t now_micros);

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SCHEMA_H_
