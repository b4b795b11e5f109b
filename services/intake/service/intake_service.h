// The gRPC handlers of IntakeService; proto/yardmaster/v1/intake.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_INTAKE_SERVICE_INTAKE_SERVICE_H_
#define YARDMASTER_SERVICES_INTAKE_SERVICE_INTAKE_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <functional>

#include "services/core/config/config.h"
#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"
#include "services/core/store/store.h"
#include "services/intake/notices.h"
#include "services/intake/sweeps/sweep_runner.h"
#include "yardmaster/v1/intake.grpc.pb.h"

namespace yardmaster {

// What the service looks into; null members on a daemon that keeps nothing. Everything outlives the service.
struct IntakeParts {
  store::Store* store = nullptr;
  SweepRunner* sweeps = nullptr;
  const Config* config = nullptr;
  const Notices* notices = nullptr;
  // Told of a delivery that a person put back to work; may be null.
  std::function<void(int64_t delivery)> on_requeue;
  // Has what is open on a subject settled now; may be null.
  std::function<void(const v1::Subject& subject)> settle;
};

// Calls read or write the database, so they run on `executor` and not on gRPC's threads.
class IntakeServiceImpl final : public v1::IntakeService::CallbackService {
 public:
  IntakeServiceImpl(const RpcEnvironment& env, Executor& executor, IntakeParts parts);

  grpc::ServerUnaryReactor* ListDeliveries(grpc::CallbackServerContext* context,
                                           const v1::ListDeliveriesRequest* request,
                                           v1::ListDeliveriesResponse* response) override;
  grpc::ServerUnaryReactor* ShowDelivery(grpc::CallbackServerContext* context, const v1::ShowDeliveryRequest* request,
                                         v1::ShowDeliveryResponse* response) override;
  grpc::ServerUnaryReactor* ReplayDelivery(grpc::CallbackServerContext* context,
                                           const v1::ReplayDeliveryRequest* request,
                                           v1::ReplayDeliveryResponse* response) override;
  grpc::ServerUnaryReactor* GetPending(grpc::CallbackServerContext* context, const v1::GetPendingRequest* request,
                                       v1::GetPendingResponse* response) override;
  grpc::ServerUnaryReactor* ListNotices(grpc::CallbackServerContext* context, const v1::ListNoticesRequest* request,
                                        v1::ListNoticesResponse* response) override;
  grpc::ServerUnaryReactor* ListDecisions(grpc::CallbackServerContext* context, const v1::ListDecisionsRequest* request,
                                          v1::ListDecisionsResponse* response) override;
  grpc::ServerUnaryReactor* ListEffects(grpc::CallbackServerContext* context, const v1::ListEffectsRequest* request,
                                        v1::ListEffectsResponse* response) override;
  grpc::ServerUnaryReactor* ShowEffect(grpc::CallbackServerContext* context, const v1::ShowEffectRequest* request,
                                       v1::ShowEffectResponse* response) override;
  grpc::ServerUnaryReactor* SettleEffect(grpc::CallbackServerContext* context, const v1::SettleEffectRequest* request,
                                         v1::SettleEffectResponse* response) override;
  grpc::ServerUnaryReactor* AbandonEffect(grpc::CallbackServerContext* context, const v1::AbandonEffectRequest* request,
                                          v1::AbandonEffectResponse* response) override;
  grpc::ServerUnaryReactor* ListDeadLetters(grpc::CallbackServerContext* context,
                                            const v1::ListDeadLettersRequest* request,
                                            v1::ListDeadLettersResponse* response) override;
  grpc::ServerUnaryReactor* RequeueDeadLetters(grpc::CallbackServerContext* context,
                                               const v1::RequeueDeadLettersRequest* request,
                                               v1::RequeueDeadLettersResponse* response) override;
  grpc::ServerWriteReactor<v1::SweepResponse>* Sweep(grpc::CallbackServerContext* context,
                                                     const v1::SweepRequest* request) override;
  grpc::ServerUnaryReactor* FindSimilar(grpc::CallbackServerContext* context, const v1::FindSimilarRequest* request,
                                        v1::FindSimilarResponse* response) override;

 private:
  template <typename Work>
  grpc::ServerUnaryReactor* Handle(grpc::CallbackServerContext* context, std::string_view method, Work work);
  absl::StatusOr<store::Delivery> FindDelivery(const v1::DeliveryKey& key);
  absl::Status Requeue(int64_t id);

  const RpcEnvironment env_;
  Executor& executor_;
  const IntakeParts parts_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SERVICE_INTAKE_SERVICE_H_
