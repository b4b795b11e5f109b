// `yard schedule list|show|run`.
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/intake_client.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "services/triage/decision_json.h"
#include "yardmaster/v1/schedule.grpc.pb.h"

namespace yardmaster::cli {
namespace {

using ScheduleStub = v1::ScheduleService::Stub;
using nlohmann::ordered_json;

// Between two looks at a run.
constexpr std::chrono::milliseconds kRunLook{200};
constexpr size_t kOutcomeWidth = 60;

std::string RunStateWord(v1::ScheduleRunState state) {
  switch (state) {
    case v1::SCHEDULE_RUN_STATE_DONE:
      return "done";
    case v1::SCHEDULE_RUN_STATE_FAILED:
      return "failed";
    case v1::SCHEDULE_RUN_STATE_TIMED_OUT:
      return "timed_out";
    default:
      return "running";
  }
}

ordered_json RunTimeJson(bool has, const google::protobuf::Timestamp& time) {
  return has ? ordered_json(google::protobuf::util::TimeUtil::ToString(time)) : ordered_json(nullptr);
}
std::string RunTimeText(bool has, const google::protobuf::Timestamp& time) {
  if (!has) return "-";
  google::protobuf::Timestamp seconds = time;
  seconds.set_nanos(0);
  return google::protobuf::util::TimeUtil::ToString(seconds);
}

ordered_json ScheduleRunJson(const v1::ScheduleRun& run) {
  return {{"id", run.id()},
          {"schedule", run.schedule()},
          {"due_at", RunTimeJson(run.has_due_at(), run.due_at())},
          {"started_at", RunTimeJson(run.has_started_at(), run.started_at())},
          {"finished_at", RunTimeJson(run.has_finished_at(), run.finished_at())},
          {"state", RunStateWord(run.state())},
          {"outcome", run.outcome()},
          {"attempts", run.attempts()},
          {"asked_by", run.asked_by()}};
}

ordered_json ScheduleJson(const v1::Schedule& one) {
  return {{"name", one.name()},
          {"run", one.run()},
          {"cron", one.cron()},
          {"time_zone", one.time_zone()},
          {"repository", one.repository().empty() ? ordered_json(nullptr) : ordered_json(one.repository())},
          {"next_at", RunTimeJson(one.has_next_at(), one.next_at())},
          {"limit_seconds", one.limit_seconds()},
          {"failed", one.failed()},
          {"built_in", one.built_in()},
          {"last", one.has_last() ? ScheduleRunJson(one.last()) : ordered_json(nullptr)}};
}

std::string Rendered(const Table& table, const Output& output) {
  return table.Render(0, output.columns(), output.color());
}

std::string ScheduleTable(const google::protobuf::RepeatedPtrField<v1::Schedule>& rows, const Output& output) {
  Table table;
  table.Header({"NAME", "RUN", "WHEN", "ZONE", "REPOSITORY", "NEXT", "LAST", "FAILED"});
  for (const v1::Schedule& one : rows) {
    table.Row({one.name(), one.run(), one.cron(), one.time_zone(), one.repository().empty() ? "all" : one.repository(),
               RunTimeText(one.has_next_at(), one.next_at()), one.has_last() ? RunStateWord(one.last().state()) : "-",
               absl::StrCat(one.failed())});
  }
  return Rendered(table, output);
}

std::string ScheduleRunTable(const google::protobuf::RepeatedPtrField<v1::ScheduleRun>& rows, const Output& output) {
  Table table;
  table.Header({"RUN", "SCHEDULE", "DUE", "ENDED", "STATE", "TRIES", "ASKED BY", "OUTCOME"});
  for (const v1::ScheduleRun& run : rows) {
    table.Row({absl::StrCat(run.id()), run.schedule(), RunTimeText(run.has_due_at(), run.due_at()),
               RunTimeText(run.has_finished_at(), run.finished_at()), RunStateWord(run.state()),
               absl::StrCat(run.attempts()), run.asked_by().empty() ? "the clock" : Printable(run.asked_by()),
               Printable(run.outcome().substr(0, kOutcomeWidth))});
  }
  return Rendered(table, output);
}

std::string ScheduleRunText(const v1::ScheduleRun& run, const Output&) {
  std::string text = absl::StrCat("run ", run.id(), " of ", run.schedule(), ": ", RunStateWord(run.state()), "\n");
  if (!run.outcome().empty()) absl::StrAppend(&text, Printable(run.outcome()), "\n");
  return text;
}

absl::StatusOr<ServerConnection> OpenSchedules(const Session& session, const std::string& verb) {
  if (session.options.local) {
    return UsageError(absl::StrCat("schedules are the server's: '", verb, "' can't work with --local"));
  }
  return ServerConnection::Open(session, /*local_works=*/false);
}

struct RunListOptions {
  std::string schedule;
  int64_t limit = 20;
};

absl::StatusOr<v1::ListScheduleRunsResponse> ReadRuns(const ServerConnection& server, const std::string& schedule,
                                                      bool failed, int64_t limit) {
  v1::ListScheduleRunsRequest request;
  request.set_schedule(schedule);
  request.set_failed(failed);
  v1::ListScheduleRunsResponse all;
  do {
    const int64_t left = limit == 0 ? kIntakePage : limit - all.runs_size();
    request.set_limit(static_cast<int32_t>(std::min<int64_t>(left, kIntakePage)));
    ASSIGN_OR_RETURN(const v1::ListScheduleRunsResponse part, server.Call(&ScheduleStub::ListScheduleRuns, request));
    all.mutable_runs()->MergeFrom(part.runs());
    request.set_before(part.next());
  } while (request.before() != 0 && (limit == 0 || all.runs_size() < limit));
  return all;
}

struct ListOptions {
  bool failed = false;
};

absl::StatusOr<ExitCode> ListSchedules(const ListOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenSchedules(session, "schedule list"));
  if (options.failed) {
    ASSIGN_OR_RETURN(const v1::ListScheduleRunsResponse runs, ReadRuns(server, "", /*failed=*/true, 0));
    PrintRows("runs", runs.runs(), ScheduleRunJson, ScheduleRunTable, session);
    return ExitCode::kDone;
  }
  ASSIGN_OR_RETURN(const v1::ListSchedulesResponse response,
                   server.Call(&ScheduleStub::ListSchedules, v1::ListSchedulesRequest()));
  PrintRows("schedules", response.schedules(), ScheduleJson, ScheduleTable, session);
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> ShowSchedule(const RunListOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenSchedules(session, "schedule show"));
  ASSIGN_OR_RETURN(const v1::ListSchedulesResponse response,
                   server.Call(&ScheduleStub::ListSchedules, v1::ListSchedulesRequest()));
  for (const v1::Schedule& one : response.schedules()) {
    if (one.name() != options.schedule) continue;
    ASSIGN_OR_RETURN(const v1::ListScheduleRunsResponse runs,
                     ReadRuns(server, one.name(), /*failed=*/false, options.limit));
    if (session.options.json) {
      ordered_json shown = ScheduleJson(one);
      shown["runs"] = JsonList(runs.runs(), ScheduleRunJson);
      session.output.Json(shown);
      return ExitCode::kDone;
    }
    google::protobuf::RepeatedPtrField<v1::Schedule> only;
    *only.Add() = one;
    session.output.out() << ScheduleTable(only, session.output);
    if (runs.runs().empty()) {
      session.output.Note("no run yet");
    } else {
      session.output.out() << "\n" << ScheduleRunTable(runs.runs(), session.output);
    }
    return ExitCode::kDone;
  }
  session.output.Note(absl::StrCat("there is no schedule '", Printable(options.schedule), "': see yard schedule list"));
  return ExitCode::kNegative;
}

struct RunOptions {
  std::string which;
  bool detach = false;
  int64_t timeout = 600;  // in seconds
};

absl::StatusOr<ExitCode> RunSchedule(const RunOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenSchedules(session, "schedule run"));
  v1::RunScheduleRequest request;
  if (const std::optional<int64_t> row = ParseNumber(options.which); row.has_value()) {
    request.set_run(*row);
  } else {
    request.set_schedule(options.which);
  }
  ASSIGN_OR_RETURN(const v1::RunScheduleResponse asked, server.Call(&ScheduleStub::RunSchedule, request));
  v1::ScheduleRun run = asked.run();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(options.timeout);
  while (!options.detach && run.state() == v1::SCHEDULE_RUN_STATE_RUNNING &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kRunLook);
    ASSIGN_OR_RETURN(const v1::ListScheduleRunsResponse runs, ReadRuns(server, run.schedule(), /*failed=*/false, 0));
    for (const v1::ScheduleRun& one : runs.runs()) {
      if (one.id() == run.id()) run = one;
    }
  }
  PrintAnswer(run, ScheduleRunJson, ScheduleRunText, session);
  if (options.detach || run.state() == v1::SCHEDULE_RUN_STATE_DONE) return ExitCode::kDone;
  return ExitCode::kNegative;
}

}  // namespace

