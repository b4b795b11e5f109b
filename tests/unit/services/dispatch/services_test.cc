// DispatchService and RunnerService over one store, as people and workers see them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/executor.h"
#include "services/core/messages/signed_answer.h"
#include "services/core/sha256.h"
#include "services/core/store/store.h"
#include "services/dispatch/dispatch_service.h"
#include "services/dispatch/job_messages.h"
#include "services/dispatch/make_job.h"
#include "services/dispatch/runner_service.h"
#include "tests/support/rpc_server.h"
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::chrono::seconds kCallTimeout{20};

void Authorize(grpc::ClientContext& context, const std::string& token) {
  context.AddMetadata("authorization", "Bearer " + token);
  context.set_deadline(std::chrono::system_clock::now() + kCallTimeout);
}

// A worker's stream: what it reports, and what it hears.
class WorkStream {
 public:
  WorkStream(v1::RunnerService::Stub& stub, const std::string& token) {
    Authorize(context_, token);
    stream_ = stub.Work(&context_);
  }
  ~WorkStream() {
    context_.TryCancel();
    if (!finished_) stream_->Finish();
  }

  void Say(const v1::WorkRequest& report) { EXPECT_TRUE(stream_->Write(report)); }
  // The next answer for which `fits` is true: what is said unasked may come before.
  template <typename Fits>
  v1::WorkResponse Hear(Fits fits) {
    v1::WorkResponse answer;
    do {
      if (!stream_->Read(&answer)) {
        ADD_FAILURE() << "the stream has ended";
        return answer;
      }
    } while (!fits(answer));
    return answer;
  }
  grpc::Status End() {
    v1::WorkResponse ignored;
    while (stream_->Read(&ignored)) {
    }
    finished_ = true;
    return stream_->Finish();
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::WorkRequest, v1::WorkResponse>> stream_;
  bool finished_ = false;
};

// Takes no work as long as it is told so, as a pool does whose queue is full.
class RefusingExecutor final : public Executor {
 public:
  bool Run(std::function<void()> task) override { return !refuses_ && pool_.Run(std::move(task)); }
  void Refuse(bool refuses) { refuses_ = refuses; }

 private:
  std::atomic<bool> refuses_{false};
  ThreadPool pool_{4, 100};
};

class DispatchServicesTest : public ::testing::Test {
 protected:
  DispatchServicesTest()
      : auth_(*ReadMethodRules(),
              {TokenEntry{"ops", Role::kOperator, Secret("operator-token")},
               TokenEntry{"watcher", Role::kViewer, Secret("viewer-token")},
               TokenEntry{"workers", Role::kRunner, Secret("runner-token")},
               TokenEntry{"forks", Role::kRunner, Secret("forks-token"), {{"fork-*"}, "untrusted"}}},
              false),
        packs_(testing::SourcePath("rules/packs"), std::make_shared<const PackSet>(PackSet::Packs())) {
    StartDaemon();
  }
  ~DispatchServicesTest() override { StopDaemon(); }

