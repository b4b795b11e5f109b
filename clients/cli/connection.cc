#include "clients/cli/connection.h"

#include <grpc/support/log.h>

#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "services/core/address.h"
#include "services/core/files.h"
#include "services/core/limits.h"
#include "services/core/version.h"

namespace yardmaster::cli {
namespace {

// Where Debian and others keep the authorities that the system trusts.
constexpr const char* kSystemAuthorities = "/etc/ssl/certs/ca-certificates.crt";
// How long connecting may take before the server counts as unreachable.
constexpr int kConnectMillis = 5'000;
// Answers of a server that we chose may be large: a backtest over thousands of issues.
constexpr int kMaxAnswerBytes = 256 << 20;

// The token without the line end that editors and echo leave.
std::string Trimmed(std::string text) {
  const size_t end = text.find_last_not_of(" \t\r\n");
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text;
}

bool IsHeaderValue(std::string_view text) {
  for (const char c : text) {
    if (c < 0x21 || c > 0x7E) return false;
  }
  return true;
}

// --token-file, else YARD_TOKEN. False if there should be one and it can't be used.
bool ReadToken(Session& session, Secret& token) {
  std::string text;
  if (!session.options.token_file.empty()) {
    absl::StatusOr<std::string> file = ReadSmallFile(session.options.token_file, kMaxSecretBytes);
    if (!file.ok()) {
      session.output.Error("--token-file: " + std::string(file.status().message()));
      return false;
    }
    text = Trimmed(*std::move(file));
    if (text.empty()) {
      session.output.Error("--token-file: '" + session.options.token_file + "' is empty: expected a token");
      return false;
    }
  } else {
    text = Trimmed(session.env.variable("YARD_TOKEN"));
  }
  if (!IsHeaderValue(text)) {
    session.output.Error("the token has blanks or characters outside of printable ASCII: expected one word");
    return false;
  }
  token = Secret(std::move(text));
  return true;
}

}  // namespace

std::unique_ptr<ServerConnection> ServerConnection::Open(Session& session, ExitCode& code) {
  code = ExitCode::kUsage;
  std::unique_ptr<ServerConnection> connection(new ServerConnection);
  connection->address_ = session.options.server;

  const std::optional<HostPort> address = ParseHostPort(session.options.server);
  if (!address.has_value() || address->port == 0) {
    session.output.Error("'" + session.options.server + "' is no server address: expected HOST:PORT, for example " +
                         kDefaultServer);
    return nullptr;
  }
  if (!ReadToken(session, connection->token_)) return nullptr;

  const bool loopback = IsLoopbackHost(address->host);
  const bool tls = !session.options.plaintext && (!loopback || !session.options.ca_file.empty());
  if (!tls && !loopback && !connection->token_.empty()) {
    session.output.Error("a token is not sent to " + address->host +
                         " without encryption: drop --plaintext, or call without a token");
    return nullptr;
  }

  grpc::ChannelArguments arguments;
  arguments.SetUserAgentPrefix("yard/" + std::string(kVersion));
  arguments.SetMaxReceiveMessageSize(kMaxAnswerBytes);
  // A proxy for the web is none for us.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectMillis);
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  if (tls) {
    grpc::SslCredentialsOptions options;
    const std::string& ca = session.options.ca_file;
    absl::StatusOr<std::string> roots = ReadSmallFile(ca.empty() ? kSystemAuthorities : ca, kMaxPemBytes);
    if (roots.ok()) {
      options.pem_root_certs = *std::move(roots);
    } else if (!ca.empty()) {
      session.output.Error("--ca: " + std::string(roots.status().message()));
      return nullptr;
    }
    credentials = grpc::SslCredentials(options);
  } else {
    credentials = grpc::InsecureChannelCredentials();
  }
  // The library's own log lines say the same as the status, in more words; whoever sets its variable wants them.
  if (session.env.variable("GRPC_VERBOSITY").empty()) gpr_set_log_function([](gpr_log_func_args*) {});
  connection->channel_ = grpc::CreateCustomChannel(address->ToString(), credentials, arguments);
  code = ExitCode::kDone;
  return connection;
}

void ServerConnection::PrepareEndless(grpc::ClientContext& context) const {
  if (!token_.empty()) context.AddMetadata("authorization", "Bearer " + token_.Reveal());
}

void ServerConnection::Prepare(grpc::ClientContext& context, std::chrono::seconds timeout) const {
  PrepareEndless(context);
  context.set_deadline(std::chrono::system_clock::now() + timeout);
}

ExitCode ServerConnection::Report(Session& session, const grpc::Status& status, bool local_works) const {
  Output& output = session.output;
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      if (channel_->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_READY) {
        // The server is there and answers for something behind it, such as a forge or its store.
        output.Error("the server at " + address_ + " can't do it now: " + status.error_message());
        return ExitCode::kSystem;
      }
      output.Error("the server at " + address_ + " can't be reached: " + status.error_message());
      output.Hint("Start one with 'yardmasterd' or './deploy/quickstart.sh', or name another with --server HOST:PORT.");
      if (local_works) output.Hint("With --local this works without a server.");
      break;
    case grpc::StatusCode::UNAUTHENTICATED:
      output.Error("the server at " + address_ + " wants to know who you are: " + status.error_message());
      output.Hint("Give a token with --token-file FILE or in YARD_TOKEN.");
      break;
    case grpc::StatusCode::PERMISSION_DENIED:
      output.Error("the server at " + address_ + " does not permit this: " + status.error_message());
      break;
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::INVALID_ARGUMENT:
      output.Error(status.error_message());
      break;
    case grpc::StatusCode::UNIMPLEMENTED:
      output.Error("the server at " + address_ + " is too old or too new for this: " + status.error_message());
      break;
    default:
      output.Error("the server at " + address_ + " failed: " + status.error_message() + " (code " +
                   std::to_string(static_cast<int>(status.error_code())) + ")");
      break;
  }
  return ExitCodeOf(status);
}

}  // namespace yardmaster::cli
