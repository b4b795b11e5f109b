// The gRPC handlers of WorkflowService; proto/yardmaster/v1/workflow.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_WORKFLOW_SERVER_WORKFLOW_SERVICE_H_
#define YARDMASTER_SERVICES_WORKFLOW_SERVER_WORKFLOW_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"
#include "services/intake/on_demand.h"
#include "yardmaster/v1/workflow.grpc.pb.h"

namespace yardmaster {

class WorkflowServiceImpl final
    : public v1::WorkflowService::WithCallbackMethod_PreviewPullOperation<
          v1::WorkflowService::WithCallbackMethod_ApplyPullOperation<v1::WorkflowService::Service>> {
 public:
  // Everything it is given outlives it. `decider`: null where the daemon has no pipe; calls are then
  // FAILED_PRECONDITION.
  WorkflowServiceImpl(const RpcEnvironment& env, Executor& waiting_calls, OnDemandDecider* decider)
      : env_(env), waiting_calls_(waiting_calls), decider_(decider) {}

  grpc::ServerUnaryReactor* PreviewPullOperation(grpc::CallbackServerContext* context,
                                                 const v1::PreviewPullOperationRequest* request,
                                                 v1::PreviewPullOperationResponse* response) override;
  grpc::ServerUnaryReactor* ApplyPullOperation(grpc::CallbackServerContext* context,
                                               const v1::ApplyPullOperationRequest* request,
                                               v1::ApplyPullOperationResponse* response) override;

 private:
  const RpcEnvironment env_;
  Executor& waiting_calls_;
  OnDemandDecider* const decider_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_WORKFLOW_SERVER_WORKFLOW_SERVICE_H_
