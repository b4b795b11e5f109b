// The gRPC listener: limits, TLS, health and reflection around the services.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_GRPC_SERVER_H_
#define YARDMASTER_SERVICES_YARDMASTERD_GRPC_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/address.h"
#include "services/core/limits.h"
#include "services/core/tls.h"

namespace yardmaster {

struct GrpcServerOptions {
  HostPort address;                  // port 0: any free one
  const TlsMaterial* tls = nullptr;  // null: plain. With a client_ca every client must show a certificate
  size_t max_message_bytes = kMaxRpcMessageBytes;
};

// A service and the name that its health is asked by.
struct NamedService {
  std::string name;
  grpc::Service* service = nullptr;
};

class GrpcServer {
 public:
  // Serves at once; every service and "" is SERVING. The services outlive the server. UNAVAILABLE if the address can't
  // be listened on.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcServerOptions& options,
                                                           const std::vector<NamedService>& services);
  ~GrpcServer();

  // With the real port.
  const HostPort& address() const { return address_; }

  // Health answers NOT_SERVING from now on, for good; calls are still served.
  void BeginDrain();

  // No new calls; those in flight may end until `timeout`, then they are cancelled. Returns when all have ended.
  void Stop(std::chrono::milliseconds timeout);

 private:
  GrpcServer() = default;
  HostPort address_;
  std::unique_ptr<grpc::Server> server_;
  bool stopped_ = false;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_GRPC_SERVER_H_
