// All of Beast and Asio is in this file. Two rules of the toolchain hold for every co_await below: no temporary object
// and no braced list inside of the expression (g++ 12 destroys them twice), so tokens and buffers have names.
#if defined(__clang__)
// Asio 1.74 knows clang's coroutines with libc++ only; with libstdc++ 12 the standard header works as well.
#define BOOST_ASIO_HAS_CO_AWAIT 1
#define BOOST_ASIO_HAS_STD_COROUTINE 1
#endif

#include "services/gateway/http_server.h"

#include <openssl/ssl.h>

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <condition_variable>
#include <coroutine>
#include <exception>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "services/core/errors.h"
#include "services/core/ids.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

namespace net = boost::asio;
namespace ssl = boost::asio::ssl;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = boost::asio::ip::tcp;
using beast::error_code;

// Room for the body beside the head in a connection's buffer: what one read takes at most.
constexpr size_t kReadBytes = 64 * 1024;
// A webhook mostly fits, head and body: then it is read at once.
constexpr size_t kFirstReadBytes = 16 * 1024;
// A buffer that grew beyond this is given back between requests.
constexpr size_t kKeptBufferBytes = 16 * 1024;
// After an early answer the client may still be sending: it gets this long to read the answer before the connection is
// cut.
constexpr std::chrono::milliseconds kLingerTimeout{1'000};
constexpr size_t kLingerBytes = 1024 * 1024;
// After a failed accept (no descriptors left) the listener rests.
constexpr std::chrono::milliseconds kAcceptPause{50};

std::string_view View(boost::string_view text) { return {text.data(), text.size()}; }
boost::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// The path and the query of a request's target.
std::pair<std::string_view, std::string_view> SplitTarget(std::string_view target) {
  const size_t question = target.find('?');
  if (question == std::string_view::npos) return {target, {}};
  return {target.substr(0, question), target.substr(question + 1)};
}

// A request as handlers see it. Owned together with the reply: a handler that answers late, or never, does not outlive
// it.
class BeastRequest final : public HttpRequest {
 public:
  BeastRequest(http::request<http::string_body> message, std::string request_id)
      : message_(std::move(message)), request_id_(std::move(request_id)) {
    std::tie(path_, query_) = SplitTarget(View(message_.target()));
  }
  std::string_view method() const override { return View(message_.method_string()); }
  std::string_view path() const override { return path_; }
  std::string_view query() const override { return query_; }
  std::string_view body() const override { return message_.body(); }
  std::string_view request_id() const override { return request_id_; }
  std::string_view Header(std::string_view name) const override {
    auto it = message_.find(View(name));
    return it == message_.end() ? std::string_view() : View(it->value());
  }

 private:
  const http::request<http::string_body> message_;
  const std::string request_id_;
  std::string_view path_;
  std::string_view query_;
};

// Where a handler's answer and the connection's coroutine meet. The handler may answer before it returns, or later from
// any thread.
class ReplySlot : public std::enable_shared_from_this<ReplySlot> {
 public:
  ReplySlot(std::shared_ptr<void> server, const net::any_io_executor& executor)
      : server_(std::move(server)), executor_(executor), timer_(executor) {}

  // From any thread.
  void Deliver(HttpResponse response) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!waiting_) {
      response_ = std::move(response);
      return;
    }
    lock.unlock();
    // The coroutine sleeps; it is woken on its own strand. If it is gone, so is the slot: what is posted must not keep
    // it, for a stopped context runs nothing any more, and slot, server and context would keep each other for ever.
    net::post(executor_, [weak = weak_from_this(), response = std::move(response)]() mutable {
      const auto self = weak.lock();
      if (self == nullptr) return;
      if (!self->response_.has_value()) self->response_ = std::move(response);
      self->timer_.cancel();
    });
  }

  // On the connection's strand: true if the answer is there already, else the timer is to be waited for.
  bool Ready() {
    std::lock_guard<std::mutex> lock(mutex_);
    waiting_ = !response_.has_value();
    return !waiting_;
  }
  net::steady_timer& timer() { return timer_; }
  std::optional<HttpResponse>& response() { return response_; }

 private:
  const std::shared_ptr<void> server_;  // the timer must not outlive the context, whoever keeps the reply
  net::any_io_executor executor_;
  net::steady_timer timer_;
  std::mutex mutex_;
  bool waiting_ = false;
  std::optional<HttpResponse> response_;
};

