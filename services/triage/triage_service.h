// The gRPC handlers of TriageService; proto/yardmaster/v1/triage.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_TRIAGE_TRIAGE_SERVICE_H_
#define YARDMASTER_SERVICES_TRIAGE_TRIAGE_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <memory>

#include "services/core/decision_log.h"
#include "services/core/pack_registry.h"
#include "services/core/rpc.h"
#include "services/triage/decision_id.h"
#include "yardmaster/v1/triage.grpc.pb.h"

namespace yardmaster {

// Stateless but for the decision ids; everything it is given outlives it. A decision takes tens of microseconds, so it
// is made on gRPC's own thread: handing it to a pool would cost as much again.
class TriageServiceImpl final : public v1::TriageService::CallbackService {
 public:
  TriageServiceImpl(const RpcEnvironment& env, const PackRegistry& packs, DecisionLog& decisions);
  ~TriageServiceImpl() override;

  grpc::ServerUnaryReactor* TriageIssue(grpc::CallbackServerContext* context, const v1::TriageIssueRequest* request,
                                        v1::TriageIssueResponse* response) override;
  grpc::ServerUnaryReactor* ExplainDecision(grpc::CallbackServerContext* context,
                                            const v1::ExplainDecisionRequest* request,
                                            v1::ExplainDecisionResponse* response) override;
  grpc::ServerBidiReactor<v1::EvaluateCasesRequest, v1::EvaluateCasesResponse>* EvaluateCases(
      grpc::CallbackServerContext* context) override;

 private:
  // Places the messages of TriageIssue on arenas; see the .cc file.
  class IssueAllocator;

  absl::Status Triage(const v1::TriageIssueRequest& request, v1::Plan& plan);

  const RpcEnvironment env_;
  const PackRegistry& packs_;
  DecisionLog& decisions_;
  DecisionIds ids_;
  std::unique_ptr<IssueAllocator> allocator_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_TRIAGE_SERVICE_H_
