#include "services/core/store/sql_jobs.h"

#include <soci/soci.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

constexpr std::string_view kJobColumns = "select number, job, repository, ended, ended_at, record from jobs";

struct JobColumns {
  explicit JobColumns(soci::session& sql) : record(sql) {}

  long long number = 0, ended = 0, ended_at = 0;
  std::string job, repository;
  soci::blob record;

  void Into(Select& query) { query.Into(number).Into(job).Into(repository).Into(ended).Into(ended_at).Into(record); }
  JobRow Read() { return {job, number, repository, ended != 0, ended_at, GetBlob(record)}; }
};

absl::Status CheckRecord(std::string_view record) {
  if (record.size() <= kMaxJobRecordBytes) return absl::OkStatus();
  return errors::OverLimit("record of a job", record.size(), kMaxJobRecordBytes, "bytes");
}

absl::Status CheckJobRows(const JobRows& rows) {
  for (const JobRow& row : rows.jobs) {
    RETURN_IF_ERROR(CheckStoredName("job", row.job));
    RETURN_IF_ERROR(CheckStoredName("repository", row.repository, true));
    RETURN_IF_ERROR(CheckRecord(row.record));
  }
  for (const LeaseRow& row : rows.leases) {
    RETURN_IF_ERROR(CheckStoredName("job", row.job));
    RETURN_IF_ERROR(CheckRecord(row.record));
  }
  for (const RunnerRow& row : rows.runners) {
    RETURN_IF_ERROR(CheckStoredName("runner", row.name));
    RETURN_IF_ERROR(CheckRecord(row.record));
  }
  return absl::OkStatus();
}

void PutJob(soci::session& sql, const JobRow& row) {
  const long long number = row.number;
  const long long ended = row.ended ? 1 : 0;
  const long long ended_at = row.ended_at;
  soci::blob record(sql);
  SetBlob(record, row.record);
  sql << "insert into jobs (job, number, repository, ended, ended_at, record) values (:job, :number, :repository, "
         ":ended, :ended_at, :record) on conflict (job) do update set ended = excluded.ended, ended_at = "
         "excluded.ended_at, record = excluded.record",
      soci::use(row.job, "job"), soci::use(number, "number"), soci::use(row.repository, "repository"),
      soci::use(ended, "ended"), soci::use(ended_at, "ended_at"), soci::use(record, "record");
}

void PutLease(soci::session& sql, const LeaseRow& row) {
  const auto fence = static_cast<long long>(row.fence);
  const long long live = row.live ? 1 : 0;
  soci::blob record(sql);
  SetBlob(record, row.record);
  sql << "insert into leases (job, fence, live, record) values (:job, :fence, :live, :record) on conflict (job, fence) "
         "do update set live = excluded.live, record = excluded.record",
      soci::use(row.job, "job"), soci::use(fence, "fence"), soci::use(live, "live"), soci::use(record, "record");
}

void PutRunner(soci::session& sql, const RunnerRow& row) {
  soci::blob record(sql);
  SetBlob(record, row.record);
  sql << "insert into runners (name, record) values (:name, :record) on conflict (name) do update set record = "
         "excluded.record",
      soci::use(row.name, "name"), soci::use(record, "record");
}

}  // namespace

absl::Status SqlJobs::Put(const JobRows& rows, bool is_new) {
  RETURN_IF_ERROR(CheckJobRows(rows));
  return writer_.Run(is_new ? WriteKind::kNew : WriteKind::kTransition, [&](Transaction& transaction) {
    for (const JobRow& row : rows.jobs) PutJob(transaction.sql, row);
    for (const LeaseRow& row : rows.leases) PutLease(transaction.sql, row);
    for (const std::string& name : rows.forgotten_runners) {
      transaction.sql << "delete from runners where name = :name", soci::use(name, "name");
    }
    for (const RunnerRow& row : rows.runners) PutRunner(transaction.sql, row);
    return absl::OkStatus();
  });
}

absl::StatusOr<JobRows> SqlJobs::LoadLive() {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<JobRows> {
    JobRows rows;
    {
      JobColumns row(sql);
      Select query(sql);
      query.Add(kJobColumns).Add(" where ended = 0 order by number");
      row.Into(query);
      while (query.Next()) rows.jobs.push_back(row.Read());
    }
    {
      std::string job;
      long long fence = 0;
      soci::blob record(sql);
      Select query(sql);
      query.Add("select job, fence, record from leases where live = 1 order by id");
      query.Into(job).Into(fence).Into(record);
      while (query.Next()) rows.leases.push_back({job, static_cast<uint64_t>(fence), true, GetBlob(record)});
    }
    std::string name;
    soci::blob record(sql);
    Select query(sql);
    query.Add("select name, record from runners order by name").Into(name).Into(record);
    while (query.Next()) rows.runners.push_back({name, GetBlob(record)});
    return rows;
  });
}

absl::StatusOr<int64_t> SqlJobs::LastNumber() {
  return readers_.Read([](soci::session& sql) -> absl::StatusOr<int64_t> {
    return CountOf(sql, "select coalesce(max(number), 0) from jobs");
  });
}

absl::StatusOr<JobRow> SqlJobs::Get(std::string_view job) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<JobRow> {
    JobColumns row(sql);
    Select query(sql);
    query.Add(kJobColumns).Add(" where job = :job").Bind("job", job);
    row.Into(query);
    if (!query.One()) return absl::NotFoundError(absl::StrCat("there is no job \"", Abs(job), "\""));
    return row.Read();
  });
}

absl::StatusOr<Page<JobRow>> SqlJobs::List(const JobFilter& filter, const PageRequest& page) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<Page<JobRow>> {
    JobColumns row(sql);
    Select query(sql);
    query.Add(kJobColumns).Add(" where number > 0");
    if (!filter.repository.empty()) {
      query.Add(" and lower(repository) = lower(:repository)").Bind("repository", filter.repository);
    }
    if (filter.live_only) query.Add(" and ended = 0");
    return ReadPage(query, row, page, "number", &JobRow::number);
  });
}

}  // namespace yardmaster::store
