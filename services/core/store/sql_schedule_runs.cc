#include "services/core/store/sql_schedule_runs.h"

#include <soci/soci.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

constexpr std::string_view kRunColumns =
    "select id, schedule, due_at, started_at, finished_at, state, outcome, attempts, asked_by, lease_until, owner from "
    "schedule_runs";
constexpr const char* kStateRunning = "running";

ScheduleRunState ScheduleRunStateOf(std::string_view name) {
  for (const ScheduleRunState state :
       {ScheduleRunState::kDone, ScheduleRunState::kFailed, ScheduleRunState::kTimedOut}) {
    if (ScheduleRunStateName(state) == name) return state;
  }
  return ScheduleRunState::kRunning;
}

struct ScheduleRunRow {
  long long id = 0, due_at = 0, started_at = 0, finished_at = 0, attempts = 0, lease_until = 0;
  std::string schedule, state, outcome, asked_by, owner;

  void Into(Select& query) {
    query.Into(id).Into(schedule).Into(due_at).Into(started_at).Into(finished_at).Into(state).Into(outcome);
    query.Into(attempts).Into(asked_by).Into(lease_until).Into(owner);
  }
  ScheduleRun Read() const {
    ScheduleRun run;
    run.id = id;
    run.schedule = schedule;
    run.due_at = FromMicros(due_at);
    run.started_at = OptionalTime(started_at);
    run.finished_at = OptionalTime(finished_at);
    run.state = ScheduleRunStateOf(state);
    run.outcome = outcome;
    run.attempts = attempts;
    run.asked_by = asked_by;
    run.lease_until = FromMicros(lease_until);
    return run;
  }
};

int64_t LeaseEnd(int64_t now, std::chrono::seconds lease) {
  return now + std::chrono::duration_cast<std::chrono::microseconds>(lease).count();
}

// The oldest run that has not ended; its id is 0 if there is none.
ScheduleRunRow UnendedRun(soci::session& sql, std::string_view schedule) {
  ScheduleRunRow row;
  Select query(sql);
  query.Add(kRunColumns).Add(" where schedule = :schedule").Bind("schedule", schedule);
  query.Add(" and state = 'running' order by id limit 1");
  row.Into(query);
  if (!query.One()) row.id = 0;
  return row;
}

ScheduleRunRow RunOfId(soci::session& sql, int64_t id) {
  ScheduleRunRow row;
  Select query(sql);
  query.Add(kRunColumns).Add(" where id = :id").Bind("id", id);
  row.Into(query);
  if (!query.One()) row.id = 0;
  return row;
}

std::optional<TimePoint> CoveredUntil(soci::session& sql, std::string_view schedule) {
  long long covered = 0;
  Select query(sql);
  query.Add("select covered_at from schedule_marks where schedule = :schedule").Bind("schedule", schedule);
  query.Into(covered);
  return query.One() ? std::optional<TimePoint>(FromMicros(covered)) : std::nullopt;
}

void EndRun(soci::session& sql, int64_t id, int64_t now, std::string_view state, std::string_view outcome) {
  const std::string words = CleanText(outcome, kMaxReasonBytes);
  const std::string bound(state);
  sql << "update schedule_runs set state = :state, outcome = :outcome, finished_at = :now, lease_until = 0 where id = "
         ":id",
      soci::use(bound, "state"), soci::use(words, "outcome"), soci::use(now, "now"), soci::use(id, "id");
}

// Old runs go: those that went well when so many came after them, those that failed when so many failed after them.
void ForgetOldRuns(soci::session& sql, const std::string& schedule) {
  const int64_t kept = kKeptScheduleRuns;
  sql << "delete from schedule_runs where schedule = :schedule and state = 'done' and id not in (select id from "
         "schedule_runs where schedule = :again order by id desc limit :kept)",
      soci::use(schedule, "schedule"), soci::use(schedule, "again"), soci::use(kept, "kept");
  sql << "delete from schedule_runs where schedule = :schedule and state in ('failed', 'timed_out') and id not in "
         "(select id from schedule_runs where schedule = :again and state in ('failed', 'timed_out') order by id desc "
         "limit :kept)",
      soci::use(schedule, "schedule"), soci::use(schedule, "again"), soci::use(kept, "kept");
}

absl::StatusOr<ScheduleRun> ReadRunBack(soci::session& sql, int64_t id) {
  const ScheduleRunRow row = RunOfId(sql, id);
  if (row.id == 0) return absl::NotFoundError(absl::StrCat("there is no run ", id, " of a schedule"));
  return row.Read();
}

}  // namespace

