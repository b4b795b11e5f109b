#include "services/yardmasterd/pipe.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/forge/http_curl.h"
#include "clients/forge/make_forge.h"
#include "clients/git/git_server.h"
#include "clients/git/http_git_remote.h"
#include "services/commands/pipe/file_planner.h"
#include "services/commands/pipe/planner.h"
#include "services/commands/pipe/settings.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/repository_name.h"
#include "services/core/status_macros.h"
#include "services/core/version.h"
#include "services/intake/command_effects.h"
#include "services/intake/effect_kinds.h"
#include "services/intake/forge_label_source.h"
#include "services/intake/forge_view.h"
#include "services/intake/gaps.h"
#include "services/intake/pipeline.h"
#include "services/intake/pipeline_threads.h"
#include "services/intake/recent_files.h"
#include "services/intake/store_desk.h"
#include "services/intake/sweep_runner.h"
#include "services/review/pull_planner.h"
#include "services/schedule/scheduler.h"
#include "services/triage/issue_planner.h"

namespace yardmaster {
namespace {

// How long work in progress may go on when the daemon is told to end.
constexpr std::chrono::milliseconds kStopGrace{3'000};
// Missing deliveries are looked for this often where hooks are configured; forges keep them for three days.
constexpr const char* kGapCron = "17 * * * *";

// "YYYY-MM-DD" in UTC.
std::string DayOf(std::chrono::system_clock::time_point time) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
  return absl::StrFormat("%04d-%02d-%02d", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                         static_cast<unsigned>(day.day()));
}

}  // namespace

struct Pipe::Parts {
  explicit Parts(const PipeEnvironment& environment) : env(environment), recent_files(environment.clock) {}

  absl::Status MakeForges();
  void MakeGitRemotes();
  void MakePipe();
  std::vector<ScheduledJob> Jobs();
  absl::StatusOr<std::string> RunSweeps(const ScheduleConfig& schedule, const std::function<bool()>& stopping);
  absl::StatusOr<std::string> RunGaps(const std::string& forge);
  void StopForges() {
    for (const auto& [name, forge] : forges) forge->Stop();
    if (http != nullptr) http->Stop();
  }

  const PipeEnvironment env;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<CrashMarks> marks;
  SystemWaiter waiter;
  std::unique_ptr<HttpClient> http;
  std::map<std::string, std::unique_ptr<StoppableForge>> forges;
  std::map<std::string, std::unique_ptr<GitRemote>> remotes;
  std::unique_ptr<OperatorSource> operator_source;
  std::map<std::string, std::unique_ptr<ForgeSide>> sides;
  std::map<std::string, ForgeSide*, std::less<>> side_table;
  RecentFiles recent_files;
  std::unique_ptr<EffectRunner> effects;
  std::unique_ptr<SubjectWork> work;
  std::unique_ptr<Pipeline> pipeline;
  std::unique_ptr<WebhookDoor> door;
  std::unique_ptr<StoreDesk> desk;
  std::unique_ptr<ForgeLabelSource> labels;
  std::unique_ptr<SweepRunner> sweeps;
  std::unique_ptr<PipelineThreads> threads;
  std::unique_ptr<Scheduler> scheduler;
  bool stopped = false;
};

absl::Status Pipe::Parts::MakeForges() {
  CurlHttpOptions options;
  for (const auto& [name, forge] : env.config.forges) {
    options.origins.push_back(forge.api_url);
    if (const std::optional<GitServer> git = GitServerOf(forge); git.has_value()) options.origins.push_back(git->url);
  }
  options.user_agent = absl::StrCat("yardmaster/", Abs(kVersion));
  ASSIGN_OR_RETURN(std::unique_ptr<HttpClient> client, MakeCurlHttpClient(std::move(options)));
  http = std::move(client);
  std::random_device device;
  ForgeEnvironment environment{
      *http,        env.clock, waiter,
      &env.metrics, device(),  [logger = &env.logger](const Secret& secret) { logger->redactor().Add(secret); }};
  for (const auto& [name, config] : env.config.forges) {
    const WebhookForge* webhooks = FindWebhookForge(name);
    if (webhooks == nullptr) return errors::Internal(absl::StrCat("no webhooks are known for ", name));
    ASSIGN_OR_RETURN(std::unique_ptr<StoppableForge> forge, MakeForge(config, environment));
    sides[name] = std::make_unique<ForgeSide>(*forge, webhooks->route, config.settle, config.bot_login);
    side_table[name] = sides[name].get();
    forges[name] = std::move(forge);
  }
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
    std::optional<GitServer> server = GitServerOf(config);
    if (!server.has_value()) continue;
    const auto token = [forge = forges[name].get()](std::chrono::steady_clock::time_point deadline) {
      return forge->Token(deadline);
    };
    remotes[name] = std::make_unique<HttpGitRemote>(GitEnvironment{*http, *std::move(server), token, scratch});
    remote = remotes[name].get();
  }
  operator_source = std::make_unique<OperatorSource>(env.config, std::move(table));
}

