// Any bytes on a connection to the real listener with the real routes, up to where the store would begin: answers that
// are HTTP, a connection that ends, and nothing unsigned that reaches the store. In the input the word SIGN after
// "sha256=" stands for the right signature of what follows the first empty line, so that bodies get to the store.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/forges/shipped_forges.h"
#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/core/logging.h"
#include "services/core/metrics.h"
#include "services/core/sha256.h"
#include "services/gateway/health_routes.h"
#include "services/gateway/http_server.h"
#include "services/gateway/readiness.h"
#include "services/intake/webhooks/signature.h"
#include "services/intake/webhooks/webhook_receiver.h"
#include "services/yardmasterd/webhook_routes.h"

namespace {

using namespace yardmaster;

constexpr std::string_view kSecret = "It's a Secret to Everybody";
// Small, so that short inputs reach them.
constexpr size_t kMaxHead = 2'048;
constexpr size_t kMaxBody = 8'192;
// Whoever waits longer is stuck.
constexpr timeval kPatience{20, 0};

[[noreturn]] void Broken(const std::string& what, std::string_view answer = {}) {
  std::fprintf(stderr, "%s\n%.*s\n", what.c_str(), static_cast<int>(answer.size()), answer.data());
  std::abort();
}

// Takes what the receiver lets through, and keeps nothing.
class NoInbox final : public store::Inbox {
 public:
  void Add(store::NewDelivery delivery, AddCallback done) override {
    if (FindForge(ShippedForges(), delivery.forge) == nullptr) Broken("a delivery of an unknown forge");
    if (delivery.delivery_id.empty() || delivery.delivery_id.size() > kMaxDeliveryIdBytes)
      Broken("a wrong delivery id");
    if (delivery.event.size() > kMaxEventNameBytes) Broken("a long event");
    if (delivery.body.size() > kMaxBody) Broken("a body beyond the limit");
    if (delivery.body_sha256 != Sha256Hex(delivery.body)) Broken("a wrong digest");
    const int64_t id = ++last_id_;
    // All answers of the store in turn.
    if (id % 13 == 0) return done(absl::ResourceExhaustedError("the queue is full"));
    store::AddResult result;
    result.id = id;
    result.duplicate = id % 5 == 0;
    if (delivery.ignored_because.has_value()) {
      result.state = store::DeliveryState::kIgnored;
      result.reason = *delivery.ignored_because;
    }
    done(std::move(result));
  }

  absl::StatusOr<std::vector<store::Delivery>> Claim(int64_t) override { return Unused(); }
  void Release(const std::vector<int64_t>&) override {}
  absl::StatusOr<std::optional<store::TimePoint>> NextDue() override { return Unused(); }
  void SetListener(std::function<void()>) override {}
  absl::Status Describe(int64_t, std::string_view, const v1::Subject&) override { return Unused(); }
  absl::Status Settle(const store::Settlement&) override { return Unused(); }
  void SettleAsync(store::Settlement, std::function<void(absl::Status)>) override {}
  absl::Status Retry(int64_t, store::TimePoint, std::string_view) override { return Unused(); }
  absl::Status Requeue(int64_t) override { return Unused(); }
  absl::StatusOr<store::Delivery> Get(int64_t) override { return Unused(); }
  absl::StatusOr<store::Delivery> Find(std::string_view, std::string_view) override { return Unused(); }
  absl::StatusOr<std::string> Body(int64_t) override { return Unused(); }
  absl::StatusOr<store::Page<store::Delivery>> List(const store::DeliveryFilter&, const store::PageRequest&) override {
    return Unused();
  }
  absl::StatusOr<store::InboxCounts> Counts() override { return Unused(); }

 private:
  static absl::Status Unused() { return absl::UnimplementedError("not asked here"); }
  int64_t last_id_ = 0;  // the listener has one thread
};

// The listener; made once, never ended.
class Gateway {
 public:
  Gateway() : logger_(Quiet()), receiver_(MakeConfig(), inbox_, clock_, logger_) {
    std::vector<HttpRoute> routes = HealthRoutes(readiness_, metrics_);
    for (HttpRoute& route : WebhookRoutes(&receiver_)) routes.push_back(std::move(route));
    HttpServerOptions options;
    options.address = {"127.0.0.1", 0};
    options.max_header_bytes = kMaxHead;
    options.max_body_bytes = kMaxBody;
    auto server = HttpServer::Start(options, HttpRouter(std::move(routes)), logger_, metrics_);
    if (!server.ok()) Broken(std::string(server.status().message()));
    server_ = *std::move(server);
  }
  uint16_t port() const { return server_->address().port; }

