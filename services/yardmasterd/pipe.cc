#include "services/yardmasterd/pipe.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/http_curl.h"
#include "clients/forge/make_forge.h"
#include "clients/git/git_cache.h"
#include "clients/git/git_push.h"
#include "clients/git/git_server.h"
#include "clients/git/http_git_remote.h"
#include "services/chat/account_links.h"
#include "services/chat/link_handlers.h"
#include "services/chat/platform_bridge.h"
#include "services/commands/pipe/command_planner.h"
#include "services/commands/pipe/settings.h"
#include "services/commands/pipe/subscription_handlers.h"
#include "services/core/absl_view.h"
#include "services/core/executor.h"
#include "services/core/status_macros.h"
#include "services/core/version.h"
#include "services/dispatch/pulls/repository_tree.h"
#include "services/intake/effects/effect_runner.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/notices.h"
#include "services/intake/pipeline/pipeline.h"
#include "services/intake/pipeline/pipeline_threads.h"
#include "services/intake/plans/long_work.h"
#include "services/intake/plans/subject_run.h"
#include "services/intake/service/forge_label_source.h"
#include "services/intake/service/on_demand_decider.h"
#include "services/intake/sweeps/sweep_runner.h"
#include "services/packs/registry/shadow_packs.h"
#include "services/pipeline/follow_gates.h"
#include "services/pipeline/watch_job.h"
#include "services/review/git_change_source.h"
#include "services/review/kept_review.h"
#include "services/schedule/scheduler.h"
#include "services/yardmasterd/chat_http.h"

namespace yardmaster {
namespace {

// How long work in progress may go on when the daemon is told to end.
constexpr std::chrono::milliseconds kStopGrace{3'000};
// They are looked for this often where hooks are configured; forges keep them for three days.
constexpr const char* kMissedDeliveries = "missed-deliveries";
constexpr const char* kMissedDeliveriesCron = "17 * * * *";
constexpr const char* kCheckRepositories = "check-repositories";
constexpr const char* kCheckRepositoriesCron = "47 * * * *";
// Channels are told so often, of all that came together.
constexpr const char* kNews = "news";
constexpr const char* kNewsCron = "*/5 * * * *";

}  // namespace

// In the order in which later ones stand on earlier ones.
struct Pipe::Parts {
  explicit Parts(const PipeEnvironment& environment)
      : env(environment),
        notices(environment.clock, environment.logger),
        recent_files(environment.clock),
        recent_labels(environment.clock) {}

  absl::Status OpenStore();
  absl::Status OpenDispatch();
  absl::Status MakeForges();
  void MakeGitRemotes();
  void MakePipe();
  std::vector<ScheduledJob> Jobs();
  void StopForges() {
    for (const auto& [name, forge] : forges) forge->Stop();
    if (gates != nullptr) gates->Stop();
    if (http != nullptr) http->Stop();
    if (chat_http != nullptr) chat_http->Stop();
  }