  void StartDaemon() {
    store::StoreOptions options;
    options.data_dir = dir_.path() / "data";
    options.disk_floor_bytes = 1;
    auto store = store::Store::Open(std::move(options), clock_, nullptr);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    dispatch::DispatchOptions dispatching;
    dispatching.dir = dir_.path() / "data" / "dispatch";
    auto opened = dispatch::Dispatch::Open(dispatching, store_->jobs(), packs_, clock_, metrics_, logger_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    dispatch_ = *std::move(opened);
    dispatch_->Start();
    executor_ = std::make_unique<RefusingExecutor>();
    worker_calls_ = std::make_unique<ThreadPool>(4, 100);
    const RpcEnvironment env{auth_, metrics_, clock_, logger_};
    people_ = std::make_unique<DispatchServiceImpl>(env, *executor_, *executor_, dispatch_.get());
    workers_ = std::make_unique<RunnerServiceImpl>(env, *worker_calls_, dispatch_.get());
    people_server_ = std::make_unique<testing::RpcServer>(*people_);
    worker_server_ = std::make_unique<testing::RpcServer>(*workers_);
    people_stub_ = v1::DispatchService::NewStub(people_server_->Connect());
    worker_stub_ = v1::RunnerService::NewStub(worker_server_->Connect());
  }
  void StopDaemon() {
    people_server_.reset();
    worker_server_.reset();
    executor_.reset();
    worker_calls_.reset();
    dispatch_.reset();
    store_.reset();
  }

  template <typename Stub, typename Request, typename Response>
  grpc::Status Ask(Stub& stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                   const Request& request, Response& response, const std::string& token) {
    grpc::ClientContext context;
    Authorize(context, token);
    response.Clear();
    return (stub.*method)(&context, request, &response);
  }
  template <typename Request, typename Response>
  grpc::Status People(grpc::Status (v1::DispatchService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                        Response*),
                      const Request& request, Response& response, const std::string& token = "operator-token") {
    return Ask(*people_stub_, method, request, response, token);
  }
  template <typename Request, typename Response>
  grpc::Status Worker(grpc::Status (v1::RunnerService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                      const Request& request, Response& response, const std::string& token = "runner-token") {
    return Ask(*worker_stub_, method, request, response, token);
  }

  v1::SuiteJob Submit(const std::string& suite = "yardmaster/kernels", const std::string& request_id = "") {
    v1::SubmitJobRequest request;
    request.mutable_spec()->set_suite(suite);
    request.set_request_id(request_id);
    v1::SubmitJobResponse response;
    const grpc::Status status = People(&v1::DispatchService::Stub::SubmitJob, request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.job();
  }
  v1::SuiteJob Get(const std::string& job) {
    v1::GetJobRequest request;
    request.set_job(job);
    v1::GetJobResponse response;
    const grpc::Status status = People(&v1::DispatchService::Stub::GetJob, request, response, "viewer-token");
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.job();
  }
  static v1::WorkRequest Report(size_t processors = 2) {
    v1::WorkRequest report;
    report.set_name("box");
    report.set_session("s1");
    for (size_t i = 0; i < processors; ++i) {
      v1::WorkerDevice& device = *report.add_devices();
      device.set_id("cpu-" + std::to_string(i));
      device.set_kind("cpu");
    }
    return report;
  }
  static void AddRun(v1::WorkRequest& report, const v1::RunOrder& order, v1::WorkerRun::Phase phase) {
    v1::WorkerRun& run = *report.add_runs();
    run.set_job(order.job());
    run.set_fence(order.fence());
    run.set_phase(phase);
    *run.mutable_devices() = order.devices();
  }
  grpc::Status Finish(const v1::RunOrder& order, const std::string& verdict,
                      const std::vector<v1::Artifact>& artifacts = {}, const std::string& token = "runner-token") {
    v1::FinishRunRequest request;
    request.set_job(order.job());
    request.set_fence(order.fence());
    request.set_verdict(verdict);
    for (const v1::Artifact& artifact : artifacts) *request.add_artifacts() = artifact;
    v1::FinishRunResponse response;
    return Worker(&v1::RunnerService::Stub::FinishRun, request, response, token);
  }
  // Ends it with a result.json.
  grpc::Status FinishWithResult(const v1::RunOrder& order, const std::string& verdict, const std::string& result) {
    v1::PutPartRequest part;
    part.set_digest(Sha256Hex(result));
    part.set_size(result.size());
    part.set_part(result);
    v1::PutPartResponse put;
    EXPECT_TRUE(Worker(&v1::RunnerService::Stub::UploadArtifact, part, put).ok());
    v1::Artifact artifact;
    artifact.set_path("result.json");
    artifact.set_digest(part.digest());
    artifact.set_size(result.size());
    return Finish(order, verdict, {artifact});
  }
  // The daemon, as if people had uploaded this tree.
  std::string Upload(const std::string& tree) {
    v1::PutPartRequest part;
    part.set_digest(Sha256Hex(tree));
    part.set_size(tree.size());
    part.set_part(tree);
    v1::PutPartResponse put;
    EXPECT_TRUE(People(&v1::DispatchService::Stub::UploadSource, part, put).ok());
    return part.digest();
  }
  // A job of a tree, and what a submission answers.
  grpc::Status SubmitSpec(const v1::JobSpec& spec, v1::SuiteJob& job) {
    v1::SubmitJobRequest request;
    *request.mutable_spec() = spec;
    v1::SubmitJobResponse response;
    grpc::Status status = People(&v1::DispatchService::Stub::SubmitJob, request, response);
    job = response.job();
    return status;
  }
  grpc::Status Append(const v1::RunOrder& order, uint64_t offset, const std::string& text) {
    v1::AppendLogRequest request;
    request.set_job(order.job());
    request.set_fence(order.fence());
    request.set_offset(offset);
    request.set_text(text);
    v1::AppendLogResponse response;
    return Worker(&v1::RunnerService::Stub::AppendLog, request, response);
  }

  static bool HasRun(const v1::WorkResponse& answer) { return answer.runs_size() > 0; }

  testing::TempDir dir_;
  SystemClock clock_;
  Metrics metrics_;
  Logger logger_{LoggerOptions{.level = LogLevel::kError, .async = false, .sink = [](std::string_view) {}}};
  Authenticator auth_;
  PackRegistry packs_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<dispatch::Dispatch> dispatch_;
  std::unique_ptr<RefusingExecutor> executor_;
  std::unique_ptr<ThreadPool> worker_calls_;
  std::unique_ptr<DispatchServiceImpl> people_;
  std::unique_ptr<RunnerServiceImpl> workers_;
  std::unique_ptr<testing::RpcServer> people_server_;
  std::unique_ptr<testing::RpcServer> worker_server_;
  std::unique_ptr<v1::DispatchService::Stub> people_stub_;
  std::unique_ptr<v1::RunnerService::Stub> worker_stub_;
};

TEST_F(DispatchServicesTest, AnswersToAWorkerThatWantsItAreSignedForThisStartOfItAlone) {
  WorkStream work(*worker_stub_, "runner-token");
  v1::WorkRequest report = Report();
  report.set_wants_signature(true);
  work.Say(report);
  EXPECT_EQ(work.Hear([](const v1::WorkResponse&) { return true; }).signature().size(), 64U);
  Submit("kernels");
  const v1::WorkResponse answer = work.Hear(HasRun);
  const auto holds = [&](std::string_view runner, std::string_view session, const v1::WorkResponse& of) {
    return *SignatureHolds(dispatch_->signing_key().public_key(), SignedTextOf(runner, session, of),
                           answer.signature());
  };
  EXPECT_TRUE(holds("box", "s1", answer));
  EXPECT_FALSE(holds("box", "s2", answer));
  EXPECT_FALSE(holds("box-2", "s1", answer));
  v1::WorkResponse changed = answer;
  changed.mutable_runs(0)->mutable_spec()->set_suite("yardmaster/other");
  EXPECT_FALSE(holds("box", "s1", changed));
  changed = answer;
  changed.clear_runs();
  EXPECT_FALSE(holds("box", "s1", changed));
}

TEST_F(DispatchServicesTest, AJobIsRunByAWorkerThatWasIdle) {
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  const v1::WorkResponse idle = work.Hear([](const v1::WorkResponse&) { return true; });
  EXPECT_THAT(idle.runs(), SizeIs(0));
  EXPECT_GT(idle.report_after_ms(), 0U);

  const v1::SuiteJob job = Submit("kernels");
  EXPECT_EQ(job.spec().suite(), "yardmaster/kernels");
  // Unasked.
  const v1::RunOrder order = work.Hear(HasRun).runs(0);
  EXPECT_EQ(order.job(), job.job());
  EXPECT_EQ(order.fence(), 1U);
  EXPECT_EQ(order.attempt(), 1U);
  EXPECT_THAT(order.devices(), ElementsAre("cpu-0"));
  bool has_manifest = false;
  for (const v1::SuiteFile& file : order.files()) has_manifest |= file.path() == "yardmaster/suites/kernels.json";
  EXPECT_TRUE(has_manifest);

  v1::WorkRequest report = Report();
  AddRun(report, order, v1::WorkerRun::PHASE_RUNNING);
  work.Say(report);
  // What it has it need not be sent again.
  work.Hear([](const v1::WorkResponse& answer) { return HasRun(answer) && answer.runs(0).files_size() == 0; });
  EXPECT_EQ(Get(job.job()).state(), "running");

  ASSERT_TRUE(Append(order, 0, "all ").ok());
  ASSERT_TRUE(Append(order, 4, "is well\n").ok());
  EXPECT_EQ(Append(order, 99, "x").error_code(), StatusCode::OUT_OF_RANGE);
  const std::string result = R"({"verdict": "passed"})";
  v1::PutPartRequest part;
  part.set_digest(Sha256Hex(result));
  part.set_size(result.size());
  part.set_part(result);
  v1::Artifact artifact;
  artifact.set_path("result.json");
  artifact.set_digest(part.digest());
  artifact.set_size(result.size());
  EXPECT_EQ(Finish(order, "passed", {artifact}).error_code(), StatusCode::FAILED_PRECONDITION);
  v1::PutPartResponse put;
  ASSERT_TRUE(Worker(&v1::RunnerService::Stub::UploadArtifact, part, put).ok());
  EXPECT_TRUE(put.complete());
  ASSERT_TRUE(Finish(order, "passed", {artifact}).ok());
  ASSERT_TRUE(Finish(order, "passed", {artifact}).ok());  // the answer may have been lost
  EXPECT_EQ(Finish(order, "failed").error_code(), StatusCode::FAILED_PRECONDITION);

  const v1::SuiteJob ended = Get(job.job());
  EXPECT_EQ(ended.state(), "ended");
  EXPECT_EQ(ended.verdict(), "passed");
  EXPECT_EQ(ended.runner(), "box");
  ASSERT_THAT(ended.artifacts(), SizeIs(1));
  EXPECT_EQ(ended.artifacts(0).path(), "result.json");
  v1::ReadPartRequest read;
  read.set_digest(artifact.digest());
  v1::ReadPartResponse bytes;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::ReadArtifact, read, bytes, "viewer-token").ok());
  EXPECT_EQ(bytes.part(), result);
}

TEST_F(DispatchServicesTest, WatchingTellsStatesAndLogAndGoesOnFromAnOffset) {
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  const v1::SuiteJob job = Submit();
  const v1::RunOrder order = work.Hear(HasRun).runs(0);
  const auto watch = [&](uint64_t fence, uint64_t offset, std::vector<std::string>& states) {
    grpc::ClientContext context;
    Authorize(context, "viewer-token");
    v1::WatchJobRequest request;
    request.set_job(job.job());
    request.set_fence(fence);
    request.set_offset(offset);
    auto stream = people_stub_->WatchJob(&context, request);
    std::string log;
    for (v1::WatchJobResponse news; stream->Read(&news);) {
      if (news.has_job()) states.push_back(news.job().state());
      log += news.log().text();
    }
    EXPECT_TRUE(stream->Finish().ok());
    return log;
  };
  std::vector<std::string> states;
  std::string log;
  std::thread follower([&] { log = watch(0, 0, states); });
  v1::WorkRequest report = Report();
  AddRun(report, order, v1::WorkerRun::PHASE_RUNNING);
  work.Say(report);
  work.Hear(HasRun);
  ASSERT_TRUE(Append(order, 0, "one\n").ok());
  ASSERT_TRUE(Append(order, 4, "two\n").ok());
  ASSERT_TRUE(Finish(order, "failed").ok());
  follower.join();
  EXPECT_EQ(log, "one\ntwo\n");
  ASSERT_FALSE(states.empty());
  EXPECT_EQ(states.back(), "ended");
  std::vector<std::string> again;
  EXPECT_EQ(watch(order.fence(), 4, again), "two\n");
  EXPECT_THAT(again, ElementsAre("ended"));
}

TEST_F(DispatchServicesTest, AFollowerMissesNothingWhileNoThreadIsFreeForIt) {
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  const v1::SuiteJob job = Submit();
  const v1::RunOrder order = work.Hear(HasRun).runs(0);
  grpc::ClientContext context;
  Authorize(context, "viewer-token");
  v1::WatchJobRequest request;
  request.set_job(job.job());
  auto stream = people_stub_->WatchJob(&context, request);
  v1::WatchJobResponse news;
  ASSERT_TRUE(stream->Read(&news));
  executor_->Refuse(true);
  ASSERT_TRUE(Append(order, 0, "all of it\n").ok());
  ASSERT_TRUE(Finish(order, "passed").ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  // Nothing changes any more: only the follower itself can go on.
  executor_->Refuse(false);
  std::string log;
  std::string state;
  while (stream->Read(&news)) {
    log += news.log().text();
    if (news.has_job()) state = news.job().state();
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(log, "all of it\n");
  EXPECT_EQ(state, "ended");
}

TEST_F(DispatchServicesTest, WorkersAreHeardWhilePeopleKeepAllThreadsBusy) {
  std::promise<void> slow;
  const std::shared_future<void> over = slow.get_future().share();
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(executor_->Run([over] { over.wait(); }));
  WorkStream work(*worker_stub_, "runner-token");
  for (int i = 0; i < 3; ++i) {
    work.Say(Report());
    work.Hear([](const v1::WorkResponse&) { return true; });
  }
  slow.set_value();
}

TEST_F(DispatchServicesTest, DecisionsThatComeTogetherAreAllMadeAndPlacedOnce) {
  constexpr int kClients = 16;
  constexpr int kEach = 10;
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report(4));
  work.Hear([](const v1::WorkResponse&) { return true; });
  std::vector<std::thread> clients;
  clients.reserve(kClients);
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      for (int k = 0; k < kEach; ++k) Submit();
    });
  }
  for (std::thread& client : clients) client.join();
  std::set<int64_t> numbers;
  int leased = 0;
  const store::Page<dispatch::Job> jobs = *dispatch_->dispatcher().ListJobs({}, {.limit = 500});
  for (const dispatch::Job& job : jobs.items) {
    numbers.insert(job.number);
    leased += job.state == dispatch::JobState::kLeased ? 1 : 0;
  }
  EXPECT_THAT(numbers, SizeIs(kClients * kEach));
  EXPECT_EQ(leased, 4);
}