 private:
  static LoggerOptions Quiet() {
    LoggerOptions options;
    options.async = false;
    options.sink = [](std::string_view) {};
    return options;
  }
  const Config& MakeConfig() {
    for (const char* forge : {"github", "gitcode"}) {
      config_.forges[forge].webhook_secrets = {{Secret(std::string(kSecret)), {}}, {Secret("other"), {"octo/*"}}};
    }
    config_.forges["gitcode"].accept_plain_token = true;
    RepositoryConfig repository;
    repository.forge = "github";
    repository.repository = "octo/*";
    repository.packs = {"pack"};
    config_.repositories.push_back(repository);
    return config_;
  }

  Config config_;
  SystemClock clock_;
  Metrics metrics_;
  Readiness readiness_{{"store"}};
  Logger logger_;
  NoInbox inbox_;
  WebhookReceiver receiver_;
  std::unique_ptr<HttpServer> server_;
};

std::string Signed(std::string input) {
  constexpr std::string_view kMark = "sha256=SIGN";
  const size_t mark = input.find(kMark);
  const size_t end = input.find("\r\n\r\n");
  if (mark == std::string::npos || end == std::string::npos || mark > end) return input;
  return input.replace(mark, kMark.size(), Sign(kSecret, std::string_view(input).substr(end + 4)));
}

// All that is answered until the connection ends.
std::string Exchange(uint16_t port, std::string_view request) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // No port is left waiting behind a closed connection: there would soon be none.
  const linger cut{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &cut, sizeof(cut));
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) Broken("nobody listens any more");
  while (!request.empty()) {
    const ssize_t sent = ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) Broken("the request is not taken");
    if (sent <= 0) break;  // closed: the answer is there
    request.remove_prefix(static_cast<size_t>(sent));
  }
  ::shutdown(socket, SHUT_WR);
  std::string answer;
  char buffer[4096];
  while (true) {
    const ssize_t got = ::recv(socket, buffer, sizeof(buffer), 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) Broken("neither an answer nor an end", answer);
    if (got <= 0) break;  // a reset ends it as well
    answer.append(buffer, static_cast<size_t>(got));
  }
  ::close(socket);
  return answer;
}

// One answer after the other, each of a kind that the contract knows.
void CheckAnswers(std::string_view answers) {
  static const std::set<std::string_view> kStatuses = {"100", "200", "202", "400", "401", "404",
                                                       "405", "413", "415", "431", "503"};
  while (!answers.empty()) {
    if (!answers.starts_with("HTTP/1.1 ") && !answers.starts_with("HTTP/1.0 ")) Broken("not an answer", answers);
    const std::string_view status = answers.substr(9, 3);
    if (!kStatuses.contains(status)) Broken("an unexpected status", answers);
    const size_t end = answers.find("\r\n\r\n");
    if (end == std::string_view::npos) Broken("an answer without an end", answers);
    const std::string_view head = answers.substr(0, end + 2);
    answers.remove_prefix(end + 4);
    if (status == "100") continue;
    constexpr std::string_view kLength = "\r\nContent-Length: ";
    const size_t at = head.find(kLength);
    if (at == std::string_view::npos) Broken("an answer without a length", head);
    const size_t length = std::strtoull(std::string(head.substr(at + kLength.size())).c_str(), nullptr, 10);
    // An answer to HEAD has a length, but no body.
    if (answers.size() >= length && !answers.starts_with("HTTP/1.")) answers.remove_prefix(length);
    if (answers.size() < length && !answers.empty() && !answers.starts_with("HTTP/1.")) Broken("a cut answer", head);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Gateway* const kGateway = new Gateway;
  const std::string request = Signed(std::string(reinterpret_cast<const char*>(data), size));
  CheckAnswers(Exchange(kGateway->port(), request));
  return 0;
}
