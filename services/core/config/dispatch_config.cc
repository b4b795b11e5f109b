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
constexpr int64_t kMostMinutes = 60 * 24 * 30;

void ReadRunLimits(ObjectReader& reader, JsonPlace place, RunLimitsConfig& config) {
  ObjectReader limits(reader.context(), std::move(place), "what a run may use up");
  const auto take = [&](const char* key, int64_t least, uint32_t& value) {
    if (const auto number = limits.Integer(key, least, kMostOfALimit)) value = static_cast<uint32_t>(*number);
  };
  take("processes", 16, config.processes);
  take("disk_mb", 16, config.disk_mb);
  take("log_mb", 1, config.log_mb);
  take("core_mb", 1, config.core_mb);
  take("memory_mb", 16, config.memory_mb);
  take("files", 100, config.files);
  limits.Finish();
}

void ReadTimes(ObjectReader& reader, JsonPlace place, JobTimesConfig& config) {
  ObjectReader times(reader.context(), std::move(place), "how long jobs may take");
  const auto take = [&](const char* key, std::chrono::minutes& value) {
    if (const auto minutes = times.Integer(key, 1, kMostMinutes)) value = std::chrono::minutes(*minutes);
  };
  take("queue_minutes", config.queue);
  take("start_minutes", config.start);
  take("run_minutes", config.run);
  take("finish_minutes", config.finish);
  times.Finish();
}

// Which suites have a network in the pool where none has it by itself.
void ReadPools(ObjectReader& reader, JsonPlace place, DispatchConfig& config) {
  ObjectReader pools(reader.context(), std::move(place), "the pools");
  if (std::optional<JsonPlace> untrusted = pools.Object("untrusted")) {
    ObjectReader pool(reader.context(), *std::move(untrusted), "the pool for code that is not trusted");
    for (const JsonPlace& suite : pool.Strings("network")) {
      config.untrusted_network.push_back(suite.value->get<std::string>());
    }
    pool.Finish();
  }
  // There is nothing to say about it: its suites have what they ask for.
  if (std::optional<JsonPlace> trusted = pools.Object("trusted")) {
    ObjectReader(reader.context(), *std::move(trusted), "the pool for code that is trusted").Finish();
  }
  pools.Finish();
}

}  // namespace

DispatchConfig ReadDispatchConfig(ObjectReader& reader) {
  DispatchConfig config;
  std::optional<JsonPlace> place = reader.Object("dispatch");
  if (!place.has_value()) return config;
  ObjectReader dispatch(reader.context(), *std::move(place), "what holds for runs of suites");
  if (auto engine = dispatch.String("engine")) config.engine = *std::move(engine);
  if (const auto attempts = dispatch.Integer("max_attempts", 1, kMostAttempts)) {
    config.max_attempts = static_cast<uint32_t>(*attempts);
  }
  if (const auto seconds = dispatch.Integer("lease_seconds", kLeastLeaseSeconds, kMostLeaseSeconds)) {
    config.lease = std::chrono::seconds(*seconds);
  }
  if (std::optional<JsonPlace> pools = dispatch.Object("pools")) ReadPools(dispatch, *std::move(pools), config);
  if (std::optional<JsonPlace> times = dispatch.Object("times")) ReadTimes(dispatch, *std::move(times), config.times);
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
