// Dispatch with its store and, for the last of the two, with gRPC on loopback: transitions of jobs that are on the disk
// (synchronous=FULL) when they are answered, and how long an idle worker waits for a job that somebody submits.
#include <benchmark/benchmark.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/executor.h"
#include "services/core/rpc/contract_options.h"
#include "services/core/store/store.h"
#include "services/dispatch/dispatch.h"
#include "services/dispatch/dispatch_service.h"
#include "services/dispatch/runner_service.h"
#include "tests/bench/bench_data.h"
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::bench {
namespace {

constexpr size_t kRunners = 32;
constexpr int kJobsOfARunner = 20;
// Queued, leased, running, finishing, ended.
constexpr int kTransitionsOfAJob = 5;

// A control plane with a data directory of its own.
class ControlPlane {
 public:
  ControlPlane() : packs_(testing::SourcePath("rules/packs"), std::make_shared<const PackSet>(PackSet::Packs())) {
    store::StoreOptions options;
    options.data_dir = dir_.path() / "data";
    options.disk_floor_bytes = 1;
    store_ = *store::Store::Open(std::move(options), clock_, nullptr);
    dispatch::DispatchOptions dispatching;
    dispatching.dir = dir_.path() / "dispatch";
    dispatch_ = *dispatch::Dispatch::Open(dispatching, store_->jobs(), packs_, clock_, metrics_, logger_);
    dispatch_->Start();
  }
  dispatch::Dispatch& dispatch() { return *dispatch_; }
  RpcEnvironment Environment() { return {auth_, metrics_, clock_, logger_}; }

 private:
  testing::TempDir dir_;
  SystemClock clock_;
  Metrics metrics_;
  Logger logger_{LoggerOptions{.level = LogLevel::kError, .async = false, .sink = [](std::string_view) {}}};
  Authenticator auth_{*ReadMethodRules(),
                      {TokenEntry{"ops", Role::kOperator, Secret("operator-token")},
                       TokenEntry{"box", Role::kRunner, Secret("runner-token")}},
                      false};
  PackRegistry packs_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<dispatch::Dispatch> dispatch_;
};

void Check(const absl::Status& status) {
  if (!status.ok()) Fail(std::string(status.message()).c_str());
}
void Check(const grpc::Status& status) {
  if (!status.ok()) Fail(status.error_message().c_str());
}

// One runner with one processor, and jobs that only it can do.
void LifeOfARunner(dispatch::Dispatcher& dispatcher, const std::string& name, int jobs, const std::string& round) {
  dispatch::RunnerReport report;
  report.name = name;
  report.session = "s";
  report.pool = "trusted";
  report.labels = {name};
  report.token = name;
  report.devices.push_back({.id = "cpu:0", .kind = "cpu"});
  Check(dispatcher.Report(report));
  for (int i = 0; i < jobs; ++i) {
    dispatch::Job job;
    job.id = absl::StrCat("j-", round, "-", name, "-", i);
    job.repository = absl::StrCat("github:o/", name);
    job.submitter = name;
    job.demand.labels = {name};
    Check(dispatcher.Submit(job).status());
    for (const dispatch::RunPhase phase : {dispatch::RunPhase::kRunning, dispatch::RunPhase::kFinishing}) {
      report.runs = {{job.id, 1, phase, {"cpu:0"}}};
      Check(dispatcher.Report(report));
    }
    dispatch::RunOutcome outcome;
    outcome.verdict = dispatch::Verdict::kPassed;
    Check(dispatcher.Finish(job.id, 1, outcome));
    report.runs.clear();
    Check(dispatcher.Report(report));
  }
}

void Transitions(benchmark::State& state) {
  ControlPlane plane;
  int round = 0;
  for (auto _ : state) {
    std::vector<std::thread> runners;
    for (size_t i = 0; i < kRunners; ++i) {
      runners.emplace_back([&, i] {
        LifeOfARunner(plane.dispatch().dispatcher(), absl::StrCat("r", i), kJobsOfARunner, absl::StrCat(round));
      });
    }
    for (std::thread& runner : runners) runner.join();
    ++round;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kRunners) * kJobsOfARunner * kTransitionsOfAJob);
}
BENCHMARK(Transitions)->Unit(benchmark::kMillisecond)->UseRealTime();

void Authorize(grpc::ClientContext& context, const char* token) {
  context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
}

void IdleWorker(benchmark::State& state) {
  ControlPlane plane;
  ThreadPool people_calls(4, 100);
  ThreadPool worker_calls(4, 100);
  DispatchServiceImpl people(plane.Environment(), people_calls, people_calls, &plane.dispatch());
  RunnerServiceImpl workers(plane.Environment(), worker_calls, &plane.dispatch());
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&people);
  builder.RegisterService(&workers);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const std::string address = absl::StrCat("127.0.0.1:", port);
  // Connections of their own, as they have.
  grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto people_stub =
      v1::DispatchService::NewStub(grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), own));
  const auto worker_stub =
      v1::RunnerService::NewStub(grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), own));

  grpc::ClientContext stream_context;
  Authorize(stream_context, "runner-token");
  auto stream = worker_stub->Work(&stream_context);
  v1::WorkRequest report;
  report.set_name("box");
  report.set_session("s");
  v1::WorkerDevice& device = *report.add_devices();
  device.set_id("cpu:0");
  device.set_kind("cpu");
  v1::WorkResponse answer;
  stream->Write(report);
  stream->Read(&answer);

  std::vector<double> times;
  for (auto _ : state) {
    const auto began = std::chrono::steady_clock::now();
    v1::SubmitJobRequest submit;
    submit.mutable_spec()->set_suite("yardmaster/kernels");
    v1::SubmitJobResponse submitted;
    grpc::ClientContext submit_context;
    Authorize(submit_context, "operator-token");
    // The worker hears of it while its submitter is still answered.
    std::thread submitter([&] { Check(people_stub->SubmitJob(&submit_context, submit, &submitted)); });
    do {
      if (!stream->Read(&answer)) Fail("the worker's stream has ended");
    } while (answer.runs().empty());
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
    submitter.join();
    v1::FinishRunRequest finish;
    finish.set_job(answer.runs(0).job());
    finish.set_fence(answer.runs(0).fence());
    finish.set_verdict("passed");
    v1::FinishRunResponse finished;
    grpc::ClientContext finish_context;
    Authorize(finish_context, "runner-token");
    Check(worker_stub->FinishRun(&finish_context, finish, &finished));
    do {
      if (!stream->Read(&answer)) Fail("the worker's stream has ended");
    } while (!answer.runs().empty());
  }
  std::sort(times.begin(), times.end());
  if (!times.empty()) {
    state.counters["p50_ms"] = times[times.size() / 2];
    state.counters["p99_ms"] = times[times.size() * 99 / 100];
  }
  stream_context.TryCancel();
  stream->Finish();
  server->Shutdown(std::chrono::system_clock::now());
}
BENCHMARK(IdleWorker)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(500);

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