TEST_F(DispatchServicesTest, ARestartOfTheDaemonLosesNeitherJobNorRun) {
  v1::RunOrder order;
  {
    WorkStream work(*worker_stub_, "runner-token");
    work.Say(Report(1));
    Submit();
    order = work.Hear(HasRun).runs(0);
    v1::WorkRequest report = Report(1);
    AddRun(report, order, v1::WorkerRun::PHASE_RUNNING);
    work.Say(report);
    work.Hear(HasRun);
  }
  const v1::SuiteJob waiting = Submit();
  StopDaemon();
  StartDaemon();
  EXPECT_EQ(Get(order.job()).state(), "running");
  EXPECT_EQ(Get(waiting.job()).state(), "queued");
  WorkStream work(*worker_stub_, "runner-token");
  v1::WorkRequest report = Report(1);
  AddRun(report, order, v1::WorkerRun::PHASE_FINISHING);
  work.Say(report);
  work.Hear(HasRun);
  ASSERT_TRUE(Finish(order, "passed").ok());
  work.Say(Report(1));
  const v1::WorkResponse next = work.Hear(
      [&](const v1::WorkResponse& answer) { return HasRun(answer) && answer.runs(0).job() == waiting.job(); });
  EXPECT_EQ(next.runs(0).fence(), 1U);
}

TEST_F(DispatchServicesTest, CancelReachesTheWorkerAndAnEndedJobIsRefused) {
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  const v1::SuiteJob job = Submit();
  const v1::RunOrder order = work.Hear(HasRun).runs(0);
  v1::CancelJobRequest request;
  request.set_job(job.job());
  v1::CancelJobResponse response;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::CancelJob, request, response).ok());
  EXPECT_TRUE(response.job().cancel_requested());
  work.Hear([](const v1::WorkResponse& answer) { return HasRun(answer) && answer.runs(0).cancel(); });
  ASSERT_TRUE(Finish(order, "cancelled").ok());
  EXPECT_EQ(Get(job.job()).verdict(), "cancelled");
  EXPECT_EQ(People(&v1::DispatchService::Stub::CancelJob, request, response).error_code(),
            StatusCode::FAILED_PRECONDITION);
}

