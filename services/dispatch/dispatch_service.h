// The gRPC handlers of DispatchService; proto/yardmaster/v1/dispatch.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_DISPATCH_DISPATCH_SERVICE_H_
#define YARDMASTER_SERVICES_DISPATCH_DISPATCH_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"
#include "services/dispatch/dispatch.h"
#include "services/dispatch/make_job.h"
#include "yardmaster/v1/dispatch.grpc.pb.h"

namespace yardmaster {

class DispatchServiceImpl final : public v1::DispatchService::CallbackService {
 public:
  // Everything it is given outlives it; `dispatch` is null where nothing is kept: calls are then FAILED_PRECONDITION.
  // New jobs, which may wait for a git server, are made on `waiting_calls`; all else is done on `job_calls`.
  DispatchServiceImpl(const RpcEnvironment& env, Executor& waiting_calls, Executor& job_calls,
                      dispatch::Dispatch* dispatch)
      : env_(env), waiting_calls_(waiting_calls), job_calls_(job_calls), dispatch_(dispatch) {}

  grpc::ServerUnaryReactor* SubmitJob(grpc::CallbackServerContext* context, const v1::SubmitJobRequest* request,
                                      v1::SubmitJobResponse* response) override;
  grpc::ServerUnaryReactor* GetJob(grpc::CallbackServerContext* context, const v1::GetJobRequest* request,
                                   v1::GetJobResponse* response) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context, const v1::ListJobsRequest* request,
                                     v1::ListJobsResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchJobResponse>* WatchJob(grpc::CallbackServerContext* context,
                                                           const v1::WatchJobRequest* request) override;
  grpc::ServerUnaryReactor* CancelJob(grpc::CallbackServerContext* context, const v1::CancelJobRequest* request,
                                      v1::CancelJobResponse* response) override;
  grpc::ServerUnaryReactor* RerunJob(grpc::CallbackServerContext* context, const v1::RerunJobRequest* request,
                                     v1::RerunJobResponse* response) override;
  grpc::ServerUnaryReactor* ExplainPending(grpc::CallbackServerContext* context,
                                           const v1::ExplainPendingRequest* request,
                                           v1::ExplainPendingResponse* response) override;
  grpc::ServerUnaryReactor* ListRunners(grpc::CallbackServerContext* context, const v1::ListRunnersRequest* request,
                                        v1::ListRunnersResponse* response) override;
  grpc::ServerUnaryReactor* SetRunnerService(grpc::CallbackServerContext* context,
                                             const v1::SetRunnerServiceRequest* request,
                                             v1::SetRunnerServiceResponse* response) override;
  grpc::ServerUnaryReactor* UploadSource(grpc::CallbackServerContext* context, const v1::PutPartRequest* request,
                                         v1::PutPartResponse* response) override;
  grpc::ServerUnaryReactor* ReadArtifact(grpc::CallbackServerContext* context, const v1::ReadPartRequest* request,
                                         v1::ReadPartResponse* response) override;

 private:
  template <typename Work>
  grpc::ServerUnaryReactor* Handle(Executor& executor, grpc::CallbackServerContext* context, std::string_view method,
                                   Work work);
  // At most so many jobs share what the specification says.
  absl::StatusOr<std::vector<v1::SuiteJob>> Submit(const RpcCall& call, v1::JobSpec spec, dispatch::JobOrigin origin,
                                                   uint32_t shards) const;
  // The job, and those that share a run with it, if it is the first of them. NOT_FOUND.
  absl::StatusOr<std::vector<v1::SuiteJob>> SubmittedAs(const std::string& job) const;
  absl::Status TakeForFork(v1::JobSpec& spec) const;
  v1::SuiteJob MessageOf(const dispatch::Job& job) const;

  const RpcEnvironment env_;
  Executor& waiting_calls_;
  Executor& job_calls_;
  dispatch::Dispatch* const dispatch_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_DISPATCH_DISPATCH_SERVICE_H_
