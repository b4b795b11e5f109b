// Decorator: counts and times every request that really goes out.
//
//   yardmaster_forge_requests_total{forge,method,route,code}   code: the status, or the reason where there was no
//   answer yardmaster_forge_request_seconds{forge,method}             histogram
#ifndef YARDMASTER_CLIENTS_FORGE_METRICS_H_
#define YARDMASTER_CLIENTS_FORGE_METRICS_H_

#include <string>

#include "clients/forge/transport.h"
#include "services/core/clock.h"
#include "services/core/metrics.h"

namespace yardmaster {

class MetricsTransport final : public ForgeTransport {
 public:
  MetricsTransport(ForgeTransport& inner, std::string forge, const Clock& clock, Metrics& metrics);

  ForgeAnswer Send(const ForgeRequest& request) override;
  void Stop() override { inner_.Stop(); }

 private:
  ForgeTransport& inner_;
  const std::string forge_;
  const Clock& clock_;
  Metrics& metrics_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_METRICS_H_
