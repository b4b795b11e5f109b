// RpcCall over a real connection: a server without generated code that answers every method.
#include "services/core/rpc/rpc.h"

#include <gmock/gmock.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <nlohmann/json.hpp>

#include "services/core/errors.h"
#include "services/core/limits.h"
#include "tests/support/rpc_server.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;

constexpr char kRead[] = "/yardmaster.v1.TriageService/TriageIssue";
constexpr char kWrite[] = "/yardmaster.v1.RulesService/ReloadPacks";

const std::vector<MethodRule>& Methods() {
  static const auto* const methods = new std::vector<MethodRule>{{kWrite, Role::kOperator}, {kRead, Role::kViewer}};
  return *methods;
}

// Admits, does what the test says, finishes.
class TestService final : public grpc::CallbackGenericService {
 public:
  explicit TestService(const RpcEnvironment& env) : env_(env) {}
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    struct Reactor final : grpc::ServerGenericBidiReactor {
      void OnDone() override { delete this; }
    };
    auto* reactor = new Reactor();
    // The method's name must outlive the call: it comes from the table.
    std::string_view method = "/unknown/Method";
    for (const MethodRule& rule : Methods()) {
      if (rule.full_method == context->method()) method = rule.full_method;
    }
    RpcCall call(env_, *context, method);
    absl::Status status = call.admitted();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (status.ok()) last_caller_ = call.caller().name;
      last_request_id_ = call.request_id();
    }
    if (status.ok()) status = work(call);
    reactor->Finish(call.Finish(status));
    return reactor;
  }

  std::function<absl::Status(const RpcCall&)> work = [](const RpcCall&) { return absl::OkStatus(); };
  std::string last_caller() {
    std::lock_guard<std::mutex> lock(mutex_);
    return last_caller_;
  }
  std::string last_request_id() {
    std::lock_guard<std::mutex> lock(mutex_);
    return last_request_id_;
  }

 private:
  std::mutex mutex_;
  std::string last_caller_;
  std::string last_request_id_;
  const RpcEnvironment& env_;
};

class RpcTest : public ::testing::Test {
 protected:
  LoggerOptions LogOptions() {
    LoggerOptions options;
    options.async = false;
    options.sink = [this](std::string_view line) {
      std::lock_guard<std::mutex> lock(mutex_);
      lines_.push_back(nlohmann::json::parse(line));
    };
    return options;
  }

  // Calls a method with metadata and returns its status.
  grpc::Status Call(const std::string& method, const std::vector<std::pair<std::string, std::string>>& metadata = {}) {
    context_ = std::make_unique<grpc::ClientContext>();
    context_->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    for (const auto& [key, value] : metadata) context_->AddMetadata(key, value);
    const grpc::Slice slice("x");
    grpc::ByteBuffer request(&slice, 1);
    grpc::ByteBuffer response;
    std::promise<grpc::Status> done;
    stub_->UnaryCall(context_.get(), method, grpc::StubOptions(), &request, &response,
                     [&](grpc::Status status) { done.set_value(std::move(status)); });
    return done.get_future().get();
  }
  std::string Trailer(const std::string& key) {
    const auto& trailers = context_->GetServerTrailingMetadata();
    auto it = trailers.find(key);
    return it == trailers.end() ? "" : std::string(it->second.data(), it->second.size());
  }

  std::mutex mutex_;
  std::vector<nlohmann::json> lines_;
  Authenticator auth_{
      Methods(),
      {{"watcher", Role::kViewer, Secret("viewer-secret")}, {"ops", Role::kOperator, Secret("operator-secret")}},
      /*allow_anonymous_loopback=*/true};
  Metrics metrics_{Methods()};
  SystemClock clock_;
  Logger logger_{LogOptions()};
  RpcEnvironment env_{auth_, metrics_, clock_, logger_};
  TestService service_{env_};
  testing::RpcServer server_{service_};
  std::unique_ptr<grpc::GenericStub> stub_ = std::make_unique<grpc::GenericStub>(server_.Connect());
  std::unique_ptr<grpc::ClientContext> context_;
};

TEST_F(RpcTest, ASuccessfulCallIsCountedAndNotLogged) {
  // The generic service answers a unary call without a message, which the client reports as a fault of its own: what
  // counts here is what the server saw.
  Call(kRead);
  EXPECT_EQ(service_.last_caller(), "anonymous");
  EXPECT_EQ(metrics_.Rpc(kRead).count(absl::StatusCode::kOk), 1u);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(RpcTest, AFailedCallCarriesItsStatusAndItsRequestIdAndIsLogged) {
  service_.work = [](const RpcCall&) { return errors::DecisionUnknown("d-1"); };
  const grpc::Status status = Call(kRead);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), HasSubstr("d-1"));
  EXPECT_EQ(metrics_.Rpc(kRead).count(absl::StatusCode::kNotFound), 1u);
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(lines_[0]["level"], "info");
  EXPECT_EQ(lines_[0]["method"], kRead);
  EXPECT_EQ(lines_[0]["code"], "NOT_FOUND");
  EXPECT_EQ(lines_[0]["request_id"], Trailer("x-request-id"));
  EXPECT_THAT(Trailer("x-request-id"), ::testing::StartsWith("r-"));
}

