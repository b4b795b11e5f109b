// Commands on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_COMMANDS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_COMMANDS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "services/core/store/commands.h"
#include "services/core/store/reader_pool.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

// People write few of them: nothing is prepared.
class SqlCommands final : public Commands {
 public:
  // Both must outlive this object.
  SqlCommands(Writer& writer, ReaderPool& readers) : writer_(writer), readers_(readers) {}

  absl::StatusOr<std::vector<std::optional<StoredCommand>>> Take(const CommandsOfText& text) override;
  absl::Status Plan(int64_t id, std::string_view plan) override;
  absl::Status Settle(int64_t id, std::string_view outcome) override;
  absl::StatusOr<std::vector<StoredCommand>> List(const v1::Subject& subject) override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_COMMANDS_H_
