// Where the signals of a gate come from: the pull request's forge, and Jenkins where the profile names one.
#ifndef YARDMASTER_SERVICES_PIPELINE_GATE_SOURCE_H_
#define YARDMASTER_SERVICES_PIPELINE_GATE_SOURCE_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "clients/forge/http.h"
#include "clients/forge/waiter.h"
#include "clients/git/git_cache.h"
#include "clients/jenkins/jenkins.h"
#include "rules/engine/pipeline/profile.h"
#include "rules/engine/pipeline/signals.h"
#include "services/core/clock.h"
#include "services/core/metrics.h"
#include "services/core/store/subjects.h"
#include "services/intake/configured_forge.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// Thread-safe. Calls block.
class GateSource {
 public:
  virtual ~GateSource() = default;
  // Errors are the forge client's, of the pull request itself and of its comments. What else can't be read is told in
  // the signals, and missing there.
  virtual absl::StatusOr<rules::PipelineSignals> Read(const v1::Subject& subject,
                                                      const rules::PipelineProfile& profile) = 0;
};

// References outlive the source. `http` must allow the servers of the profiles: those of the packs at the start.
struct GateSourceEnvironment {
  const ConfiguredForges& forges;
  HttpClient& http;
  const Clock& clock;
  Waiter& waiter;
  store::Subjects* subjects = nullptr;  // knows since when heads are there; null: commits are taken at their word
  Metrics* metrics = nullptr;           // may be null
  uint64_t seed = 0;
  // By the forge's name, for what tests import; null or missing: its git server is not reached. Null: none is.
  const std::map<std::string, GitCache*, std::less<>>* caches = nullptr;
};

class ForgeGateSource final : public GateSource {
 public:
  explicit ForgeGateSource(const GateSourceEnvironment& environment) : env_(environment) {}
  absl::StatusOr<rules::PipelineSignals> Read(const v1::Subject& subject,
                                              const rules::PipelineProfile& profile) override;
  // Ends all waits.
  void Stop();

 private:
  JenkinsClient& Jenkins(const std::string& url);
  GitCache* CacheOf(const std::string& forge) const;

  const GateSourceEnvironment env_;
  std::mutex mutex_;                                               // guards what follows
  std::map<std::string, std::unique_ptr<JenkinsClient>> jenkins_;  // by address
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PIPELINE_GATE_SOURCE_H_
