#include "clients/forge/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace yardmaster {
namespace {

std::string CodeOf(const ForgeAnswer& answer) {
  // Three digits at most: what a broken server sends must not become a label each.
  if (answer.status >= 100 && answer.status <= 599) return absl::StrCat(answer.status);
  if (!answer.error.has_value()) return "other";
  return std::string(ForgeReasonName(answer.error->reason));
}

}  // namespace

MetricsTransport::MetricsTransport(ForgeTransport& inner, std::string forge, const Clock& clock, Metrics& metrics)
    : inner_(inner), forge_(std::move(forge)), clock_(clock), metrics_(metrics) {}

ForgeAnswer MetricsTransport::Send(const ForgeRequest& request) {
  const auto begin = clock_.Monotonic();
  ForgeAnswer answer = inner_.Send(request);
  const std::chrono::duration<double> seconds = clock_.Monotonic() - begin;
  metrics_
      .Counter("yardmaster_forge_requests_total", "Requests to forges; the route has no names and numbers.",
               {{"forge", forge_}, {"method", request.method}, {"route", request.route}, {"code", CodeOf(answer)}})
      ->Increment();
  metrics_
      .Histogram("yardmaster_forge_request_seconds", "Seconds from sending a request to a forge to its answer.",
                 {0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}, {{"forge", forge_}, {"method", request.method}})
      ->Observe(seconds.count());
  return answer;
}

}  // namespace yardmaster
