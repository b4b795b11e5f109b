// The gRPC handlers of ScheduleService; proto/yardmaster/v1/schedule.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_SCHEDULE_SCHEDULE_SERVICE_H_
#define YARDMASTER_SERVICES_SCHEDULE_SCHEDULE_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string_view>

#include "absl/status/status.h"
#include "services/core/clock.h"
#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"
#include "services/core/store/schedule_runs.h"
#include "services/schedule/scheduler.h"
#include "yardmaster/v1/schedule.grpc.pb.h"

namespace yardmaster {

// What it looks into; null where the daemon keeps nothing: calls are then FAILED_PRECONDITION.
struct ScheduleParts {
  store::ScheduleRuns* runs = nullptr;
  Scheduler* scheduler = nullptr;
  const Clock* clock = nullptr;
};

v1::ScheduleRun ToProto(const store::ScheduleRun& run);

class ScheduleServiceImpl final : public v1::ScheduleService::CallbackService {
 public:
  // Everything it is given outlives it.
  ScheduleServiceImpl(const RpcEnvironment& env, Executor& executor, const ScheduleParts& parts)
      : env_(env), executor_(executor), parts_(parts) {}

  grpc::ServerUnaryReactor* ListSchedules(grpc::CallbackServerContext* context, const v1::ListSchedulesRequest* request,
                                          v1::ListSchedulesResponse* response) override;
  grpc::ServerUnaryReactor* ListScheduleRuns(grpc::CallbackServerContext* context,
                                             const v1::ListScheduleRunsRequest* request,
                                             v1::ListScheduleRunsResponse* response) override;
  grpc::ServerUnaryReactor* RunSchedule(grpc::CallbackServerContext* context, const v1::RunScheduleRequest* request,
                                        v1::RunScheduleResponse* response) override;

 private:
  grpc::ServerUnaryReactor* Handle(grpc::CallbackServerContext* context, std::string_view method,
                                   std::function<absl::Status(const RpcCall&)> work);
  absl::Status List(v1::ListSchedulesResponse& response) const;
  absl::Status ListRuns(const v1::ListScheduleRunsRequest& request, v1::ListScheduleRunsResponse& response) const;
  absl::Status Run(const RpcCall& call, const v1::RunScheduleRequest& request, v1::RunScheduleResponse& response) const;

  const RpcEnvironment env_;
  Executor& executor_;
  const ScheduleParts parts_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_SCHEDULE_SCHEDULE_SERVICE_H_