// What the server knows of each connection.
class ConnectionBase {
 public:
  virtual ~ConnectionBase() = default;
  // From any thread: close when no request is being served.
  virtual void CloseIfIdle() = 0;
  // From any thread: close now.
  virtual void CloseNow() = 0;
};

bool IsSaneRequestId(std::string_view id) {
  if (id.empty() || id.size() > kMaxRequestIdBytes) return false;
  for (char c : id) {
    const bool sane =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!sane) return false;
  }
  return true;
}

}  // namespace

struct HttpServerCore : std::enable_shared_from_this<HttpServerCore> {
  HttpServerCore(HttpServerOptions options, HttpRouter router, Logger& logger, Metrics& metrics)
      : options(std::move(options)),
        router(std::move(router)),
        logger(logger),
        metrics(metrics),
        context(this->options.threads),
        acceptor(context) {}

  absl::Status Listen();
  void Run();
  net::awaitable<void> AcceptLoop();
  void Admit(tcp::socket socket);

  // Connections in and out. Thread-safe.
  std::list<std::weak_ptr<ConnectionBase>>::iterator Add(const std::shared_ptr<ConnectionBase>& connection);
  void Remove(std::list<std::weak_ptr<ConnectionBase>>::iterator position);
  std::vector<std::shared_ptr<ConnectionBase>> Connections();

  HttpServerOptions options;
  HttpRouter router;
  Logger& logger;
  Metrics& metrics;
  net::io_context context;
  std::optional<ssl::context> tls;
  tcp::acceptor acceptor;
  HostPort address;
  std::vector<std::thread> threads;
  std::atomic<bool> stopping{false};

  std::mutex mutex;
  std::condition_variable none_left;
  std::list<std::weak_ptr<ConnectionBase>> connections;
};

namespace {

// One connection: reads requests, has them answered, in order.
template <typename Stream>
class Connection final : public ConnectionBase, public std::enable_shared_from_this<Connection<Stream>> {
 public:
  static constexpr bool kTls = !std::is_same_v<Stream, beast::tcp_stream>;

  template <typename... Args>
  explicit Connection(std::shared_ptr<HttpServerCore> server, Args&&... args)
      : server_(std::move(server)),
        stream_(std::forward<Args>(args)...),
        buffer_(server_->options.max_header_bytes + kReadBytes) {}

  void Start() {
    auto self = this->shared_from_this();
    position_ = server_->Add(self);
    net::co_spawn(
        stream_.get_executor(), [self] { return self->Run(); },
        [self](const std::exception_ptr& error) {
          if (error != nullptr) self->server_->logger.Warning("a connection ended with an exception");
          error_code ignored;
          beast::get_lowest_layer(self->stream_).socket().close(ignored);
          self->server_->Remove(self->position_);
        });
  }

  void CloseIfIdle() override {
    net::post(stream_.get_executor(), [self = this->shared_from_this()] {
      if (self->idle_) beast::get_lowest_layer(self->stream_).close();
    });
  }
  void CloseNow() override {
    net::post(stream_.get_executor(), [self = this->shared_from_this()] {
      beast::get_lowest_layer(self->stream_).close();
      // A handler that has not answered must not keep the connection.
      if (const auto slot = self->slot_.lock()) slot->Deliver(HttpResponse::Text(503, "the server stops\n"));
    });
  }

 private:
  enum class Next { kKeep, kClose, kLinger, kCut };

  void ExpireAfter(std::chrono::milliseconds timeout) { beast::get_lowest_layer(stream_).expires_after(timeout); }

