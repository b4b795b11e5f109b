// The innermost layer: one ForgeRequest → one HTTP request → a judged answer.
#ifndef YARDMASTER_CLIENTS_FORGE_HTTP_TRANSPORT_H_
#define YARDMASTER_CLIENTS_FORGE_HTTP_TRANSPORT_H_

#include <chrono>
#include <functional>
#include <string>

#include "clients/forge/dialect.h"
#include "clients/forge/http.h"
#include "clients/forge/transport.h"
#include "services/core/clock.h"

namespace yardmaster {

// Redirects: a read follows them within scheme, host and port of the configured URL (renamed repositories), everything
// else fails with kMoved. The target of a redirect comes from outside, so a write never goes there.
class HttpTransport final : public ForgeTransport {
 public:
  // `api_url` without a slash at the end. `timeout` is for one HTTP request. References outlive this object.
  // `on_clock` is told how far our clock is ahead of that of each answer; may be null.
  using OnClock = std::function<void(std::chrono::seconds ahead)>;
  HttpTransport(std::string api_url, std::chrono::milliseconds timeout, const ForgeDialect& dialect, HttpClient& http,
                const Clock& clock, OnClock on_clock = nullptr);

  ForgeAnswer Send(const ForgeRequest& request) override;

 private:
  // The URL of a Location header; empty if it is outside of the forge.
  std::string RedirectTarget(std::string_view location) const;
  ForgeAnswer Failed(const ForgeRequest& request, const HttpFailure& failure) const;

  const std::string api_url_;
  const std::string origin_;  // scheme://host[:port]
  const std::chrono::milliseconds timeout_;
  const ForgeDialect& dialect_;
  HttpClient& http_;
  const Clock& clock_;
  const OnClock on_clock_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_HTTP_TRANSPORT_H_
