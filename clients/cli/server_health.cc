#include "clients/cli/server_health.h"

#include <google/protobuf/util/time_util.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "services/core/status_macros.h"
#include "yardmaster/v1/intake.grpc.pb.h"

namespace yardmaster::cli {
namespace {

// A health check that takes longer is itself an answer.
constexpr std::chrono::seconds kTimeout{10};

// Asks grpc.health.v1.Health for the server as a whole, as bytes: Debian ships no generated code for it. An empty
// request stands for the whole; in the answer field 1 is the state, of which 1 is SERVING.
absl::StatusOr<bool> IsServing(const ServerConnection& server) {
  grpc::GenericStub stub(server.channel());
  grpc::ClientContext context;
  server.Prepare(context, kTimeout);
  const grpc::Slice nothing;
  const grpc::ByteBuffer request(&nothing, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> ended;
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", grpc::StubOptions(), &request, &response,
                 [&ended](grpc::Status status) { ended.set_value(std::move(status)); });
  if (const grpc::Status status = ended.get_future().get(); !status.ok()) return server.Explain(status);
  grpc::Slice answer;
  return response.DumpToSingleSlice(&answer).ok() && std::string_view(reinterpret_cast<const char*>(answer.begin()),
                                                                      answer.size()) == std::string_view("\x08\x01", 2);
}

}  // namespace

absl::StatusOr<ServerHealth> AskHealth(const ServerConnection& server) {
  ServerHealth health;
  ASSIGN_OR_RETURN(health.serving, IsServing(server));
  const absl::StatusOr<v1::ListNoticesResponse> answer =
      server.Call(&v1::IntakeService::Stub::ListNotices, v1::ListNoticesRequest(), kTimeout);
  if (answer.ok()) {
    health.notices.assign(answer->notices().begin(), answer->notices().end());
  } else {
    health.notices_hidden = std::string(answer.status().message());
  }
  return health;
}

nlohmann::ordered_json NoticeJson(const v1::Notice& notice) {
  return {{"about", notice.key()},
          {"what", notice.text()},
          {"since", google::protobuf::util::TimeUtil::ToString(notice.since())}};
}

}  // namespace yardmaster::cli
