// What adapters and decorators pass to each other: one request to one forge, and its answer, already judged. Every
// decorator is a ForgeTransport around another one, so what happens to a request is read from the wiring
// (make_forge.cc).
#ifndef YARDMASTER_CLIENTS_FORGE_TRANSPORT_H_
#define YARDMASTER_CLIENTS_FORGE_TRANSPORT_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/forge.h"
#include "clients/forge/forge_error.h"
#include "clients/forge/http.h"

namespace yardmaster {

struct ForgeRequest {
  std::string method = "GET";
  // For metrics: the target's pattern, without names and numbers: "/repos/{repo}/issues/{n}".
  std::string route;
  // Path and query below the configured URL, encoded: "/repos/o/r/issues/5".
  std::string target;
  // "v8": takes the place of the last part of the configured URL's path, where a forge has calls in another version
  // of its API. Empty: the configured one.
  std::string api_version;
  std::string body;  // JSON; empty: none
  std::vector<HttpHeader> headers;
  ForgePriority priority = ForgePriority::kEvent;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  bool IsRead() const { return method == "GET"; }
};

struct ForgeAnswer {
  // Of the answer; for an answer that carries its error in the body, what that says. 0: there was no answer.
  int status = 0;
  std::vector<HttpHeader> headers;
  std::string body;
  // True if a redirect within the forge was followed.
  bool redirected = false;
  // True if the credentials were refused and others can be had now: the same request may succeed.
  bool credentials_renewed = false;
  // Unset: 2xx, or 304 to a conditional request.
  std::optional<ForgeError> error;
  // With `error`: what happened, for people. Never holds a token or the query.
  std::string message;

  // As OutgoingResponse::Header.
  std::string_view Header(std::string_view name) const;
  absl::Status ToStatus() const;
};

// An answer that stands for a failure.
ForgeAnswer FailedAnswer(const ForgeError& error, std::string message);

// "GET /repos/o/r/issues/5", without the query.
std::string DescribeRequest(const ForgeRequest& request);

// Thread-safe.
class ForgeTransport {
 public:
  virtual ~ForgeTransport() = default;
  virtual ForgeAnswer Send(const ForgeRequest& request) = 0;
  // Ends all waits here and further in.
  virtual void Stop() {}
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_TRANSPORT_H_
