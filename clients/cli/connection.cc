#include "clients/cli/connection.h"

#include <grpc/support/log.h>

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "services/core/address.h"
#include "services/core/files.h"
#include "services/core/limits.h"
#include "services/core/rpc/status.h"
#include "services/core/status_macros.h"
#include "services/core/version.h"

namespace yardmaster::cli {
namespace {

// Where Debian and others keep the authorities that the system trusts.
constexpr const char* kSystemAuthorities = "/etc/ssl/certs/ca-certificates.crt";
// How long connecting may take before the server counts as unreachable.
constexpr int kConnectMillis = 5'000;
constexpr int kKeepaliveMillis = 30'000;
// Answers of a server that we chose may be large: a backtest over thousands of issues.
constexpr int kMaxAnswerBytes = 256 << 20;

// --token-file, else YARD_TOKEN, without the line end that editors and echo leave.
absl::StatusOr<Secret> ReadToken(const Session& session) {
  const std::string& file = session.options.token_file;
  std::string text = file.empty() ? session.env.variable("YARD_TOKEN") : "";
  if (!file.empty()) {
    absl::StatusOr<std::string> read = ReadSmallFile(file, kMaxSecretBytes);
    if (!read.ok()) return UsageError(absl::StrCat("--token-file: ", read.status().message()));
    text = *std::move(read);
  }
  text.resize(text.find_last_not_of(" \t\r\n") + 1);
  if (text.empty() && !file.empty()) {
    return UsageError(absl::StrCat("--token-file: '", file, "' is empty: expected a token"));
  }
  if (!absl::c_all_of(text, absl::ascii_isgraph)) {
    return UsageError("the token has blanks or characters outside of printable ASCII: expected one word");
  }
  return Secret(std::move(text));
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(const std::string& ca_file) {
  grpc::SslCredentialsOptions options;
  absl::StatusOr<std::string> roots = ReadSmallFile(ca_file.empty() ? kSystemAuthorities : ca_file, kMaxPemBytes);
  if (roots.ok()) {
    options.pem_root_certs = *std::move(roots);
  } else if (!ca_file.empty()) {
    return UsageError(absl::StrCat("--ca: ", roots.status().message()));
  }
  return grpc::SslCredentials(options);
}

}  // namespace

absl::StatusOr<ServerConnection> ServerConnection::Open(const Session& session, bool local_works) {
  ServerConnection connection;
  connection.address_ = session.options.server;
  connection.local_works_ = local_works;

  const std::optional<HostPort> address = ParseHostPort(session.options.server);
  if (!address.has_value() || address->port == 0) {
    return UsageError(absl::StrCat("'", session.options.server,
                                   "' is no server address: expected HOST:PORT, for example ", kDefaultServer));
  }
  ASSIGN_OR_RETURN(connection.token_, ReadToken(session));

  const bool loopback = IsLoopbackHost(address->host);
  const bool tls = !session.options.plaintext && (!loopback || !session.options.ca_file.empty());
  if (!tls && !loopback && !connection.token_.empty()) {
    return UsageError(absl::StrCat("a token is not sent to ", address->host,
                                   " without encryption: drop --plaintext, or call without a token"));
  }

  grpc::ChannelArguments arguments;
  arguments.SetUserAgentPrefix("yard/" + std::string(kVersion));
  arguments.SetMaxReceiveMessageSize(kMaxAnswerBytes);
  // A proxy for the web is none for us.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectMillis);
  // Who follows a run for hours finds out that a router has dropped the connection.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMillis);
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (tls) {
    ASSIGN_OR_RETURN(credentials, Credentials(session.options.ca_file));
  }
  // The library's own log lines say the same as the status, in more words; whoever sets its variable wants them.
  if (session.env.variable("GRPC_VERBOSITY").empty()) gpr_set_log_function([](gpr_log_func_args*) {});
  connection.channel_ = grpc::CreateCustomChannel(address->ToString(), credentials, arguments);
  return connection;
}

void ServerConnection::PrepareEndless(grpc::ClientContext& context) const {
  if (!token_.empty()) context.AddMetadata("authorization", "Bearer " + token_.Reveal());
}

void ServerConnection::Prepare(grpc::ClientContext& context, std::chrono::seconds timeout) const {
  PrepareEndless(context);
  context.set_deadline(std::chrono::system_clock::now() + timeout);
}

absl::Status ServerConnection::Explain(const grpc::Status& status) const {
  const absl::StatusCode code = FromGrpcStatus(status).code();
  const std::string& message = status.error_message();
  const std::string server = absl::StrCat("the server at ", address_);
  std::vector<std::string> hints;
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      if (channel_->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_READY) {
        // The server is there and answers for something behind it, such as a forge or its store.
        return SystemError(absl::StrCat(server, " can't do it now: ", message));
      }
      hints.emplace_back(
          "Start one with 'yardmasterd' or './deploy/quickstart.sh', or name another with --server HOST:PORT.");
      if (local_works_) hints.emplace_back("With --local this works without a server.");
      return MakeError(code, absl::StrCat(server, " can't be reached: ", message), hints);
    case grpc::StatusCode::UNAUTHENTICATED:
      return MakeError(code, absl::StrCat(server, " wants to know who you are: ", message),
                       {"Give a token with --token-file FILE or in YARD_TOKEN."});
    case grpc::StatusCode::PERMISSION_DENIED:
      return MakeError(code, absl::StrCat(server, " does not permit this: ", message), {});
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::FAILED_PRECONDITION:
      return MakeError(code, message, {});
    case grpc::StatusCode::UNIMPLEMENTED:
      return MakeError(code, absl::StrCat(server, " is too old or too new for this: ", message), {});
    default:
      return MakeError(code, absl::StrCat(server, " failed: ", message, " (code ", status.error_code(), ")"), {});
  }
}

}  // namespace yardmaster::cli
