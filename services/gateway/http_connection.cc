#include "services/gateway/http_connection.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/read_size.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <coroutine>
#include <exception>
#include <tuple>
#include <utility>

#include "services/core/ids.h"
#include "services/gateway/http_server_core.h"
#include "services/gateway/http_socket.h"

namespace yardmaster {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::beast::error_code;

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

bool IsSaneRequestId(std::string_view id) {
  if (id.empty() || id.size() > kMaxRequestIdBytes) return false;
  for (char c : id) {
    const bool sane =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!sane) return false;
  }
  return true;
}

// The bytes of an answer, head and body.
std::string Serialized(http::response<http::string_body>& message) {
  std::string text;
  http::response_serializer<http::string_body> serializer(message);
  error_code error;
  while (!error && !serializer.is_done()) {
    serializer.next(error, [&](error_code&, const auto& buffers) {
      for (const net::const_buffer piece : beast::buffers_range_ref(buffers)) {
        text.append(static_cast<const char*>(piece.data()), piece.size());
      }
      serializer.consume(beast::buffer_bytes(buffers));
    });
  }
  return text;
}

// The loop of one connection.
class Connection final : public HttpConnection, public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<HttpServerCore> server, net::ip::tcp::socket socket)
      : server_(std::move(server)),
        socket_(std::move(socket), server_->tls.has_value() ? &*server_->tls : nullptr),
        buffer_(server_->options.max_header_bytes + kReadBytes) {}

  void Start() {
    auto self = shared_from_this();
    position_ = server_->Add(self);
    net::co_spawn(
        socket_.executor(), [self] { return self->Run(); },
        [self](const std::exception_ptr& error) {
          if (error != nullptr) self->server_->logger.Warning("a connection ended with an exception");
          self->socket_.Close();
          self->server_->Remove(self->position_);
        });
  }

  void CloseIfIdle() override {
    net::post(socket_.executor(), [self = shared_from_this()] {
      if (self->idle_) self->socket_.Close();
    });
  }
  void CloseNow() override {
    net::post(socket_.executor(), [self = shared_from_this()] {
      self->socket_.Close();
      // A handler that has not answered must not keep the connection.
      if (const auto slot = self->slot_.lock()) slot->Deliver(HttpResponse::Text(503, "the server stops\n"));
    });
  }

 private:
  enum class Next { kKeep, kClose, kLinger, kCut };

  net::awaitable<void> Run();
  // False if the connection ended.
  net::awaitable<bool> WaitForFirstBytes(bool first_request);
  net::awaitable<Next> ServeOne(bool last_request);
  // Feeds the parser from the buffer, without a turn through the event loop: the head, or as much of the body as is
  // there. True if it is complete; `malformed` says what is wrong with the request.
  bool ParseWhatIsThere(bool body, error_code& malformed);
  // Reads and parses until the head or the body is complete. False if the connection ended before.
  net::awaitable<bool> ReadTheRest(bool body, error_code& malformed);
  net::awaitable<HttpResponse> Answer(const HttpRoute& route, std::shared_ptr<const BeastRequest> request);
  net::awaitable<Next> Write(HttpResponse response, std::string_view route, Next next);
  net::awaitable<void> Linger();

  const std::shared_ptr<HttpServerCore> server_;
  HttpSocket socket_;
  std::weak_ptr<ReplySlot> slot_;  // of the request that is being answered; only on the strand
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpConnectionList::iterator position_;
  std::string request_id_;
  bool echo_request_id_ = false;
  bool is_head_ = false;
  unsigned http_version_ = 11;
  bool idle_ = false;
};