void Pipe::Parts::MakePipe() {
  const auto find_pack = [packs = &env.packs](std::string_view name) { return packs->Current()->Find(name); };
  const auto packs = [packs = &env.packs] { return packs->Current(); };
  // The checks of the packs that a repository uses, and what it says about them.
  const FindReviewScope find_scope = [packs, config = &env.config, clock = &env.clock](
                                         const v1::Subject& subject, SubjectView& view,
                                         std::string_view pack) -> absl::StatusOr<ReviewScope> {
    ReviewScope scope;
    const RepositoryConfig* repository = config->FindRepository(subject.forge(), subject.repository());
    if (repository == nullptr) return scope;
    const std::shared_ptr<const PackSet> current = packs();
    commands::LoadedSettings settings;
    RETURN_IF_ERROR(commands::LoadSettings(view, subject, *config, current.get(), settings));
    const commands::RepositoryFile file = settings.Merged();
    const std::vector<std::string> used = commands::PacksOf(file, repository->packs);
    for (const std::string& name : pack.empty() ? used : std::vector<std::string>{std::string(pack)}) {
      std::shared_ptr<const rules::CheckSet> set = current->FindChecks(name);
      if (set != nullptr && !set->checks().empty()) scope.packs.push_back(std::move(set));
    }
    scope.settings = file.review;
    scope.today = DayOf(clock->Now());
    return scope;
  };
  const FindRepositoryChoice find_choice = [packs, config = &env.config](const v1::Subject& subject,
                                                                         SubjectView& view) {
    return commands::ChooseByFiles(view, subject, *config, packs().get());
  };
  const std::vector<std::shared_ptr<const Planner>> deciders = {std::make_shared<IssuePlanner>()};
  std::vector<std::shared_ptr<const Planner>> planners = deciders;
  planners.push_back(std::make_shared<commands::RepositoryFilePlanner>(env.config, packs));
  planners.push_back(std::make_shared<PullReviewPlanner>(find_scope));
  const auto command_planner = std::make_shared<commands::CommandsPlanner>(commands::PlannerEnvironment{
      env.config, packs, [packs](std::string_view pack) { return packs()->FindPhrases(pack); }});
  const EffectRunner::Kinds kinds = {std::make_shared<PostTemplateEffect>(), std::make_shared<AddLabelsEffect>(),
                                     std::make_shared<ReactEffect>(), std::make_shared<AnswerCommentEffect>(),
                                     std::make_shared<RemoveLabelsEffect>()};
  effects = std::make_unique<EffectRunner>(kinds, store->ledger(), env.clock, env.logger);
  work = std::make_unique<SubjectWork>(WorkEnvironment{store->inbox(), store->decisions(), store->subjects(), *effects,
                                                       *marks, env.clock, env.logger, side_table, find_pack,
                                                       env.new_decision_id, nullptr, &store->commands(),
                                                       command_planner, planners, find_choice, &recent_files});
  PipelineOptions options;
  options.seed = std::random_device()();
  pipeline = std::make_unique<Pipeline>(
      PipelineEnvironment{env.config, store->inbox(), store->subjects(), *work, *marks, env.clock, env.logger,
                          side_table, planners, find_pack, command_planner, &recent_files},
      options);
  door = std::make_unique<WebhookDoor>(env.config, store->inbox(), env.clock, env.logger);
  desk = std::make_unique<StoreDesk>(StoreDeskEnvironment{
      env.config, store->inbox(), store->ledger(), store->decisions(), store->subjects(), env.clock, side_table,
      deciders, find_pack, env.new_decision_id, find_choice, &recent_files});
  labels = std::make_unique<ForgeLabelSource>(env.config, side_table);
  const auto choose_pack = [this, find_choice, find_pack](const SweepTarget& target) -> absl::StatusOr<std::string> {
    const RepositoryConfig* entry = env.config.FindRepository(target.forge, target.repository);
    if (entry == nullptr || !entry->file_for_events) return std::string();
    v1::Subject issues;
    issues.set_forge(target.forge);
    issues.set_repository(target.repository);
    issues.set_kind(v1::SUBJECT_KIND_ISSUE);
    ForgeCall call;
    call.priority = ForgePriority::kSweep;
    ForgeView view(side_table.find(target.forge)->second->forge(), call, issues, store->decisions(), &recent_files,
                   nullptr, nullptr);
    ASSIGN_OR_RETURN(const RepositoryChoice choice, find_choice(issues, view));
    const auto chosen = std::find_if(choice.packs.begin(), choice.packs.end(),
                                     [&](const std::string& pack) { return find_pack(pack) != nullptr; });
    return chosen == choice.packs.end() ? std::string() : *chosen;
  };
  sweeps = std::make_unique<SweepRunner>(
      SweepEnvironment{store->inbox(), store->schedules(), env.clock, env.logger, side_table, find_pack, choose_pack});
}