std::string_view ScheduleRunStateName(ScheduleRunState state) {
  switch (state) {
    case ScheduleRunState::kRunning:
      break;
    case ScheduleRunState::kDone:
      return "done";
    case ScheduleRunState::kFailed:
      return "failed";
    case ScheduleRunState::kTimedOut:
      return "timed_out";
  }
  return kStateRunning;
}

absl::StatusOr<ScheduleMark> SqlScheduleRuns::Look(std::string_view schedule) {
  RETURN_IF_ERROR(CheckStoredName("schedule", schedule));
  std::optional<TimePoint> covered;
  const auto read = [&](soci::session& sql) -> absl::StatusOr<ScheduleMark> {
    ScheduleMark mark;
    covered = CoveredUntil(sql, schedule);
    mark.covered = covered.value_or(TimePoint());
    if (const ScheduleRunRow row = UnendedRun(sql, schedule); row.id != 0) mark.unended = row.Read();
    return mark;
  };
  ASSIGN_OR_RETURN(ScheduleMark mark, readers_.Read(read));
  if (covered.has_value()) return mark;
  RETURN_IF_ERROR(writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const std::string name(schedule);
    transaction.sql << "insert into schedule_marks (schedule, covered_at) values (:schedule, :now) on conflict "
                       "(schedule) do nothing",
        soci::use(name, "schedule"), soci::use(transaction.now, "now");
    return absl::OkStatus();
  }));
  return readers_.Read(read);
}

absl::StatusOr<std::optional<ScheduleRun>> SqlScheduleRuns::Begin(std::string_view schedule, TimePoint due,
                                                                  std::string_view owner, std::chrono::seconds lease) {
  RETURN_IF_ERROR(CheckStoredName("schedule", schedule));
  RETURN_IF_ERROR(CheckStoredName("owner", owner));
  std::optional<ScheduleRun> begun;
  RETURN_IF_ERROR(writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) -> absl::Status {
    begun.reset();
    soci::session& sql = transaction.sql;
    const std::string name(schedule);
    const std::string who(owner);
    const int64_t due_at = ToMicros(due);
    const int64_t until = LeaseEnd(transaction.now, lease);
    if (const ScheduleRunRow row = UnendedRun(sql, schedule); row.id != 0) {
      if (row.due_at != due_at || row.lease_until > transaction.now) return absl::OkStatus();
      if (row.attempts >= kMaxScheduleAttempts) {
        EndRun(sql, row.id, transaction.now, ScheduleRunStateName(ScheduleRunState::kFailed),
               absl::StrCat("it was cut short ", row.attempts, " times"));
        return absl::OkStatus();
      }
      const int64_t id = row.id;
      sql << "update schedule_runs set owner = :owner, lease_until = :until, started_at = :now, attempts = attempts + "
             "1 where id = :id",
          soci::use(who, "owner"), soci::use(until, "until"), soci::use(transaction.now, "now"), soci::use(id, "id");
      begun = RunOfId(sql, id).Read();
      return absl::OkStatus();
    }
    const std::optional<TimePoint> covered = CoveredUntil(sql, schedule);
    if (covered.has_value() && *covered >= due) return absl::OkStatus();
    sql << "insert into schedule_marks (schedule, covered_at) values (:schedule, :due) on conflict (schedule) do "
           "update "
           "set covered_at = excluded.covered_at",
        soci::use(name, "schedule"), soci::use(due_at, "due");
    sql << "insert into schedule_runs (schedule, due_at, started_at, state, attempts, owner, lease_until) values "
           "(:schedule, :due, :now, 'running', 1, :owner, :until)",
        soci::use(name, "schedule"), soci::use(due_at, "due"), soci::use(transaction.now, "now"),
        soci::use(who, "owner"), soci::use(until, "until");
    begun = UnendedRun(sql, schedule).Read();
    return absl::OkStatus();
  }));
  return begun;
}

absl::StatusOr<bool> SqlScheduleRuns::Renew(int64_t id, std::string_view owner, std::chrono::seconds lease) {
  bool ours = false;
  RETURN_IF_ERROR(writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const ScheduleRunRow row = RunOfId(transaction.sql, id);
    ours = row.id != 0 && row.state == kStateRunning && row.owner == owner;
    if (!ours) return absl::OkStatus();
    const int64_t until = LeaseEnd(transaction.now, lease);
    transaction.sql << "update schedule_runs set lease_until = :until where id = :id", soci::use(until, "until"),
        soci::use(id, "id");
    return absl::OkStatus();
  }));
  return ours;
}

