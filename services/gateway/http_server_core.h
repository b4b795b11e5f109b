// What a server and its connections share. Only http_*.cc includes this: it brings Asio.
#ifndef YARDMASTER_SERVICES_GATEWAY_HTTP_SERVER_CORE_H_
#define YARDMASTER_SERVICES_GATEWAY_HTTP_SERVER_CORE_H_

// clang-format off
#include <utility>  // Asio 1.74 uses it and does not include it: it has to come first
// clang-format on

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "services/gateway/http_server.h"

namespace yardmaster {

class HttpConnection;
using HttpConnectionList = std::list<std::weak_ptr<HttpConnection>>;

struct HttpServerCore : std::enable_shared_from_this<HttpServerCore> {
  HttpServerCore(HttpServerOptions options, HttpRouter router, Logger& logger, Metrics& metrics);

  absl::Status Listen();
  void Run();
  boost::asio::awaitable<void> AcceptLoop();
  void Admit(boost::asio::ip::tcp::socket socket);

  // Connections in and out. Thread-safe.
  HttpConnectionList::iterator Add(const std::shared_ptr<HttpConnection>& connection);
  void Remove(HttpConnectionList::iterator position);
  std::vector<std::shared_ptr<HttpConnection>> Connections();

  HttpServerOptions options;
  HttpRouter router;
  Logger& logger;
  Metrics& metrics;
  boost::asio::io_context context;
  std::optional<boost::asio::ssl::context> tls;
  boost::asio::ip::tcp::acceptor acceptor;
  HostPort address;
  std::vector<std::thread> threads;
  std::atomic<bool> stopping{false};

  std::mutex mutex;
  std::condition_variable none_left;
  HttpConnectionList connections;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_GATEWAY_HTTP_SERVER_CORE_H_
