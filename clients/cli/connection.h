// The connection to yardmasterd.
#ifndef YARDMASTER_CLIENTS_CLI_CONNECTION_H_
#define YARDMASTER_CLIENTS_CLI_CONNECTION_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>

#include "clients/cli/options.h"
#include "services/core/secret.h"

namespace yardmaster::cli {

class ServerConnection {
 public:
  // Decides about address, token and encryption; nothing is contacted yet. On failure returns nullptr, has said why,
  // and `code` is set.
  //
  // Encryption: none for loopback without --ca, TLS for every other host (with the system's authorities or those of
  // --ca). --plaintext switches it off, but then no token is sent to another host: that is refused.
  static std::unique_ptr<ServerConnection> Open(Session& session, ExitCode& code);

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

  // Token and deadline of a call; without a timeout the call may take as long as it likes.
  void Prepare(grpc::ClientContext& context, std::chrono::seconds timeout) const;
  void PrepareEndless(grpc::ClientContext& context) const;

  // Says what a failed call means and returns the exit code for it. `local_works`: the verb can also do without a
  // server.
  ExitCode Report(Session& session, const grpc::Status& status, bool local_works) const;

 private:
  ServerConnection() = default;
  std::string address_;
  Secret token_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_CONNECTION_H_