absl::StatusOr<std::string> Pipe::Parts::RunSweeps(const ScheduleConfig& schedule,
                                                   const std::function<bool()>& stopping) {
  std::string outcome;
  for (const RepositoryConfig& repository : env.config.repositories) {
    const bool named = schedule.repository.empty() || RepositoryMatches(schedule.repository, repository.repository);
    if ((!schedule.forge.empty() && schedule.forge != repository.forge) || !named) continue;
    // A pattern names no repository to list.
    if (repository.packs.empty() || repository.repository.ends_with("/*")) continue;
    const auto run = sweeps->Request({repository.forge, repository.repository, repository.packs.front()}, 0);
    if (run == nullptr) return absl::CancelledError("the daemon is shutting down");
    SweepRunner::Run::State state = run->Now();
    while (!state.finished) {
      if (stopping()) return absl::CancelledError("the daemon is shutting down");
      state = run->WaitForChange(state.version, std::chrono::milliseconds(500));
    }
    absl::StrAppend(&outcome, outcome.empty() ? "" : "; ", repository.forge, ":", repository.repository, " ",
                    state.status.ok() ? state.progress.Summary() : std::string(state.status.message()));
  }
  return outcome.empty() ? std::string("no repository to sweep") : outcome;
}

absl::StatusOr<std::string> Pipe::Parts::RunGaps(const std::string& forge) {
  std::string outcome;
  for (const auto& [name, config] : env.config.forges) {
    if (!forge.empty() && forge != name) continue;
    for (const ForgeHook& hook : config.hooks) {
      const absl::StatusOr<GapSummary> summary =
          SweepGaps(*side_table.find(name)->second, hook.repository, hook.id, store->inbox(), env.clock);
      absl::StrAppend(&outcome, outcome.empty() ? "" : "; ", name, ":", hook.repository, " hook ", hook.id, " ",
                      summary.ok() ? summary->ToString() : std::string(summary.status().message()));
    }
  }
  return outcome.empty() ? std::string("no hooks are configured") : outcome;
}