  net::awaitable<void> Run();
  // False if the connection ended.
  net::awaitable<bool> WaitForFirstBytes(bool first_request);
  net::awaitable<Next> ServeOne(bool last_request);
  // Feeds the parser from the buffer, without a turn through the event loop: the head, or as much of the body as is
  // there.
  void ParseWhatIsThere(bool body, error_code& error);
  net::awaitable<HttpResponse> Answer(const HttpRoute& route, std::shared_ptr<const BeastRequest> request);
  net::awaitable<Next> Write(HttpResponse response, std::string_view route, Next next);
  net::awaitable<void> Linger();

  std::shared_ptr<HttpServerCore> server_;
  std::weak_ptr<ReplySlot> slot_;  // of the request that is being answered; only on the strand
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::list<std::weak_ptr<ConnectionBase>>::iterator position_;
  std::string request_id_;
  bool echo_request_id_ = false;
  bool is_head_ = false;
  unsigned http_version_ = 11;
  bool idle_ = false;
};

template <typename Stream>
net::awaitable<void> Connection<Stream>::Run() {
  error_code error;
  auto token = net::redirect_error(net::use_awaitable, error);
  if constexpr (kTls) {
    ExpireAfter(server_->options.header_timeout);
    co_await stream_.async_handshake(ssl::stream_base::server, token);
    if (error) co_return;
  }
  const size_t max_requests = server_->options.max_requests_per_connection;
  Next next = Next::kKeep;
  for (size_t count = 1; next == Next::kKeep && count <= max_requests; ++count) {
    const bool more = co_await WaitForFirstBytes(count == 1);
    if (!more) co_return;
    next = co_await ServeOne(count == max_requests);
  }
  if (next == Next::kCut) co_return;
  if constexpr (kTls) {
    ExpireAfter(kLingerTimeout);
    co_await stream_.async_shutdown(token);
  } else {
    beast::get_lowest_layer(stream_).socket().shutdown(tcp::socket::shutdown_send, error);
    if (next == Next::kLinger) co_await Linger();
  }
}

template <typename Stream>
net::awaitable<bool> Connection<Stream>::WaitForFirstBytes(bool first_request) {
  // Pipelined requests are in the buffer already.
  if (buffer_.size() > 0) co_return true;
  if (buffer_.capacity() > kKeptBufferBytes) buffer_.shrink_to_fit();
  // A new connection has to speak as soon as one that has begun to; one that was kept alive may rest.
  ExpireAfter(first_request ? server_->options.header_timeout : server_->options.idle_timeout);
  idle_ = true;
  // Asked for after `idle_` is set: whoever sets `stopping` afterwards closes idle connections.
  if (server_->stopping.load()) co_return false;
  error_code error;
  auto token = net::redirect_error(net::use_awaitable, error);
  auto space = buffer_.prepare(kFirstReadBytes);
  const size_t count = co_await stream_.async_read_some(space, token);
  idle_ = false;
  buffer_.commit(count);
  co_return !error;
}

template <typename Stream>
void Connection<Stream>::ParseWhatIsThere(bool body, error_code& error) {
  error = {};
  parser_->eager(body);
  // A chunked body is taken a piece at a time.
  while (buffer_.size() > 0 && !error && !(body ? parser_->is_done() : parser_->is_header_done())) {
    buffer_.consume(parser_->put(buffer_.data(), error));
  }
  if (error == http::error::need_more) error = {};
}

template <typename Stream>
net::awaitable<typename Connection<Stream>::Next> Connection<Stream>::ServeOne(bool last_request) {
  const HttpServerOptions& options = server_->options;
  error_code error;
  auto token = net::redirect_error(net::use_awaitable, error);
  request_id_.clear();
  echo_request_id_ = false;
  is_head_ = false;
  http_version_ = 11;

  // The head.
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(options.max_header_bytes));
  parser_->body_limit(options.max_body_bytes);
  ParseWhatIsThere(false, error);
  if (!error && !parser_->is_header_done()) {
    ExpireAfter(options.header_timeout);
    co_await http::async_read_header(stream_, buffer_, *parser_, token);
  }
  if (error) {
    HttpResponse response;
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      response = HttpResponse::Text(431, "the request's head is too large\n");
    } else if (error == http::error::body_limit) {
      response = HttpResponse::Text(413, "the request's body is too large\n");
    } else if (error.category() == make_error_code(http::error::bad_method).category() &&
               error != http::error::end_of_stream && error != http::error::partial_message) {
      response = HttpResponse::Text(400, "not an HTTP request\n");
    } else {
      co_return Next::kCut;  // too slow, or gone
    }
    const Next next = co_await Write(std::move(response), "", Next::kLinger);
    co_return next;
  }
  const http::request<http::string_body>& message = parser_->get();
  http_version_ = message.version() == 10 ? 10 : 11;
  is_head_ = message.method() == http::verb::head;
  const bool has_body = !parser_->is_done();
  // An answer before the body was read leaves the rest of it in the way.
  const Next after_early_answer = has_body ? Next::kLinger : Next::kKeep;

  auto id = message.find("x-request-id");
  echo_request_id_ = id != message.end() && IsSaneRequestId(View(id->value()));
  request_id_ = echo_request_id_ ? std::string(View(id->value())) : NewId("h-");

  const std::string_view path = SplitTarget(View(message.target())).first;
  if (!path.starts_with('/')) {
    HttpResponse response = HttpResponse::Text(400, "the request's target is not a path\n");
    const Next next = co_await Write(std::move(response), "", after_early_answer);
    co_return next;
  }
  const HttpRouter::Match match = server_->router.Find(View(message.method_string()), path);
  if (match.route == nullptr) {
    HttpResponse response = match.allow.empty() ? HttpResponse::Text(404, "there is nothing here\n")
                                                : HttpResponse::Text(405, "this method is not served here\n");
    if (!match.allow.empty()) response.headers.emplace_back("Allow", match.allow);
    const Next next = co_await Write(std::move(response), "", after_early_answer);
    co_return next;
  }

  // The body.
  if (has_body) {
    ParseWhatIsThere(true, error);
  }
  if (has_body && !error && !parser_->is_done()) {
    ExpireAfter(options.body_timeout);
    auto expect = message.find(http::field::expect);
    if (expect != message.end() && beast::iequals(expect->value(), "100-continue")) {
      http::response<http::empty_body> go_on(http::status::continue_, http_version_);
      co_await http::async_write(stream_, go_on, token);
      if (error) co_return Next::kCut;
    }
    co_await http::async_read(stream_, buffer_, *parser_, token);
  }
  if (error == http::error::body_limit) {
    HttpResponse response = HttpResponse::Text(413, "the request's body is too large\n");
    const Next next = co_await Write(std::move(response), match.route->path, Next::kLinger);
    co_return next;
  }
  if (error) {
    if (error.category() != make_error_code(http::error::bad_method).category() ||
        error == http::error::partial_message || error == http::error::end_of_stream) {
      co_return Next::kCut;
    }
    HttpResponse response = HttpResponse::Text(400, "the request's body is malformed\n");
    const Next next = co_await Write(std::move(response), match.route->path, Next::kLinger);
    co_return next;
  }

  // The answer.
  beast::get_lowest_layer(stream_).expires_never();
  const bool wants_more = message.keep_alive();
  auto request = std::make_shared<const BeastRequest>(parser_->release(), request_id_);
  HttpResponse response = co_await Answer(*match.route, std::move(request));
  const bool keep = wants_more && !last_request && !server_->stopping.load();
  const Next next = co_await Write(std::move(response), match.route->path, keep ? Next::kKeep : Next::kClose);
  co_return next;
}

