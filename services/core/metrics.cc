#include "services/core/metrics.h"

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "services/core/absl_view.h"
#include "services/core/version.h"

namespace yardmaster {
namespace {

// Upper-case names as gRPC writes them.
constexpr std::array<std::string_view, RpcMetrics::kCodes> kCodeNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

constexpr std::string_view kOtherMethods = "other";

// "/yardmaster.v1.TriageService/TriageIssue" → "TriageService/TriageIssue".
std::string ShortMethod(std::string_view full_method) {
  const size_t dot = full_method.rfind('.');
  return std::string(dot == std::string_view::npos ? full_method : full_method.substr(dot + 1));
}

prometheus::Labels ToLabels(const std::vector<std::pair<std::string, std::string>>& labels) {
  return prometheus::Labels(labels.begin(), labels.end());
}

}  // namespace

void RpcMetrics::Record(absl::StatusCode code, std::chrono::nanoseconds elapsed) {
  const size_t index = static_cast<size_t>(code) < kCodes ? static_cast<size_t>(code) : 2;
  const int64_t nanos = std::max<int64_t>(elapsed.count(), 0);
  // Few buckets, most calls in the first ones: a walk beats a binary search.
  size_t bucket = 0;
  while (bucket < kBucketMicros.size() && nanos > kBucketMicros[bucket] * 1000) ++bucket;
  codes_[index].fetch_add(1, std::memory_order_relaxed);
  buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
  sum_nanos_.fetch_add(static_cast<uint64_t>(nanos), std::memory_order_relaxed);
}

uint64_t RpcMetrics::count(absl::StatusCode code) const {
  const size_t index = static_cast<size_t>(code);
  return index < kCodes ? codes_[index].load(std::memory_order_relaxed) : 0;
}

struct Metrics::Impl {
  // The table of RPCs is fixed when the object is made, so that lookups need no lock.
  absl::flat_hash_map<std::string, std::unique_ptr<RpcMetrics>> rpcs;
  RpcMetrics* other = nullptr;

  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>* http_requests = nullptr;
  prometheus::Counter* reload_success = nullptr;
  prometheus::Counter* reload_failure = nullptr;

  mutable std::mutex mutex;  // guards what follows
  std::map<std::string, prometheus::Family<prometheus::Counter>*, std::less<>> counters;
  std::map<std::string, prometheus::Family<prometheus::Gauge>*, std::less<>> gauges;
  std::map<std::string, prometheus::Family<prometheus::Histogram>*, std::less<>> histograms;
  std::vector<std::pair<std::string, std::string>> packs;

  mutable std::mutex refresh_mutex;  // guards what follows
  std::map<int, std::function<void()>> refreshes;
  int last_refresh = 0;

