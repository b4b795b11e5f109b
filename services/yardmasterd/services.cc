#include "services/yardmasterd/services.h"

#include "services/commands/commands_service.h"
#include "services/commands/pipe/handlers.h"
#include "services/commands/pipe/repository_file_planner.h"
#include "services/commands/pipe/settings.h"
#include "services/commands/pipe/test_handlers.h"
#include "services/commands/pipe/workflow_handlers.h"
#include "services/dispatch/approval_reminder.h"
#include "services/dispatch/dispatch_service.h"
#include "services/dispatch/pulls/test_planner.h"
#include "services/dispatch/quarantine_news.h"
#include "services/dispatch/runner_service.h"
#include "services/intake/sweeps/repository_check.h"
#include "services/packs/backtest_job.h"
#include "services/packs/rules_service.h"
#include "services/pipeline/follow_gates.h"
#include "services/pipeline/gate_hold.h"
#include "services/pipeline/gate_planner.h"
#include "services/pipeline/pipeline_service.h"
#include "services/pipeline/watch_job.h"
#include "services/review/pull_planner.h"
#include "services/review/review_service.h"
#include "services/review/stale_job.h"
#include "services/schedule/digest.h"
#include "services/schedule/news.h"
#include "services/schedule/schedule_service.h"
#include "services/triage/issue_planner.h"
#include "services/triage/triage_service.h"
#include "services/workflow/server/pull_operation_planner.h"
#include "services/workflow/server/workflow_service.h"

