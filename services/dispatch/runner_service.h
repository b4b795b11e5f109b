// The gRPC handlers of RunnerService; proto/yardmaster/v1/runner.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_DISPATCH_RUNNER_SERVICE_H_
#define YARDMASTER_SERVICES_DISPATCH_RUNNER_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <string_view>

#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"
#include "services/dispatch/dispatch.h"
#include "yardmaster/v1/runner.grpc.pb.h"

namespace yardmaster {

class RunnerServiceImpl final : public v1::RunnerService::CallbackService {
 public:
  // As DispatchServiceImpl. `executor` is for workers alone: whoever waits for it too long is taken for dead.
  RunnerServiceImpl(const RpcEnvironment& env, Executor& executor, dispatch::Dispatch* dispatch)
      : env_(env), executor_(executor), dispatch_(dispatch) {}

  grpc::ServerBidiReactor<v1::WorkRequest, v1::WorkResponse>* Work(grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* AppendLog(grpc::CallbackServerContext* context, const v1::AppendLogRequest* request,
                                      v1::AppendLogResponse* response) override;
  grpc::ServerUnaryReactor* UploadArtifact(grpc::CallbackServerContext* context, const v1::PutPartRequest* request,
                                           v1::PutPartResponse* response) override;
  grpc::ServerUnaryReactor* ReadSource(grpc::CallbackServerContext* context, const v1::ReadPartRequest* request,
                                       v1::ReadPartResponse* response) override;
  grpc::ServerUnaryReactor* FinishRun(grpc::CallbackServerContext* context, const v1::FinishRunRequest* request,
                                      v1::FinishRunResponse* response) override;
  grpc::ServerUnaryReactor* DeclineRun(grpc::CallbackServerContext* context, const v1::ReturnRunRequest* request,
                                       v1::ReturnRunResponse* response) override;
  grpc::ServerUnaryReactor* GiveBackRun(grpc::CallbackServerContext* context, const v1::ReturnRunRequest* request,
                                        v1::ReturnRunResponse* response) override;

 private:
  template <typename Work>
  grpc::ServerUnaryReactor* Handle(grpc::CallbackServerContext* context, std::string_view method, Work work);

  const RpcEnvironment env_;
  Executor& executor_;
  dispatch::Dispatch* const dispatch_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_DISPATCH_RUNNER_SERVICE_H_
