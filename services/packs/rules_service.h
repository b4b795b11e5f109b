// The gRPC handlers of RulesService; proto/yardmaster/v1/rules.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_PACKS_RULES_SERVICE_H_
#define YARDMASTER_SERVICES_PACKS_RULES_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"
#include "services/core/store/store.h"
#include "services/intake/label_source.h"
#include "services/packs/registry/pack_registry.h"
#include "yardmaster/v1/rules.grpc.pb.h"

namespace yardmaster {

// Stateless; everything it is given outlives the gRPC server. All calls but ListPacks compile packs or decide many
// cases, so they run on `long_calls` and end early when their deadline passes or the caller is gone.
class RulesServiceImpl final : public v1::RulesService::CallbackService {
 public:
  // Repositories' labels come from `labels` and are read on `waiting_calls`, which ends before the source does. Null:
  // no forge is configured. Without a store nothing is known of shadows.
  RulesServiceImpl(const RpcEnvironment& env, PackRegistry& packs, Executor& long_calls, Executor& waiting_calls,
                   LabelSource* labels, store::Store* store = nullptr)
      : env_(env),
        packs_(packs),
        long_calls_(long_calls),
        waiting_calls_(waiting_calls),
        labels_(labels),
        store_(store) {}

  grpc::ServerUnaryReactor* ListPacks(grpc::CallbackServerContext* context, const v1::ListPacksRequest* request,
                                      v1::ListPacksResponse* response) override;
  grpc::ServerUnaryReactor* ShowRule(grpc::CallbackServerContext* context, const v1::ShowRuleRequest* request,
                                     v1::ShowRuleResponse* response) override;
  grpc::ServerUnaryReactor* ValidatePack(grpc::CallbackServerContext* context, const v1::ValidatePackRequest* request,
                                         v1::ValidatePackResponse* response) override;
  grpc::ServerUnaryReactor* ReloadPacks(grpc::CallbackServerContext* context, const v1::ReloadPacksRequest* request,
                                        v1::ReloadPacksResponse* response) override;
  grpc::ServerUnaryReactor* TestPack(grpc::CallbackServerContext* context, const v1::TestPackRequest* request,
                                     v1::TestPackResponse* response) override;
  grpc::ServerUnaryReactor* Backtest(grpc::CallbackServerContext* context, const v1::BacktestRequest* request,
                                     v1::BacktestResponse* response) override;
  grpc::ServerUnaryReactor* ShadowReport(grpc::CallbackServerContext* context, const v1::ShadowReportRequest* request,
                                         v1::ShadowReportResponse* response) override;

 private:
  absl::Status Validate(const RpcCall& call, const v1::ValidatePackRequest& request,
                        v1::ValidatePackResponse& response) const;
  absl::Status Test(const RpcCall& call, const v1::TestPackRequest& request, v1::TestPackResponse& response) const;
  absl::Status SumUpShadows(const RpcCall& call, const v1::ShadowReportRequest& request,
                            v1::ShadowReportResponse& response) const;
  absl::Status Compare(const RpcCall& call, const v1::BacktestRequest& request, v1::BacktestResponse& response) const;

  const RpcEnvironment env_;
  PackRegistry& packs_;
  Executor& long_calls_;
  Executor& waiting_calls_;
  LabelSource* const labels_;
  store::Store* const store_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_RULES_SERVICE_H_