namespace yardmaster {
namespace {

using Handlers = std::unique_ptr<grpc::Service>;
using MadePlanner = std::shared_ptr<const Planner>;

// How reviews know what is wrong with a repository's own file.
RepositoryFileRules FileRules(const Config& config, const std::function<std::shared_ptr<const PackSet>()>& packs) {
  return {.path = commands::RepositoryFilePath,
          .problems =
              [&config, packs](const v1::Subject& subject, std::string_view text) {
                return commands::CheckRepositoryFile(subject, text, config, packs().get());
              },
          .settings =
              [&config, packs](const v1::Subject& subject, std::string_view text) {
                return commands::OwnReviewSettings(subject, text, config, packs().get());
              }};
}

// How work on commits knows that a gate must not be disturbed.
std::function<absl::StatusOr<std::string>(const v1::Subject&, const std::string&, const ForgePullHead&)> GateHoldOf(
    const PlannerEnvironment& env) {
  if (env.gates == nullptr) return nullptr;
  return [&config = env.config, packs = env.packs, gates = env.gates, &forges = env.forges, clock = &env.clock](
             const v1::Subject& subject, const std::string& pack, const ForgePullHead& branch) {
    return WhyGateHolds({config, *packs(), *gates, forges, *clock}, subject, pack, branch);
  };
}

commands::CommandHandlers AllHandlers() {
  commands::CommandHandlers all = commands::ShippedHandlers();
  all.merge(commands::WorkflowHandlers());
  all.merge(commands::TestHandlers());
  return all;
}

}  // namespace

absl::Span<const ServiceRow> Services() {
  static const auto* const kRows = new std::vector<ServiceRow>{
      // Before those that answer every request: they answer those that name an operation, tests or a gate.
      {
          .name = v1::WorkflowService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<WorkflowServiceImpl>(env.rpc, env.waiting_calls, env.pipe.decider);
          },
          .planners = {[](const PlannerEnvironment& env) -> MadePlanner {
            return std::make_shared<workflow::PullOperationPlanner>(
                workflow::PullOperationEnvironment{env.config, env.caches, env.forges, GateHoldOf(env)});
          }},
      },
      {
          .name = v1::DispatchService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<DispatchServiceImpl>(env.rpc, env.waiting_calls, env.job_calls, env.dispatch);
          },
          .planners = {[](const PlannerEnvironment& env) -> MadePlanner {
            return std::make_shared<dispatch::TestPlanner>(dispatch::TestEnvironment{
                env.config, env.caches, env.forges, env.dispatch.suites(), env.dispatch.files(), env.dispatch.scratch(),
                [jobs = &env.pull_jobs](const v1::JobSpec& spec, uint32_t shards, const std::string& group) {
                  return jobs->Share(spec, shards, group);
                },
                [jobs = &env.pull_jobs](const v1::SubmitJob& submit) { return jobs->Check(submit); },
                [jobs = &env.pull_jobs](const v1::Subject& subject) { return jobs->Live(subject); },
                [jobs = &env.pull_jobs](const std::string& job) { return jobs->Find(job); },
                [jobs = &env.pull_jobs](const std::string& job, v1::JobSpec& spec) {
                  return jobs->NarrowToFailed(job, spec);
                }});
          }},
          .jobs = {{"approval-reminder", dispatch::RemindOfApprovals}},
          .news = dispatch::RunnerNews(),
      },
      {
          .name = v1::PipelineService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<PipelineServiceImpl>(env.rpc, env.packs, env.waiting_calls, env.pipe.gates);
          },
          .planners = {[](const PlannerEnvironment& env) -> MadePlanner {
            return std::make_shared<GatePlanner>(GateEnvironment{env.config, env.packs, env.gates});
          }},
          .jobs = {{kPipelineWatch, WatchGates}, {kWatchGates, WatchSubscribedGates}, {kFollowGates, FollowGates}},
      },
      {
          .name = v1::TriageService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<TriageServiceImpl>(env.rpc, env.packs, env.decisions, env.decision_ids,
                                                       env.waiting_calls, env.pipe.decider);
          },
          .planners = {[](const PlannerEnvironment&) -> MadePlanner { return std::make_shared<IssuePlanner>(); }},
      },
      {
          .name = v1::CommandsService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<CommandsServiceImpl>(env.rpc, env.packs);
          },
          .planners = {[](const PlannerEnvironment& env) -> MadePlanner {
            return std::make_shared<commands::RepositoryFilePlanner>(env.config, env.packs);
          }},
          .commands = AllHandlers(),
      },
      {
          .name = v1::ReviewService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            ChangeReviewParts changes = env.pipe.change_reviews;
            if (changes.config != nullptr) {
              changes.file = FileRules(*changes.config, [&packs = env.packs] { return packs.Current(); });
            }
            return std::make_unique<ReviewServiceImpl>(env.rpc, env.packs, env.long_calls, env.waiting_calls,
                                                       env.pipe.operators, env.pipe.operator_source,
                                                       std::move(changes));
          },
          .planners = {[](const PlannerEnvironment& env) -> MadePlanner {
            return std::make_shared<PullReviewPlanner>(
                PullReviewEnvironment{env.config, env.packs, &env.reviews, env.changes,
                                      FileRules(env.config, env.packs), &env.shadows, &env.logger});
          }},
          .jobs = {{"stale-reviews", RenewReviews}},
          .news = ReviewNews(),
      },
      {
          .name = v1::RulesService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<RulesServiceImpl>(env.rpc, env.packs, env.long_calls, env.waiting_calls,
                                                      env.pipe.labels, env.pipe.intake.store);
          },
          .jobs = {{"backtest", BacktestPack}},
      },
      {
          .name = v1::IntakeService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<IntakeServiceImpl>(env.rpc, env.waiting_calls, env.pipe.intake);
          },
          .jobs =
              {
                  {"sweep", [](const JobEnvironment& env, const JobTurn& turn) { return SweepAndTell(env, turn); }},
                  {"check-repositories",
                   [](const JobEnvironment& env, const JobTurn& turn) {
                     return CheckRepositories(env.intake, turn.stopping);
                   }},
                  {"missed-deliveries", RedeliverAllMissed},
              },
      },
      {
          .name = v1::ScheduleService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<ScheduleServiceImpl>(env.rpc, env.waiting_calls, env.pipe.schedules);
          },
          .jobs = {{"digest", TellDigest}, {"news", TellNews}},
          .news = ScheduleNews(),
      },
      {
          .name = v1::RunnerService::service_full_name(),
          .handlers = [](const ServiceEnvironment& env) -> Handlers {
            return std::make_unique<RunnerServiceImpl>(env.rpc, env.worker_calls, env.dispatch);
          },
      },
  };
  return *kRows;
}

PipeExtensions ExtensionsOfServices() {
  PipeExtensions all;
  for (const ServiceRow& row : Services()) {
    all.planners.insert(all.planners.end(), row.planners.begin(), row.planners.end());
    all.commands.insert(row.commands.begin(), row.commands.end());
    all.jobs.insert(row.jobs.begin(), row.jobs.end());
    all.news.insert(all.news.end(), row.news.begin(), row.news.end());
  }
  return all;
}

}  // namespace yardmaster
