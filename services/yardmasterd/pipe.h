// Everything between a webhook and a label, put together: store, clients of the forges, receiver of webhooks, pipe,
// sweeps, schedules.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_PIPE_H_
#define YARDMASTER_SERVICES_YARDMASTERD_PIPE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/git/git_cache.h"
#include "services/chat/chat_receiver.h"
#include "services/commands/pipe/command_handler.h"
#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/core/logging.h"
#include "services/core/metrics.h"
#include "services/core/store/jobs.h"
#include "services/core/store/operators.h"
#include "services/core/store/reviews.h"
#include "services/core/store/shadows.h"
#include "services/dispatch/dispatch.h"
#include "services/dispatch/pulls/pull_jobs.h"
#include "services/intake/configured_forge.h"
#include "services/intake/label_source.h"
#include "services/intake/on_demand.h"
#include "services/intake/service/intake_service.h"
#include "services/intake/subject_planner.h"
#include "services/intake/sweeps/scheduled.h"
#include "services/intake/webhooks/webhook_receiver.h"
#include "services/packs/registry/pack_registry.h"
#include "services/pipeline/gate_source.h"
#include "services/pipeline/pipeline_service.h"
#include "services/review/change_source.h"
#include "services/review/operator_source.h"
#include "services/review/review_service.h"
#include "services/schedule/schedule_service.h"
#include "services/yardmasterd/data_dir.h"

namespace yardmaster {

// What planners are made from. Everything outlives them.
struct PlannerEnvironment {
  const Config& config;
  std::function<std::shared_ptr<const PackSet>()> packs;  // in service
  store::Reviews& reviews;
  store::Shadows& shadows;
  ChangeSource* changes;  // of the repositories of the config; null: there are no git servers
  GateSource* gates;
  std::map<std::string, GitCache*, std::less<>> caches;  // by forge; null where git is not reached by HTTP
  const ConfiguredForges& forges;
  const Clock& clock;
  Logger& logger;
  dispatch::Dispatch& dispatch;
  dispatch::PullJobs& pull_jobs;
};
using MakePlanner = std::shared_ptr<const Planner> (*)(const PlannerEnvironment& env);

// What services bring to the pipe.
struct PipeExtensions {
  std::vector<MakePlanner> planners;
  commands::CommandHandlers commands;
  JobTable jobs;
  std::vector<NewsSource> news;
};

// What the pipe stands on. Everything outlives it.
struct PipeEnvironment {
  const Config& config;
  const DataDir& data_dir;
  const PackRegistry& packs;
  const Clock& clock;
  Logger& logger;
  Metrics& metrics;
  std::function<std::string()> new_decision_id;
  PipeExtensions extensions;
  dispatch::DispatchOptions dispatch;
};

// What the pipe has for the gRPC handlers of services; nothing on a daemon without one. Lives as long as the pipe.
struct PipeInterfaces {
  OnDemandDecider* decider = nullptr;
  LabelSource* labels = nullptr;
  store::Operators* operators = nullptr;
  const OperatorSource* operator_source = nullptr;  // operators in the repositories of the config
  ChangeReviewParts change_reviews;
  PipelineParts gates;
  IntakeParts intake;
  dispatch::Dispatch* dispatch = nullptr;
  ScheduleParts schedules;
};

class Pipe {
 public:
  // Opens the store and makes the clients; nothing is contacted and nothing runs yet. FAILED_PRECONDITION and
  // INVALID_ARGUMENT for what the operator has to fix.
  static absl::StatusOr<std::unique_ptr<Pipe>> Open(const PipeEnvironment& environment);
  // Stops.
  ~Pipe();

  // Starts the work: what an earlier daemon left comes first.
  absl::Status Start();

  WebhookReceiver& receiver();
  ChatReceiver& chat_receiver();
  PipeInterfaces interfaces();
  // OK, or why nothing can be taken in.
  absl::Status Ready() const;

  // SIGHUP: webhook secrets, tokens of the forges, keys of Apps and the settings of chat from a config that was read
  // again.
  void ReplaceSecrets(const Config& config);

  // Nothing new is begun; work in progress may end for a moment, then its calls to the forges are cut. What was cut
  // goes on after the next start. Idempotent. Deliveries can be taken in until Close.
  void Stop();
  // Closes the store. After the listeners.
  void Close();

 private:
  struct Parts;
  explicit Pipe(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_PIPE_H_
