#include "services/dispatch/dispatch_service.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/errors.h"
#include "services/core/ids.h"
#include "services/core/rpc/pooled_rpc.h"
#include "services/core/status_macros.h"
#include "services/dispatch/errors.h"
#include "services/dispatch/job_messages.h"
#include "services/dispatch/job_result.h"
#include "services/dispatch/job_shards.h"
#include "services/dispatch/make_job.h"
#include "services/dispatch/part_messages.h"
#include "services/dispatch/pushed_stream.h"
#include "services/dispatch/queue/errors.h"
#include "services/dispatch/queue/states.h"

namespace yardmaster {
namespace {

using dispatch::Dispatch;
using dispatch::Job;
using dispatch::JobState;

constexpr std::string_view kSubmitJob = "/yardmaster.v1.DispatchService/SubmitJob";
constexpr std::string_view kGetJob = "/yardmaster.v1.DispatchService/GetJob";
constexpr std::string_view kListJobs = "/yardmaster.v1.DispatchService/ListJobs";
constexpr std::string_view kWatchJob = "/yardmaster.v1.DispatchService/WatchJob";
constexpr std::string_view kCancelJob = "/yardmaster.v1.DispatchService/CancelJob";
constexpr std::string_view kRerunJob = "/yardmaster.v1.DispatchService/RerunJob";
constexpr std::string_view kExplainPending = "/yardmaster.v1.DispatchService/ExplainPending";
constexpr std::string_view kListRunners = "/yardmaster.v1.DispatchService/ListRunners";
constexpr std::string_view kSetRunnerService = "/yardmaster.v1.DispatchService/SetRunnerService";
constexpr std::string_view kUploadSource = "/yardmaster.v1.DispatchService/UploadSource";
constexpr std::string_view kReadArtifact = "/yardmaster.v1.DispatchService/ReadArtifact";

void ClearWhatTheServerSets(v1::JobSpec& spec) {
  spec.clear_subject();
  spec.clear_check_attempt();
  spec.clear_told();
  spec.clear_rerun_of();
  spec.clear_trunk_of();
  spec.clear_head_of();
  spec.clear_shard();
}

// The same request of the same caller is the same job.
std::string JobIdOf(const RpcCall& call, const std::string& request_id) {
  if (request_id.empty()) return NewId("j-");
  return dispatch::JobIdFor(call.caller().name, request_id);
}

// Follows one job: what it is whenever that changes, and the logs of its runs.
class WatchReactor final
    : public dispatch::PushedStream<grpc::ServerWriteReactor<v1::WatchJobResponse>, v1::WatchJobResponse> {
 public:
  WatchReactor(const RpcEnvironment& env, grpc::CallbackServerContext& context, Executor& executor, Dispatch* dispatch,
               const v1::WatchJobRequest& request)
      : PushedStream(env, context, kWatchJob, executor, dispatch == nullptr ? nullptr : &dispatch->dispatcher()),
        dispatch_(dispatch),
        job_(request.job()),
        fence_(request.fence()),
        offset_(request.offset()),
        once_(request.once()) {}

 private:
  absl::StatusOr<bool> Next(v1::WatchJobResponse& message) override {
    RETURN_IF_ERROR(call().CheckAlive());
    ASSIGN_OR_RETURN(const Job job, dispatcher().FindJob(job_));
    v1::SuiteJob now = dispatch::JobMessage(job, dispatch_->clock().Now(), dispatcher().ProgressOf(job_));
    // How long it waits changes all the time, and is no news.
    v1::SuiteJob compared = now;
    compared.clear_queued_seconds();
    std::string text = compared.SerializeAsString();
    const bool ended = job.state == JobState::kEnded;
    const bool changed = text != sent_;
    // That it has ended is the last word, after the log, which is complete by then.
    if (changed && (!ended || sent_.empty())) {
      sent_ = std::move(text);
      *message.mutable_job() = std::move(now);
      return true;
    }
    for (; fence_ <= job.fence; ++fence_, offset_ = 0) {
      ASSIGN_OR_RETURN(const bool more, NextPiece(message));
      if (more) return true;
      if (fence_ == job.fence) break;
    }
    if (changed) {
      sent_ = std::move(text);
      *message.mutable_job() = std::move(now);
      return true;
    }
    if (ended || once_) return Done();
    return false;
  }

  absl::StatusOr<bool> NextPiece(v1::WatchJobResponse& message) {
    if (fence_ == 0) return false;
    ASSIGN_OR_RETURN(std::string text, dispatch_->logs().Read(job_, fence_, offset_));
    if (text.empty()) return false;
    v1::LogPiece& piece = *message.mutable_log();
    piece.set_fence(fence_);
    piece.set_offset(offset_);
    offset_ += text.size();
    *piece.mutable_text() = std::move(text);
    return true;
  }

  Dispatch* const dispatch_;
  const std::string job_;
  uint64_t fence_;
  uint64_t offset_;
  const bool once_;
  std::string sent_;  // the job as it was told last; empty: not yet
};

}  // namespace

// A commit that may be a fork's runs where code is contained, or not at all.
absl::Status DispatchServiceImpl::TakeForFork(v1::JobSpec& spec) const {
  if (spec.pool() == "trusted" || dispatch_->fork_policy() == ForkPolicy::kNever) {
    return dispatch::CommitMayBeOfAFork(spec.repository(), spec.ref(), spec.pool() == "trusted");
  }
  spec.set_pool("untrusted");
  return absl::OkStatus();
}

template <typename Work>
grpc::ServerUnaryReactor* DispatchServiceImpl::Handle(Executor& executor, grpc::CallbackServerContext* context,
                                                      std::string_view method, Work work) {
  return HandlePooledUnary(executor, env_, *context, method,
                           [this, work = std::move(work)](const RpcCall& call) -> absl::Status {
                             if (dispatch_ == nullptr) return errors::StoreAbsent();
                             return work(call);
                           });
}

v1::SuiteJob DispatchServiceImpl::MessageOf(const Job& job) const {
  return dispatch::JobMessage(job, dispatch_->clock().Now(), dispatch_->dispatcher().ProgressOf(job.id));
}

absl::StatusOr<std::vector<v1::SuiteJob>> DispatchServiceImpl::SubmittedAs(const std::string& job) const {
  ASSIGN_OR_RETURN(const Job first, dispatch_->dispatcher().FindJob(job));
  std::vector<v1::SuiteJob> jobs = {MessageOf(first)};
  const v1::JobShard shard = jobs.front().spec().shard();
  // One that runs a shard again is no group.
  const uint32_t count = shard.group() == job ? shard.count() : 1;
  for (uint32_t index = 2; index <= count; ++index) {
    ASSIGN_OR_RETURN(const Job other, dispatch_->dispatcher().FindJob(dispatch::ShardJobId(job, index)));
    jobs.push_back(MessageOf(other));
  }
  return jobs;
}

absl::StatusOr<std::vector<v1::SuiteJob>> DispatchServiceImpl::Submit(const RpcCall& call, v1::JobSpec spec,
                                                                      dispatch::JobOrigin origin,
                                                                      uint32_t shards) const {
  origin.submitter = call.caller().name;
  if (!spec.repository().empty()) {
    RETURN_IF_ERROR(dispatch::CheckSpec(spec));
    if (spec.ref().empty()) return errors::FieldMissing("spec.ref");
    if (dispatch_->fetch_tree() == nullptr) return dispatch::RepositoriesNotFetched();
    // Runners need no account on the forge: they get what lies here.
    ASSIGN_OR_RETURN(const dispatch::KeptTree tree,
                     dispatch_->fetch_tree()(spec.repository(), spec.ref(), [&call] { return call.CheckAlive(); }));
    if (!tree.is_own) RETURN_IF_ERROR(TakeForFork(spec));
    origin.repository = spec.repository();
    origin.commit = tree.commit;
    spec.clear_repository();
    spec.set_source_digest(tree.digest);
    spec.set_ref(tree.commit);
  }
  ASSIGN_OR_RETURN(const std::vector<v1::JobSpec> specs, dispatch::ShardsOf(*dispatch_, spec, shards, origin.id));
  std::vector<Job> jobs;
  jobs.reserve(specs.size());
  for (const v1::JobSpec& one : specs) {
    dispatch::JobOrigin of_one = origin;
    of_one.id = dispatch::ShardJobId(origin.id, static_cast<uint32_t>(jobs.size() + 1));
    ASSIGN_OR_RETURN(Job job, dispatch::MakeJob(*dispatch_, one, std::move(of_one)));
    jobs.push_back(std::move(job));
  }
  RETURN_IF_ERROR(dispatch_->dispatcher().Submit(std::move(jobs)));
  return SubmittedAs(origin.id);
}

grpc::ServerUnaryReactor* DispatchServiceImpl::SubmitJob(grpc::CallbackServerContext* context,
                                                         const v1::SubmitJobRequest* request,
                                                         v1::SubmitJobResponse* response) {
  return Handle(waiting_calls_, context, kSubmitJob, [this, request, response](const RpcCall& call) -> absl::Status {
    if (!request->request_id().empty() && !dispatch::IsPlainName(request->request_id())) {
      return errors::FieldInvalid("request_id", "1 to 128 letters, digits, \"-\" and \"_\"");
    }
    if (request->shards() > dispatch::kMaxShards) {
      return errors::OverLimit("shards", request->shards(), dispatch::kMaxShards, "jobs");
    }
    v1::JobSpec spec = request->spec();
    // What it says of a pull request is reported there.
    if (!spec.subject().empty()) return errors::FieldInvalid("spec.subject", "nothing: the server sets it");
    ClearWhatTheServerSets(spec);
    dispatch::JobOrigin origin;
    origin.id = JobIdOf(call, request->request_id());
    // Sent again it is the same, whatever has happened meanwhile to durations, branches and suites.
    absl::StatusOr<std::vector<v1::SuiteJob>> jobs = SubmittedAs(origin.id);
    if (absl::IsNotFound(jobs.status())) jobs = Submit(call, std::move(spec), std::move(origin), request->shards());
    RETURN_IF_ERROR(jobs.status());
    *response->mutable_job() = jobs->front();
    for (v1::SuiteJob& job : *jobs) *response->add_jobs() = std::move(job);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DispatchServiceImpl::GetJob(grpc::CallbackServerContext* context,
                                                      const v1::GetJobRequest* request, v1::GetJobResponse* response) {
  return Handle(job_calls_, context, kGetJob, [this, request, response](const RpcCall&) -> absl::Status {
    ASSIGN_OR_RETURN(const Job job, dispatch_->dispatcher().FindJob(request->job()));
    *response->mutable_job() = MessageOf(job);
    if (!request->signed_() || job.state != JobState::kEnded) return absl::OkStatus();
    const SigningKey& key = dispatch_->signing_key();
    v1::SignedResult& out = *response->mutable_signed_result();
    out.set_statement(dispatch::StatementOf(job, response->job()));
    ASSIGN_OR_RETURN(*out.mutable_signature(), key.Sign(out.statement()));
    out.set_public_key(key.public_key());
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DispatchServiceImpl::ListJobs(grpc::CallbackServerContext* context,
                                                        const v1::ListJobsRequest* request,
                                                        v1::ListJobsResponse* response) {
  return Handle(job_calls_, context, kListJobs, [this, request, response](const RpcCall&) -> absl::Status {
    constexpr int64_t kPage = 50;
    const int64_t limit = request->limit() == 0 ? kPage : request->limit();
    ASSIGN_OR_RETURN(const store::Page<Job> page,
                     dispatch_->dispatcher().ListJobs({request->repository(), request->live_only()},
                                                      {.before = request->before(), .limit = limit}));
    for (const Job& job : page.items) *response->add_jobs() = MessageOf(job);
    response->set_next(page.next);
    return absl::OkStatus();
  });
}

grpc::ServerWriteReactor<v1::WatchJobResponse>* DispatchServiceImpl::WatchJob(grpc::CallbackServerContext* context,
                                                                              const v1::WatchJobRequest* request) {
  auto* reactor = new WatchReactor(env_, *context, job_calls_, dispatch_, *request);
  reactor->Begin(dispatch::Topic::OfJob(request->job()));
  return reactor;
}

grpc::ServerUnaryReactor* DispatchServiceImpl::CancelJob(grpc::CallbackServerContext* context,
                                                         const v1::CancelJobRequest* request,
                                                         v1::CancelJobResponse* response) {
  return Handle(job_calls_, context, kCancelJob, [this, request, response](const RpcCall& call) -> absl::Status {
    ASSIGN_OR_RETURN(const Job job, dispatch_->dispatcher().Cancel(request->job(), call.caller().name));
    *response->mutable_job() = MessageOf(job);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DispatchServiceImpl::RerunJob(grpc::CallbackServerContext* context,
                                                        const v1::RerunJobRequest* request,
                                                        v1::RerunJobResponse* response) {
  return Handle(waiting_calls_, context, kRerunJob, [this, request, response](const RpcCall& call) -> absl::Status {
    ASSIGN_OR_RETURN(const Job job, dispatch_->dispatcher().FindJob(request->job()));
    v1::JobSpec spec = dispatch::SpecOf(job);
    const std::string head_of = spec.subject().empty() ? spec.head_of() : spec.subject();
    const std::optional<v1::JobShard> shard = spec.has_shard() ? std::optional(spec.shard()) : std::nullopt;
    // It is told to whoever asks for it, and not at the pull request: there people write /test.
    ClearWhatTheServerSets(spec);
    spec.set_head_of(head_of);
    spec.set_rerun_of(job.id);
    spec.set_from_cache(false);
    const bool other_layers = request->layers_size() > 0;
    if (other_layers) {
      *spec.mutable_layers() = request->layers();
      spec.clear_steps();
    } else if (shard.has_value()) {
      *spec.mutable_shard() = *shard;
    }
    if (request->flaky_only() && request->failed_only()) {
      return errors::FieldInvalid("flaky_only", "not together with failed_only, which has what was flaky, too");
    }
    if (request->flaky_only()) RETURN_IF_ERROR(dispatch::SelectFlaky(dispatch_->files(), job, spec));
    if (request->failed_only()) RETURN_IF_ERROR(dispatch::SelectFailed(dispatch_->files(), job, spec));
    // A part of what the shard did takes less than all of it.
    if (spec.has_shard() && (request->flaky_only() || request->failed_only())) {
      spec.mutable_shard()->clear_expected_seconds();
    }
    // Layers that somebody names need not be those that failed: a pass of them says nothing of the failure.
    const std::string failed_before = other_layers ? std::string() : dispatch::FailureBefore(job);
    ASSIGN_OR_RETURN(std::vector<v1::SuiteJob> jobs,
                     Submit(call, std::move(spec), {NewId("j-"), "", job.repository, job.commit, failed_before}, 1));
    *response->mutable_job() = std::move(jobs.front());
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DispatchServiceImpl::ExplainPending(grpc::CallbackServerContext* context,
                                                              const v1::ExplainPendingRequest* request,
                                                              v1::ExplainPendingResponse* response) {
  return Handle(job_calls_, context, kExplainPending, [this, request, response](const RpcCall&) -> absl::Status {
    ASSIGN_OR_RETURN(const dispatch::Waiting waiting, dispatch_->dispatcher().Explain(request->job()));
    *response = dispatch::WaitingMessage(waiting);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DispatchServiceImpl::ListRunners(grpc::CallbackServerContext* context,
                                                           const v1::ListRunnersRequest*,
                                                           v1::ListRunnersResponse* response) {
  return Handle(job_calls_, context, kListRunners, [this, response](const RpcCall&) -> absl::Status {
    for (const dispatch::RunnerStatus& status : dispatch_->dispatcher().Runners()) {
      *response->add_runners() = dispatch::RunnerMessage(status);
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DispatchServiceImpl::SetRunnerService(grpc::CallbackServerContext* context,
                                                                const v1::SetRunnerServiceRequest* request,
                                                                v1::SetRunnerServiceResponse* response) {
  return Handle(job_calls_, context, kSetRunnerService, [this, request, response](const RpcCall&) -> absl::Status {
    dispatch::Dispatcher& dispatcher = dispatch_->dispatcher();
    const std::string& device = request->device();
    const bool of_device = request->service() == v1::SetRunnerServiceRequest::SERVICE_IN ||
                           request->service() == v1::SetRunnerServiceRequest::SERVICE_QUARANTINED;
    if (!device.empty() && !of_device) {
      return errors::FieldInvalid("device", "nothing: only SERVICE_IN and SERVICE_QUARANTINED are for one device");
    }
    switch (request->service()) {
      case v1::SetRunnerServiceRequest::SERVICE_IN:
        RETURN_IF_ERROR(dispatcher.SetDeviceQuarantined(request->runner(), device, false, ""));
        if (!device.empty()) break;
        RETURN_IF_ERROR(dispatcher.SetQuarantined(request->runner(), false, ""));
        RETURN_IF_ERROR(dispatcher.SetDrained(request->runner(), false));
        break;
      case v1::SetRunnerServiceRequest::SERVICE_DRAINED:
        RETURN_IF_ERROR(dispatcher.SetDrained(request->runner(), true));
        break;
      case v1::SetRunnerServiceRequest::SERVICE_QUARANTINED:
        if (request->why().size() > dispatch::kMaxSpecTextBytes) {
          return errors::OverLimit("why", request->why().size(), dispatch::kMaxSpecTextBytes, "bytes");
        }
        RETURN_IF_ERROR(device.empty()
                            ? dispatcher.SetQuarantined(request->runner(), true, request->why())
                            : dispatcher.SetDeviceQuarantined(request->runner(), device, true, request->why()));
        break;
      case v1::SetRunnerServiceRequest::SERVICE_FORGOTTEN:
        return dispatcher.ForgetRunner(request->runner());
      default:
        return errors::FieldInvalid("service", "SERVICE_IN, SERVICE_DRAINED, SERVICE_QUARANTINED or SERVICE_FORGOTTEN");
    }
    for (const dispatch::RunnerStatus& status : dispatcher.Runners()) {
      if (status.runner.name == request->runner()) *response->mutable_runner() = dispatch::RunnerMessage(status);
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DispatchServiceImpl::UploadSource(grpc::CallbackServerContext* context,
                                                            const v1::PutPartRequest* request,
                                                            v1::PutPartResponse* response) {
  return Handle(job_calls_, context, kUploadSource, [this, request, response](const RpcCall&) {
    return dispatch::PutPart(dispatch_->files(), *request, *response);
  });
}

grpc::ServerUnaryReactor* DispatchServiceImpl::ReadArtifact(grpc::CallbackServerContext* context,
                                                            const v1::ReadPartRequest* request,
                                                            v1::ReadPartResponse* response) {
  return Handle(job_calls_, context, kReadArtifact, [this, request, response](const RpcCall&) {
    return dispatch::ReadPart(dispatch_->files(), *request, *response);
  });
}

}  // namespace yardmaster