absl::StatusOr<bool> SqlScheduleRuns::End(int64_t id, std::string_view owner, ScheduleRunState state,
                                          std::string_view outcome) {
  bool ours = false;
  RETURN_IF_ERROR(writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const ScheduleRunRow row = RunOfId(transaction.sql, id);
    ours = row.id != 0 && row.state == kStateRunning && row.owner == owner;
    if (!ours) return absl::OkStatus();
    EndRun(transaction.sql, id, transaction.now, ScheduleRunStateName(state), outcome);
    ForgetOldRuns(transaction.sql, row.schedule);
    return absl::OkStatus();
  }));
  return ours;
}

absl::Status SqlScheduleRuns::GiveBack(int64_t id, std::string_view owner) {
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const std::string who(owner);
    transaction.sql << "update schedule_runs set lease_until = 0, attempts = attempts - 1, owner = '' where id = :id "
                       "and state = 'running' and owner = :owner",
        soci::use(id, "id"), soci::use(who, "owner");
    return absl::OkStatus();
  });
}

absl::StatusOr<ScheduleRun> SqlScheduleRuns::Ask(std::string_view schedule, std::string_view by) {
  RETURN_IF_ERROR(CheckStoredName("schedule", schedule));
  ScheduleRun asked;
  RETURN_IF_ERROR(writer_.Run(WriteKind::kNew, [&](Transaction& transaction) -> absl::Status {
    if (const ScheduleRunRow row = UnendedRun(transaction.sql, schedule); row.id != 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("run ", row.id, " of the schedule has not ended: wait until it has"));
    }
    const std::string name(schedule);
    const std::string who = CleanText(by, kMaxNameBytes);
    transaction.sql << "insert into schedule_runs (schedule, due_at, state, asked_by) values (:schedule, :now, "
                       "'running', :by)",
        soci::use(name, "schedule"), soci::use(transaction.now, "now"), soci::use(who, "by");
    asked = UnendedRun(transaction.sql, schedule).Read();
    return absl::OkStatus();
  }));
  return asked;
}

absl::StatusOr<ScheduleRun> SqlScheduleRuns::AskAgain(int64_t id, std::string_view by) {
  ScheduleRun asked;
  RETURN_IF_ERROR(writer_.Run(WriteKind::kNew, [&](Transaction& transaction) -> absl::Status {
    ASSIGN_OR_RETURN(const ScheduleRun run, ReadRunBack(transaction.sql, id));
    if (run.state != ScheduleRunState::kFailed && run.state != ScheduleRunState::kTimedOut) {
      return absl::FailedPreconditionError(
          absl::StrCat("run ", id, " did not fail: it is ", std::string(ScheduleRunStateName(run.state))));
    }
    if (const ScheduleRunRow row = UnendedRun(transaction.sql, run.schedule); row.id != 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("run ", row.id, " of the schedule has not ended: wait until it has"));
    }
    const std::string who = CleanText(by, kMaxNameBytes);
    transaction.sql << "update schedule_runs set state = 'running', outcome = '', finished_at = 0, attempts = 0, "
                       "lease_until = 0, owner = '', asked_by = :by where id = :id",
        soci::use(who, "by"), soci::use(id, "id");
    ASSIGN_OR_RETURN(asked, ReadRunBack(transaction.sql, id));
    return absl::OkStatus();
  }));
  return asked;
}

absl::StatusOr<Page<ScheduleRun>> SqlScheduleRuns::List(const ScheduleRunFilter& filter, const PageRequest& page) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<Page<ScheduleRun>> {
    ScheduleRunRow row;
    Select query(sql);
    query.Add(kRunColumns).Add(" where id > 0");
    if (!filter.schedule.empty()) query.Add(" and schedule = :schedule").Bind("schedule", filter.schedule);
    if (filter.failed) query.Add(" and state in ('failed', 'timed_out')");
    return ReadPage(query, row, page, "id", &ScheduleRun::id);
  });
}

absl::StatusOr<int64_t> SqlScheduleRuns::CountFailed(std::string_view schedule) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<int64_t> {
    long long count = 0;
    Select query(sql);
    query.Add("select count(*) from schedule_runs where schedule = :schedule").Bind("schedule", schedule);
    query.Add(" and state in ('failed', 'timed_out')");
    query.Into(count);
    query.One();
    return count;
  });
}

}  // namespace yardmaster::store
