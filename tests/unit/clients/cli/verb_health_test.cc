// `yard health` against a server that has the health service, one that has not, and none.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/clients/cli/command_line.h"
#include "yardmaster/v1/rules.grpc.pb.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A gRPC server that knows no call but health, and that only `with_health`.
class Server {
 public:
  explicit Server(bool with_health) {
    grpc::EnableDefaultHealthCheckService(with_health);
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    // A server has to have some service.
    builder.RegisterService(&unimplemented_);
    server_ = builder.BuildAndStart();
    grpc::EnableDefaultHealthCheckService(false);
    address_ = "127.0.0.1:" + std::to_string(port);
  }
  ~Server() { server_->Shutdown(std::chrono::system_clock::now()); }

  const std::string& address() const { return address_; }
  void SetServing(bool serving) { server_->GetHealthCheckService()->SetServingStatus(serving); }

 private:
  v1::RulesService::Service unimplemented_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

TEST(YardHealth, AServerThatServesIsCodeZeroWithoutAToken) {
  Server server(true);
  server.SetServing(true);
  const Result result = RunCommandLine({"--server", server.address(), "health"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, server.address() + " is serving\n");
  const Result json = RunCommandLine({"health", "--json", "--server", server.address()});
  EXPECT_EQ(nlohmann::json::parse(json.out)["state"], "serving");
}

TEST(YardHealth, AServerThatDrainsIsCodeOne) {
  Server server(true);
  server.SetServing(false);
  const Result result = RunCommandLine({"--server", server.address(), "health"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr("not serving"));
}

TEST(YardHealth, NobodyThereIsCodeThree) {
  const Result result = RunCommandLine({"--server", "127.0.0.1:1", "health"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("127.0.0.1:1"));
}

TEST(YardHealth, AServerWithoutTheHealthServiceIsCodeFour) {
  Server server(false);
  EXPECT_EQ(RunCommandLine({"--server", server.address(), "health"}).code, 4);
}

TEST(YardHealth, LocalIsRefused) { EXPECT_EQ(RunCommandLine({"health", "--local"}).code, 2); }

}  // namespace
}  // namespace yardmaster::cli
