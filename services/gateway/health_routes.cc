#include "services/gateway/health_routes.h"

namespace yardmaster {

std::vector<HttpRoute> HealthRoutes(const Readiness& readiness, const Metrics& metrics) {
  std::vector<HttpRoute> routes;
  routes.push_back({"GET", "/healthz",
                    AnswerWith([](const HttpRequest&) { return HttpResponse::Json(200, "{\"status\":\"ok\"}\n"); })});
  routes.push_back({"GET", "/readyz", AnswerWith([&readiness](const HttpRequest&) {
                      return HttpResponse::Json(readiness.ready() ? 200 : 503, readiness.ToJson());
                    })});
  routes.push_back({"GET", "/metrics", AnswerWith([&metrics](const HttpRequest&) {
                      HttpResponse response = HttpResponse::Text(200, metrics.Serialize());
                      response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                      return response;
                    })});
  return routes;
}

}  // namespace yardmaster
