// Runs of schedules on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_SCHEDULE_RUNS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_SCHEDULE_RUNS_H_

#include "services/core/store/reader_pool.h"
#include "services/core/store/schedule_runs.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

// Written a few times an hour: nothing is prepared.
class SqlScheduleRuns final : public ScheduleRuns {
 public:
  // Both must outlive this object.
  SqlScheduleRuns(Writer& writer, ReaderPool& readers) : writer_(writer), readers_(readers) {}

  absl::StatusOr<ScheduleMark> Look(std::string_view schedule) override;
  absl::StatusOr<std::optional<ScheduleRun>> Begin(std::string_view schedule, TimePoint due, std::string_view owner,
                                                   std::chrono::seconds lease) override;
  absl::StatusOr<bool> Renew(int64_t id, std::string_view owner, std::chrono::seconds lease) override;
  absl::StatusOr<bool> End(int64_t id, std::string_view owner, ScheduleRunState state,
                           std::string_view outcome) override;
  absl::Status GiveBack(int64_t id, std::string_view owner) override;
  absl::StatusOr<ScheduleRun> Ask(std::string_view schedule, std::string_view by) override;
  absl::StatusOr<ScheduleRun> AskAgain(int64_t id, std::string_view by) override;
  absl::StatusOr<Page<ScheduleRun>> List(const ScheduleRunFilter& filter, const PageRequest& page) override;
  absl::StatusOr<int64_t> CountFailed(std::string_view schedule) override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_SCHEDULE_RUNS_H_