TEST_F(DispatchServicesTest, ARequestSentAgainIsTheSameJobAndARerunIsAnother) {
  const v1::SuiteJob first = Submit("yardmaster/kernels", "ci-42");
  EXPECT_EQ(Submit("yardmaster/kernels", "ci-42").job(), first.job());
  v1::RerunJobRequest rerun;
  rerun.set_job(first.job());
  rerun.add_layers("unit");
  v1::RerunJobResponse response;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::RerunJob, rerun, response).ok());
  EXPECT_NE(response.job().job(), first.job());
  EXPECT_THAT(response.job().spec().layers(), ElementsAre("unit"));
  v1::ListJobsResponse list;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::ListJobs, v1::ListJobsRequest(), list, "viewer-token").ok());
  ASSERT_THAT(list.jobs(), SizeIs(2));
  EXPECT_EQ(list.jobs(1).job(), first.job());
}

TEST_F(DispatchServicesTest, BadSpecificationsAreRefusedByName) {
  const auto submit = [&](const std::function<void(v1::JobSpec&)>& change) {
    v1::SubmitJobRequest request;
    request.mutable_spec()->set_suite("yardmaster/kernels");
    change(*request.mutable_spec());
    v1::SubmitJobResponse response;
    return People(&v1::DispatchService::Stub::SubmitJob, request, response);
  };
  EXPECT_EQ(submit([](v1::JobSpec& spec) { spec.set_suite("nothing"); }).error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(submit([](v1::JobSpec& spec) { spec.clear_suite(); }).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(submit([](v1::JobSpec& spec) { spec.set_priority("now"); }).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(submit([](v1::JobSpec& spec) { spec.set_repository("o/r"); }).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(submit([](v1::JobSpec& spec) { spec.add_variables("=x"); }).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(submit([](v1::JobSpec& spec) { spec.mutable_devices()->set_kind("tpu"); }).error_code(),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(submit([](v1::JobSpec& spec) { spec.set_source_digest(Sha256Hex("no")); }).error_code(),
            StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(submit([](v1::JobSpec& spec) { spec.set_pool("both"); }).error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST_F(DispatchServicesTest, ARunnerOfThePoolUntrustedSaysThatItContainsWhatItRuns) {
  v1::WorkRequest report;
  report.set_name("box");
  report.set_session("s-1");
  report.set_pool("untrusted");
  report.add_labels("contained:namespaces");
  EXPECT_EQ(dispatch::ReportOf(report).status().code(), absl::StatusCode::kInvalidArgument);
  report.add_labels("contained");
  EXPECT_TRUE(dispatch::ReportOf(report).ok());
}

TEST_F(DispatchServicesTest, AWaitingJobIsExplainedAndADrainedRunnerSaysSo) {
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  work.Hear([](const v1::WorkResponse&) { return true; });
  v1::SetRunnerServiceRequest drain;
  drain.set_runner("box");
  drain.set_service(v1::SetRunnerServiceRequest::SERVICE_DRAINED);
  v1::SetRunnerServiceResponse drained;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SetRunnerService, drain, drained).ok());
  EXPECT_EQ(drained.runner().state(), "draining");
  work.Hear([](const v1::WorkResponse& answer) { return answer.drained(); });
  v1::ExplainPendingRequest explain;
  explain.set_job(Submit().job());
  v1::ExplainPendingResponse why;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::ExplainPending, explain, why, "viewer-token").ok());
  EXPECT_EQ(why.nearest_runner(), "box");
  EXPECT_THAT(why.missing(), ElementsAre("it is draining"));
  EXPECT_EQ(why.position(), 1U);
  drain.set_service(v1::SetRunnerServiceRequest::SERVICE_IN);
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SetRunnerService, drain, drained).ok());
  work.Hear(HasRun);
  v1::ListRunnersResponse runners;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::ListRunners, v1::ListRunnersRequest(), runners, "viewer-token").ok());
  ASSERT_THAT(runners.runners(), SizeIs(1));
  EXPECT_EQ(runners.runners(0).state(), "busy");
  ASSERT_THAT(runners.runners(0).devices(), SizeIs(1));
  EXPECT_EQ(runners.runners(0).devices(0).total(), 2U);
  EXPECT_EQ(runners.runners(0).devices(0).leased(), 1U);
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("yardmaster_runners{state=\"busy\"} 1"));
}

TEST_F(DispatchServicesTest, WorkersAndPeopleMayNotCallForEachOther) {
  v1::FinishRunRequest finish;
  v1::FinishRunResponse finished;
  EXPECT_EQ(Worker(&v1::RunnerService::Stub::FinishRun, finish, finished, "operator-token").error_code(),
            StatusCode::PERMISSION_DENIED);
  v1::ListJobsResponse list;
  EXPECT_EQ(People(&v1::DispatchService::Stub::ListJobs, v1::ListJobsRequest(), list, "runner-token").error_code(),
            StatusCode::PERMISSION_DENIED);
  WorkStream work(*worker_stub_, "operator-token");
  EXPECT_EQ(work.End().error_code(), StatusCode::PERMISSION_DENIED);
}

TEST_F(DispatchServicesTest, ATokenIsForItsNamesAndItsPoolAndForNoOthersRuns) {
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  v1::JobSpec spec;
  spec.set_suite("yardmaster/kernels");
  spec.set_source_digest(Upload("tree"));
  v1::SuiteJob job;
  ASSERT_TRUE(SubmitSpec(spec, job).ok());
  const v1::RunOrder order = work.Hear(HasRun).runs(0);

  const auto end_of = [&](const std::string& name, const std::string& pool) {
    WorkStream other(*worker_stub_, "forks-token");
    v1::WorkRequest report = Report();
    report.set_name(name);
    report.set_pool(pool);
    report.add_labels("contained");
    other.Say(report);
    return other.End().error_code();
  };
  EXPECT_EQ(end_of("mine", "untrusted"), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(end_of("fork-1", "trusted"), StatusCode::PERMISSION_DENIED);
  // Another's name, whatever the pool.
  EXPECT_EQ(end_of("box", "untrusted"), StatusCode::PERMISSION_DENIED);
  // Nor by a call that names another's run.
  EXPECT_EQ(Finish(order, "passed", {}, "forks-token").error_code(), StatusCode::PERMISSION_DENIED);
  v1::AppendLogRequest log;
  log.set_job(order.job());
  log.set_fence(order.fence());
  log.set_text("forged");
  v1::AppendLogResponse logged;
  EXPECT_EQ(Worker(&v1::RunnerService::Stub::AppendLog, log, logged, "forks-token").error_code(),
            StatusCode::PERMISSION_DENIED);
  v1::ReturnRunRequest back;
  back.set_job(order.job());
  back.set_fence(order.fence());
  v1::ReturnRunResponse returned;
  EXPECT_EQ(Worker(&v1::RunnerService::Stub::GiveBackRun, back, returned, "forks-token").error_code(),
            StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Worker(&v1::RunnerService::Stub::DeclineRun, back, returned, "forks-token").error_code(),
            StatusCode::PERMISSION_DENIED);
  v1::ReadPartRequest read;
  read.set_digest(spec.source_digest());
  v1::ReadPartResponse tree;
  EXPECT_EQ(Worker(&v1::RunnerService::Stub::ReadSource, read, tree, "forks-token").error_code(),
            StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(Worker(&v1::RunnerService::Stub::ReadSource, read, tree).ok());
  EXPECT_EQ(tree.part(), "tree");
  // Only its own, and only while it has a run.
  read.set_digest(Upload("another"));
  EXPECT_EQ(Worker(&v1::RunnerService::Stub::ReadSource, read, tree).error_code(), StatusCode::PERMISSION_DENIED);
  v1::PutPartRequest part;
  part.set_digest(Sha256Hex("x"));
  part.set_size(1);
  v1::PutPartResponse put;
  EXPECT_EQ(Worker(&v1::RunnerService::Stub::UploadArtifact, part, put, "forks-token").error_code(),
            StatusCode::PERMISSION_DENIED);
  ASSERT_TRUE(Finish(order, "passed").ok());
  EXPECT_EQ(Worker(&v1::RunnerService::Stub::UploadArtifact, part, put).error_code(), StatusCode::PERMISSION_DENIED);
}

TEST_F(DispatchServicesTest, ARunnerThatIsGoneIsForgotten) {
  {
    WorkStream work(*worker_stub_, "runner-token");
    work.Say(Report());
    work.Hear([](const v1::WorkResponse&) { return true; });
  }
  v1::SetRunnerServiceRequest forget;
  forget.set_runner("box");
  forget.set_service(v1::SetRunnerServiceRequest::SERVICE_FORGOTTEN);
  v1::SetRunnerServiceResponse forgotten;
  EXPECT_EQ(People(&v1::DispatchService::Stub::SetRunnerService, forget, forgotten).error_code(),
            StatusCode::FAILED_PRECONDITION);
  // A daemon that starts knows it, and has not heard of it yet.
  StopDaemon();
  StartDaemon();
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SetRunnerService, forget, forgotten).ok());
  EXPECT_FALSE(forgotten.has_runner());
  StopDaemon();
  StartDaemon();
  v1::ListRunnersResponse runners;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::ListRunners, v1::ListRunnersRequest(), runners).ok());
  EXPECT_THAT(runners.runners(), SizeIs(0));
}

