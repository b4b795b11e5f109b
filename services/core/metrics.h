// Metrics of the daemon in Prometheus' text format. All names begin with "yardmaster_".
#ifndef YARDMASTER_SERVICES_CORE_METRICS_H_
#define YARDMASTER_SERVICES_CORE_METRICS_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "services/core/auth.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
class Registry;
}  // namespace prometheus

namespace yardmaster {

// Counts and latencies of one RPC. Lock-free: some relaxed atomic additions a call.
class RpcMetrics {
 public:
  // Upper bounds of the latency buckets in microseconds; one more bucket takes the rest.
  static constexpr std::array<int64_t, 14> kBucketMicros = {
      50, 100, 250, 500, 1'000, 2'500, 5'000, 10'000, 25'000, 100'000, 500'000, 2'500'000, 10'000'000, 60'000'000};
  static constexpr size_t kCodes = 17;  // absl::StatusCode and grpc::StatusCode are numbered alike, 0 to 16

  void Record(absl::StatusCode code, std::chrono::nanoseconds elapsed);

  uint64_t count(absl::StatusCode code) const;
  uint64_t bucket(size_t index) const { return buckets_[index].load(std::memory_order_relaxed); }
  uint64_t sum_nanos() const { return sum_nanos_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<uint64_t>, kCodes> codes_{};
  std::array<std::atomic<uint64_t>, kBucketMicros.size() + 1> buckets_{};
  std::atomic<uint64_t> sum_nanos_{0};
};

// The daemon's registry. Thread-safe.
class Metrics {
 public:
  // The RPCs that are counted one by one.
  explicit Metrics(absl::Span<const MethodRule> methods = {});
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Counts of one RPC of those; all others share one entry named "other".
  RpcMetrics& Rpc(std::string_view full_method);

  // Counts an HTTP answer. `route` is a route's path, never what a client sent.
  void HttpRequest(std::string_view route, int status);

  // Packs: the outcome of a load or reload, and the packs now in service as (name, revision).
  void PacksReloaded(bool success);
  void PacksInService(const std::vector<std::pair<std::string, std::string>>& packs);

  // For what has no method of its own. `name` begins with "yardmaster_". The pointer lives as long as this object; keep
  // it where the path is hot. Label sets must be bounded: never put a text from outside into one.
  prometheus::Counter* Counter(std::string_view name, std::string_view help,
                               const std::vector<std::pair<std::string, std::string>>& labels = {});
  prometheus::Gauge* Gauge(std::string_view name, std::string_view help,
                           const std::vector<std::pair<std::string, std::string>>& labels = {});
  // `bounds`: upper bounds of the buckets, ascending; one more takes the rest. The same for all labels of one name.
  prometheus::Histogram* Histogram(std::string_view name, std::string_view help, const std::vector<double>& bounds,
                                   const std::vector<std::pair<std::string, std::string>>& labels = {});

  // Called before each Serialize, for gauges that cost too much to be kept up to date all the time. It is not called
  // any more once RemoveRefresh(what this returns) has returned.
  int AddRefresh(std::function<void()> refresh);
  void RemoveRefresh(int refresh);

  // The text for GET /metrics.
  std::string Serialize() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_METRICS_H_
