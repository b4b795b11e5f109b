// Subscriptions on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_SUBSCRIPTIONS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_SUBSCRIPTIONS_H_

#include <vector>

#include "services/core/store/reader_pool.h"
#include "services/core/store/subscriptions.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

class SqlSubscriptions final : public Subscriptions {
 public:
  // Both must outlive this object.
  SqlSubscriptions(Writer& writer, ReaderPool& readers) : writer_(writer), readers_(readers) {}
  absl::Status Put(const Subscription& subscription) override;
  absl::Status Remove(const Subscription& subscription) override;
  absl::StatusOr<std::vector<Subscription>> List() override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_SUBSCRIPTIONS_H_
