// The calls of RunnerService as the worker makes them.
#ifndef YARDMASTER_SERVICES_YARDWORKER_CONTROL_PLANE_H_
#define YARDMASTER_SERVICES_YARDWORKER_CONTROL_PLANE_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "services/core/secret.h"
#include "yardmaster/v1/runner.grpc.pb.h"

namespace yardmaster::yardworker {

class ControlPlane {
 public:
  ControlPlane(std::shared_ptr<grpc::Channel> channel, Secret token)
      : stub_(v1::RunnerService::NewStub(std::move(channel))), token_(std::move(token)) {}

  // Call(&v1::RunnerService::Stub::FinishRun, request, response).
  template <typename Request, typename Response>
  absl::Status Call(grpc::Status (v1::RunnerService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response) {
    grpc::ClientContext context;
    Prepare(context);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    const grpc::Status status = (stub_.get()->*method)(&context, request, &response);
    if (status.ok()) return absl::OkStatus();
    return {static_cast<absl::StatusCode>(status.error_code()), status.error_message()};
  }

  void Prepare(grpc::ClientContext& context) const {
    if (!token_.empty()) context.AddMetadata("authorization", "Bearer " + token_.Reveal());
  }
  v1::RunnerService::Stub& stub() { return *stub_; }

 private:
  const std::unique_ptr<v1::RunnerService::Stub> stub_;
  const Secret token_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_CONTROL_PLANE_H_
