#include "services/dispatch/runner_service.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/errors.h"
#include "services/core/glob.h"
#include "services/core/messages/signed_answer.h"
#include "services/core/rpc/pooled_rpc.h"
#include "services/core/status_macros.h"
#include "services/dispatch/errors.h"
#include "services/dispatch/job_messages.h"
#include "services/dispatch/part_messages.h"
#include "services/dispatch/pushed_stream.h"

namespace yardmaster {
namespace {

using dispatch::Dispatch;

constexpr std::string_view kWork = "/yardmaster.v1.RunnerService/Work";
constexpr std::string_view kAppendLog = "/yardmaster.v1.RunnerService/AppendLog";
constexpr std::string_view kUploadArtifact = "/yardmaster.v1.RunnerService/UploadArtifact";
constexpr std::string_view kReadSource = "/yardmaster.v1.RunnerService/ReadSource";
constexpr std::string_view kFinishRun = "/yardmaster.v1.RunnerService/FinishRun";
constexpr std::string_view kDeclineRun = "/yardmaster.v1.RunnerService/DeclineRun";
constexpr std::string_view kGiveBackRun = "/yardmaster.v1.RunnerService/GiveBackRun";

// A worker reports at least so often, and several times before its silence counts.
constexpr std::chrono::milliseconds kReportAtLeast{5'000};
constexpr int kReportsWithinLease = 4;

absl::Status CheckRights(const Caller& caller, const dispatch::RunnerReport& report) {
  if (caller.runner == nullptr) return absl::OkStatus();
  const RunnerRights& rights = *caller.runner;
  const bool named = rights.names.empty() || absl::c_any_of(rights.names, [&](const std::string& glob) {
                       return MatchesLike(glob, report.name);
                     });
  if (!named) return dispatch::RunnerNameNotAllowed(caller.name, report.name);
  if (!rights.pool.empty() && rights.pool != report.pool) {
    return dispatch::RunnerPoolNotAllowed(caller.name, report.pool);
  }
  return absl::OkStatus();
}

// Current state comes in, desired state goes out: after each report, and when it changes in between.
class WorkReactor final
    : public dispatch::PushedStream<grpc::ServerBidiReactor<v1::WorkRequest, v1::WorkResponse>, v1::WorkResponse> {
 public:
  WorkReactor(const RpcEnvironment& env, grpc::CallbackServerContext& context, Executor& executor, Dispatch* dispatch)
      : PushedStream(env, context, kWork, executor, dispatch == nullptr ? nullptr : &dispatch->dispatcher()),
        dispatch_(dispatch) {}

  void BeginReading() { StartRead(&request_); }

  void OnReadDone(bool ok) override {
    if (!ok) {
      End(absl::OkStatus());  // the worker has closed it, or the call has ended
      return;
    }
    // Before it is its turn: whoever speaks is not silent, whatever keeps us.
    dispatcher().Hear(request_.name(), call().caller().name);
    {
      const std::lock_guard<std::mutex> lock(mutex());
      unread_ = true;
    }
    Wake();
  }

 private:
  absl::StatusOr<bool> Next(v1::WorkResponse& message) override {
    bool reported = false;
    {
      const std::lock_guard<std::mutex> lock(mutex());
      reported = std::exchange(unread_, false);
    }
    if (reported) {
      // Nothing is read into it before the next StartRead.
      ASSIGN_OR_RETURN(dispatch::RunnerReport report, dispatch::ReportOf(request_));
      RETURN_IF_ERROR(CheckRights(call().caller(), report));
      report.token = call().caller().name;
      if (!name_.empty() && name_ != report.name) return errors::FieldInvalid("name", "the same in all of a stream");
      RETURN_IF_ERROR(dispatcher().Report(report));
      if (name_.empty()) Listen(dispatch::Topic::OfRunner(report.name));
      name_ = report.name;
      heard_ = request_.number();
      session_ = request_.session();
      wants_signature_ = request_.wants_signature();
      known_.clear();
      for (const dispatch::ReportedRun& run : report.runs) known_.insert({run.job, run.fence});
      StartRead(&request_);
    }
    if (name_.empty()) return false;
    FillOrders(message);
    std::string text = message.SerializeAsString();
    // A report is always answered.
    if (!reported && text == said_) return false;
    said_ = std::move(text);
    if (wants_signature_) {
      ASSIGN_OR_RETURN(*message.mutable_signature(),
                       dispatch_->signing_key().Sign(SignedTextOf(name_, session_, message)));
    }
    return true;
  }

  void FillOrders(v1::WorkResponse& message) {
    const dispatch::RunnerOrders orders = dispatcher().OrdersFor(name_);
    std::shared_ptr<const rules::PackFiles> files;
    for (const dispatch::Order& order : orders.orders) {
      v1::RunOrder& out = *message.add_runs();
      out.set_job(order.lease.job);
      out.set_fence(order.lease.fence);
      out.set_attempt(order.lease.attempt);
      for (const std::string& device : order.lease.devices) out.add_devices(device);
      *out.mutable_spec() = dispatch::SpecOf(order.job);
      out.mutable_spec()->clear_told();  // who asked for it in chat is no matter of runners
      // Whose code a tree is that was fetched for it: runners keep apart what they keep of it.
      if (out.spec().repository().empty()) out.mutable_spec()->set_repository(order.job.repository);
      out.set_cancel(order.job.cancel_requested);
      v1::RunLimits& limits = *out.mutable_limits();
      limits.set_processes(dispatch_->run_limits().processes);
      limits.set_disk_mb(dispatch_->run_limits().disk_mb);
      limits.set_log_mb(dispatch_->run_limits().log_mb);
      limits.set_core_mb(dispatch_->run_limits().core_mb);
      limits.set_memory_mb(dispatch_->run_limits().memory_mb);
      limits.set_files(dispatch_->run_limits().files);
      if (known_.contains({order.lease.job, order.lease.fence})) continue;
      // Only the one that begins a run asks for these.
      const absl::StatusOr<dispatch::ShelvedSuite> suite = dispatch_->suites().Find(out.spec().suite());
      out.set_network(suite.ok() && suite->suite->network &&
                      dispatch_->MayUseNetwork(suite->name, order.job.demand.pool));
      if (files == nullptr) files = dispatch_->suites().Files();
      for (const auto& [path, content] : *files) {
        v1::SuiteFile& file = *out.add_files();
        file.set_path(path);
        file.set_content(content);
      }
    }
    message.set_drained(orders.drained);
    message.set_heard(heard_);
    const auto often = std::chrono::milliseconds(dispatcher().lease()) / kReportsWithinLease;
    message.set_report_after_ms(static_cast<uint32_t>(std::min(kReportAtLeast, often).count()));
  }

  Dispatch* const dispatch_;
  v1::WorkRequest request_;
  bool unread_ = false;  // guarded by mutex()
  std::string name_;
  std::string session_;
  bool wants_signature_ = false;
  uint64_t heard_ = 0;
  std::set<std::pair<std::string, uint64_t>> known_;
  std::string said_;
};

}  // namespace

template <typename Work>
grpc::ServerUnaryReactor* RunnerServiceImpl::Handle(grpc::CallbackServerContext* context, std::string_view method,
                                                    Work work) {
  return HandlePooledUnary(executor_, env_, *context, method,
                           [this, work = std::move(work)](const RpcCall& call) -> absl::Status {
                             if (dispatch_ == nullptr) return errors::StoreAbsent();
                             return work(call.caller());
                           });
}

grpc::ServerBidiReactor<v1::WorkRequest, v1::WorkResponse>* RunnerServiceImpl::Work(
    grpc::CallbackServerContext* context) {
  auto* reactor = new WorkReactor(env_, *context, executor_, dispatch_);
  if (reactor->Begin(dispatch::Topic())) reactor->BeginReading();
  return reactor;
}

grpc::ServerUnaryReactor* RunnerServiceImpl::AppendLog(grpc::CallbackServerContext* context,
                                                       const v1::AppendLogRequest* request,
                                                       v1::AppendLogResponse* response) {
  return Handle(context, kAppendLog, [this, request, response](const Caller& caller) -> absl::Status {
    RETURN_IF_ERROR(dispatch_->dispatcher().CheckHolder(request->job(), request->fence(), caller.name));
    RETURN_IF_ERROR(dispatch_->dispatcher().CheckLive(request->job(), request->fence()));
    ASSIGN_OR_RETURN(const uint64_t end,
                     dispatch_->logs().Append(request->job(), request->fence(), request->offset(), request->text()));
    response->set_end(end);
    if (!request->text().empty()) dispatch_->dispatcher().LogHasGrown(request->job());
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* RunnerServiceImpl::UploadArtifact(grpc::CallbackServerContext* context,
                                                            const v1::PutPartRequest* request,
                                                            v1::PutPartResponse* response) {
  return Handle(context, kUploadArtifact, [this, request, response](const Caller& caller) -> absl::Status {
    if (!dispatch_->dispatcher().HoldsLease(caller.name, "")) {
      return dispatch::NoLeaseOfToken(caller.name, "that could leave an artifact");
    }
    return dispatch::PutPart(dispatch_->files(), *request, *response);
  });
}

grpc::ServerUnaryReactor* RunnerServiceImpl::ReadSource(grpc::CallbackServerContext* context,
                                                        const v1::ReadPartRequest* request,
                                                        v1::ReadPartResponse* response) {
  return Handle(context, kReadSource, [this, request, response](const Caller& caller) -> absl::Status {
    if (request->digest().empty() || !dispatch_->dispatcher().HoldsLease(caller.name, request->digest())) {
      return dispatch::NoLeaseOfToken(caller.name, "for a job with this source tree");
    }
    return dispatch::ReadPart(dispatch_->files(), *request, *response);
  });
}

grpc::ServerUnaryReactor* RunnerServiceImpl::FinishRun(grpc::CallbackServerContext* context,
                                                       const v1::FinishRunRequest* request, v1::FinishRunResponse*) {
  return Handle(context, kFinishRun, [this, request](const Caller& caller) -> absl::Status {
    RETURN_IF_ERROR(dispatch_->dispatcher().CheckHolder(request->job(), request->fence(), caller.name));
    ASSIGN_OR_RETURN(const dispatch::RunOutcome outcome, dispatch::OutcomeOf(*request));
    for (const v1::Artifact& artifact : request->artifacts()) {
      if (!dispatch_->files().Has(artifact.digest()))
        return dispatch::FileNotUploaded("the artifact", artifact.digest());
    }
    return dispatch_->dispatcher().Finish(request->job(), request->fence(), outcome);
  });
}

grpc::ServerUnaryReactor* RunnerServiceImpl::DeclineRun(grpc::CallbackServerContext* context,
                                                        const v1::ReturnRunRequest* request, v1::ReturnRunResponse*) {
  return Handle(context, kDeclineRun, [this, request](const Caller& caller) -> absl::Status {
    RETURN_IF_ERROR(dispatch_->dispatcher().CheckHolder(request->job(), request->fence(), caller.name));
    if (request->why().size() > dispatch::kMaxSpecTextBytes) {
      return errors::OverLimit("why", request->why().size(), dispatch::kMaxSpecTextBytes, "bytes");
    }
    return dispatch_->dispatcher().Decline(request->job(), request->fence(), request->why());
  });
}

grpc::ServerUnaryReactor* RunnerServiceImpl::GiveBackRun(grpc::CallbackServerContext* context,
                                                         const v1::ReturnRunRequest* request, v1::ReturnRunResponse*) {
  return Handle(context, kGiveBackRun, [this, request](const Caller& caller) -> absl::Status {
    RETURN_IF_ERROR(dispatch_->dispatcher().CheckHolder(request->job(), request->fence(), caller.name));
    if (request->why().size() > dispatch::kMaxSpecTextBytes) {
      return errors::OverLimit("why", request->why().size(), dispatch::kMaxSpecTextBytes, "bytes");
    }
    return dispatch_->dispatcher().GiveBack(request->job(), request->fence(), request->why());
  });
}

}  // namespace yardmaster
