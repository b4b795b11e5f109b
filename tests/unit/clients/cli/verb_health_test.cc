// `yard health` against a server that has the health service, one that has not, and none.
#include <gmock/gmock.h>
#include <grpcpp/health_check_service_interface.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/rpc_server.h"
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
    server_ = std::make_unique<testing::RpcServer>(unimplemented_);
    grpc::EnableDefaultHealthCheckService(false);
  }

  const std::string& address() const { return server_->address(); }
  void SetServing(bool serving) { server_->server().GetHealthCheckService()->SetServingStatus(serving); }

 private:
  // A server has to have some service.
  v1::RulesService::Service unimplemented_;
  std::unique_ptr<testing::RpcServer> server_;
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