template <typename Stream>
net::awaitable<HttpResponse> Connection<Stream>::Answer(const HttpRoute& route,
                                                        std::shared_ptr<const BeastRequest> request) {
  auto slot = std::make_shared<ReplySlot>(server_, stream_.get_executor());
  slot_ = slot;
  try {
    HttpReply reply([slot, request](HttpResponse response) { slot->Deliver(std::move(response)); });
    route.handler(*request, std::move(reply));
  } catch (const std::exception& exception) {
    // The reply's last copy is gone, so the answer is a 500.
    server_->logger.Error("an HTTP handler threw",
                          {{"request_id", request_id_}, {"route", route.path}, {"error", exception.what()}});
  }
  request.reset();
  if (!slot->Ready()) {
    slot->timer().expires_after(server_->options.handler_timeout);
    error_code error;
    auto token = net::redirect_error(net::use_awaitable, error);
    co_await slot->timer().async_wait(token);
  }
  if (!slot->response().has_value()) {
    server_->logger.Error("an HTTP handler took too long", {{"request_id", request_id_}, {"route", route.path}});
    HttpResponse response = HttpResponse::Text(503, "no answer in time\n");
    response.headers.emplace_back("Retry-After", "10");
    co_return response;
  }
  HttpResponse response = std::move(*slot->response());
  co_return response;
}

