#include "services/yardmasterd/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "services/core/errors.h"
#include "services/yardmasterd/batch_threads.h"

namespace yardmaster {
namespace {

std::shared_ptr<grpc::ServerCredentials> Credentials(const TlsMaterial* tls) {
  if (tls == nullptr) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(tls->client_ca.empty()
                                                ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                                : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = tls->client_ca;
  options.pem_key_cert_pairs.push_back({tls->private_key.Reveal(), tls->certificate_chain});
  return grpc::SslServerCredentials(options);
}

// gRPC says only that it could not bind; the system says why.
std::string WhyNotListenable(const HostPort& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (failed != 0) return ::gai_strerror(failed);
  std::string reason = "not accepted by gRPC";
  const int probe = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (probe < 0) {
    reason = std::strerror(errno);
  } else {
    ::setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (::bind(probe, found->ai_addr, found->ai_addrlen) != 0 || ::listen(probe, 1) != 0) reason = std::strerror(errno);
    ::close(probe);
  }
  ::freeaddrinfo(found);
  return reason;
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcServerOptions& options,
                                                              const std::vector<NamedService>& services) {
  // What one thread of gRPC can't write, since another one has the connection, it leaves to a third. That one would
  // interrupt a decision for every few answers; this way it comes when a decision has ended, and writes more at once.
  const BatchThreads batch_threads;
  // Both switches are gRPC's own and count for servers built afterwards.
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(options.address.ToString(), Credentials(options.tls), &port);
  // gRPC would share a port with another daemon, and each would get a part of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_message_bytes));
  builder.SetMaxSendMessageSize(static_cast<int>(options.max_message_bytes));
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, static_cast<int>(kMaxRpcMetadataBytes));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxRpcStreamsPerConnection);
  // A client that went away without a word is found out.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(kRpcKeepaliveTime.count()));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, static_cast<int>(kRpcKeepaliveTimeout.count()));
  // gRPC by itself cuts a client that asks more often than every five minutes.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             static_cast<int>(kRpcClientKeepaliveAtLeast.count()));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Only reflection is a synchronous service: it gets the least that gRPC allows.
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MIN_POLLERS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS, 1);
  for (const NamedService& service : services) builder.RegisterService(service.service);

  std::unique_ptr<GrpcServer> server(new GrpcServer());
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr || port == 0) {
    return errors::AddressNotListenable("gRPC", options.address.ToString(), WhyNotListenable(options.address));
  }
  server->address_ = {options.address.host, static_cast<uint16_t>(port)};
  grpc::HealthCheckServiceInterface* health = server->server_->GetHealthCheckService();
  for (const NamedService& service : services) health->SetServingStatus(service.name, true);
  return server;
}

GrpcServer::~GrpcServer() { Stop(std::chrono::milliseconds(0)); }

void GrpcServer::BeginDrain() {
  if (server_ != nullptr) server_->GetHealthCheckService()->Shutdown();
}

void GrpcServer::Stop(std::chrono::milliseconds timeout) {
  if (server_ == nullptr || stopped_) return;
  stopped_ = true;
  server_->Shutdown(std::chrono::system_clock::now() + timeout);
  server_->Wait();
}

}  // namespace yardmaster
