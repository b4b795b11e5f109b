// The gRPC handlers of TriageService; proto/yardmaster/v1/triage.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_TRIAGE_TRIAGE_SERVICE_H_
#define YARDMASTER_SERVICES_TRIAGE_TRIAGE_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "services/core/decision_log.h"
#include "services/core/pack_registry.h"
#include "services/core/rpc.h"
#include "services/triage/arena_pool.h"
#include "services/triage/decision_id.h"
#include "yardmaster/v1/triage.grpc.pb.h"

namespace yardmaster {

// A decision takes tens of microseconds, so it is made on gRPC's own thread: handing it to a pool would cost as much
// again. TriageIssue works on the bytes of its messages: an answer is serialized once, for the caller and the log, and
// the messages in between live on arenas that are used again. Everything the service is given outlives it.
class TriageServiceImpl final
    : public v1::TriageService::WithRawCallbackMethod_TriageIssue<v1::TriageService::WithCallbackMethod_ExplainDecision<
          v1::TriageService::WithCallbackMethod_EvaluateCases<v1::TriageService::Service>>> {
 public:
  TriageServiceImpl(const RpcEnvironment& env, const PackRegistry& packs, DecisionLog& decisions);
  ~TriageServiceImpl() override;

  grpc::ServerUnaryReactor* TriageIssue(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ExplainDecision(grpc::CallbackServerContext* context,
                                            const v1::ExplainDecisionRequest* request,
                                            v1::ExplainDecisionResponse* response) override;
  grpc::ServerBidiReactor<v1::EvaluateCasesRequest, v1::EvaluateCasesResponse>* EvaluateCases(
      grpc::CallbackServerContext* context) override;

 private:
  absl::Status Triage(const grpc::ByteBuffer& request, grpc::ByteBuffer& response);
  absl::Status Decide(const v1::TriageIssueRequest& request, v1::Plan& plan);

  const RpcEnvironment env_;
  const PackRegistry& packs_;
  DecisionLog& decisions_;
  DecisionIds ids_;
  ArenaPool arenas_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_TRIAGE_SERVICE_H_