TEST_F(DispatchServicesTest, OneDeviceIsTakenOutOfServiceAndComesBack) {
  WorkStream work(*worker_stub_, "runner-token");
  v1::WorkRequest report = Report(0);
  for (const char* id : {"GPU-1", "GPU-2"}) {
    v1::WorkerDevice& device = *report.add_devices();
    device.set_id(id);
    device.set_kind("gpu");
    device.set_model("H100");
  }
  work.Say(report);
  work.Hear([](const v1::WorkResponse&) { return true; });
  v1::SetRunnerServiceRequest request;
  request.set_runner("box");
  request.set_device("GPU-2");
  request.set_why("ECC errors");
  request.set_service(v1::SetRunnerServiceRequest::SERVICE_QUARANTINED);
  v1::SetRunnerServiceResponse answer;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SetRunnerService, request, answer).ok());
  const auto states = [&] {
    v1::ListRunnersResponse runners;
    EXPECT_TRUE(People(&v1::DispatchService::Stub::ListRunners, v1::ListRunnersRequest(), runners).ok());
    std::vector<std::string> all = {runners.runners(0).state()};
    for (const v1::DeviceInfo& device : runners.runners(0).each_device())
      all.push_back(device.id() + " " + device.state());
    return all;
  };
  EXPECT_THAT(states(), ElementsAre("idle", "GPU-1 ok", "GPU-2 quarantined: ECC errors"));
  // Whatever its worker says, and whoever starts anew.
  report.mutable_devices(0)->set_fault("hot");
  report.set_number(2);
  work.Say(report);
  work.Hear([](const v1::WorkResponse& heard) { return heard.heard() == 2; });
  StopDaemon();
  StartDaemon();
  EXPECT_THAT(states(), ElementsAre("offline", "GPU-1 hot", "GPU-2 quarantined: ECC errors"));
  request.set_device("GPU-3");
  EXPECT_EQ(People(&v1::DispatchService::Stub::SetRunnerService, request, answer).error_code(), StatusCode::NOT_FOUND);
  request.set_device("GPU-2");
  request.set_service(v1::SetRunnerServiceRequest::SERVICE_DRAINED);
  EXPECT_EQ(People(&v1::DispatchService::Stub::SetRunnerService, request, answer).error_code(),
            StatusCode::INVALID_ARGUMENT);
  request.set_service(v1::SetRunnerServiceRequest::SERVICE_IN);
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SetRunnerService, request, answer).ok());
  EXPECT_THAT(states(), ElementsAre("offline", "GPU-1 hot", "GPU-2 ok"));
}

TEST_F(DispatchServicesTest, CommitsThatMayBeOfAForkRunWhereCodeIsContained) {
  dispatch_->FetchTreesBy([&](const std::string&, const std::string& ref, const std::function<absl::Status()>&) {
    return absl::StatusOr<dispatch::KeptTree>({Upload("tree of " + ref), std::string(40, 'c'), ref == "main"});
  });
  v1::JobSpec spec;
  spec.set_suite("yardmaster/kernels");
  spec.set_repository("github:o/r");
  spec.set_ref("main");
  v1::SuiteJob job;
  ASSERT_TRUE(SubmitSpec(spec, job).ok());
  EXPECT_EQ(job.spec().pool(), "");
  EXPECT_EQ(job.commit(), std::string(40, 'c'));
  EXPECT_EQ(job.spec().repository(), "github:o/r");
  // Again, it is still the repository's.
  v1::RerunJobRequest rerun;
  rerun.set_job(job.job());
  v1::RerunJobResponse again;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::RerunJob, rerun, again).ok());
  EXPECT_EQ(again.job().spec().repository(), "github:o/r");
  EXPECT_EQ(again.job().commit(), std::string(40, 'c'));
  EXPECT_EQ(again.job().spec().rerun_of(), job.job());

  spec.set_ref("refs/pull/7/head");
  ASSERT_TRUE(SubmitSpec(spec, job).ok());
  EXPECT_EQ(job.spec().pool(), "untrusted");
  spec.set_pool("trusted");
  const grpc::Status refused = SubmitSpec(spec, job);
  EXPECT_EQ(refused.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(refused.error_message(), HasSubstr("it may be code of a fork"));
}

