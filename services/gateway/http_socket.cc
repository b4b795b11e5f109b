// Here, as in http_connection.cc and http_server.cc, no temporary object and no braced list stands inside of a
// co_await: g++ 12 destroys them twice. So tokens and buffers have names.
#include "services/gateway/http_socket.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <coroutine>
#include <utility>

namespace yardmaster {

namespace net = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::beast::error_code;

HttpSocket::HttpSocket(net::ip::tcp::socket socket, ssl::context* tls) : stream_(std::move(socket)) {
  if (tls != nullptr) tls_.emplace(stream_, *tls);
}

net::awaitable<void> HttpSocket::Handshake(error_code& error) {
  auto token = net::redirect_error(net::use_awaitable, error);
  if (tls_.has_value()) co_await tls_->async_handshake(ssl::stream_base::server, token);
}

net::awaitable<size_t> HttpSocket::ReadSome(net::mutable_buffer space, error_code& error) {
  auto token = net::redirect_error(net::use_awaitable, error);
  size_t count = 0;
  if (tls_.has_value()) {
    count = co_await tls_->async_read_some(space, token);
  } else {
    count = co_await stream_.async_read_some(space, token);
  }
  co_return count;
}

net::awaitable<void> HttpSocket::Write(net::const_buffer data, error_code& error) {
  auto token = net::redirect_error(net::use_awaitable, error);
  while (!error && data.size() > 0) {
    if (tls_.has_value()) {
      data += co_await tls_->async_write_some(data, token);
    } else {
      data += co_await stream_.async_write_some(data, token);
    }
  }
}

net::awaitable<void> HttpSocket::Shutdown(error_code& error) {
  auto token = net::redirect_error(net::use_awaitable, error);
  if (tls_.has_value()) {
    co_await tls_->async_shutdown(token);
  } else {
    stream_.socket().shutdown(net::ip::tcp::socket::shutdown_send, error);
  }
}

}  // namespace yardmaster
