// The HTTP(S) listener: HTTP/1.1 with limits on everything that a client can make long, large, slow or many.
#ifndef YARDMASTER_SERVICES_GATEWAY_HTTP_SERVER_H_
#define YARDMASTER_SERVICES_GATEWAY_HTTP_SERVER_H_

#include <chrono>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "services/core/address.h"
#include "services/core/limits.h"
#include "services/core/logging.h"
#include "services/core/metrics.h"
#include "services/core/tls.h"
#include "services/gateway/http_router.h"

namespace yardmaster {

struct HttpServerCore;  // the part that knows the HTTP library

struct HttpServerOptions {
  HostPort address;                // port 0: any free one
  std::optional<TlsMaterial> tls;  // its client_ca is not used here: forges have no certificate of ours
  int threads = 1;
  size_t max_connections = kMaxHttpConnections;
  size_t max_header_bytes = kMaxHttpHeaderBytes;
  size_t max_body_bytes = kMaxHttpBodyBytes;
  size_t max_requests_per_connection = kMaxHttpRequestsPerConnection;
  std::chrono::milliseconds header_timeout = kHttpHeaderTimeout;
  std::chrono::milliseconds body_timeout = kHttpBodyTimeout;
  std::chrono::milliseconds handler_timeout = kHttpHandlerTimeout;
  std::chrono::milliseconds write_timeout = kHttpWriteTimeout;
  std::chrono::milliseconds idle_timeout = kHttpIdleTimeout;
};

// A client over a limit gets its answer where one is possible (400, 404, 405, 413, 431, 503) and is cut; one that is
// too slow is cut without. Thread-safe.
class HttpServer {
 public:
  // Listens and starts to answer. `logger` and `metrics` outlive the server. UNAVAILABLE if the address can't be
  // listened on, INVALID_ARGUMENT if the TLS material can't be used.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(HttpServerOptions options, HttpRouter router, Logger& logger,
                                                           Metrics& metrics);
  // Stops at once if Stop was not called.
  ~HttpServer();

  // With the real port.
  const HostPort& address() const;

  // No new connections; idle ones are closed; requests in flight get their answer until `timeout`, then they are cut.
  // Returns when all is closed. True if nothing was cut.
  bool Stop(std::chrono::milliseconds timeout);

 private:
  explicit HttpServer(std::shared_ptr<HttpServerCore> impl);
  std::shared_ptr<HttpServerCore> impl_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_GATEWAY_HTTP_SERVER_H_
