#include "services/yardmasterd/daemon.h"

#include <prometheus/counter.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "services/core/executor.h"
#include "services/core/files.h"
#include "services/core/metrics.h"
#include "services/core/packs_dir.h"
#include "services/core/rpc/contract_options.h"
#include "services/core/rpc/rpc.h"
#include "services/core/version.h"
#include "services/dispatch/dispatch.h"
#include "services/gateway/health_routes.h"
#include "services/gateway/http_server.h"
#include "services/gateway/readiness.h"
#include "services/packs/registry/pack_registry.h"
#include "services/packs/registry/shadow_packs.h"
#include "services/triage/decision_id.h"
#include "services/triage/decision_log.h"
#include "services/yardmasterd/chat_routes.h"
#include "services/yardmasterd/data_dir.h"
#include "services/yardmasterd/grpc_server.h"
#include "services/yardmasterd/own_worker.h"
#include "services/yardmasterd/pipe.h"
#include "services/yardmasterd/services.h"
#include "services/yardmasterd/signals.h"
#include "services/yardmasterd/unused_memory.h"
#include "services/yardmasterd/webhook_routes.h"

namespace yardmaster {
namespace {

// Before there is a log: for the person who starts the daemon.
void PrintProblems(std::string_view headline, const Problems& problems) {
  std::cerr << "yardmasterd: " << headline << "\n";
  for (const Problem& problem : problems) std::cerr << "  " << problem.ToString() << "\n";
}

int ExitCodeFor(const absl::Status& status) {
  // A data directory in use and bad input are the caller's to fix; the rest is the system's.
  const bool usage = absl::IsFailedPrecondition(status) || absl::IsInvalidArgument(status) || absl::IsNotFound(status);
  return usage ? kExitUsage : kExitSystem;
}

int Fail(const absl::Status& status) {
  std::cerr << "yardmasterd: " << status.message() << "\n";
  return ExitCodeFor(status);
}

LoggerOptions LogOptions(const LogConfig& config) {
  LoggerOptions options;
  options.level = config.level;
  options.format = config.format.value_or(::isatty(STDERR_FILENO) != 0 ? LoggerOptions::Format::kHuman
                                                                       : LoggerOptions::Format::kJson);
  return options;
}

// Tells the log and the metrics about a load of the packs.
void ReportPacks(const Problems& problems, const PackSet& in_service, Logger& logger, Metrics& metrics) {
  metrics.PacksReloaded(problems.empty());
  std::vector<std::pair<std::string, std::string>> revisions;
  for (const auto& [name, pack] : in_service.packs()) revisions.emplace_back(name, pack->model().revision);
  metrics.PacksInService(revisions);
  if (problems.empty()) {
    logger.Info("packs loaded", {{"packs", revisions.size()}});
    return;
  }
  logger.Error("packs not reloaded: the old ones stay in service", {{"problems", problems.size()}});
  for (const Problem& problem : problems) {
    logger.Error(
        "problem in a pack",
        {{"file", problem.file}, {"line", problem.line}, {"pointer", problem.pointer}, {"problem", problem.message}});
  }
}

std::optional<Config> ReadConfig(const std::filesystem::path& file, Problems& problems) {
  ConfigOptions options;
  options.jobs = ReadJobWords();
  return LoadConfig(file, problems, options);
}

// SIGHUP: the config is read again for its secrets and tokens; everything else in it needs a restart.
void ReloadSecrets(const Config& running, const OwnWorker* worker, Authenticator& auth, Pipe* pipe, Logger& logger,
                   Metrics& metrics) {
  if (running.file.empty()) return;
  Problems problems;
  std::optional<Config> config = ReadConfig(running.file, problems);
  metrics
      .Counter("yardmaster_secrets_reload_total", "Reloads of the secrets by result.",
               {{"result", config.has_value() ? "success" : "failure"}})
      ->Increment();
  if (!config.has_value()) {
    logger.Error("secrets not reloaded: the old ones stay in service", {{"problems", problems.size()}});
    for (const Problem& problem : problems) {
      logger.Error(
          "problem in the config",
          {{"file", problem.file}, {"line", problem.line}, {"pointer", problem.pointer}, {"problem", problem.message}});
    }
    return;
  }
  if (worker != nullptr) worker->AddToken(*config);
  config->ForEachSecret([&](const Secret& secret) { logger.redactor().Add(secret); });
  auth.Replace(config->tokens, config->allow_anonymous_loopback);
  if (pipe != nullptr) pipe->ReplaceSecrets(*config);
  logger.Info("secrets reloaded", {{"tokens", config->tokens.size()}});
}

// What the start has to say about the configuration.
void LogConfigNotes(const Config& config, Logger& logger) {
  for (const std::string& warning : config.warnings) logger.Warning("config", {{"warning", warning}});
}

// Packs that the config names must be there.
Problems CheckPackNames(const Config& config, const PackSet& packs) {
  Problems problems;
  for (size_t i = 0; i < config.repositories.size(); ++i) {
    for (size_t k = 0; k < config.repositories[i].packs.size(); ++k) {
      const std::string& name = config.repositories[i].packs[k];
      if (packs.Find(name) != nullptr) continue;
      problems.push_back({config.file.string(), "/repositories/" + std::to_string(i) + "/packs/" + std::to_string(k),
                          config.repositories[i].pack_lines[k], 0,
                          "there is no pack \"" + name + "\" in the packs folder"});
    }
  }
  return problems;
}

std::string ReadyJson(const HostPort& http, const HostPort& grpc) {
  nlohmann::json ready;
  ready["pid"] = ::getpid();
  ready["http"] = http.ToString();
  ready["grpc"] = grpc.ToString();
  return ready.dump() + "\n";
}

HttpServerOptions HttpOptions(const Config& config) {
  HttpServerOptions options;
  options.address = config.http;
  if (config.tls.has_value() && config.tls->http) options.tls = config.tls->material;
  options.max_connections = config.limits.http_connections;
  options.max_header_bytes = config.limits.http_header_bytes;
  options.max_body_bytes = config.limits.http_body_bytes;
  options.header_timeout = config.limits.http_header_timeout;
  options.body_timeout = config.limits.http_body_timeout;
  options.idle_timeout = config.limits.http_idle_timeout;
  return options;
}

GrpcServerOptions GrpcOptions(const Config& config) {
  GrpcServerOptions options;
  options.address = config.grpc;
  if (config.tls.has_value() && config.tls->grpc) options.tls = &config.tls->material;
  options.max_message_bytes = config.limits.rpc_message_bytes;
  return options;
}

dispatch::DispatchOptions DispatchOptionsOf(const Config& config, const DataDir& data_dir) {
  dispatch::DispatchOptions options;
  options.dir = data_dir.path() / "dispatch";
  options.engine = config.dispatch.engine;
  options.limits.max_attempts = config.dispatch.max_attempts;
  options.run_limits = config.dispatch.limits;
  options.limits.lease = config.dispatch.lease;
  options.limits.queue = config.dispatch.times.queue;
  options.limits.start = config.dispatch.times.start;
  options.limits.run = config.dispatch.times.run;
  options.limits.finish = config.dispatch.times.finish;
  options.untrusted_network = config.dispatch.untrusted_network;
  options.fork_policy = config.dispatch.fork_policy;
  options.artifact_age = config.dispatch.artifact_age;
  options.artifact_bytes = config.dispatch.artifact_bytes;
  return options;
}

// Whoever asks whether the daemon is ready hears about the store as it is now.
void WatchStore(const Pipe& pipe, Readiness& readiness, std::vector<HttpRoute>& routes) {
  for (HttpRoute& route : routes) {
    if (route.path != "/readyz") continue;
    route.handler = [&pipe, &readiness, answer = std::move(route.handler)](const HttpRequest& request,
                                                                           HttpReply reply) {
      const absl::Status store = pipe.Ready();
      readiness.Set("store", store.ok(), std::string(store.message()));
      answer(request, std::move(reply));
    };
  }
}

}  // namespace

int RunDaemon(const DaemonOptions& options) {
  const auto started = std::chrono::steady_clock::now();

  // 1. What to run with. Nothing is touched before the config is known to be good.
  const absl::StatusOr<std::vector<MethodRule>> methods = ReadMethodRules();
  if (!methods.ok()) return Fail(methods.status());
  Config config = DefaultConfig();
  Problems problems;
  if (!options.config.empty()) {
    std::optional<Config> loaded = ReadConfig(options.config, problems);
    if (!loaded.has_value()) {
      PrintProblems("the configuration is not valid:", problems);
      return kExitUsage;
    }
    config = *std::move(loaded);
  }
  ApplyOptions(options, config);

  // 2. Packs.
  const absl::StatusOr<std::filesystem::path> packs_dir = LocatePacksDir(config.packs_dir.native());
  if (!packs_dir.ok()) return Fail(packs_dir.status());
  const std::unique_ptr<PackRegistry> packs = PackRegistry::Open(*packs_dir, problems, ShadowsOf(config));
  if (packs == nullptr) {
    PrintProblems("the packs are not valid:", problems);
    return kExitUsage;
  }
  problems = CheckPackNames(config, *packs->Current());
  if (!problems.empty()) {
    PrintProblems("the configuration is not valid:", problems);
    return kExitUsage;
  }

  // 3. One daemon a data directory.
  const absl::StatusOr<std::unique_ptr<DataDir>> data_dir = DataDir::Open(config.data_dir);
  if (!data_dir.ok()) return Fail(data_dir.status());
  // A file of an earlier run must not look like this one's.
  if (!options.ready_file.empty()) ::unlink(options.ready_file.c_str());

  // 4. What every service stands on.
  Logger logger(LogOptions(config.log));
  std::unique_ptr<OwnWorker> worker;
  if (options.with_worker > 0) {
    absl::StatusOr<std::unique_ptr<OwnWorker>> prepared =
        OwnWorker::Prepare(config, (*data_dir)->path(), options.with_worker, logger);
    if (!prepared.ok()) return Fail(prepared.status());
    worker = *std::move(prepared);
    worker->AddToken(config);
  }
  config.ForEachSecret([&](const Secret& secret) { logger.redactor().Add(secret); });
  Metrics metrics(*methods);
  SystemClock clock;
  Authenticator auth(*methods, config.tokens, config.allow_anonymous_loopback);
  DecisionLog decisions;
  DecisionIds decision_ids;
  packs->SetReloadListener(
      [&](const Problems& found, const PackSet& in_service) { ReportPacks(found, in_service, logger, metrics); });
  LogConfigNotes(config, logger);
  ReportPacks({}, *packs->Current(), logger, metrics);
  Readiness readiness({"packs", "store", "grpc", "http"});
  readiness.Set("packs", true);

  // 5. Services, and the listeners in front of them.
  const RpcEnvironment env{auth, metrics, clock, logger, IsLoopbackHost(config.grpc.host)};
  // The pipe, where there is something to keep or a forge to hear from.
  std::unique_ptr<Pipe> pipe;
  if (!(*data_dir)->temporary() || !config.forges.empty() || worker != nullptr) {
    absl::StatusOr<std::unique_ptr<Pipe>> opened =
        Pipe::Open({config, **data_dir, *packs, clock, logger, metrics,
                    [&decision_ids, &clock] { return decision_ids.Next(clock.Now()); }, ExtensionsOfServices(),
                    DispatchOptionsOf(config, **data_dir)});
    if (!opened.ok()) {
      logger.Flush();
      return Fail(opened.status());
    }
    pipe = *std::move(opened);
  } else {
    // The same metrics everywhere.
    metrics.Gauge("yardmaster_inbox_pending", "Deliveries that wait, are worked on or will be retried.");
    metrics.Gauge("yardmaster_effects_pending", "Effects in the states intent and unknown.");
  }
  readiness.Set("store", true);
  dispatch::Dispatch* const dispatcher = pipe == nullptr ? nullptr : pipe->interfaces().dispatch;
  ThreadPool long_calls(kLongCallThreads, kMaxLongCallsWaiting);
  ThreadPool intake_calls(kIntakeCallThreads, kMaxLongCallsWaiting);
  ThreadPool job_calls(kJobCallThreads, kMaxDispatchCallsWaiting);
  ThreadPool worker_calls(kWorkerCallThreads, kMaxDispatchCallsWaiting);
  const ServiceEnvironment service_env{
      env,          *packs,       decisions,
      decision_ids, long_calls,   intake_calls,
      job_calls,    worker_calls, pipe == nullptr ? PipeInterfaces() : pipe->interfaces(),
      dispatcher};
  std::vector<std::unique_ptr<grpc::Service>> handlers;
  std::vector<NamedService> services;
  for (const ServiceRow& row : Services()) {
    handlers.push_back(row.handlers(service_env));
    services.push_back({row.name, handlers.back().get()});
  }
  absl::StatusOr<std::unique_ptr<GrpcServer>> grpc = GrpcServer::Start(GrpcOptions(config), services);
  if (!grpc.ok()) {
    logger.Flush();
    return Fail(grpc.status());
  }
  readiness.Set("grpc", true);
  std::vector<HttpRoute> routes = HealthRoutes(readiness, metrics);
  if (pipe != nullptr) WatchStore(*pipe, readiness, routes);
  for (HttpRoute& route : WebhookRoutes(pipe == nullptr ? nullptr : &pipe->receiver()))
    routes.push_back(std::move(route));
  for (HttpRoute& route : ChatRoutes(pipe == nullptr ? nullptr : &pipe->chat_receiver()))
    routes.push_back(std::move(route));
  absl::StatusOr<std::unique_ptr<HttpServer>> http =
      HttpServer::Start(HttpOptions(config), HttpRouter(std::move(routes)), logger, metrics);
  if (!http.ok()) {
    logger.Flush();
    return Fail(http.status());
  }
  readiness.Set("http", true);
  if (pipe != nullptr) {
    if (const absl::Status running = pipe->Start(); !running.ok()) {
      logger.Flush();
      return Fail(running);
    }
  }

  // 6. Ready.
  const HostPort& grpc_address = (*grpc)->address();
  const HostPort& http_address = (*http)->address();
  if (!options.ready_file.empty()) {
    const absl::Status written = WriteFileAtomically(options.ready_file, ReadyJson(http_address, grpc_address));
    if (!written.ok()) {
      logger.Flush();
      return Fail(written);
    }
  }
  const auto ready_after = std::chrono::steady_clock::now() - started;
  logger.Info("ready", {{"version", kVersion},
                        {"pid", ::getpid()},
                        {"grpc", grpc_address.ToString()},
                        {"http", http_address.ToString()},
                        {"tls", config.tls.has_value()},
                        {"mode", RunModeName(config.mode)},
                        {"packs_dir", packs->packs_dir().native()},
                        {"data_dir", (*data_dir)->path().native()},
                        {"millis", std::chrono::duration_cast<std::chrono::milliseconds>(ready_after).count()}});

  ReturnUnusedMemory();
  if (worker != nullptr) worker->Start(grpc_address);

  // 7. Serve until told to end.
  int signal = WaitForDaemonSignal();
  for (; signal == SIGHUP; signal = WaitForDaemonSignal()) {
    logger.Info("SIGHUP: reading packs and secrets again");
    packs->Reload();
    ReloadSecrets(config, worker.get(), auth, pipe.get(), logger, metrics);
    ReturnUnusedMemory();
  }

  // 8. Drain: tell everybody who asks, let calls in flight end, then close. Health stays answered over HTTP until the
  // calls have ended.
  logger.Info("draining", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  EndAtNextSignal(kExitInterrupted);
  readiness.Drain();
  // While it can still say what came of its runs.
  if (worker != nullptr) worker->Drain(config.limits.drain_timeout);
  (*grpc)->BeginDrain();
  // Callers that wait for the pipe (sweeps, applied decisions) are answered when it has stopped.
  if (pipe != nullptr) pipe->Stop();
  (*grpc)->Stop(config.limits.drain_timeout);
  (*http)->Stop(config.limits.drain_timeout);
  intake_calls.Stop();
  job_calls.Stop();
  worker_calls.Stop();
  if (dispatcher != nullptr) dispatcher->Stop();
  if (pipe != nullptr) pipe->Close();
  if (!options.ready_file.empty()) ::unlink(options.ready_file.c_str());
  logger.Info("ended");
  logger.Flush();
  return kExitDone;
}

}  // namespace yardmaster
