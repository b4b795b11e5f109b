// Decisions on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_DECISIONS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_DECISIONS_H_

#include <soci/soci.h>

#include <memory>
#include <optional>
#include <string_view>

#include "services/core/store/decisions.h"
#include "services/core/store/reader_pool.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

class SqlDecisions final : public Decisions {
 public:
  // As SqlInbox.
  SqlDecisions(soci::session& sql, Writer& writer, ReaderPool& readers);
  ~SqlDecisions() override;

  absl::Status Put(const NewDecision& decision) override;
  absl::StatusOr<Decision> Get(std::string_view id) override;
  absl::StatusOr<std::optional<Decision>> Latest(const v1::Subject& subject) override;
  absl::StatusOr<std::optional<Decision>> FindSame(const v1::Subject& subject, std::string_view input_digest,
                                                   std::string_view pack, std::string_view pack_revision,
                                                   std::optional<v1::Mode> mode) override;
  absl::StatusOr<Page<Decision>> List(const DecisionFilter& filter, const PageRequest& page) override;

  // Gives up what is prepared. After the writer has stopped.
  void Close();

 private:
  struct Statements;

  Writer& writer_;
  ReaderPool& readers_;
  std::unique_ptr<Statements> statements_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_DECISIONS_H_
