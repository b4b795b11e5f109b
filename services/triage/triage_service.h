// The gRPC handlers of TriageService; proto/yardmaster/v1/triage.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_TRIAGE_TRIAGE_SERVICE_H_
#define YARDMASTER_SERVICES_TRIAGE_TRIAGE_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"
#include "services/intake/on_demand.h"
#include "services/packs/registry/pack_registry.h"
#include "services/triage/decision_id.h"
#include "services/triage/decision_log.h"
#include "services/triage/wire_writer.h"
#include "yardmaster/v1/triage.grpc.pb.h"

namespace yardmaster {

// A decision takes tens of microseconds, so it is made on gRPC's own thread: handing it to a pool would cost as much
// again. TriageIssue works on the bytes of its messages: an answer is written once, for the caller and the log, its
// explanation without objects in between. Everything the service is given outlives it.
class TriageServiceImpl final
    : public v1::TriageService::WithRawCallbackMethod_TriageIssue<v1::TriageService::WithCallbackMethod_ExplainDecision<
          v1::TriageService::WithCallbackMethod_EvaluateCases<v1::TriageService::Service>>> {
 public:
  // `ids`: one for the whole daemon, so that no two decisions have the same. `on_demand` answers about subjects of
  // forges, on `waiting_calls` since that takes long; null: such calls are FAILED_PRECONDITION.
  TriageServiceImpl(const RpcEnvironment& env, const PackRegistry& packs, DecisionLog& decisions, DecisionIds& ids,
                    Executor& waiting_calls, OnDemandDecider* on_demand);
  ~TriageServiceImpl() override;

  grpc::ServerUnaryReactor* TriageIssue(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ExplainDecision(grpc::CallbackServerContext* context,
                                            const v1::ExplainDecisionRequest* request,
                                            v1::ExplainDecisionResponse* response) override;
  grpc::ServerBidiReactor<v1::EvaluateCasesRequest, v1::EvaluateCasesResponse>* EvaluateCases(
      grpc::CallbackServerContext* context) override;

 private:
  absl::Status TriageSubject(const RpcCall& call, const grpc::ByteBuffer& request, grpc::ByteBuffer& response);
  absl::Status Explain(const v1::ExplainDecisionRequest& request, v1::ExplainDecisionResponse& response);
  absl::Status Triage(const grpc::ByteBuffer& request, grpc::ByteBuffer& response);
  absl::Status Decide(const v1::TriageIssueRequest& request, v1::Plan& plan, WireWriter& explanation);

  const RpcEnvironment env_;
  const PackRegistry& packs_;
  DecisionLog& decisions_;
  DecisionIds& ids_;
  Executor& waiting_calls_;
  OnDemandDecider* const on_demand_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_TRIAGE_SERVICE_H_
