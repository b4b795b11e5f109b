// Ledger on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_LEDGER_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_LEDGER_H_

#include <soci/soci.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "services/core/store/ledger.h"
#include "services/core/store/reader_pool.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

class SqlLedger final : public Ledger {
 public:
  // As SqlInbox.
  SqlLedger(soci::session& sql, Writer& writer, ReaderPool& readers);
  ~SqlLedger() override;

  absl::StatusOr<IntentResult> Intent(const NewEffect& effect) override;
  absl::Status Sending(int64_t id) override;
  absl::Status Postpone(int64_t id, TimePoint due_at, std::string_view reason) override;
  absl::Status MarkUnknown(int64_t id, TimePoint due_at, std::string_view reason, std::string_view forge_ref) override;
  absl::Status NoteProgress(int64_t id, std::string_view progress, TimePoint due_at) override;
  absl::Status UndoSending(int64_t id, std::string_view reason) override;
  absl::Status MarkNotFound(int64_t id, std::string_view reason) override;
  absl::Status MarkConfirmed(int64_t id, std::string_view forge_ref) override;
  absl::Status MarkRefused(int64_t id, std::string_view reason) override;
  absl::Status MarkFailed(int64_t id, std::string_view reason) override;
  absl::StatusOr<Effect> Get(int64_t id) override;
  absl::StatusOr<Effect> Find(std::string_view key) override;
  absl::StatusOr<std::vector<Effect>> Pending(int64_t after, int64_t limit) override;
  absl::StatusOr<int64_t> CountPending() override;
  absl::StatusOr<Page<Effect>> List(const EffectFilter& filter, const PageRequest& page) override;

  // Gives up what is prepared. After the writer has stopped.
  void Close();

 private:
  struct Statements;
  // Runs `change` on an effect that exists; its state and kind are in `statements_`.
  template <typename Change>
  absl::Status Alter(int64_t id, Change change);
  absl::Status Move(int64_t id, EffectState to, int64_t due_at, std::string_view reason, std::string_view forge_ref);

  Writer& writer_;
  ReaderPool& readers_;
  std::unique_ptr<Statements> statements_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_LEDGER_H_