  const PipeEnvironment env;
  Notices notices;
  RecentFiles recent_files;
  RecentLabels recent_labels;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<dispatch::Dispatch> dispatch;
  std::unique_ptr<CrashMarks> marks;
  SystemWaiter waiter;
  std::unique_ptr<HttpClient> http;
  std::map<std::string, std::unique_ptr<StoppableForge>> forges;
  std::map<std::string, std::unique_ptr<GitRemote>> remotes;
  std::unique_ptr<OperatorSource> operator_source;
  std::map<std::string, std::unique_ptr<GitCache>> caches;
  std::map<std::string, GitCache*, std::less<>> cache_table;
  std::map<std::string, std::unique_ptr<GitPusher>> pushers;
  std::unique_ptr<ChangeSource> changes;
  std::map<std::string, std::unique_ptr<ConfiguredForge>> accounts;
  ConfiguredForges account_table;
  std::unique_ptr<dispatch::PullJobs> pull_jobs;
  std::unique_ptr<ForgeGateSource> gates;
  std::unique_ptr<LongWorkTable> long_work;
  std::unique_ptr<ChatHttp> chat_http;
  std::unique_ptr<AccountLinks> links;
  std::unique_ptr<PlatformBridge> chat_bridge;
  std::optional<IntakeEnvironment> intake;
  std::unique_ptr<EffectRunner> effects;
  std::unique_ptr<SubjectWork> work;
  std::unique_ptr<Pipeline> pipeline;
  std::unique_ptr<WebhookReceiver> receiver;
  std::unique_ptr<ChatReceiver> chat_receiver;
  std::unique_ptr<PipelineDecider> decider;
  std::unique_ptr<ForgeLabelSource> labels;
  std::unique_ptr<SweepRunner> sweeps;
  std::unique_ptr<PipelineThreads> threads;
  ThreadPool review_threads{kReviewThreads, kMaxReviewsWaiting};
  std::unique_ptr<Scheduler> scheduler;
  bool stopped = false;
};

absl::Status Pipe::Parts::OpenStore() {
  store::StoreOptions options;
  options.data_dir = env.data_dir.path();
  options.lock = &env.data_dir.lock();
  options.retention = env.config.retention;
  options.logger = &env.logger;
  ASSIGN_OR_RETURN(store, store::Store::Open(std::move(options), env.clock, &env.metrics));
  ASSIGN_OR_RETURN(links, AccountLinks::Open(store->chat_links(), env.clock));
  ASSIGN_OR_RETURN(marks, CrashMarks::Open(env.data_dir.path() / "crash-marks"));
  return absl::OkStatus();
}

absl::Status Pipe::Parts::OpenDispatch() {
  ASSIGN_OR_RETURN(
      dispatch, dispatch::Dispatch::Open(env.dispatch, store->jobs(), env.packs, env.clock, env.metrics, env.logger));
  // What an earlier daemon was killed over.
  std::error_code ignored;
  std::filesystem::remove_all(dispatch->scratch(), ignored);
  pull_jobs = std::make_unique<dispatch::PullJobs>(*dispatch, store->inbox(), account_table, env.logger);
  return absl::OkStatus();
}

absl::Status Pipe::Parts::MakeForges() {
  CurlHttpOptions options;
  for (const auto& [name, forge] : env.config.forges) {
    options.origins.push_back(forge.api_url);
    if (const std::optional<GitServer> git = GitServerOf(forge); git.has_value()) options.origins.push_back(git->url);
  }
  // Those of the packs at the start: a pack that is reloaded can't have others contacted.
  for (const auto& [name, profile] : env.packs.Current()->pipelines()) {
    if (profile->jenkins.has_value()) options.origins.push_back(profile->jenkins->url);
  }
  const std::string user_agent = absl::StrCat("yardmaster/", Abs(kVersion));
  options.user_agent = user_agent;
  options.proxy = env.config.proxy;
  ASSIGN_OR_RETURN(http, MakeCurlHttpClient(std::move(options)));
  std::random_device device;
  const ForgeEnvironment environment{
      *http,
      env.clock,
      waiter,
      &env.metrics,
      device(),
      [logger = &env.logger](const Secret& secret) { logger->redactor().Add(secret); },
      [this](std::string_view forge, std::chrono::seconds ahead) { NoteClock(notices, forge, ahead); }};
  for (const auto& [name, config] : env.config.forges) {
    ASSIGN_OR_RETURN(forges[name], MakeForge(config, environment));
    accounts[name] = std::make_unique<ConfiguredForge>(*forges[name], *config.profile, config.settle, config.bot_login,
                                                       env.clock, notices);
    account_table[name] = accounts[name].get();
  }
  chat_http = std::make_unique<ChatHttp>(user_agent);
  RETURN_IF_ERROR(chat_http->Replace(env.config));
  gates = std::make_unique<ForgeGateSource>(GateSourceEnvironment{
      account_table, *http, env.clock, waiter, &store->subjects(), &env.metrics, device(), &cache_table});
  MakeGitRemotes();
  return absl::OkStatus();
}

void Pipe::Parts::MakeGitRemotes() {
  // What an earlier daemon was killed over.
  const std::filesystem::path scratch = env.data_dir.path() / "git";
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  std::map<std::string, GitRemote*, std::less<>> table;
  for (const auto& [name, config] : env.config.forges) {
    GitRemote*& remote = table[name];
    GitCache*& cache = cache_table[name];
    accounts[name]->WriteWith(forges[name].get(), nullptr);
    std::optional<GitServer> server = GitServerOf(config);
    if (!server.has_value()) continue;
    const auto token = [forge = forges[name].get()](std::chrono::steady_clock::time_point deadline) {
      return forge->Token(deadline);
    };
    const GitEnvironment git{*http, *std::move(server), token, scratch};
    remotes[name] = std::make_unique<HttpGitRemote>(git);
    remote = remotes[name].get();
    caches[name] = std::make_unique<GitCache>(git, env.data_dir.path() / "git-cache" / name);
    cache = caches[name].get();
    pushers[name] = std::make_unique<HttpGitPusher>(git);
    accounts[name]->WriteWith(forges[name].get(), pushers[name].get());
  }
  operator_source = std::make_unique<OperatorSource>(env.config, std::move(table));
  changes = std::make_unique<GitChangeSource>(env.config, cache_table);
}

void Pipe::Parts::MakePipe() {
  const auto packs = [packs = &env.packs] { return packs->Current(); };
  commands::CommandHandlers handlers = env.extensions.commands;
  handlers.merge(LinkHandlers(*links));
  handlers.merge(commands::SubscriptionHandlers([packs, &config = env.config](const v1::Subject& repository) {
    return HasGateToWatch(config, *packs(), repository);
  }));
  const FindLinked linked = [links = links.get()](std::string_view platform, std::string_view user,
                                                  std::string_view forge) {
    return links->Find(platform, user, forge);
  };
  const auto commands = std::make_shared<commands::CommandPlanner>(commands::CommandEnvironment{
      env.config, packs, [packs](std::string_view pack) { return packs()->FindPhrases(pack); }, std::move(handlers)});
  const PlannerEnvironment planning{env.config,    packs,       store->reviews(), store->shadows(),
                                    changes.get(), gates.get(), cache_table,      account_table,
                                    env.clock,     env.logger,  *dispatch,        *pull_jobs};
  std::vector<std::shared_ptr<const Planner>> planners;
  for (const MakePlanner make : env.extensions.planners) planners.push_back(make(planning));
  dispatch->FetchTreesBy(dispatch::FetchConfiguredTrees(env.config, cache_table, *dispatch));
  // Also without a platform: SIGHUP may bring one.
  chat_bridge = std::make_unique<PlatformBridge>(
      PlatformBridge::Environment{env.config, store->inbox(), store->ledger(), store->subscriptions(),
                                  store->chat_threads(), *chat_http, env.clock, *links});
  long_work = std::make_unique<LongWorkTable>(review_threads, *marks, [this](const v1::Subject& subject) {
    pipeline->Wake(subject);
    threads->Wake();
  });
  intake.emplace(IntakeEnvironment{
      .config = env.config,
      .inbox = store->inbox(),
      .ledger = store->ledger(),
      .decisions = store->decisions(),
      .subjects = store->subjects(),
      .commands = store->commands(),
      .marks = *marks,
      .recent_files = recent_files,
      .recent_labels = recent_labels,
      .notices = notices,
      .clock = env.clock,
      .logger = env.logger,
      .forges = account_table,
      .find_pack = [packs](std::string_view name) { return packs()->Find(name); },
      .new_decision_id = env.new_decision_id,
      .planners = std::move(planners),
      .command_planner = commands,
      .command_parser = commands,
      .find_choice = [packs, config = &env.config](
                         const v1::Subject& subject,
                         SubjectView& view) { return commands::ChooseByFiles(view, subject, *config, packs().get()); },
      .find_pull = [reviews = &store->reviews()](
                       const v1::Subject& repository,
                       std::string_view head) { return PullOfHead(*reviews, repository, head); },
      .long_work = long_work.get(),
      .find_shadow = [packs, config = &env.config](const v1::Subject& subject, std::string_view pack)
          -> std::shared_ptr<const rules::CompiledPack> {
        const auto shadow = ShadowFor(*config, *packs(), subject.forge(), subject.repository(), pack);
        return shadow == nullptr ? nullptr : shadow->Find(pack);
      },
      .shadows = &store->shadows(),
      .chat = chat_bridge.get(),
      .jobs = pull_jobs.get(),
  });
  effects = std::make_unique<EffectRunner>(ShippedEffectKinds(), store->ledger(), env.clock, env.logger);
  work = std::make_unique<SubjectWork>(*intake, *effects);
  PipelineOptions options;
  options.seed = std::random_device()();
  pipeline = std::make_unique<Pipeline>(*intake, *work, options);
  receiver = std::make_unique<WebhookReceiver>(env.config, store->inbox(), env.clock, env.logger);
  chat_receiver = std::make_unique<ChatReceiver>(env.config, store->inbox(), env.clock, env.logger, linked);
  decider = std::make_unique<PipelineDecider>(*intake);
  labels = std::make_unique<ForgeLabelSource>(env.config, account_table);
  sweeps = std::make_unique<SweepRunner>(SweepEnvironment{*intake, store->schedules()});
  scheduler = std::make_unique<Scheduler>(
      Jobs(), SchedulerEnvironment{store->schedule_runs(), env.clock, env.logger, &env.metrics, env.new_decision_id()});
}

std::vector<ScheduledJob> Pipe::Parts::Jobs() {
  std::vector<ScheduledJob> jobs;
  const auto add = [&](const ScheduleConfig& config, bool at_start, bool built_in) {
    std::optional<ScheduleTimes> times = TimesOf(config);
    const auto job = env.extensions.jobs.find(config.run);
    // The configuration was checked.
    if (!times.has_value() || job == env.extensions.jobs.end()) return;
    jobs.push_back({config, *std::move(times),
                    [this, &work = job->second, config](store::TimePoint due, const std::function<bool()>& stopping) {
                      return work({*intake, *sweeps, *store, env.packs, gates.get(), &env.extensions.news},
                                  {config, due, stopping});
                    },
                    at_start, built_in});
  };
  const auto add_own = [&](const char* name, const char* cron, bool at_start) {
    // Whoever uses the name for a schedule of their own has that one.
    if (absl::c_any_of(jobs, [&](const ScheduledJob& job) { return job.config.name == name; })) return;
    ScheduleConfig config;
    config.name = name;
    config.cron = cron;
    config.run = name;
    add(config, at_start, /*built_in=*/true);
  };
  for (const ScheduleConfig& schedule : env.config.schedules) add(schedule, /*at_start=*/false, /*built_in=*/false);
  if (absl::c_any_of(env.config.forges, [](const auto& forge) { return !forge.second.hooks.empty(); })) {
    add_own(kMissedDeliveries, kMissedDeliveriesCron, /*at_start=*/true);
  }
  if (absl::c_any_of(env.config.forges, [](const auto& forge) { return forge.second.HasCredentials(); })) {
    add_own(kCheckRepositories, kCheckRepositoriesCron, /*at_start=*/true);
  }
  if (env.config.chat != nullptr) {
    add_own(kNews, kNewsCron, /*at_start=*/false);
    add_own(kFollowGates, kFollowGatesCron, /*at_start=*/false);
    add_own(kWatchGates, kWatchGatesCron, /*at_start=*/false);
  }
  return jobs;
}

Pipe::Pipe(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

absl::StatusOr<std::unique_ptr<Pipe>> Pipe::Open(const PipeEnvironment& environment) {
  auto parts = std::make_unique<Parts>(environment);
  RETURN_IF_ERROR(parts->OpenStore());
  RETURN_IF_ERROR(parts->OpenDispatch());
  RETURN_IF_ERROR(parts->MakeForges());
  parts->MakePipe();
  return std::unique_ptr<Pipe>(new Pipe(std::move(parts)));
}

Pipe::~Pipe() {
  Stop();
  Close();
}

absl::Status Pipe::Start() {
  RETURN_IF_ERROR(parts_->pipeline->Start());
  parts_->threads = std::make_unique<PipelineThreads>(*parts_->pipeline, parts_->store->inbox(), parts_->env.clock);
  parts_->scheduler->Start();
  parts_->dispatch->Start();
  parts_->pull_jobs->Start();
  return absl::OkStatus();
}

WebhookReceiver& Pipe::receiver() { return *parts_->receiver; }

ChatReceiver& Pipe::chat_receiver() { return *parts_->chat_receiver; }

PipeInterfaces Pipe::interfaces() {
  PipeInterfaces out;
  out.decider = parts_->decider.get();
  out.labels = parts_->labels.get();
  out.operators = &parts_->store->operators();
  out.operator_source = parts_->operator_source.get();
  out.change_reviews = {&parts_->env.config, &parts_->store->reviews(), parts_->changes.get(), parts_->decider.get()};
  out.gates = {&parts_->env.config, parts_->gates.get(), parts_->decider.get(), &parts_->env.clock};
  out.dispatch = parts_->dispatch.get();
  out.schedules = {&parts_->store->schedule_runs(), parts_->scheduler.get(), &parts_->env.clock};
  out.intake.store = parts_->store.get();
  out.intake.sweeps = parts_->sweeps.get();
  out.intake.config = &parts_->env.config;
  out.intake.notices = &parts_->notices;
  // A person wants it tried again: earlier crashes no longer count.
  out.intake.on_requeue = [marks = parts_->marks.get()](int64_t delivery) { marks->Forget(delivery); };
  out.intake.settle = [pipeline = parts_->pipeline.get()](const v1::Subject& subject) { pipeline->Settle(subject); };
  return out;
}

absl::Status Pipe::Ready() const { return parts_->store->Ready(); }

void Pipe::ReplaceSecrets(const Config& config) {
  parts_->receiver->ReplaceSecrets(config);
  // The bridge first: what is received under the new settings finds it ready.
  if (const absl::Status replaced = parts_->chat_http->Replace(config); !replaced.ok()) {
    parts_->env.logger.Error("the settings of chat are not reloaded: the old ones stay in service",
                             {{"problem", std::string(replaced.message())}});
  } else {
    parts_->chat_bridge->ReplaceSettings(config);
    parts_->chat_receiver->ReplaceSettings(config);
  }
  for (const auto& [name, forge] : config.forges) {
    const auto running = parts_->forges.find(name);
    if (running == parts_->forges.end()) continue;
    const absl::Status replaced = running->second->ReplaceCredentials(forge);
    if (!replaced.ok()) {
      parts_->env.logger.Error("credentials not reloaded: the old ones stay in service",
                               {{"forge", name}, {"problem", std::string(replaced.message())}});
    }
  }
}

void Pipe::Stop() {
  if (std::exchange(parts_->stopped, true)) return;
  if (parts_->threads != nullptr) {
    parts_->threads->BeginStop();
    // Sweeps and schedules only wait; their calls are cut like everybody's.
    if (!parts_->threads->WaitIdle(kStopGrace)) {
      parts_->env.logger.Info("calls to forges are cut; what they did is settled after the next start");
    }
  }
  parts_->StopForges();
  parts_->pull_jobs->Stop();
  parts_->sweeps->Stop();
  parts_->scheduler->Stop();
  if (parts_->threads != nullptr) parts_->threads->Stop();
  parts_->review_threads.Stop();
}

void Pipe::Close() { parts_->store->Shutdown(); }

}  // namespace yardmaster
