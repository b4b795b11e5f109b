#include "services/core/store/sql_schedules.h"

#include <soci/soci.h>

#include <string>

#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

constexpr std::string_view kScheduleColumns = "select name, started_at, finished_at, outcome, progress from schedules";

struct ScheduleRow {
  std::string name, outcome, progress;
  long long started_at = 0, finished_at = 0;

  void Into(Select& query) { query.Into(name).Into(started_at).Into(finished_at).Into(outcome).Into(progress); }
  Schedule Read() const { return {name, OptionalTime(started_at), OptionalTime(finished_at), outcome, progress}; }
};

}  // namespace

absl::Status SqlSchedules::Start(std::string_view name) {
  RETURN_IF_ERROR(CheckStoredName("name", name));
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const std::string bound(name);
    transaction.sql << "insert into schedules (name, started_at) values (:name, :now) on conflict (name) do update set "
                       "started_at = excluded.started_at, finished_at = 0",
        soci::use(bound, "name"), soci::use(transaction.now, "now");
    return absl::OkStatus();
  });
}

absl::Status SqlSchedules::SetCursor(std::string_view name, std::string_view cursor) {
  RETURN_IF_ERROR(CheckStoredName("name", name));
  if (cursor.size() > kMaxCursorBytes) return errors::OverLimit("cursor", cursor.size(), kMaxCursorBytes, "bytes");
  if (CleanText(cursor, kMaxCursorBytes) != cursor) return errors::NotUtf8("cursor");
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const std::string bound(name);
    const std::string progress(cursor);
    transaction.sql << "insert into schedules (name, progress) values (:name, :progress) on conflict (name) do update "
                       "set progress = excluded.progress",
        soci::use(bound, "name"), soci::use(progress, "progress");
    return absl::OkStatus();
  });
}

absl::Status SqlSchedules::Finish(std::string_view name, std::string_view outcome) {
  RETURN_IF_ERROR(CheckStoredName("name", name));
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const std::string bound(name);
    const std::string words = CleanText(outcome, kMaxReasonBytes);
    transaction.sql << "insert into schedules (name, started_at, finished_at, outcome) values (:name, :now, :now, "
                       ":outcome) on conflict (name) do update set finished_at = excluded.finished_at, outcome = "
                       "excluded.outcome, progress = ''",
        soci::use(bound, "name"), soci::use(transaction.now, "now"), soci::use(words, "outcome");
    return absl::OkStatus();
  });
}

absl::StatusOr<std::optional<Schedule>> SqlSchedules::Get(std::string_view name) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::optional<Schedule>> {
    ScheduleRow row;
    Select query(sql);
    query.Add(kScheduleColumns).Add(" where name = :name").Bind("name", name);
    row.Into(query);
    std::optional<Schedule> schedule;
    while (query.Next()) schedule = row.Read();
    return schedule;
  });
}

absl::StatusOr<std::vector<Schedule>> SqlSchedules::List() {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::vector<Schedule>> {
    ScheduleRow row;
    Select query(sql);
    query.Add(kScheduleColumns).Add(" order by name");
    row.Into(query);
    std::vector<Schedule> schedules;
    while (query.Next()) schedules.push_back(row.Read());
    return schedules;
  });
}

}  // namespace yardmaster::store
