// The gRPC handlers of PipelineService; proto/yardmaster/v1/pipeline.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_PIPELINE_PIPELINE_SERVICE_H_
#define YARDMASTER_SERVICES_PIPELINE_PIPELINE_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"
#include "services/intake/on_demand.h"
#include "services/packs/registry/pack_registry.h"
#include "services/pipeline/gate_source.h"
#include "yardmaster/v1/pipeline.grpc.pb.h"

namespace yardmaster {

// What it reads and writes with; null where the daemon has no pipe: calls are then FAILED_PRECONDITION.
struct PipelineParts {
  const Config* config = nullptr;
  GateSource* source = nullptr;
  OnDemandDecider* decider = nullptr;
  const Clock* clock = nullptr;
};

class PipelineServiceImpl final : public v1::PipelineService::WithCallbackMethod_DiagnosePullRequest<
                                      v1::PipelineService::WithCallbackMethod_StartGate<v1::PipelineService::Service>> {
 public:
  // Everything it is given outlives it.
  PipelineServiceImpl(const RpcEnvironment& env, const PackRegistry& packs, Executor& waiting_calls,
                      const PipelineParts& parts)
      : env_(env), packs_(packs), waiting_calls_(waiting_calls), parts_(parts) {}

  grpc::ServerUnaryReactor* DiagnosePullRequest(grpc::CallbackServerContext* context,
                                                const v1::DiagnosePullRequestRequest* request,
                                                v1::DiagnosePullRequestResponse* response) override;
  grpc::ServerUnaryReactor* StartGate(grpc::CallbackServerContext* context, const v1::StartGateRequest* request,
                                      v1::StartGateResponse* response) override;

 private:
  // The profile of the pack that was asked for, or of the repository's first one that has one. An error if the
  // repository may not use the pack.
  absl::StatusOr<std::shared_ptr<const rules::PipelineProfile>> ProfileOf(const v1::Subject& subject,
                                                                          const std::string& pack) const;
  absl::Status Diagnose(const v1::Subject& subject, const rules::PipelineProfile& profile,
                        google::protobuf::Struct& report) const;
  absl::Status Start(const RpcCall& call, const v1::StartGateRequest& request, v1::StartGateResponse& response) const;

  const RpcEnvironment env_;
  const PackRegistry& packs_;
  Executor& waiting_calls_;
  const PipelineParts parts_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PIPELINE_PIPELINE_SERVICE_H_
