// Where the daemon listens and what bounds it: the sections "listen", "limits", "retention" and "log".
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/config/config_parser.h"

namespace yardmaster {

void ConfigParser::ParseListen(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "listen");
  if (auto http = ParseAddress(reader, "http")) config_.http = *std::move(http);
  if (auto grpc = ParseAddress(reader, "grpc")) config_.grpc = *std::move(grpc);
  reader.Finish();
  if (config_.http.port != 0 && config_.http.port == config_.grpc.port && config_.http.host == config_.grpc.host) {
    context_.Problem(reader.pointer(),
                     absl::StrCat("both listeners are at ", config_.http.ToString(), ": expected different ports"));
  }
}

void ConfigParser::ParseLimits(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "limits");
  LimitsConfig& limits = config_.limits;
  constexpr int64_t kMebi = 1024 * 1024;
  ParseSize(reader, "http_connections", 1, 100'000, limits.http_connections);
  ParseSize(reader, "http_header_bytes", 1024, kMebi, limits.http_header_bytes);
  ParseSize(reader, "http_body_bytes", 1024, kMostHttpBodyBytes, limits.http_body_bytes);
  ParseMillis(reader, "http_header_timeout_ms", 100, 600'000, limits.http_header_timeout);
  ParseMillis(reader, "http_body_timeout_ms", 100, 600'000, limits.http_body_timeout);
  ParseMillis(reader, "http_idle_timeout_ms", 100, 3'600'000, limits.http_idle_timeout);
  ParseSize(reader, "rpc_message_bytes", 64 * 1024, 64 * kMebi, limits.rpc_message_bytes);
  ParseMillis(reader, "drain_timeout_ms", 100, 3'600'000, limits.drain_timeout);
  reader.Finish();
}

void ConfigParser::ParseRetention(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "retention");
  RetentionConfig& retention = config_.retention;
  ParseDays(reader, "bodies_days", retention.bodies);
  if (auto bytes = reader.Integer("bodies_bytes", 1024 * 1024, int64_t{1} << 50)) {
    retention.bodies_bytes = static_cast<uint64_t>(*bytes);
  }
  ParseDays(reader, "digests_days", retention.digests);
  ParseDays(reader, "decisions_days", retention.decisions);
  ParseDays(reader, "ledger_days", retention.ledger);
  ParseDays(reader, "jobs_days", retention.jobs);
  reader.Finish();
}

void ConfigParser::ParseLog(JsonPlace place) {
  ObjectReader reader(context_, std::move(place), "log");
  if (auto level = reader.String("level")) {
    const std::optional<LogLevel> known = LogLevelFromName(*level);
    if (!known.has_value()) reader.Problem("level", "expected \"debug\", \"info\", \"warning\" or \"error\"");
    config_.log.level = known.value_or(LogLevel::kInfo);
  }
  if (auto format = reader.String("format")) {
    if (*format == "json") {
      config_.log.format = LoggerOptions::Format::kJson;
    } else if (*format == "human") {
      config_.log.format = LoggerOptions::Format::kHuman;
    } else {
      reader.Problem("format", "expected \"json\" or \"human\"");
    }
  }
  reader.Finish();
}

}  // namespace yardmaster