TEST_F(RpcTest, OurOwnFaultIsAWarning) {
  service_.work = [](const RpcCall&) { return errors::Internal("a pointer was null"); };
  EXPECT_EQ(Call(kRead).error_code(), grpc::StatusCode::INTERNAL);
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(lines_[0]["level"], "warning");
}

TEST_F(RpcTest, RolesAreChecked) {
  EXPECT_EQ(Call(kWrite).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Call(kWrite, {{"authorization", "Bearer viewer-secret"}}).error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Call(kWrite, {{"authorization", "Bearer nonsense"}}).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(service_.last_caller(), "");
  Call(kWrite, {{"authorization", "Bearer operator-secret"}});
  EXPECT_EQ(service_.last_caller(), "ops");
  EXPECT_EQ(metrics_.Rpc(kWrite).count(absl::StatusCode::kOk), 1u);
  EXPECT_EQ(metrics_.Rpc(kWrite).count(absl::StatusCode::kPermissionDenied), 2u);
  for (const nlohmann::json& line : lines_) {
    EXPECT_EQ(line["msg"], "call refused");
    EXPECT_EQ(line.dump().find("secret"), std::string::npos) << line;
  }
}

TEST_F(RpcTest, AMethodOutsideOfTheTableIsRefused) {
  EXPECT_EQ(Call("/unknown/Method", {{"authorization", "Bearer operator-secret"}}).error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(RpcTest, ASaneRequestIdIsTakenOverAndReturned) {
  Call(kRead, {{"x-request-id", "ci-job.42"}});
  EXPECT_EQ(service_.last_request_id(), "ci-job.42");
  EXPECT_EQ(Trailer("x-request-id"), "ci-job.42");
}

TEST_F(RpcTest, AnOddRequestIdIsReplaced) {
  for (const std::string& id : {std::string("a b"), std::string(kMaxRequestIdBytes + 1, 'x'), std::string("\"}{")}) {
    Call(kRead, {{"x-request-id", id}});
    EXPECT_THAT(service_.last_request_id(), ::testing::StartsWith("r-"));
  }
}

TEST_F(RpcTest, ALiveCallIsAlive) {
  absl::Status alive;
  service_.work = [&](const RpcCall& call) {
    alive = call.CheckAlive();
    return absl::OkStatus();
  };
  Call(kRead);
  EXPECT_TRUE(alive.ok());
}

TEST_F(RpcTest, ACallWhoseDeadlinePassesIsNoLongerAlive) {
  std::promise<absl::Status> alive;
  service_.work = [&](const RpcCall& call) {
    absl::Status status;
    for (int i = 0; i < 500 && status.ok(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      status = call.CheckAlive();
    }
    alive.set_value(status);
    return status;
  };
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
  const grpc::Slice slice("x");
  grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> done;
  stub_->UnaryCall(&context, kRead, grpc::StubOptions(), &request, &response,
                   [&](grpc::Status status) { done.set_value(std::move(status)); });
  EXPECT_EQ(done.get_future().get().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  const absl::StatusCode code = alive.get_future().get().code();
  EXPECT_TRUE(code == absl::StatusCode::kDeadlineExceeded || code == absl::StatusCode::kCancelled) << code;
}

// A clock for which every deadline has passed long ago.
class LateClock final : public Clock {
 public:
  std::chrono::system_clock::time_point Now() const override {
    return std::chrono::system_clock::now() + std::chrono::hours(24);
  }
  std::chrono::steady_clock::time_point Monotonic() const override { return std::chrono::steady_clock::now(); }
};

TEST_F(RpcTest, ACallThatComesTooLateIsRefusedBeforeAnyWork) {
  LateClock late;
  const RpcEnvironment env{auth_, metrics_, late, logger_};
  TestService service(env);
  bool worked = false;
  service.work = [&](const RpcCall&) {
    worked = true;
    return absl::OkStatus();
  };
  const testing::RpcServer server(service);
  stub_ = std::make_unique<grpc::GenericStub>(server.Connect());
  EXPECT_EQ(Call(kRead).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_FALSE(worked);
}

}  // namespace
}  // namespace yardmaster