  void AppendRpcFamilies(std::vector<prometheus::MetricFamily>& families) const;
  void AppendPacks(std::vector<prometheus::MetricFamily>& families) const;
};

Metrics::Metrics(absl::Span<const MethodRule> methods) : impl_(std::make_unique<Impl>()) {
  for (const MethodRule& method : methods) {
    impl_->rpcs.emplace(method.full_method, std::make_unique<RpcMetrics>());
  }
  auto other = std::make_unique<RpcMetrics>();
  impl_->other = other.get();
  impl_->rpcs.emplace(std::string(kOtherMethods), std::move(other));

  impl_->http_requests = &prometheus::BuildCounter()
                              .Name("yardmaster_http_requests_total")
                              .Help("HTTP answers by route and status.")
                              .Register(impl_->registry);
  auto& reloads = prometheus::BuildCounter()
                      .Name("yardmaster_packs_reload_total")
                      .Help("Loads and reloads of all packs by result; the first load at start counts.")
                      .Register(impl_->registry);
  // Both exist from the start, so that a rate over failures is 0 and not missing.
  impl_->reload_success = &reloads.Add({{"result", "success"}});
  impl_->reload_failure = &reloads.Add({{"result", "failure"}});
  prometheus::BuildGauge()
      .Name("yardmaster_build_info")
      .Help("Always 1; the version is a label.")
      .Register(impl_->registry)
      .Add({{"version", std::string(kVersion)}})
      .Set(1);
}

Metrics::~Metrics() = default;

RpcMetrics& Metrics::Rpc(std::string_view full_method) {
  auto it = impl_->rpcs.find(Abs(full_method));
  return it == impl_->rpcs.end() ? *impl_->other : *it->second;
}

void Metrics::HttpRequest(std::string_view route, int status) {
  impl_->http_requests->Add({{"route", std::string(route)}, {"status", std::to_string(status)}}).Increment();
}

void Metrics::PacksReloaded(bool success) { (success ? impl_->reload_success : impl_->reload_failure)->Increment(); }

void Metrics::PacksInService(const std::vector<std::pair<std::string, std::string>>& packs) {
  std::lock_guard<std::mutex> lock(impl_->mutex);
  impl_->packs = packs;
}

prometheus::Counter* Metrics::Counter(std::string_view name, std::string_view help,
                                      const std::vector<std::pair<std::string, std::string>>& labels) {
  std::lock_guard<std::mutex> lock(impl_->mutex);
  auto it = impl_->counters.find(name);
  if (it == impl_->counters.end()) {
    auto& family = prometheus::BuildCounter().Name(std::string(name)).Help(std::string(help)).Register(impl_->registry);
    it = impl_->counters.emplace(std::string(name), &family).first;
  }
  return &it->second->Add(ToLabels(labels));
}

prometheus::Gauge* Metrics::Gauge(std::string_view name, std::string_view help,
                                  const std::vector<std::pair<std::string, std::string>>& labels) {
  std::lock_guard<std::mutex> lock(impl_->mutex);
  auto it = impl_->gauges.find(name);
  if (it == impl_->gauges.end()) {
    auto& family = prometheus::BuildGauge().Name(std::string(name)).Help(std::string(help)).Register(impl_->registry);
    it = impl_->gauges.emplace(std::string(name), &family).first;
  }
  return &it->second->Add(ToLabels(labels));
}

prometheus::Histogram* Metrics::Histogram(std::string_view name, std::string_view help,
                                          const std::vector<double>& bounds,
                                          const std::vector<std::pair<std::string, std::string>>& labels) {
  std::lock_guard<std::mutex> lock(impl_->mutex);
  auto it = impl_->histograms.find(name);
  if (it == impl_->histograms.end()) {
    auto& family =
        prometheus::BuildHistogram().Name(std::string(name)).Help(std::string(help)).Register(impl_->registry);
    it = impl_->histograms.emplace(std::string(name), &family).first;
  }
  return &it->second->Add(ToLabels(labels), bounds);
}

void Metrics::Impl::AppendRpcFamilies(std::vector<prometheus::MetricFamily>& families) const {
  prometheus::MetricFamily requests{
      "yardmaster_rpc_requests_total", "Calls by method and gRPC status code.", prometheus::MetricType::Counter, {}};
  prometheus::MetricFamily latency{"yardmaster_rpc_seconds",
                                   "Seconds from the start of the handler to its answer.",
                                   prometheus::MetricType::Histogram,
                                   {}};
  // By name, so that the page does not change its order between scrapes.
  std::map<std::string_view, const RpcMetrics*> sorted;
  for (const auto& [name, rpc] : rpcs) sorted.emplace(name, rpc.get());
  for (const auto& [name, rpc] : sorted) {
    const prometheus::ClientMetric::Label method{"method", ShortMethod(name)};
    for (size_t code = 0; code < RpcMetrics::kCodes; ++code) {
      const uint64_t count = rpc->count(static_cast<absl::StatusCode>(code));
      if (count == 0 && code != 0) continue;
      prometheus::ClientMetric metric;
      metric.label = {method, {"code", std::string(kCodeNames[code])}};
      metric.counter.value = static_cast<double>(count);
      requests.metric.push_back(std::move(metric));
    }
    prometheus::ClientMetric metric;
    metric.label = {method};
    uint64_t cumulative = 0;
    for (size_t i = 0; i <= RpcMetrics::kBucketMicros.size(); ++i) {
      cumulative += rpc->bucket(i);
      prometheus::ClientMetric::Bucket bucket;
      bucket.cumulative_count = cumulative;
      bucket.upper_bound = i < RpcMetrics::kBucketMicros.size()
                               ? static_cast<double>(RpcMetrics::kBucketMicros[i]) / 1e6
                               : std::numeric_limits<double>::infinity();
      metric.histogram.bucket.push_back(bucket);
    }
    metric.histogram.sample_count = cumulative;
    metric.histogram.sample_sum = static_cast<double>(rpc->sum_nanos()) / 1e9;
    latency.metric.push_back(std::move(metric));
  }
  families.push_back(std::move(requests));
  families.push_back(std::move(latency));
}

void Metrics::Impl::AppendPacks(std::vector<prometheus::MetricFamily>& families) const {
  prometheus::MetricFamily info{"yardmaster_pack_info",
                                "Packs in service: always 1; name and revision are labels.",
                                prometheus::MetricType::Gauge,
                                {}};
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto& [name, revision] : packs) {
    prometheus::ClientMetric metric;
    metric.label = {{"pack", name}, {"revision", revision}};
    metric.gauge.value = 1;
    info.metric.push_back(std::move(metric));
  }
  families.push_back(std::move(info));
}

int Metrics::AddRefresh(std::function<void()> refresh) {
  std::lock_guard<std::mutex> lock(impl_->refresh_mutex);
  impl_->refreshes.emplace(++impl_->last_refresh, std::move(refresh));
  return impl_->last_refresh;
}

void Metrics::RemoveRefresh(int refresh) {
  std::lock_guard<std::mutex> lock(impl_->refresh_mutex);
  impl_->refreshes.erase(refresh);
}

std::string Metrics::Serialize() const {
  {
    std::lock_guard<std::mutex> lock(impl_->refresh_mutex);
    for (const auto& [number, refresh] : impl_->refreshes) refresh();
  }
  std::vector<prometheus::MetricFamily> families = impl_->registry.Collect();
  impl_->AppendRpcFamilies(families);
  impl_->AppendPacks(families);
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace yardmaster