TEST_F(DispatchServicesTest, RunnersAreToldWhoseCodeARunIs) {
  dispatch_->FetchTreesBy([&](const std::string&, const std::string& ref, const std::function<absl::Status()>&) {
    return absl::StatusOr<dispatch::KeptTree>({Upload("tree of " + ref), std::string(40, 'c'), true});
  });
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  const auto ordered = [&](const std::string& job) {
    const v1::WorkResponse answer =
        work.Hear([&](const v1::WorkResponse& heard) { return HasRun(heard) && heard.runs(0).job() == job; });
    EXPECT_TRUE(Finish(answer.runs(0), "passed").ok());
    return answer.runs(0).spec();
  };
  v1::JobSpec spec;
  spec.set_suite("yardmaster/kernels");
  spec.set_repository("github:o/r");
  spec.set_ref("main");
  v1::SuiteJob job;
  ASSERT_TRUE(SubmitSpec(spec, job).ok());
  EXPECT_EQ(ordered(job.job()).repository(), "github:o/r");

  // Of a pull request, run again by hand and once more: it is still its author's.
  v1::JobSpec of_pull;
  of_pull.set_suite("yardmaster/kernels");
  of_pull.set_source_digest(Upload("a head"));
  of_pull.set_subject("github:o/r#7");
  const absl::StatusOr<dispatch::Job> made =
      dispatch::MakeJob(*dispatch_, of_pull, {"j-of-pull", "alice", "github:o/r", std::string(40, 'd')});
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_TRUE(dispatch_->dispatcher().Submit(*made).ok());
  EXPECT_EQ(ordered("j-of-pull").subject(), "github:o/r#7");
  std::string again = "j-of-pull";
  for (int i = 0; i < 2; ++i) {
    v1::RerunJobRequest rerun;
    rerun.set_job(again);
    v1::RerunJobResponse answer;
    ASSERT_TRUE(People(&v1::DispatchService::Stub::RerunJob, rerun, answer).ok());
    again = answer.job().job();
    const v1::JobSpec order = ordered(again);
    EXPECT_EQ(order.subject(), "");
    EXPECT_EQ(order.head_of(), "github:o/r#7");
  }
  // Nobody says so of what he uploads.
  spec.clear_repository();
  spec.set_source_digest(Upload("mine"));
  spec.set_head_of("github:o/r#7");
  ASSERT_TRUE(SubmitSpec(spec, job).ok());
  EXPECT_EQ(job.spec().head_of(), "");
}

TEST_F(DispatchServicesTest, TheStatementVouchesForCommitsThatTheServerFetchedOnly) {
  dispatch_->FetchTreesBy([&](const std::string&, const std::string& ref, const std::function<absl::Status()>&) {
    return absl::StatusOr<dispatch::KeptTree>({Upload(ref), std::string(40, 'c'), true});
  });
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  const auto statement = [&](const v1::JobSpec& spec) {
    v1::SuiteJob job;
    EXPECT_TRUE(SubmitSpec(spec, job).ok());
    EXPECT_TRUE(Finish(work.Hear(HasRun).runs(0), "passed").ok());
    work.Hear([](const v1::WorkResponse& answer) { return !HasRun(answer); });
    v1::GetJobRequest request;
    request.set_job(job.job());
    request.set_signed_(true);
    v1::GetJobResponse response;
    EXPECT_TRUE(People(&v1::DispatchService::Stub::GetJob, request, response).ok());
    return response.signed_result().statement();
  };
  v1::JobSpec fetched;
  fetched.set_suite("yardmaster/kernels");
  fetched.set_repository("github:o/r");
  fetched.set_ref("main");
  EXPECT_THAT(statement(fetched), HasSubstr("\"commit\":\"cccc"));
  v1::JobSpec uploaded;
  uploaded.set_suite("yardmaster/kernels");
  uploaded.set_source_digest(Upload("mine"));
  uploaded.set_ref(std::string(40, 'd'));
  EXPECT_THAT(statement(uploaded),
              ::testing::AllOf(HasSubstr("\"claimed_commit\":\"dddd"), ::testing::Not(HasSubstr("\"commit\":"))));
}

TEST_F(DispatchServicesTest, AnEarlierPassAnswersWhereItIsAskedForAndEstimatesFollow) {
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  v1::JobSpec spec;
  spec.set_suite("yardmaster/kernels");
  spec.set_source_digest(Upload("tree"));
  spec.set_from_cache(true);
  const auto run = [&](const std::string& verdict) {
    v1::SuiteJob job;
    EXPECT_TRUE(SubmitSpec(spec, job).ok());
    EXPECT_EQ(job.state(), "leased");
    const v1::RunOrder order = work.Hear(HasRun).runs(0);
    EXPECT_TRUE(Finish(order, verdict).ok());
    work.Hear([](const v1::WorkResponse& answer) { return !HasRun(answer); });
    return job.job();
  };
  run("failed");
  const std::string passed = run("passed");
  v1::SuiteJob answered;
  ASSERT_TRUE(SubmitSpec(spec, answered).ok());
  EXPECT_EQ(answered.state(), "ended");
  EXPECT_EQ(answered.verdict(), "passed");
  EXPECT_EQ(answered.answered_by(), passed);
  ASSERT_THAT(answered.notes(), SizeIs(1));
  EXPECT_THAT(answered.notes(0), HasSubstr(passed));
  // The daemon has it from its store.
  StopDaemon();
  StartDaemon();
  ASSERT_TRUE(SubmitSpec(spec, answered).ok());
  EXPECT_EQ(answered.answered_by(), passed);
  // The runner has another toolkit now: what passed with the old one is no answer.
  WorkStream newer(*worker_stub_, "runner-token");
  v1::WorkRequest upgraded = Report();
  upgraded.set_environment("npu 24.1, cann 8.1");
  newer.Say(upgraded);
  newer.Hear([](const v1::WorkResponse&) { return true; });
  ASSERT_TRUE(SubmitSpec(spec, answered).ok());
  EXPECT_EQ(answered.answered_by(), "");
  // Nobody asked, or it is something else.
  spec.set_from_cache(false);
  v1::SuiteJob job;
  ASSERT_TRUE(SubmitSpec(spec, job).ok());
  EXPECT_EQ(job.answered_by(), "");
  EXPECT_EQ(job.expected_seconds(), 1U);
  spec.set_from_cache(true);
  spec.add_variables("A=b");
  ASSERT_TRUE(SubmitSpec(spec, job).ok());
  EXPECT_EQ(job.answered_by(), "");
}

// What jobs that share a run do: the steps of each.
std::vector<std::set<std::string>> StepsOf(const v1::SubmitJobResponse& response) {
  std::vector<std::set<std::string>> steps;
  for (const v1::SuiteJob& job : response.jobs()) {
    std::set<std::string>& of_job = steps.emplace_back();
    for (const v1::StepChoice& choice : job.spec().steps()) of_job.insert(choice.step());
  }
  return steps;
}

