// GET /healthz, /readyz and /metrics.
#ifndef YARDMASTER_SERVICES_GATEWAY_HEALTH_ROUTES_H_
#define YARDMASTER_SERVICES_GATEWAY_HEALTH_ROUTES_H_

#include <vector>

#include "services/core/metrics.h"
#include "services/gateway/http_router.h"
#include "services/gateway/readiness.h"

namespace yardmaster {

// /healthz: 200 as long as the process answers. /readyz: 200 or 503 with the reasons. /metrics: Prometheus' text
// format. Both arguments outlive the server.
std::vector<HttpRoute> HealthRoutes(const Readiness& readiness, const Metrics& metrics);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_GATEWAY_HEALTH_ROUTES_H_
