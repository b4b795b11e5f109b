// Schedules on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_SCHEDULES_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_SCHEDULES_H_

#include <optional>
#include <string_view>
#include <vector>

#include "services/core/store/reader_pool.h"
#include "services/core/store/schedules.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

// Written a few times an hour: nothing is prepared.
class SqlSchedules final : public Schedules {
 public:
  // Both must outlive this object.
  SqlSchedules(Writer& writer, ReaderPool& readers) : writer_(writer), readers_(readers) {}

  absl::Status Start(std::string_view name) override;
  absl::Status SetCursor(std::string_view name, std::string_view cursor) override;
  absl::Status Finish(std::string_view name, std::string_view outcome) override;
  absl::StatusOr<std::optional<Schedule>> Get(std::string_view name) override;
  absl::StatusOr<std::vector<Schedule>> List() override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_SCHEDULES_H_
