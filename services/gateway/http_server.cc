#include "services/gateway/http_server.h"

#include <openssl/ssl.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <coroutine>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/gateway/http_connection.h"
#include "services/gateway/http_server_core.h"

namespace yardmaster {
namespace {

namespace net = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;
using net::ip::tcp;

// After a failed accept (no descriptors left) the listener rests.
constexpr std::chrono::milliseconds kAcceptPause{50};

// "127.0.0.1" or a name; a name is resolved once, here.
absl::StatusOr<tcp::endpoint> ResolveAddress(net::io_context& context, const HostPort& address) {
  error_code error;
  const net::ip::address parsed = net::ip::make_address(address.host, error);
  if (!error) return tcp::endpoint(parsed, address.port);
  tcp::resolver resolver(context);
  const auto results = resolver.resolve(address.host, std::to_string(address.port), error);
  if (error || results.empty()) return errors::AddressNotListenable("HTTP", address.ToString(), error.message());
  return results.begin()->endpoint();
}

}  // namespace

HttpServerCore::HttpServerCore(HttpServerOptions options, HttpRouter router, Logger& logger, Metrics& metrics)
    : options(std::move(options)),
      router(std::move(router)),
      logger(logger),
      metrics(metrics),
      context(this->options.threads),
      acceptor(context) {}

absl::Status HttpServerCore::Listen() {
  if (options.tls.has_value()) {
    error_code error;
    tls.emplace(ssl::context::tls_server);
    SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
    const std::string& chain = options.tls->certificate_chain;
    const std::string& key = options.tls->private_key.Reveal();
    tls->use_certificate_chain(net::const_buffer(chain.data(), chain.size()), error);
    if (error) return errors::PemInvalid("certificate", "tls", error.message());
    tls->use_private_key(net::const_buffer(key.data(), key.size()), ssl::context::pem, error);
    if (error) return errors::PemInvalid("private key", "tls", error.message());
  }
  ASSIGN_OR_RETURN(const tcp::endpoint endpoint, ResolveAddress(context, options.address));
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  // A restart must not wait for old connections' time-outs; a second listener on the port is still refused.
  if (!error) acceptor.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
  if (error) return errors::AddressNotListenable("HTTP", options.address.ToString(), error.message());
  address = {acceptor.local_endpoint().address().to_string(), acceptor.local_endpoint().port()};
  return absl::OkStatus();
}

void HttpServerCore::Run() {
  net::co_spawn(
      context, [self = shared_from_this()] { return self->AcceptLoop(); }, [](const std::exception_ptr&) {});
  for (int i = 0; i < options.threads; ++i) {
    threads.emplace_back([this] { context.run(); });
  }
}

net::awaitable<void> HttpServerCore::AcceptLoop() {
  error_code error;
  auto token = net::redirect_error(net::use_awaitable, error);
  net::steady_timer pause(context);
  while (!stopping.load()) {
    // Handlers of one connection never run at once: one thread sees to that by itself.
    net::any_io_executor executor = context.get_executor();
    if (options.threads > 1) executor = net::make_strand(context);
    tcp::socket socket(executor);
    co_await acceptor.async_accept(socket, token);
    if (stopping.load()) co_return;
    if (error) {
      if (error == net::error::operation_aborted || error == net::error::bad_descriptor) co_return;
      // No descriptors or no memory: others have to end first.
      logger.Warning("an HTTP connection was not accepted", {{"error", error.message()}});
      pause.expires_after(kAcceptPause);
      co_await pause.async_wait(token);
      continue;
    }
    Admit(std::move(socket));
  }
}

void HttpServerCore::Admit(tcp::socket socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  size_t open = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    open = connections.size();
  }
  if (open >= options.max_connections) {
    metrics.HttpRequest("other", 503);
    // The answer fits any socket's buffer. With TLS nothing can be said without a handshake, which is what the limit
    // saves.
    if (!tls.has_value()) {
      static constexpr std::string_view kBusy =
          "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
      socket.non_blocking(true, ignored);
      socket.write_some(net::const_buffer(kBusy.data(), kBusy.size()), ignored);
      socket.shutdown(tcp::socket::shutdown_send, ignored);
    }
    socket.close(ignored);
    return;
  }
  HttpConnection::Start(shared_from_this(), std::move(socket));
}

HttpConnectionList::iterator HttpServerCore::Add(const std::shared_ptr<HttpConnection>& connection) {
  std::lock_guard<std::mutex> lock(mutex);
  return connections.insert(connections.end(), connection);
}

void HttpServerCore::Remove(HttpConnectionList::iterator position) {
  std::lock_guard<std::mutex> lock(mutex);
  connections.erase(position);
  if (connections.empty()) none_left.notify_all();
}

std::vector<std::shared_ptr<HttpConnection>> HttpServerCore::Connections() {
  std::vector<std::shared_ptr<HttpConnection>> alive;
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::weak_ptr<HttpConnection>& connection : connections) {
    if (auto held = connection.lock()) alive.push_back(std::move(held));
  }
  return alive;
}

HttpServer::HttpServer(std::shared_ptr<HttpServerCore> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options, HttpRouter router,
                                                              Logger& logger, Metrics& metrics) {
  auto impl = std::make_shared<HttpServerCore>(std::move(options), std::move(router), logger, metrics);
  RETURN_IF_ERROR(impl->Listen());
  impl->Run();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

const HostPort& HttpServer::address() const { return impl_->address; }

bool HttpServer::Stop(std::chrono::milliseconds timeout) {
  if (impl_->threads.empty()) return true;
  // No new connections, and none that rests.
  impl_->stopping.store(true);
  net::post(impl_->context, [impl = impl_] {
    error_code ignored;
    impl->acceptor.close(ignored);
  });
  for (const auto& connection : impl_->Connections()) connection->CloseIfIdle();
  // What is being answered may end.
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const auto wait = [&](std::chrono::steady_clock::time_point until) {
    std::unique_lock<std::mutex> lock(impl_->mutex);
    return impl_->none_left.wait_until(lock, until, [&] { return impl_->connections.empty(); });
  };
  const bool all_ended = wait(deadline);
  if (!all_ended) {
    for (const auto& connection : impl_->Connections()) connection->CloseNow();
    wait(std::chrono::steady_clock::now() + std::chrono::seconds(1));
  }
  impl_->context.stop();
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
  // What was still waiting ends now, with its sockets and timers: it would keep the server alive for ever. So would a
  // connection that came while the others were cut.
  error_code ignored;
  impl_->acceptor.close(ignored);
  for (const auto& connection : impl_->Connections()) connection->CloseNow();
  impl_->context.restart();
  impl_->context.poll();
  return all_ended;
}

HttpServer::~HttpServer() { Stop(std::chrono::milliseconds(0)); }

}  // namespace yardmaster
