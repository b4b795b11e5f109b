// The only file here that knows Beast.
#include "tests/support/fakeforge/http_listener.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

namespace yardmaster::fakeforge {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using net::ip::tcp;

constexpr uint64_t kMaxBody = 32ULL * 1024 * 1024;
constexpr int kSlowPieces = 8;
constexpr std::chrono::milliseconds kSlowPause{200};

std::string Text(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct HttpListener::Impl {
  explicit Impl(Handler handler) : handle(std::move(handler)) {}

  void Accept() {
    while (!stopping) {
      error_code error;
      auto socket = std::make_unique<tcp::socket>(context);
      acceptor.accept(*socket, error);
      if (stopping) return;
      if (error) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        continue;
      }
      std::lock_guard<std::mutex> lock(mutex);
      ++open;
      std::thread([this, held = std::move(socket)]() mutable { Connection(std::move(held)); }).detach();
    }
  }

  // One connection, from the first request to the last. Counts itself out only when nothing of this object is used any
  // more.
  void Connection(std::unique_ptr<tcp::socket> socket) {
    const int descriptor = socket->native_handle();
    {
      std::lock_guard<std::mutex> lock(mutex);
      sockets.insert(descriptor);
    }
    error_code ignored;
    socket->set_option(tcp::no_delay(true), ignored);
    boost::beast::flat_buffer buffer;
    while (!stopping && ServeOne(*socket, buffer)) {
    }
    std::lock_guard<std::mutex> lock(mutex);
    sockets.erase(descriptor);
    socket.reset();
    --open;
    changed.notify_all();
  }

  // False: the connection is over.
  bool ServeOne(tcp::socket& socket, boost::beast::flat_buffer& buffer) {
    error_code error;
    http::request_parser<http::string_body> parser;
    parser.body_limit(kMaxBody);
    http::read(socket, buffer, parser, error);
    if (error) return false;
    auto message = parser.release();
    Request request;
    request.method = Text(message.method_string());
    request.target = Text(message.target());
    for (const auto& field : message) request.headers.emplace_back(Text(field.name_string()), Text(field.value()));
    request.body = std::move(message.body());
    const bool keep = message.keep_alive();

    const Answer answer = handle(request);
    if (answer.transport == Answer::Transport::kReset) {
      socket.set_option(net::socket_base::linger(true, 0), error);
      return false;
    }
    http::response<http::string_body> response(static_cast<http::status>(answer.status), message.version());
    response.set(http::field::content_type, answer.content_type);
    for (const auto& [name, value] : answer.headers) response.set(name, value);
    response.keep_alive(keep);
    if (message.method() != http::verb::head && answer.status != 204 && answer.status != 304) {
      response.body() = answer.body;
    }
    response.prepare_payload();
    if (answer.transport == Answer::Transport::kSlow) return WriteSlowly(socket, response) && keep;
    http::write(socket, response, error);
    return !error && keep;
  }

  bool WriteSlowly(tcp::socket& socket, const http::response<http::string_body>& response) {
    std::ostringstream stream;
    stream << response;
    const std::string text = stream.str();
    const size_t piece = text.size() / kSlowPieces + 1;
    for (size_t at = 0; at < text.size(); at += piece) {
      if (stopping) return false;
      error_code error;
      net::write(socket, net::buffer(text.data() + at, std::min(piece, text.size() - at)), error);
      if (error) return false;
      std::this_thread::sleep_for(kSlowPause);
    }
    return true;
  }

  void Stop() {
    stopping = true;
    ::shutdown(acceptor.native_handle(), SHUT_RDWR);
    if (accepting.joinable()) accepting.join();
    std::unique_lock<std::mutex> lock(mutex);
    // A connection that has just begun adds its socket later, so look again.
    while (open > 0) {
      for (const int socket : sockets) ::shutdown(socket, SHUT_RDWR);
      changed.wait_for(lock, std::chrono::milliseconds(20));
    }
  }

  const Handler handle;
  net::io_context context;
  tcp::acceptor acceptor{context};
  uint16_t port = 0;
  std::atomic<bool> stopping{false};
  std::thread accepting;
  std::mutex mutex;
  std::condition_variable changed;
  std::set<int> sockets;
  size_t open = 0;
};

HttpListener::HttpListener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpListener::~HttpListener() { impl_->Stop(); }

uint16_t HttpListener::port() const { return impl_->port; }

std::unique_ptr<HttpListener> HttpListener::Start(const std::string& host, uint16_t port, Handler handler,
                                                  std::string& error) {
  auto impl = std::make_unique<Impl>(std::move(handler));
  error_code code;
  const auto address = net::ip::make_address(host == "localhost" ? "127.0.0.1" : host, code);
  const tcp::endpoint endpoint(address, port);
  if (!code) impl->acceptor.open(endpoint.protocol(), code);
  if (!code) impl->acceptor.set_option(net::socket_base::reuse_address(true), code);
  if (!code) impl->acceptor.bind(endpoint, code);
  if (!code) impl->acceptor.listen(net::socket_base::max_listen_connections, code);
  if (code) {
    error = host + ":" + std::to_string(port) + ": " + code.message();
    return nullptr;
  }
  impl->port = impl->acceptor.local_endpoint().port();
  impl->accepting = std::thread([raw = impl.get()] { raw->Accept(); });
  return std::unique_ptr<HttpListener>(new HttpListener(std::move(impl)));
}

}  // namespace yardmaster::fakeforge
