// Jobs on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_JOBS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_JOBS_H_

#include <string_view>

#include "services/core/store/jobs.h"
#include "services/core/store/reader_pool.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

class SqlJobs final : public Jobs {
 public:
  // Both must outlive this object.
  SqlJobs(Writer& writer, ReaderPool& readers) : writer_(writer), readers_(readers) {}

  absl::Status Put(const JobRows& rows, bool is_new) override;
  absl::StatusOr<JobRows> LoadLive() override;
  absl::StatusOr<int64_t> LastNumber() override;
  absl::StatusOr<JobRow> Get(std::string_view job) override;
  absl::StatusOr<Page<JobRow>> List(const JobFilter& filter, const PageRequest& page) override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_JOBS_H_
