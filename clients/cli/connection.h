// The connection to yardmasterd.
#ifndef YARDMASTER_CLIENTS_CLI_CONNECTION_H_
#define YARDMASTER_CLIENTS_CLI_CONNECTION_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/session.h"
#include "services/core/secret.h"

namespace yardmaster::cli {

class ServerConnection {
 public:
  // Chooses address, token and encryption; nothing is contacted yet. `local_works`: the verb can also do without
  // a server; the error says so if there is none.
  //
  // Encryption: none for loopback without --ca, TLS for every other host (with the system's authorities or those of
  // --ca). --plaintext switches it off, but then no token is sent to another host: that is refused.
  static absl::StatusOr<ServerConnection> Open(const Session& session, bool local_works);

  // Calls a method of a service: Call(&v1::RulesService::Stub::ListPacks, request).
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                const Request& request, std::chrono::seconds timeout = std::chrono::seconds(30)) const {
    Stub stub(channel_);
    grpc::ClientContext context;
    Prepare(context, timeout);
    Response response;
    if (const grpc::Status status = (stub.*method)(&context, request, &response); !status.ok()) return Explain(status);
    return response;
  }

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  // Token and deadline of a call; without a timeout the call is not limited.
  void Prepare(grpc::ClientContext& context, std::chrono::seconds timeout) const;
  void PrepareEndless(grpc::ClientContext& context) const;

  // What a failed call means, and what may help.
  absl::Status Explain(const grpc::Status& status) const;

 private:
  ServerConnection() = default;
  std::string address_;
  bool local_works_ = false;
  Secret token_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_CONNECTION_H_
