// The gRPC handlers of ReviewService; proto/yardmaster/v1/review.proto says what each call promises.
#ifndef YARDMASTER_SERVICES_REVIEW_REVIEW_SERVICE_H_
#define YARDMASTER_SERVICES_REVIEW_REVIEW_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rules/engine/checks/check_set.h"
#include "services/core/config/config.h"
#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"
#include "services/core/store/operators.h"
#include "services/core/store/reviews.h"
#include "services/intake/on_demand.h"
#include "services/packs/registry/pack_registry.h"
#include "services/review/change_reviewer.h"
#include "services/review/change_source.h"
#include "services/review/operator_source.h"
#include "yardmaster/v1/review.grpc.pb.h"

namespace yardmaster {

// What reviews of changes, which are kept, stand on; all null on a daemon without a store.
struct ChangeReviewParts {
  const Config* config = nullptr;
  store::Reviews* reviews = nullptr;
  ChangeSource* changes = nullptr;  // null: there are no git servers
  OnDemandDecider* decider = nullptr;
  RepositoryFileRules file = {};
};

// Everything it is given outlives the gRPC server. Reviews run on `long_calls`: a file at its limits takes seconds.
class ReviewServiceImpl final : public v1::ReviewService::CallbackService {
 public:
  // `operators` may be null: then gates, which are remembered, are FAILED_PRECONDITION. So are submissions of operators
  // of repositories if `source` is null; calls that wait for their git servers do it on `waiting_calls`. Without a
  // store reviews of changes are FAILED_PRECONDITION, too.
  ReviewServiceImpl(const RpcEnvironment& env, const PackRegistry& packs, Executor& long_calls, Executor& waiting_calls,
                    store::Operators* operators, const OperatorSource* source, ChangeReviewParts changes)
      : env_(env),
        packs_(packs),
        long_calls_(long_calls),
        waiting_calls_(waiting_calls),
        operators_(operators),
        source_(source),
        changes_(std::move(changes)) {}

  grpc::ServerUnaryReactor* ReviewFile(grpc::CallbackServerContext* context, const v1::ReviewFileRequest* request,
                                       v1::ReviewFileResponse* response) override;
  grpc::ServerUnaryReactor* ListChecks(grpc::CallbackServerContext* context, const v1::ListChecksRequest* request,
                                       v1::ListChecksResponse* response) override;
  grpc::ServerUnaryReactor* GetGateStatus(grpc::CallbackServerContext* context, const v1::GetGateStatusRequest* request,
                                          v1::GetGateStatusResponse* response) override;
  grpc::ServerUnaryReactor* SubmitForVerify(grpc::CallbackServerContext* context,
                                            const v1::SubmitForVerifyRequest* request,
                                            v1::SubmitForVerifyResponse* response) override;
  grpc::ServerUnaryReactor* ReviewRange(grpc::CallbackServerContext* context, const v1::ReviewRangeRequest* request,
                                        v1::ReviewRangeResponse* response) override;
  grpc::ServerUnaryReactor* ReviewPullRequest(grpc::CallbackServerContext* context,
                                              const v1::ReviewPullRequestRequest* request,
                                              v1::ReviewPullRequestResponse* response) override;
  grpc::ServerUnaryReactor* ImportFindings(grpc::CallbackServerContext* context,
                                           const v1::ImportFindingsRequest* request,
                                           v1::ImportFindingsResponse* response) override;
  grpc::ServerUnaryReactor* GetReview(grpc::CallbackServerContext* context, const v1::GetReviewRequest* request,
                                      v1::GetReviewResponse* response) override;
  grpc::ServerUnaryReactor* ListReviews(grpc::CallbackServerContext* context, const v1::ListReviewsRequest* request,
                                        v1::ListReviewsResponse* response) override;

 private:
  struct SubmittedFiles;
  absl::StatusOr<std::shared_ptr<const rules::CheckSet>> FindChecks(std::string_view pack) const;
  absl::Status Review(const v1::ReviewFileRequest& request, v1::ReviewFileResponse& response) const;
  absl::Status Status(const v1::GetGateStatusRequest& request, v1::GetGateStatusResponse& response) const;
  absl::Status Range(const v1::ReviewRangeRequest& request, v1::ReviewRangeResponse& response) const;
  absl::Status PullRequest(const RpcCall& call, const v1::ReviewPullRequestRequest& request,
                           v1::ReviewPullRequestResponse& response) const;
  absl::Status Import(const RpcCall& call, const v1::ImportFindingsRequest& request,
                      v1::ImportFindingsResponse& response) const;
  absl::Status Kept(const v1::GetReviewRequest& request, v1::GetReviewResponse& response) const;
  absl::Status List(const v1::ListReviewsRequest& request, v1::ListReviewsResponse& response) const;
  absl::Status Submit(const RpcCall& call, const v1::SubmitForVerifyRequest& request,
                      v1::SubmitForVerifyResponse& response);
  // Asks the gate about files that are at hand.
  absl::Status Judge(const v1::SubmitForVerifyRequest& request, const SubmittedFiles& submitted,
                     v1::SubmitForVerifyResponse& response);

  const RpcEnvironment env_;
  const PackRegistry& packs_;
  Executor& long_calls_;
  Executor& waiting_calls_;
  store::Operators* const operators_;
  const OperatorSource* const source_;
  const ChangeReviewParts changes_;
  // Submissions read, judge and remember one after the other: they are rare, and each is a matter of milliseconds.
  std::mutex submissions_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_REVIEW_SERVICE_H_
