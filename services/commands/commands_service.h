// The gRPC handlers of CommandsService; proto/yardmaster/v1/commands.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_COMMANDS_COMMANDS_SERVICE_H_
#define YARDMASTER_SERVICES_COMMANDS_COMMANDS_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "services/core/rpc/rpc.h"
#include "services/packs/registry/pack_registry.h"
#include "yardmaster/v1/commands.grpc.pb.h"

namespace yardmaster {

// Everything it is given outlives the gRPC server.
class CommandsServiceImpl final : public v1::CommandsService::CallbackService {
 public:
  CommandsServiceImpl(const RpcEnvironment& env, const PackRegistry& packs) : env_(env), packs_(packs) {}

  grpc::ServerUnaryReactor* Interpret(grpc::CallbackServerContext* context, const v1::InterpretRequest* request,
                                      v1::InterpretResponse* response) override;
  grpc::ServerUnaryReactor* ListCommands(grpc::CallbackServerContext* context, const v1::ListCommandsRequest* request,
                                         v1::ListCommandsResponse* response) override;

 private:
  absl::Status DoInterpret(const v1::InterpretRequest& request, v1::InterpretResponse& response) const;
  absl::Status DoListCommands(const v1::ListCommandsRequest& request, v1::ListCommandsResponse& response) const;

  const RpcEnvironment env_;
  const PackRegistry& packs_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_COMMANDS_COMMANDS_SERVICE_H_