TEST_F(DispatchServicesTest, JobsShareARunAndTheSameRequestIsTheSameJobs) {
  v1::SubmitJobRequest request;
  request.mutable_spec()->set_suite("kernels");
  request.mutable_spec()->mutable_shard()->set_index(9);  // nobody's to say
  request.set_request_id("r-1");
  request.set_shards(3);
  v1::SubmitJobResponse first;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SubmitJob, request, first).ok());
  ASSERT_THAT(first.jobs(), SizeIs(3));
  EXPECT_EQ(first.job().job(), first.jobs(0).job());
  std::set<std::string> all;
  size_t in_all = 0;
  for (int i = 0; i < 3; ++i) {
    const v1::JobSpec& spec = first.jobs(i).spec();
    EXPECT_EQ(spec.shard().index(), static_cast<uint32_t>(i + 1));
    EXPECT_EQ(spec.shard().count(), 3U);
    EXPECT_EQ(spec.shard().group(), first.job().job());
    EXPECT_EQ(Get(first.jobs(i).job()).spec().shard().index(), static_cast<uint32_t>(i + 1));
    for (const v1::StepChoice& choice : spec.steps()) all.insert(choice.step());
    in_all += static_cast<size_t>(spec.steps_size());
  }
  EXPECT_EQ(all.size(), in_all) << "a step is in two of them";
  EXPECT_GT(in_all, 6U);

  // The answer was lost, and so was the daemon; meanwhile the caller has changed his mind.
  StopDaemon();
  StartDaemon();
  request.set_shards(5);
  v1::SubmitJobResponse again;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SubmitJob, request, again).ok());
  EXPECT_EQ(StepsOf(again), StepsOf(first));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(again.jobs(i).job(), first.jobs(i).job());
  v1::ListJobsResponse listed;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::ListJobs, v1::ListJobsRequest(), listed).ok());
  EXPECT_THAT(listed.jobs(), SizeIs(3));

  // Without a name each call is new; one job is one as ever.
  request.clear_request_id();
  request.set_shards(1);
  v1::SubmitJobResponse one;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SubmitJob, request, one).ok());
  ASSERT_THAT(one.jobs(), SizeIs(1));
  EXPECT_FALSE(one.job().spec().has_shard());
  EXPECT_THAT(one.job().spec().steps(), SizeIs(0));
  request.set_shards(65);
  EXPECT_EQ(People(&v1::DispatchService::Stub::SubmitJob, request, one).error_code(), StatusCode::INVALID_ARGUMENT);
  request.set_shards(2);
  request.mutable_spec()->add_layers("no-such-layer");
  const grpc::Status refused = People(&v1::DispatchService::Stub::SubmitJob, request, one);
  EXPECT_EQ(refused.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), HasSubstr("correctness"));
}

TEST_F(DispatchServicesTest, StepsAreSharedOutByWhatTheyTookBefore) {
  v1::SubmitJobRequest request;
  request.mutable_spec()->set_suite("kernels");
  request.set_shards(2);
  v1::SubmitJobResponse before;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SubmitJob, request, before).ok());
  ASSERT_THAT(before.jobs(), SizeIs(2));
  EXPECT_EQ(before.job().expected_seconds(), 0U);
  // A run in which one step takes as long as all the others.
  std::string steps;
  std::string longest;
  size_t number = 0;
  for (const std::set<std::string>& of_job : StepsOf(before)) {
    for (const std::string& step : of_job) {
      if (longest.empty()) longest = step;
      steps += absl::StrCat(steps.empty() ? "" : ",", R"({"name": ")", step,
                            R"(", "verdict": "passed", "begin": 10, "end": )", step == longest ? 1'010 : 11, "}");
      ++number;
    }
  }
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  const v1::RunOrder order = work.Hear(HasRun).runs(0);
  ASSERT_TRUE(FinishWithResult(order, "passed", absl::StrCat(R"({"steps": [)", steps, "]}")).ok());
  // A daemon that starts knows it, too.
  StopDaemon();
  StartDaemon();
  v1::SubmitJobResponse after;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SubmitJob, request, after).ok());
  EXPECT_THAT(StepsOf(after), ElementsAre(std::set<std::string>{longest}, SizeIs(number - 1)));
  EXPECT_EQ(after.jobs(0).expected_seconds(), 1'000U);
  EXPECT_EQ(after.jobs(1).expected_seconds(), number - 1);
  // Of a step that is not on this model nobody knows how long it takes there.
  request.mutable_spec()->mutable_devices()->add_models("EPYC");
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SubmitJob, request, after).ok());
  EXPECT_EQ(after.job().expected_seconds(), 0U);
}

TEST_F(DispatchServicesTest, AShardThatIsRunAgainIsStillThatShard) {
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  v1::SubmitJobRequest request;
  request.mutable_spec()->set_suite("kernels");
  request.set_shards(2);
  v1::SubmitJobResponse shards;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::SubmitJob, request, shards).ok());
  ASSERT_THAT(shards.jobs(), SizeIs(2));
  const v1::SuiteJob& second = shards.jobs(1);
  const auto order_of = [](const v1::WorkResponse& heard, const std::string& job) {
    for (const v1::RunOrder& run : heard.runs()) {
      if (run.job() == job) return run;
    }
    return v1::RunOrder();
  };
  const v1::RunOrder order = order_of(
      work.Hear([&](const v1::WorkResponse& heard) { return order_of(heard, second.job()).job() == second.job(); }),
      second.job());
  EXPECT_EQ(order.spec().shard().index(), 2U);
  // One of its layers had not begun: its steps are not in the result, and they alone are its own.
  const std::string result =
      absl::StrCat(R"({"layers": [{"id": ")", second.spec().layers(0), R"(", "verdict": "not_run"}], "steps": []})");
  ASSERT_TRUE(FinishWithResult(order, "failed", result).ok());
  v1::RerunJobRequest rerun;
  rerun.set_job(second.job());
  rerun.set_failed_only(true);
  v1::RerunJobResponse again;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::RerunJob, rerun, again).ok());
  EXPECT_EQ(again.job().spec().shard().index(), 2U);
  EXPECT_EQ(again.job().spec().shard().group(), shards.job().job());
  EXPECT_EQ(again.job().spec().steps_size(), second.spec().steps_size());
  EXPECT_NE(again.job().job(), second.job());
  // Whoever names layers wants these.
  rerun.clear_failed_only();
  rerun.add_layers("smoke");
  ASSERT_TRUE(People(&v1::DispatchService::Stub::RerunJob, rerun, again).ok());
  EXPECT_FALSE(again.job().spec().has_shard());
}

