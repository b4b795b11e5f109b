// Requests and answers as handlers see them. Nothing here knows the HTTP library.
#ifndef YARDMASTER_SERVICES_GATEWAY_HTTP_TYPES_H_
#define YARDMASTER_SERVICES_GATEWAY_HTTP_TYPES_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yardmaster {

// A request that was read completely, within the limits. Valid as long as a copy of its reply exists.
class HttpRequest {
 public:
  virtual ~HttpRequest() = default;
  virtual std::string_view method() const = 0;      // "GET"
  virtual std::string_view path() const = 0;        // "/webhooks/github": as sent, neither decoded nor normalised
  virtual std::string_view query() const = 0;       // after the "?"; empty without
  virtual std::string_view body() const = 0;        // the raw bytes: signatures are computed over them
  virtual std::string_view request_id() const = 0;  // the caller's, or ours
  // The first header of that name, case ignored; empty if there is none.
  virtual std::string_view Header(std::string_view name) const = 0;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // further ones

  static HttpResponse Text(int status, std::string body) {
    return {status, "text/plain; charset=utf-8", std::move(body), {}};
  }
  static HttpResponse Json(int status, std::string body) { return {status, "application/json", std::move(body), {}}; }
};

// The right to answer one request, once, from any thread, now or later. If every copy goes away without an answer, the
// client gets a 500 and does not wait. An answer after the first, or after the connection has gone, is ignored.
class HttpReply {
 public:
  using Deliver = std::function<void(HttpResponse response)>;
  explicit HttpReply(Deliver deliver);
  void operator()(HttpResponse response) const;

 private:
  struct Once;
  std::shared_ptr<Once> once_;
};

// Runs on the listener's thread: must not block. What takes time is passed on together with the reply; `request` is
// valid until the reply was used.
using HttpHandler = std::function<void(const HttpRequest& request, HttpReply reply)>;

// A handler that answers at once.
HttpHandler AnswerWith(std::function<HttpResponse(const HttpRequest& request)> answer);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_GATEWAY_HTTP_TYPES_H_
