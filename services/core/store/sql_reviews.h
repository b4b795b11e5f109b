// Reviews on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_REVIEWS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_REVIEWS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "services/core/store/reader_pool.h"
#include "services/core/store/reviews.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

// Written once a push: nothing is prepared.
class SqlReviews final : public Reviews {
 public:
  // Both must outlive this object.
  SqlReviews(Writer& writer, ReaderPool& readers) : writer_(writer), readers_(readers) {}

  absl::Status Put(const NewReview& review) override;
  absl::StatusOr<Review> Get(std::string_view id) override;
  absl::StatusOr<std::optional<Review>> Latest(const v1::Subject& subject, std::string_view head) override;
  absl::StatusOr<Page<Review>> List(const ReviewFilter& filter, const PageRequest& page) override;
  absl::Status PutImport(const v1::Subject& subject, std::string_view head, const ImportedFindings& found) override;
  absl::StatusOr<std::vector<ImportedFindings>> Imports(const v1::Subject& subject, std::string_view head) override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_REVIEWS_H_