std::vector<ScheduledJob> Pipe::Parts::Jobs() {
  std::vector<ScheduledJob> jobs;
  std::string error;
  bool has_hooks = false;
  for (const auto& [name, forge] : env.config.forges) has_hooks = has_hooks || !forge.hooks.empty();
  for (const ScheduleConfig& schedule : env.config.schedules) {
    std::optional<CronExpression> cron = CronExpression::Parse(schedule.cron, error);
    if (!cron.has_value()) continue;  // the config was checked
    if (schedule.run == "sweep") {
      jobs.push_back({schedule.name, *cron,
                      [this, schedule](const std::function<bool()>& stopping) { return RunSweeps(schedule, stopping); },
                      false});
    } else if (schedule.run == "gaps") {
      jobs.push_back({schedule.name, *cron,
                      [this, forge = schedule.forge](const std::function<bool()>&) { return RunGaps(forge); }, false});
    } else {
      env.logger.Warning("a schedule names nothing that this version runs: expected \"sweep\" or \"gaps\"",
                         {{"schedule", schedule.name}, {"run", schedule.run}});
    }
  }
  if (has_hooks) {
    const std::optional<CronExpression> cron = CronExpression::Parse(kGapCron, error);
    if (cron.has_value()) {
      jobs.push_back({"gaps", *cron, [this](const std::function<bool()>&) { return RunGaps(std::string()); }, true});
    }
  }
  return jobs;
}

Pipe::Pipe(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

absl::StatusOr<std::unique_ptr<Pipe>> Pipe::Open(const PipeEnvironment& environment) {
  auto parts = std::make_unique<Parts>(environment);
  store::StoreOptions options;
  options.data_dir = environment.data_dir.path();
  options.lock = &environment.data_dir.lock();
  options.retention = environment.config.retention;
  options.logger = &environment.logger;
  ASSIGN_OR_RETURN(std::unique_ptr<store::Store> store,
                   store::Store::Open(std::move(options), environment.clock, &environment.metrics));
  parts->store = std::move(store);
  ASSIGN_OR_RETURN(std::unique_ptr<CrashMarks> marks, CrashMarks::Open(environment.data_dir.path() / "crash-marks"));
  parts->marks = std::move(marks);
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
  parts_->scheduler = std::make_unique<Scheduler>(parts_->Jobs(), parts_->env.clock, parts_->env.logger);
  return absl::OkStatus();
}

WebhookDoor& Pipe::door() { return *parts_->door; }
DecisionDesk& Pipe::desk() { return *parts_->desk; }
LabelSource& Pipe::labels() { return *parts_->labels; }

IntakeParts Pipe::parts() {
  IntakeParts out;
  out.store = parts_->store.get();
  out.sweeps = parts_->sweeps.get();
  out.config = &parts_->env.config;
  // A person wants it tried again: earlier deaths are forgiven.
  out.on_requeue = [marks = parts_->marks.get()](int64_t delivery) { marks->Forget(delivery); };
  return out;
}

store::Operators& Pipe::operators() { return parts_->store->operators(); }

const OperatorSource& Pipe::operator_source() { return *parts_->operator_source; }

absl::Status Pipe::Ready() const { return parts_->store->Ready(); }

void Pipe::ReplaceSecrets(const Config& config) {
  parts_->door->ReplaceSecrets(config);
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
  parts_->sweeps->Stop();
  if (parts_->scheduler != nullptr) parts_->scheduler->Stop();
  if (parts_->threads != nullptr) parts_->threads->Stop();
}

void Pipe::Close() { parts_->store->Shutdown(); }

}  // namespace yardmaster
