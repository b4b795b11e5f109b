// gRPC services behind a real server inside the test's process: what callers see, without a daemon.
#ifndef YARDMASTER_TESTS_SUPPORT_RPC_SERVER_H_
#define YARDMASTER_TESTS_SUPPORT_RPC_SERVER_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "services/core/auth.h"
#include "services/core/clock.h"
#include "services/core/limits.h"
#include "services/core/logging.h"
#include "services/core/metrics.h"
#include "services/core/rpc/contract_options.h"
#include "services/core/rpc/rpc.h"

namespace yardmaster::testing {

// Serves one service, which must outlive it, on a port of its own. Calls that are under way at its end are cancelled.
class RpcServer {
 public:
  explicit RpcServer(grpc::Service& service) {
    grpc::ServerBuilder builder;
    builder.RegisterService(&service);
    Start(builder);
  }
  explicit RpcServer(grpc::CallbackGenericService& service) {
    grpc::ServerBuilder builder;
    builder.RegisterCallbackGenericService(&service);
    Start(builder);
  }
  ~RpcServer() { server_->Shutdown(std::chrono::system_clock::now()); }
  RpcServer(const RpcServer&) = delete;
  RpcServer& operator=(const RpcServer&) = delete;

  const std::string& address() const { return address_; }
  std::shared_ptr<grpc::Channel> Connect() const {
    return grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
  }
  grpc::Server& server() { return *server_; }

 private:
  void Start(grpc::ServerBuilder& builder) {
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.SetMaxReceiveMessageSize(static_cast<int>(kMaxRpcMessageBytes));
    server_ = builder.BuildAndStart();
    address_ = "127.0.0.1:" + std::to_string(port);
  }

  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

// A fixture for the handlers of `Service` (v1::TriageService, say) with what they stand on. The log goes nowhere. Who
// sends the token "let-me-in" has the given role, who sends none is a viewer. The server must be stopped before the
// handlers are gone: in the destructor of the derived fixture.
template <typename Service>
class RpcServiceTest : public ::testing::Test {
 protected:
  explicit RpcServiceTest(Role role = Role::kOperator)
      : auth_(*ReadMethodRules(), {TokenEntry{"ops", role, Secret("let-me-in")}}, /*allow_anonymous_loopback=*/true) {}

  void Serve(grpc::Service& service) {
    server_ = std::make_unique<RpcServer>(service);
    stub_ = Service::NewStub(server_->Connect());
  }
  void StopServing() { server_.reset(); }

  RpcEnvironment Environment() { return RpcEnvironment{auth_, metrics_, clock_, logger_}; }

  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response, const std::string& token = "let-me-in") {
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    response.Clear();
    return (stub_.get()->*method)(&context, request, &response);
  }

  SystemClock clock_;
  Metrics metrics_;
  Logger logger_{LoggerOptions{.level = LogLevel::kError, .async = false, .sink = [](std::string_view) {}}};
  Authenticator auth_;
  std::unique_ptr<RpcServer> server_;
  std::unique_ptr<typename Service::Stub> stub_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_RPC_SERVER_H_