template <typename Stream>
net::awaitable<typename Connection<Stream>::Next> Connection<Stream>::Write(HttpResponse response,
                                                                            std::string_view route, Next next) {
  server_->metrics.HttpRequest(route.empty() ? "other" : route, response.status);
  const LogLevel level = response.status >= 500 && response.status != 503 ? LogLevel::kWarning : LogLevel::kDebug;
  if (server_->logger.Enabled(level)) {
    server_->logger.Log(level, "http request",
                        {{"request_id", request_id_}, {"route", route}, {"status", response.status}});
  }
  if (server_->stopping.load() && next == Next::kKeep) next = Next::kClose;

  http::response<http::string_body> message(static_cast<http::status>(response.status), http_version_);
  message.set(http::field::content_type, response.content_type);
  for (const auto& [name, value] : response.headers)
    message.set(View(std::string_view(name)), View(std::string_view(value)));
  if (echo_request_id_) message.set("X-Request-Id", request_id_);
  if (!is_head_) message.body() = std::move(response.body);
  message.keep_alive(next == Next::kKeep);
  message.prepare_payload();

  error_code error;
  auto token = net::redirect_error(net::use_awaitable, error);
  ExpireAfter(server_->options.write_timeout);
  co_await http::async_write(stream_, message, token);
  co_return error ? Next::kCut : next;
}

// Reads what the client still sends, so that it gets to read our answer instead of a reset.
template <typename Stream>
net::awaitable<void> Connection<Stream>::Linger() {
  ExpireAfter(kLingerTimeout);
  buffer_.consume(buffer_.size());
  error_code error;
  auto token = net::redirect_error(net::use_awaitable, error);
  size_t total = 0;
  while (!error && total < kLingerBytes) {
    auto space = buffer_.prepare(kReadBytes);
    total += co_await stream_.async_read_some(space, token);
  }
}

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
  if (tls.has_value()) {
    using Stream = beast::ssl_stream<beast::tcp_stream>;
    std::make_shared<Connection<Stream>>(shared_from_this(), std::move(socket), *tls)->Start();
  } else {
    std::make_shared<Connection<beast::tcp_stream>>(shared_from_this(), std::move(socket))->Start();
  }
}

std::list<std::weak_ptr<ConnectionBase>>::iterator HttpServerCore::Add(
    const std::shared_ptr<ConnectionBase>& connection) {
  std::lock_guard<std::mutex> lock(mutex);
  return connections.insert(connections.end(), connection);
}

void HttpServerCore::Remove(std::list<std::weak_ptr<ConnectionBase>>::iterator position) {
  std::lock_guard<std::mutex> lock(mutex);
  connections.erase(position);
  if (connections.empty()) none_left.notify_all();
}

std::vector<std::shared_ptr<ConnectionBase>> HttpServerCore::Connections() {
  std::vector<std::shared_ptr<ConnectionBase>> alive;
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::weak_ptr<ConnectionBase>& connection : connections) {
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
