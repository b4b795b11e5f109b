// Operators on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_OPERATORS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_OPERATORS_H_

#include <optional>
#include <string>
#include <string_view>

#include "services/core/store/operators.h"
#include "services/core/store/reader_pool.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

// Written when somebody submits: nothing is prepared.
class SqlOperators final : public Operators {
 public:
  // Both must outlive this object.
  SqlOperators(Writer& writer, ReaderPool& readers) : writer_(writer), readers_(readers) {}

  absl::Status Put(std::string_view pack, std::string_view name, std::string_view state) override;
  absl::StatusOr<std::optional<std::string>> Get(std::string_view pack, std::string_view name) override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_OPERATORS_H_
