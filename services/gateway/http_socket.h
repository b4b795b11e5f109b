// One accepted socket, plain or under TLS, with a time limit on what is waited for. The connection's loop does not
// see which of the two it is, and so is compiled once.
#ifndef YARDMASTER_SERVICES_GATEWAY_HTTP_SOCKET_H_
#define YARDMASTER_SERVICES_GATEWAY_HTTP_SOCKET_H_

// clang-format off
#include <utility>  // Asio 1.74 uses it and does not include it: it has to come first
// clang-format on

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <cstddef>
#include <optional>

namespace yardmaster {

// Not thread-safe: everything happens on the socket's executor.
class HttpSocket {
 public:
  // `tls` outlives the socket; null: plain.
  HttpSocket(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context* tls);

  bool is_tls() const { return tls_.has_value(); }
  boost::beast::tcp_stream::executor_type executor() { return stream_.get_executor(); }

  // Applies to what is awaited after it: when the time is over, the socket is closed and the wait ends with an error.
  void ExpireAfter(std::chrono::milliseconds timeout) { stream_.expires_after(timeout); }
  void ExpireNever() { stream_.expires_never(); }
  // What is being awaited ends with an error.
  void Close() { stream_.close(); }

  boost::asio::awaitable<void> Handshake(boost::beast::error_code& error);
  // How many bytes came; 0 with an error.
  boost::asio::awaitable<size_t> ReadSome(boost::asio::mutable_buffer space, boost::beast::error_code& error);
  // All of `data`.
  boost::asio::awaitable<void> Write(boost::asio::const_buffer data, boost::beast::error_code& error);
  // Says that nothing more will be sent.
  boost::asio::awaitable<void> Shutdown(boost::beast::error_code& error);

 private:
  boost::beast::tcp_stream stream_;
  std::optional<boost::asio::ssl::stream<boost::beast::tcp_stream&>> tls_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_GATEWAY_HTTP_SOCKET_H_
