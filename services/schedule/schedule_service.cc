#include "services/schedule/schedule_service.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/messages/timestamps.h"
#include "services/core/repository_name.h"
#include "services/core/rpc/pooled_rpc.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

constexpr std::string_view kListSchedules = "/yardmaster.v1.ScheduleService/ListSchedules";
constexpr std::string_view kListScheduleRuns = "/yardmaster.v1.ScheduleService/ListScheduleRuns";
constexpr std::string_view kRunSchedule = "/yardmaster.v1.ScheduleService/RunSchedule";
constexpr int64_t kDefaultRuns = 50;

v1::ScheduleRunState StateToProto(store::ScheduleRunState state) {
  switch (state) {
    case store::ScheduleRunState::kRunning:
      break;
    case store::ScheduleRunState::kDone:
      return v1::SCHEDULE_RUN_STATE_DONE;
    case store::ScheduleRunState::kFailed:
      return v1::SCHEDULE_RUN_STATE_FAILED;
    case store::ScheduleRunState::kTimedOut:
      return v1::SCHEDULE_RUN_STATE_TIMED_OUT;
  }
  return v1::SCHEDULE_RUN_STATE_RUNNING;
}

}  // namespace

v1::ScheduleRun ToProto(const store::ScheduleRun& run) {
  v1::ScheduleRun out;
  out.set_id(run.id);
  out.set_schedule(run.schedule);
  *out.mutable_due_at() = ToTimestamp(run.due_at);
  if (run.started_at.has_value()) *out.mutable_started_at() = ToTimestamp(*run.started_at);
  if (run.finished_at.has_value()) *out.mutable_finished_at() = ToTimestamp(*run.finished_at);
  out.set_state(StateToProto(run.state));
  out.set_outcome(run.outcome);
  out.set_attempts(run.attempts);
  out.set_asked_by(run.asked_by);
  return out;
}

grpc::ServerUnaryReactor* ScheduleServiceImpl::Handle(grpc::CallbackServerContext* context, std::string_view method,
                                                      std::function<absl::Status(const RpcCall&)> work) {
  return HandlePooledUnary(executor_, env_, *context, method,
                           [this, work = std::move(work)](const RpcCall& call) -> absl::Status {
                             if (parts_.runs == nullptr || parts_.scheduler == nullptr) {
                               return absl::FailedPreconditionError(
                                   "this daemon keeps nothing, and has no schedules: start it with a configuration");
                             }
                             return work(call);
                           });
}

grpc::ServerUnaryReactor* ScheduleServiceImpl::ListSchedules(grpc::CallbackServerContext* context,
                                                             const v1::ListSchedulesRequest*,
                                                             v1::ListSchedulesResponse* response) {
  return Handle(context, kListSchedules, [this, response](const RpcCall&) { return List(*response); });
}

grpc::ServerUnaryReactor* ScheduleServiceImpl::ListScheduleRuns(grpc::CallbackServerContext* context,
                                                                const v1::ListScheduleRunsRequest* request,
                                                                v1::ListScheduleRunsResponse* response) {
  return Handle(context, kListScheduleRuns,
                [this, request, response](const RpcCall&) { return ListRuns(*request, *response); });
}

grpc::ServerUnaryReactor* ScheduleServiceImpl::RunSchedule(grpc::CallbackServerContext* context,
                                                           const v1::RunScheduleRequest* request,
                                                           v1::RunScheduleResponse* response) {
  return Handle(context, kRunSchedule,
                [this, request, response](const RpcCall& call) { return Run(call, *request, *response); });
}

absl::Status ScheduleServiceImpl::List(v1::ListSchedulesResponse& response) const {
  for (const ScheduledJob& job : parts_.scheduler->jobs()) {
    v1::Schedule& out = *response.add_schedules();
    out.set_name(job.config.name);
    out.set_run(job.config.run);
    out.set_cron(job.config.cron);
    out.set_time_zone(job.config.time_zone);
    if (!job.config.forge.empty()) out.set_repository(QualifiedName(job.config.forge, job.config.repository));
    out.set_limit_seconds(std::chrono::duration_cast<std::chrono::seconds>(job.config.limit).count());
    out.set_built_in(job.built_in);
    ASSIGN_OR_RETURN(const store::ScheduleMark mark, parts_.runs->Look(job.config.name));
    const std::chrono::system_clock::time_point now = parts_.clock->Now();
    const DueTime found = FindDue(job.times, mark.covered, now);
    if (found.due.has_value() && !mark.unended.has_value()) {
      *out.mutable_next_at() = ToTimestamp(now);
    } else if (found.next.has_value()) {
      *out.mutable_next_at() = ToTimestamp(*found.next);
    }
    store::ScheduleRunFilter filter;
    filter.schedule = job.config.name;
    ASSIGN_OR_RETURN(const store::Page<store::ScheduleRun> last, parts_.runs->List(filter, {0, 1}));
    if (!last.items.empty()) *out.mutable_last() = ToProto(last.items.front());
    ASSIGN_OR_RETURN(const int64_t failed, parts_.runs->CountFailed(job.config.name));
    out.set_failed(failed);
  }
  std::sort(response.mutable_schedules()->begin(), response.mutable_schedules()->end(),
            [](const v1::Schedule& a, const v1::Schedule& b) { return a.name() < b.name(); });
  return absl::OkStatus();
}

absl::Status ScheduleServiceImpl::ListRuns(const v1::ListScheduleRunsRequest& request,
                                           v1::ListScheduleRunsResponse& response) const {
  if (request.schedule().size() > kMaxNameBytes) {
    return errors::OverLimit("schedule", request.schedule().size(), kMaxNameBytes, "bytes");
  }
  ASSIGN_OR_RETURN(const store::Page<store::ScheduleRun> page,
                   parts_.runs->List({request.schedule(), request.failed()},
                                     {request.before(), request.limit() <= 0 ? kDefaultRuns : request.limit()}));
  for (const store::ScheduleRun& run : page.items) *response.add_runs() = ToProto(run);
  response.set_next(page.next);
  return absl::OkStatus();
}

absl::Status ScheduleServiceImpl::Run(const RpcCall& call, const v1::RunScheduleRequest& request,
                                      v1::RunScheduleResponse& response) const {
  if (request.which_case() == v1::RunScheduleRequest::WHICH_NOT_SET) return errors::FieldMissing("schedule or run");
  const std::string& by = call.caller().name;
  store::ScheduleRun run;
  if (request.which_case() == v1::RunScheduleRequest::kRun) {
    ASSIGN_OR_RETURN(run, parts_.runs->AskAgain(request.run(), by.empty() ? "somebody" : by));
  } else {
    std::vector<std::string> names;
    for (const ScheduledJob& job : parts_.scheduler->jobs()) names.push_back(job.config.name);
    if (std::find(names.begin(), names.end(), request.schedule()) == names.end()) {
      return absl::NotFoundError(absl::StrCat("there is no schedule \"", request.schedule().substr(0, kMaxNameBytes),
                                              "\": there are ", names.empty() ? "none" : absl::StrJoin(names, ", ")));
    }
    ASSIGN_OR_RETURN(run, parts_.runs->Ask(request.schedule(), by.empty() ? "somebody" : by));
  }
  parts_.scheduler->Wake();
  *response.mutable_run() = ToProto(run);
  return absl::OkStatus();
}

}  // namespace yardmaster