void AddScheduleVerbs(Verb& yard) {
  Verb& schedule = yard.Add(
      "schedule", "What runs by the clock, when it runs next, and how it went",
      {"yard schedule list", "yard schedule list --failed", "yard schedule show nightly", "yard schedule run nightly"});
  Verb& list = schedule.Add("list", "List the schedules with their next and last runs",
                            {"yard schedule list", "yard schedule list --failed --json"});
  ListOptions& listed = list.Runs(ListSchedules);
  list.Flag("--failed", &listed.failed, "Instead: the runs that failed and wait for a person");

  Verb& show = schedule.Add("show", "Show one schedule and its runs, newest first",
                            {"yard schedule show nightly", "yard schedule show nightly --limit 0 --json"});
  RunListOptions& shown = show.Runs(ShowSchedule);
  show.Argument("NAME", &shown.schedule, "The schedule").Required();
  show.Value("--limit", &shown.limit, "N", "At most so many runs; 0 = all (default 20)").NotNegative();

  Verb& run = schedule.Add("run", "Run a schedule now, or a run that failed again, and wait until it has ended",
                           {"yard schedule run nightly", "yard schedule run 17", "yard schedule run nightly --detach"});
  RunOptions& ran = run.Runs(RunSchedule);
  run.Argument("NAME", &ran.which, "The schedule, or the number of a run that failed").Required();
  run.Flag("--detach", &ran.detach, "Do not wait");
  run.Value("--timeout", &ran.timeout, "SECONDS", "How long to wait (default 600)").NotNegative();
}

}  // namespace yardmaster::cli
