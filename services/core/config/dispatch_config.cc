#include "services/core/config/dispatch_config.h"

#include <optional>
#include <utility>

namespace yardmaster {
namespace {

constexpr int64_t kMostAttempts = 20;
constexpr int64_t kLeastLeaseSeconds = 2;
constexpr int64_t kMostLeaseSeconds = 3'600;
constexpr int64_t kMostArtifactDays = 3'650;
constexpr int64_t kLeastArtifactBytes = 1 << 20;
constexpr int64_t kMostArtifactBytes = int64_t{1} << 50;
constexpr int64_t kHoursOfDay = 24;
constexpr int64_t kMostOfALimit = 1 << 26;

void ReadRunLimits(ObjectReader& reader, JsonPlace place, RunLimitsConfig& config) {
  ObjectReader limits(reader.context(), std::move(place), "what a run may use up");
  const auto take = [&](const char* key, int64_t least, uint32_t& value) {
    if (const auto number = limits.Integer(key, least, kMostOfALimit)) value = static_cast<uint32_t>(*number);
  };
  take("processes", 16, config.processes);
  take("disk_mb", 16, config.disk_mb);
  take("log_mb", 1, config.log_mb);
  take("core_mb", 1, config.core_mb);
  limits.Finish();
}

}  // namespace

DispatchConfig ReadDispatchConfig(ObjectReader& reader, std::vector<std::string>& later) {
  DispatchConfig config;
  std::optional<JsonPlace> place = reader.Object("dispatch");
  if (!place.has_value()) return config;
  ObjectReader dispatch(reader.context(), *std::move(place), "what holds for runs of suites");
  if (const auto attempts = dispatch.Integer("max_attempts", 1, kMostAttempts)) {
    config.max_attempts = static_cast<uint32_t>(*attempts);
  }
  if (const auto seconds = dispatch.Integer("lease_seconds", kLeastLeaseSeconds, kMostLeaseSeconds)) {
    config.lease = std::chrono::seconds(*seconds);
  }
  if (dispatch.Object("pools").has_value()) later.emplace_back("dispatch.pools");
  if (const auto policy = dispatch.String("fork_policy")) {
    if (*policy != "approve" && *policy != "never" && *policy != "always") {
      dispatch.Problem("fork_policy", "expected \"approve\", \"never\" or \"always\"");
    }
    config.fork_policy = *policy == "never"    ? ForkPolicy::kNever
                         : *policy == "always" ? ForkPolicy::kAlways
                                               : ForkPolicy::kApprove;
  }
  if (std::optional<JsonPlace> kept = dispatch.Object("artifacts")) {
    ObjectReader artifacts(reader.context(), *std::move(kept), "what is kept of artifacts");
    if (const auto days = artifacts.Integer("days", 1, kMostArtifactDays)) {
      config.artifact_age = std::chrono::hours(*days * kHoursOfDay);
    }
    if (const auto bytes = artifacts.Integer("bytes", kLeastArtifactBytes, kMostArtifactBytes)) {
      config.artifact_bytes = static_cast<uint64_t>(*bytes);
    }
    artifacts.Finish();
  }
  if (std::optional<JsonPlace> given = dispatch.Object("limits"))
    ReadRunLimits(reader, *std::move(given), config.limits);
  dispatch.Finish();
  return config;
}

}  // namespace yardmaster
