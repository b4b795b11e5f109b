// A Jenkins server: the newest builds of a job, and the console log of one. Read only, without credentials.
#ifndef YARDMASTER_CLIENTS_JENKINS_JENKINS_H_
#define YARDMASTER_CLIENTS_JENKINS_JENKINS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/forge/dialect.h"
#include "clients/forge/http_transport.h"
#include "clients/forge/retry.h"
#include "clients/forge/transport.h"
#include "clients/forge/waiter.h"
#include "services/core/clock.h"
#include "services/core/metrics.h"

namespace yardmaster {

// Builds of a job that one call reads at most.
inline constexpr size_t kMaxJenkinsBuilds = 200;

struct JenkinsBuild {
  int64_t number = 0;
  std::string result;  // as Jenkins writes it; empty while it builds
  bool building = false;
  std::string description;
  std::string url;  // for people; never contacted
  std::optional<std::chrono::system_clock::time_point> started;
  std::chrono::milliseconds duration{0};
};

// The answer of …/api/json?tree=builds[…]. DATA_LOSS for another shape.
absl::StatusOr<std::vector<JenkinsBuild>> ParseJenkinsBuilds(std::string_view body);

// What an answer of Jenkins means.
class JenkinsDialect final : public ForgeDialect {
 public:
  std::string_view name() const override { return "jenkins"; }
  std::vector<HttpHeader> Headers() const override { return {{"Accept", "application/json, text/plain"}}; }
  HttpHeader TokenHeader() const override { return {"Authorization", "Bearer "}; }
  std::optional<ForgeVerdict> Judge(const OutgoingResponse& response,
                                    std::chrono::system_clock::time_point now) const override;
};

// References outlive the client.
struct JenkinsEnvironment {
  HttpClient& http;  // must allow the server's origin
  const Clock& clock;
  Waiter& waiter;
  Metrics* metrics = nullptr;  // may be null
  uint64_t seed = 0;           // for jitter
};

// Thread-safe. Calls block. Errors are those of forge clients (clients/forge/forge_error.h); 429 and 5xx are asked
// again, after the time that the server names or after 1, 2, 4, … up to 30 s, as long as the deadline allows it.
class JenkinsClient {
 public:
  // `url` with scheme and without a slash at its end.
  JenkinsClient(std::string url, const JenkinsEnvironment& environment);

  // The newest builds of a job, at most `count`, newest first. `job`: "name", or "folder/name".
  absl::StatusOr<std::vector<JenkinsBuild>> Builds(std::string_view job, size_t count,
                                                   std::chrono::steady_clock::time_point deadline);
  // RESOURCE_EXHAUSTED (kTooLarge) above kMaxForgeAnswerBytes.
  absl::StatusOr<std::string> Console(std::string_view job, int64_t build,
                                      std::chrono::steady_clock::time_point deadline);
  // Ends all waits.
  void Stop() { retry_.Stop(); }

 private:
  absl::StatusOr<std::string> Get(std::string target, std::string route,
                                  std::chrono::steady_clock::time_point deadline);

  const JenkinsDialect dialect_;
  HttpTransport http_;
  RetryTransport retry_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_JENKINS_JENKINS_H_