net::awaitable<void> Connection::Run() {
  error_code error;
  if (socket_.is_tls()) {
    socket_.ExpireAfter(server_->options.header_timeout);
    co_await socket_.Handshake(error);
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
  socket_.ExpireAfter(kLingerTimeout);
  co_await socket_.Shutdown(error);
  // Under TLS, shutting down has read what still came.
  if (next == Next::kLinger && !socket_.is_tls()) co_await Linger();
}

net::awaitable<bool> Connection::WaitForFirstBytes(bool first_request) {
  // Pipelined requests are in the buffer already.
  if (buffer_.size() > 0) co_return true;
  if (buffer_.capacity() > kKeptBufferBytes) buffer_.shrink_to_fit();
  // A new connection has to speak as soon as one that has begun to; one that was kept alive may rest.
  socket_.ExpireAfter(first_request ? server_->options.header_timeout : server_->options.idle_timeout);
  idle_ = true;
  // Asked for after `idle_` is set: whoever sets `stopping` afterwards closes idle connections.
  if (server_->stopping.load()) co_return false;
  error_code error;
  const net::mutable_buffer space = buffer_.prepare(kFirstReadBytes);
  const size_t count = co_await socket_.ReadSome(space, error);
  idle_ = false;
  buffer_.commit(count);
  co_return !error;
}

bool Connection::ParseWhatIsThere(bool body, error_code& malformed) {
  const auto complete = [&] { return body ? parser_->is_done() : parser_->is_header_done(); };
  malformed = {};
  parser_->eager(body);
  // A chunked body is taken a piece at a time.
  while (buffer_.size() > 0 && !malformed && !complete()) buffer_.consume(parser_->put(buffer_.data(), malformed));
  if (malformed == http::error::need_more) malformed = {};
  return complete();
}

net::awaitable<bool> Connection::ReadTheRest(bool body, error_code& malformed) {
  bool complete = false;
  while (!complete && !malformed) {
    const size_t room = beast::read_size(buffer_, kReadBytes);
    if (room == 0) {
      malformed = http::error::buffer_overflow;
      co_return true;
    }
    const net::mutable_buffer space = buffer_.prepare(room);
    error_code error;
    const size_t count = co_await socket_.ReadSome(space, error);
    if (error) co_return false;
    buffer_.commit(count);
    complete = ParseWhatIsThere(body, malformed);
  }
  co_return true;
}

net::awaitable<Connection::Next> Connection::ServeOne(bool last_request) {
  const HttpServerOptions& options = server_->options;
  error_code malformed;
  request_id_.clear();
  echo_request_id_ = false;
  is_head_ = false;
  http_version_ = 11;

  // The head.
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(options.max_header_bytes));
  parser_->body_limit(options.max_body_bytes);
  if (!ParseWhatIsThere(false, malformed) && !malformed) {
    socket_.ExpireAfter(options.header_timeout);
    const bool more = co_await ReadTheRest(false, malformed);
    if (!more) co_return Next::kCut;
  }
  if (malformed) {
    HttpResponse response = HttpResponse::Text(400, "not an HTTP request\n");
    if (malformed == http::error::header_limit || malformed == http::error::buffer_overflow) {
      response = HttpResponse::Text(431, "the request's head is too large\n");
    } else if (malformed == http::error::body_limit) {
      response = HttpResponse::Text(413, "the request's body is too large\n");
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
  if (has_body && !ParseWhatIsThere(true, malformed) && !malformed) {
    socket_.ExpireAfter(options.body_timeout);
    auto expect = message.find(http::field::expect);
    if (expect != message.end() && beast::iequals(expect->value(), "100-continue")) {
      static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
      const net::const_buffer go_on(kGoOn.data(), kGoOn.size());
      error_code error;
      co_await socket_.Write(go_on, error);
      if (error) co_return Next::kCut;
    }
    const bool more = co_await ReadTheRest(true, malformed);
    if (!more) co_return Next::kCut;
  }
  if (malformed) {
    HttpResponse response = malformed == http::error::body_limit
                                ? HttpResponse::Text(413, "the request's body is too large\n")
                                : HttpResponse::Text(400, "the request's body is malformed\n");
    const Next next = co_await Write(std::move(response), match.route->path, Next::kLinger);
    co_return next;
  }

  // The answer.
  socket_.ExpireNever();
  const bool wants_more = message.keep_alive();
  auto request = std::make_shared<const BeastRequest>(parser_->release(), request_id_);
  HttpResponse response = co_await Answer(*match.route, std::move(request));
  const bool keep = wants_more && !last_request && !server_->stopping.load();
  const Next next = co_await Write(std::move(response), match.route->path, keep ? Next::kKeep : Next::kClose);
  co_return next;
}

net::awaitable<HttpResponse> Connection::Answer(const HttpRoute& route, std::shared_ptr<const BeastRequest> request) {
  auto slot = std::make_shared<ReplySlot>(server_, socket_.executor());
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

net::awaitable<Connection::Next> Connection::Write(HttpResponse response, std::string_view route, Next next) {
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

  const std::string text = Serialized(message);
  const net::const_buffer data(text.data(), text.size());
  error_code error;
  socket_.ExpireAfter(server_->options.write_timeout);
  co_await socket_.Write(data, error);
  co_return error ? Next::kCut : next;
}

// Reads what the client still sends, so that it gets to read our answer instead of a reset.
net::awaitable<void> Connection::Linger() {
  buffer_.consume(buffer_.size());
  error_code error;
  size_t total = 0;
  while (!error && total < kLingerBytes) {
    const net::mutable_buffer space = buffer_.prepare(kReadBytes);
    total += co_await socket_.ReadSome(space, error);
  }
}

}  // namespace

void HttpConnection::Start(std::shared_ptr<HttpServerCore> server, net::ip::tcp::socket socket) {
  std::make_shared<Connection>(std::move(server), std::move(socket))->Start();
}

}  // namespace yardmaster
