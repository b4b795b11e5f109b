#include "services/workflow/server/workflow_service.h"

#include <string_view>
#include <utility>

#include "services/core/errors.h"
#include "services/core/rpc/pooled_rpc.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

constexpr std::string_view kPreview = "/yardmaster.v1.WorkflowService/PreviewPullOperation";
constexpr std::string_view kApply = "/yardmaster.v1.WorkflowService/ApplyPullOperation";

// The pull request, if both it and the operation are complete.
absl::StatusOr<v1::Subject> PullFor(const v1::Subject& subject, const v1::PullOperation& operation) {
  using Kind = v1::PullOperation;
  if (subject.forge().empty() || subject.repository().empty() || subject.number() < 1) {
    return errors::FieldInvalid("subject", "a forge, a repository and a number from 1");
  }
  if (operation.kind() == Kind::KIND_UNSPECIFIED || !Kind::Kind_IsValid(operation.kind())) {
    return errors::FieldInvalid("operation.kind", "one of those that are documented");
  }
  if (operation.kind() == Kind::KIND_BACKPORT && operation.branch().empty()) {
    return errors::FieldInvalid("operation.branch", "the branch that it goes to");
  }
  if (operation.kind() == Kind::KIND_APPEND && operation.target() < 1) {
    return errors::FieldInvalid("operation.target", "the number of a pull request");
  }
  v1::Subject pull = subject;
  pull.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  return pull;
}

}  // namespace

grpc::ServerUnaryReactor* WorkflowServiceImpl::PreviewPullOperation(grpc::CallbackServerContext* context,
                                                                    const v1::PreviewPullOperationRequest* request,
                                                                    v1::PreviewPullOperationResponse* response) {
  return HandlePooledUnary(
      waiting_calls_, env_, *context, kPreview, [this, request, response](const RpcCall&) -> absl::Status {
        if (decider_ == nullptr) return errors::StoreAbsent();
        ASSIGN_OR_RETURN(const v1::Subject subject, PullFor(request->subject(), request->operation()));
        ASSIGN_OR_RETURN(DecisionAnswer answer, decider_->Preview(subject, request->pack(), request->operation()));
        *response->mutable_plan() = std::move(answer.plan);
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* WorkflowServiceImpl::ApplyPullOperation(grpc::CallbackServerContext* context,
                                                                  const v1::ApplyPullOperationRequest* request,
                                                                  v1::ApplyPullOperationResponse* response) {
  return HandlePooledUnary(
      waiting_calls_, env_, *context, kApply, [this, request, response](const RpcCall& call) -> absl::Status {
        if (decider_ == nullptr) return errors::StoreAbsent();
        ASSIGN_OR_RETURN(const v1::Subject subject, PullFor(request->subject(), request->operation()));
        ASSIGN_OR_RETURN(DecisionAnswer answer,
                         decider_->Operate(subject, request->pack(), call.caller().name, request->operation(),
                                           [&call] { return call.CheckAlive(); }));
        *response->mutable_plan() = std::move(answer.plan);
        for (v1::Effect& effect : answer.effects) {
          *response->add_effects() = std::move(effect);
        }
        return absl::OkStatus();
      });
}

}  // namespace yardmaster