TEST_F(DispatchServicesTest, WhatFailedIsRunAgainByNameAndOnlyThat) {
  const std::string result = R"({"layers": [{"id": "build", "verdict": "passed"}, {"id": "unit", "verdict": "failed"}],
    "steps": [{"name": "cmake", "layer": "build", "verdict": "passed"}, {"name": "good", "layer": "unit", "verdict": "passed"},
              {"name": "bad[x=1]", "layer": "unit", "verdict": "failed"}, {"name": "dead", "layer": "unit", "verdict": "error"}],
    "tests": [{"id": "A.one", "step": "bad[x=1]", "verdict": "failed"}, {"id": "A.one", "step": "bad[x=1]", "rank": 1, "verdict": "failed"},
              {"id": "A.two", "step": "bad[x=1]", "verdict": "passed"}]})";
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  const v1::SuiteJob job = Submit();
  v1::RerunJobRequest rerun;
  rerun.set_job(job.job());
  rerun.set_failed_only(true);
  v1::RerunJobResponse again;
  EXPECT_EQ(People(&v1::DispatchService::Stub::RerunJob, rerun, again).error_code(), StatusCode::FAILED_PRECONDITION);
  const v1::RunOrder order = work.Hear(HasRun).runs(0);
  ASSERT_TRUE(FinishWithResult(order, "failed", result).ok());
  ASSERT_TRUE(People(&v1::DispatchService::Stub::RerunJob, rerun, again).ok());
  const v1::JobSpec& spec = again.job().spec();
  EXPECT_THAT(spec.layers(), ElementsAre("unit"));
  ASSERT_THAT(spec.steps(), SizeIs(2));
  EXPECT_EQ(spec.steps(0).step(), "bad[x=1]");
  EXPECT_THAT(spec.steps(0).tests(), ElementsAre("A.one"));
  EXPECT_EQ(spec.steps(1).step(), "dead");
  EXPECT_THAT(spec.steps(1).tests(), SizeIs(0));

  // It passes now: that is flaky, and says what was before.
  const v1::RunOrder second =
      work.Hear([&](const v1::WorkResponse& answer) { return HasRun(answer) && answer.runs(0).job() != job.job(); })
          .runs(0);
  ASSERT_TRUE(Finish(second, "passed").ok());
  ASSERT_TRUE(Finish(second, "passed").ok());
  const v1::SuiteJob flaky = Get(again.job().job());
  EXPECT_EQ(flaky.verdict(), "flaky");
  ASSERT_THAT(flaky.notes(), ::testing::Not(::testing::IsEmpty()));
  EXPECT_THAT(flaky.notes(0), HasSubstr("it passed after the failure of the job " + job.job()));
}

TEST_F(DispatchServicesTest, WhatWasFlakyIsRunAgainByNameAndOnlyThat) {
  const std::string result = R"({"layers": [{"id": "unit", "verdict": "failed"}, {"id": "more", "verdict": "flaky"}],
    "steps": [{"name": "bad", "layer": "unit", "verdict": "failed"}, {"name": "now-and-then", "layer": "more", "verdict": "flaky"}],
    "tests": [{"id": "A.one", "step": "bad", "verdict": "failed"}, {"id": "B.one", "step": "now-and-then", "verdict": "passed"},
              {"id": "B.two", "step": "now-and-then", "verdict": "flaky"}]})";
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  const v1::SuiteJob job = Submit();
  const v1::RunOrder order = work.Hear(HasRun).runs(0);
  ASSERT_TRUE(FinishWithResult(order, "failed", result).ok());
  v1::RerunJobRequest rerun;
  rerun.set_job(job.job());
  rerun.set_flaky_only(true);
  v1::RerunJobResponse again;
  ASSERT_TRUE(People(&v1::DispatchService::Stub::RerunJob, rerun, again).ok());
  const v1::JobSpec& spec = again.job().spec();
  EXPECT_THAT(spec.layers(), ElementsAre("more"));
  ASSERT_THAT(spec.steps(), SizeIs(1));
  EXPECT_EQ(spec.steps(0).step(), "now-and-then");
  EXPECT_THAT(spec.steps(0).tests(), ElementsAre("B.two"));
  rerun.set_failed_only(true);
  EXPECT_EQ(People(&v1::DispatchService::Stub::RerunJob, rerun, again).error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST_F(DispatchServicesTest, ProgressIsToldToFollowersAndLeavesTheQueueAlone) {
  WorkStream work(*worker_stub_, "runner-token");
  work.Say(Report());
  const v1::SuiteJob job = Submit();
  const v1::RunOrder order = work.Hear(HasRun).runs(0);
  grpc::ClientContext context;
  Authorize(context, "viewer-token");
  v1::WatchJobRequest request;
  request.set_job(job.job());
  auto stream = people_stub_->WatchJob(&context, request);
  v1::WorkRequest report = Report();
  AddRun(report, order, v1::WorkerRun::PHASE_RUNNING);
  v1::RunProgress& progress = *report.mutable_runs(0)->mutable_progress();
  progress.set_layers_in_all(3);
  progress.set_step("unit");
  progress.set_tests(4);
  v1::LayerProgress& layer = *progress.add_layers();
  layer.set_id("correctness");
  work.Say(report);
  v1::WatchJobResponse news;
  do {
    ASSERT_TRUE(stream->Read(&news));
  } while (!news.job().has_progress());
  EXPECT_EQ(news.job().progress().layers(0).id(), "correctness");
  EXPECT_EQ(Get(job.job()).progress().tests(), 4U);
  progress.set_tests(5);
  work.Say(report);
  do {
    ASSERT_TRUE(stream->Read(&news));
  } while (news.job().progress().tests() < 5);
  ASSERT_TRUE(Finish(order, "passed").ok());
  EXPECT_FALSE(Get(job.job()).has_progress());
  context.TryCancel();
}

TEST_F(DispatchServicesTest, ASecondWorkerOfTheNameTakesItAndTheFirstIsTold) {
  WorkStream first(*worker_stub_, "runner-token");
  first.Say(Report());
  first.Hear([](const v1::WorkResponse&) { return true; });
  WorkStream second(*worker_stub_, "runner-token");
  v1::WorkRequest report = Report();
  report.set_session("s2");
  second.Say(report);
  second.Hear([](const v1::WorkResponse&) { return true; });
  first.Say(Report());
  EXPECT_EQ(first.End().error_code(), StatusCode::ABORTED);
}

TEST_F(DispatchServicesTest, ReportsThatMakeNoSenseEndTheStream) {
  for (const auto& change : std::vector<std::function<void(v1::WorkRequest&)>>{
           [](v1::WorkRequest& report) { report.set_name("../x"); },
           [](v1::WorkRequest& report) { report.clear_session(); },
           [](v1::WorkRequest& report) { report.set_pool("mine"); },
           [](v1::WorkRequest& report) { report.mutable_devices(1)->set_id("cpu-0"); },
           [](v1::WorkRequest& report) { report.mutable_devices(0)->set_kind("tpu"); },
           [](v1::WorkRequest& report) { report.add_runs()->set_job("j-1"); }}) {
    WorkStream work(*worker_stub_, "runner-token");
    v1::WorkRequest report = Report();
    change(report);
    work.Say(report);
    EXPECT_EQ(work.End().error_code(), StatusCode::INVALID_ARGUMENT);
  }
}

TEST_F(DispatchServicesTest, WithoutAStoreNothingIsTaken) {
  const RpcEnvironment env{auth_, metrics_, clock_, logger_};
  DispatchServiceImpl people(env, *executor_, *executor_, nullptr);
  testing::RpcServer server(people);
  const auto stub = v1::DispatchService::NewStub(server.Connect());
  v1::ListJobsResponse list;
  EXPECT_EQ(Ask(*stub, &v1::DispatchService::Stub::ListJobs, v1::ListJobsRequest(), list, "viewer-token").error_code(),
            StatusCode::FAILED_PRECONDITION);
  grpc::ClientContext context;
  Authorize(context, "viewer-token");
  EXPECT_EQ(stub->WatchJob(&context, v1::WatchJobRequest())->Finish().error_code(), StatusCode::FAILED_PRECONDITION);
}

}  // namespace
}  // namespace yardmaster
