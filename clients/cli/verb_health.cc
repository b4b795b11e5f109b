// `yard health`: whether the server is ready. For health checks of containers and scripts; needs no token.
#include <grpcpp/generic/generic_stub.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "clients/cli/connection.h"
#include "clients/cli/verbs.h"

namespace yardmaster::cli {
namespace {

// A health check that takes longer is itself an answer.
constexpr std::chrono::seconds kTimeout{10};

// Asks grpc.health.v1.Health for the server as a whole, as bytes: Debian ships no generated code for it. An empty
// request stands for the whole; in the answer field 1 is the state, of which 1 is SERVING.
grpc::Status AskHealth(const ServerConnection& connection, bool& serving) {
  grpc::GenericStub stub(connection.channel());
  grpc::ClientContext context;
  connection.Prepare(context, kTimeout);
  const grpc::Slice nothing;
  const grpc::ByteBuffer request(&nothing, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> ended;
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", grpc::StubOptions(), &request, &response,
                 [&ended](grpc::Status status) { ended.set_value(std::move(status)); });
  grpc::Status status = ended.get_future().get();
  if (!status.ok()) return status;
  grpc::Slice answer;
  serving =
      response.DumpToSingleSlice(&answer).ok() &&
      std::string_view(reinterpret_cast<const char*>(answer.begin()), answer.size()) == std::string_view("\x08\x01", 2);
  return status;
}

ExitCode Health(Session& session) {
  if (session.options.local) {
    session.output.Error("'yard health' asks a server: --local makes no sense here");
    return ExitCode::kUsage;
  }
  ExitCode code = ExitCode::kDone;
  const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
  if (connection == nullptr) return code;
  bool serving = false;
  const grpc::Status status = AskHealth(*connection, serving);
  if (!status.ok()) return connection->Report(session, status, false);
  const std::string state = serving ? "serving" : "not serving";
  if (session.options.json) {
    session.output.Json({{"server", session.options.server}, {"state", state}});
  } else {
    session.output.out() << session.options.server << " is " << state << '\n';
  }
  return serving ? ExitCode::kDone : ExitCode::kNegative;
}

}  // namespace

void AddHealthVerb(CLI::App& app, Verb& chosen) {
  CLI::App* verb = AddVerb(app, "health", "Whether the server is ready: exit 0 if it is, 1 while it drains",
                           "  yard health\n  yard --server 127.0.0.1:9090 health --quiet");
  verb->callback([&chosen] { chosen = Health; });
}

}  // namespace yardmaster::cli
