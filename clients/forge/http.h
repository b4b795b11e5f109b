// Outgoing HTTP as an interface: one request, one answer. Production is libcurl (http_curl.h); tests
// script it. No redirects, no retries, no cookies, no caches happen here.
#ifndef YARDMASTER_CLIENTS_FORGE_HTTP_H_
#define YARDMASTER_CLIENTS_FORGE_HTTP_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace yardmaster {

struct HttpHeader {
  std::string name;
  std::string value;
};

// Limits of an answer.
struct HttpLimits {
  size_t body_bytes = 16 * 1024 * 1024;  // after decompression
  size_t header_bytes = 64 * 1024;       // all of them
};

// A request of ours to another server.
struct OutgoingRequest {
  std::string method = "GET";  // GET, POST, …: upper case
  std::string url;             // absolute
  std::vector<HttpHeader> headers;
  std::string body;
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds timeout{30'000};  // for all of it
  HttpLimits limits;
  // Asked about once a second while the request is under way; true ends it with kStopped. May be null.
  std::function<bool()> cancelled;
};

// The answer to one.
struct OutgoingResponse {
  int status = 0;
  std::vector<HttpHeader> headers;  // of the final answer, in order
  std::string body;

  // The first header of that name, without regard to case; empty if there is none.
  std::string_view Header(std::string_view name) const;
  bool HasHeader(std::string_view name) const;
};

// There is no (complete) answer.
struct HttpFailure {
  enum class Kind : uint8_t {
    kNotAllowed,  // the URL is outside of what this client may contact
    kConnect,     // name not resolved, connection refused
    kTls,         // handshake or certificate
    kTimeout,
    kReset,     // the connection broke
    kTooLarge,  // a limit of the request was passed
    kProtocol,  // not HTTP
    kStopped,   // Stop() was called, or the request was cancelled
  };
  Kind kind = Kind::kReset;
  // False only if it is certain that no byte of the request left.
  bool sent = true;
  std::string detail;  // for people; never holds headers or the query
};

using HttpResult = std::variant<OutgoingResponse, HttpFailure>;

// Thread-safe.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  virtual HttpResult Send(const OutgoingRequest& request) = 0;
  // Ends what is in flight and refuses what comes later.
  virtual void Stop() {}
};

// Percent-encodes everything but unreserved characters (RFC 3986), so that a text is one segment of a path or one value
// of a query.
std::string UrlEncode(std::string_view text);

// Equality of header names.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_HTTP_H_
