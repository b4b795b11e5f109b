#include "services/gateway/http_router.h"

namespace yardmaster {
namespace {

bool PathMatches(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with("/*")) return pattern == path;
  const std::string_view folder = pattern.substr(0, pattern.size() - 1);
  return path.size() > folder.size() && path.starts_with(folder) &&
         path.find('/', folder.size()) == std::string_view::npos;
}

}  // namespace

HttpRouter::Match HttpRouter::Find(std::string_view method, std::string_view path) const {
  Match match;
  for (const HttpRoute& route : routes_) {
    if (!PathMatches(route.path, path)) continue;
    if (route.method == method) return {&route, ""};
    if (!match.allow.empty()) match.allow += ", ";
    match.allow += route.method;
  }
  return match;
}

}  // namespace yardmaster
