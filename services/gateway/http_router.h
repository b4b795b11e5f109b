// Which handler answers what: a table.
#ifndef YARDMASTER_SERVICES_GATEWAY_HTTP_ROUTER_H_
#define YARDMASTER_SERVICES_GATEWAY_HTTP_ROUTER_H_

#include <string>
#include <string_view>
#include <vector>

#include "services/gateway/http_types.h"

namespace yardmaster {

struct HttpRoute {
  std::string method;  // "GET"
  std::string path;    // exact; or ending in "/*", which stands for one more part: "/webhooks/*"
  HttpHandler handler;
};

class HttpRouter {
 public:
  explicit HttpRouter(std::vector<HttpRoute> routes) : routes_(std::move(routes)) {}

  struct Match {
    const HttpRoute* route = nullptr;  // null: there is none
    std::string allow;  // methods of that path, if it exists with others only: the answer is 405, else 404
  };
  // The first route that fits.
  Match Find(std::string_view method, std::string_view path) const;

 private:
  std::vector<HttpRoute> routes_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_GATEWAY_HTTP_ROUTER_H_
