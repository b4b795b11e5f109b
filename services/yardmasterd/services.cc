#include "services/yardmasterd/services.h"

#include "services/commands/commands_service.h"
#include "services/commands/pipe/handlers.h"
#include "services/commands/pipe/repository_file_planner.h"
#include "services/intake/sweeps/repository_check.h"
#include "services/packs/rules_service.h"
#include "services/review/pull_planner.h"
#include "services/review/review_service.h"
#include "services/triage/issue_planner.h"
#include "services/triage/triage_service.h"

namespace yardmaster {
namespace {

using Handlers = std::unique_ptr<grpc::Service>;
using MadePlanner = std::shared_ptr<const Planner>;
using Stopping = std::function<bool()>;

}  // namespace

absl::Span<const ServiceRow> Services() {
  static const auto* const rows = new std::vector<ServiceRow>{
      {
          .name = v1::TriageService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<TriageServiceImpl>(env.rpc, env.packs, env.decisions, env.decision_ids,
                                                       env.waiting_calls, env.pipe.decider);
          },
          .planners = {[](const Config&, const PacksInService&) -> MadePlanner {
            return std::make_shared<IssuePlanner>();
          }},
      },
      {
          .name = v1::CommandsService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<CommandsServiceImpl>(env.rpc, env.packs);
          },
          .planners = {[](const Config& config, const PacksInService& packs) -> MadePlanner {
            return std::make_shared<commands::RepositoryFilePlanner>(config, packs);
          }},
          .commands = commands::ShippedHandlers(),
      },
      {
          .name = v1::ReviewService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<ReviewServiceImpl>(env.rpc, env.packs, env.long_calls, env.waiting_calls,
                                                       env.pipe.operators, env.pipe.operator_source, env.pipe.reviews);
          },
          .planners = {[](const Config& config, const PacksInService& packs) -> MadePlanner {
            return std::make_shared<PullReviewPlanner>(config, packs);
          }},
      },
      {
          .name = v1::RulesService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<RulesServiceImpl>(env.rpc, env.packs, env.long_calls, env.waiting_calls,
                                                      env.pipe.labels);
          },
      },
      {
          .name = v1::IntakeService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<IntakeServiceImpl>(env.rpc, env.waiting_calls, env.pipe.intake);
          },
          .jobs =
              {
                  {"sweep",
                   [](const JobEnvironment& env, const RepositoryFilter& filter, const Stopping& stopping) {
                     return SweepRepositories(env.intake, env.sweeps, filter, stopping);
                   }},
                  {"check-repositories",
                   [](const JobEnvironment& env, const RepositoryFilter&, const Stopping& stopping) {
                     return CheckRepositories(env.intake, stopping);
                   }},
                  {"missed-deliveries", [](const JobEnvironment& env, const RepositoryFilter& filter,
                                           const Stopping&) { return RedeliverAllMissed(env.intake, filter.forge); }},
              },
      },
  };
  return *rows;
}

PipeExtensions ExtensionsOfServices(const Config& config, const PacksInService& packs) {
  PipeExtensions all;
  for (const ServiceRow& row : Services()) {
    for (const auto make : row.planners) all.planners.push_back(make(config, packs));
    all.commands.insert(row.commands.begin(), row.commands.end());
    all.jobs.insert(row.jobs.begin(), row.jobs.end());
  }
  return all;
}

}  // namespace yardmaster
