// Inbox on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_INBOX_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_INBOX_H_

#include <soci/soci.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "services/core/clock.h"
#include "services/core/store/codec.h"
#include "services/core/store/inbox.h"
#include "services/core/store/reader_pool.h"
#include "services/core/store/seen_deliveries.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

class SqlInbox final : public Inbox {
 public:
  // `sql` is the writer's connection: what is prepared on it is used by the writer only, until Close. `seen` knows all
  // that is committed; what a transaction adds to it is in Changes. All must outlive this object. Throws, see sql.h.
  SqlInbox(soci::session& sql, Writer& writer, ReaderPool& readers, const SeenDeliveries& seen, const Clock& clock);
  ~SqlInbox() override;

  // Tells `seen`, which is empty, what the database holds. Throws, see sql.h.
  static void ReadSeen(soci::session& sql, SeenDeliveries& seen);

  void Add(NewDelivery delivery, AddCallback done) override;
  absl::StatusOr<std::vector<Delivery>> Claim(int64_t limit) override;
  void Release(const std::vector<int64_t>& ids) override;
  absl::StatusOr<std::optional<TimePoint>> NextDue() override;
  void SetListener(std::function<void()> listener) override;
  absl::Status Describe(int64_t id, std::string_view action, const v1::Subject& subject) override;
  absl::Status Settle(const Settlement& settlement) override;
  void SettleAsync(Settlement settlement, std::function<void(absl::Status)> done) override;
  absl::Status Retry(int64_t id, TimePoint due_at, std::string_view reason) override;
  absl::Status Requeue(int64_t id) override;
  absl::StatusOr<Delivery> Get(int64_t id) override;
  absl::StatusOr<Delivery> Find(std::string_view forge, std::string_view delivery_id) override;
  absl::StatusOr<std::string> Body(int64_t id) override;
  absl::StatusOr<Page<Delivery>> List(const DeliveryFilter& filter, const PageRequest& page) override;
  absl::StatusOr<InboxCounts> Counts() override;

  // Tells the listener; called by the store after a commit that made something claimable.
  void NotifyListener();
  // Gives up what is prepared. After the writer has stopped.
  void Close();

 private:
  struct Statements;
  class AddWrite;
  class SettleWrite;

  // Runs `same`, which asks about one row, for those `committed` and for those of the transaction whose `print` is
  // `wanted`, up to the first that it finds. The row is in the statement's variables then.
  bool FindFirst(const std::vector<int64_t>& committed, const Changes& changes, uint32_t SeenDelivery::*print,
                 uint32_t wanted, soci::statement& same);
  // After a commit that ended a claim. Never waits for a Claim under way.
  void Unclaim(int64_t id);

  Writer& writer_;
  ReaderPool& readers_;
  const SeenDeliveries& seen_;
  const Clock& clock_;
  std::unique_ptr<Statements> statements_;

  // Claims end in two steps, so that the writer never waits for the query of a Claim: ids are noted under the first
  // mutex, and taken out under the second by the next Claim, before its query. What was settled by then is seen by it.
  std::mutex released_mutex_;
  std::vector<int64_t> released_;
  std::mutex claims_mutex_;
  std::unordered_set<int64_t> claimed_;

  std::mutex listener_mutex_;
  std::function<void()> listener_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_INBOX_H_
