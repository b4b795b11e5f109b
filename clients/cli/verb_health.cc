// `yard health`: whether the server is ready. For health checks of containers and scripts; needs no token.
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "clients/cli/connection.h"
#include "clients/cli/verbs.h"
#include "services/core/status_macros.h"

namespace yardmaster::cli {
namespace {

// A health check that takes longer is itself an answer.
constexpr std::chrono::seconds kHealthTimeout{10};

// Asks grpc.health.v1.Health for the server as a whole, as bytes: Debian ships no generated code for it. An empty
// request stands for the whole; in the answer field 1 is the state, of which 1 is SERVING.
absl::StatusOr<bool> IsServing(const ServerConnection& server) {
  grpc::GenericStub stub(server.channel());
  grpc::ClientContext context;
  server.Prepare(context, kHealthTimeout);
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

absl::StatusOr<ExitCode> Health(Session& session) {
  if (session.options.local) return UsageError("'yard health' asks a server: --local makes no sense here");
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  ASSIGN_OR_RETURN(const bool serving, IsServing(server));
  const std::string state = serving ? "serving" : "not serving";
  if (session.options.json) {
    session.output.Json({{"server", session.options.server}, {"state", state}});
  } else {
    session.output.out() << session.options.server << " is " << state << '\n';
  }
  return serving ? ExitCode::kDone : ExitCode::kNegative;
}

}  // namespace

void AddHealthVerb(Verb& yard) {
  yard.Add("health", "Whether the server is ready: exit 0 if it is, 1 while it drains",
           {"yard health", "yard --server 127.0.0.1:9090 health --quiet"})
      .Runs(Health);
}

}  // namespace yardmaster::cli
