// HttpClient on libcurl.
#ifndef YARDMASTER_CLIENTS_FORGE_HTTP_CURL_H_
#define YARDMASTER_CLIENTS_FORGE_HTTP_CURL_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/forge_config.h"
#include "clients/forge/http.h"

namespace yardmaster {

struct CurlHttpOptions {
  // The only places that are ever contacted: scheme, host and port of each URL are compared, the rest is ignored. Plain
  // http is accepted for loopback only.
  std::vector<std::string> origins;
  std::string user_agent = "yardmaster";
  std::string ca_file;  // empty: the system's
  ProxyConfig proxy;
  // Connections kept for later requests.
  size_t max_idle = 8;
};

// INVALID_ARGUMENT if an origin is not an URL or not allowed. TLS 1.2 or later, certificates and names are always
// verified. Requests other than GET and HEAD go over a connection of their own: libcurl sends a request again when a
// reused connection turns out to be dead, which for a write would be a second write.
absl::StatusOr<std::unique_ptr<HttpClient>> MakeCurlHttpClient(CurlHttpOptions options);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_HTTP_CURL_H_
