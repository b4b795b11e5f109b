#include "services/pipeline/pipeline_service.h"

#include <google/protobuf/util/json_util.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/pipeline/diagnose.h"
#include "services/core/config/pack_choice.h"
#include "services/core/errors.h"
#include "services/core/rpc/pooled_rpc.h"
#include "services/core/status_macros.h"
#include "services/intake/event.h"
#include "services/intake/outcome.h"
#include "services/pipeline/gate_planner.h"
#include "services/pipeline/profile_choice.h"

namespace yardmaster {
namespace {

constexpr std::string_view kDiagnosePullRequest = "/yardmaster.v1.PipelineService/DiagnosePullRequest";
constexpr std::string_view kStartGate = "/yardmaster.v1.PipelineService/StartGate";

absl::StatusOr<v1::Subject> PullOf(const v1::Subject& subject) {
  if (subject.forge().empty() || subject.repository().empty() || subject.number() < 1) {
    return errors::FieldInvalid("subject", "a forge, a repository and a number from 1");
  }
  v1::Subject pull = subject;
  pull.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  return pull;
}

// A failed read, for who asked.
absl::Status ReadFailure(const absl::Status& status, const v1::Subject& subject) {
  if (absl::IsNotFound(status)) return errors::SubjectNotOnForge(SubjectKey(subject));
  if (!ForgeErrorOf(status).has_value()) return status;
  return errors::ForgeUnusable(subject.forge(), std::string(status.message()));
}

absl::Status WriteReport(const rules::PipelineReport& report, google::protobuf::Struct& out) {
  const std::string text =
      rules::PipelineReportJson(report).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto parsed = google::protobuf::util::JsonStringToMessage(text, &out);
  return parsed.ok() ? absl::OkStatus() : absl::InternalError(parsed.ToString());
}

}  // namespace

absl::StatusOr<std::shared_ptr<const rules::PipelineProfile>> PipelineServiceImpl::ProfileOf(
    const v1::Subject& subject, const std::string& pack) const {
  ASSIGN_OR_RETURN(const std::string chosen, ChoosePack(*parts_.config, subject.forge(), subject.repository(), pack));
  std::shared_ptr<const rules::PipelineProfile> profile =
      ProfileFor(*parts_.config, *packs_.Current(), subject, chosen);
  if (profile == nullptr) return errors::PackWithoutPipeline(chosen);
  return profile;
}

absl::Status PipelineServiceImpl::Diagnose(const v1::Subject& subject, const rules::PipelineProfile& profile,
                                           google::protobuf::Struct& report) const {
  const absl::StatusOr<rules::PipelineSignals> signals = parts_.source->Read(subject, profile);
  if (!signals.ok()) return ReadFailure(signals.status(), subject);
  return WriteReport(rules::Diagnose(profile, *signals, parts_.clock->Now()), report);
}

grpc::ServerUnaryReactor* PipelineServiceImpl::DiagnosePullRequest(grpc::CallbackServerContext* context,
                                                                   const v1::DiagnosePullRequestRequest* request,
                                                                   v1::DiagnosePullRequestResponse* response) {
  return HandlePooledUnary(waiting_calls_, env_, *context, kDiagnosePullRequest,
                           [this, request, response](const RpcCall&) -> absl::Status {
                             if (parts_.source == nullptr) return errors::StoreAbsent();
                             ASSIGN_OR_RETURN(const v1::Subject subject, PullOf(request->subject()));
                             ASSIGN_OR_RETURN(const auto profile, ProfileOf(subject, request->pack()));
                             return Diagnose(subject, *profile, *response->mutable_report());
                           });
}

grpc::ServerUnaryReactor* PipelineServiceImpl::StartGate(grpc::CallbackServerContext* context,
                                                         const v1::StartGateRequest* request,
                                                         v1::StartGateResponse* response) {
  return HandlePooledUnary(waiting_calls_, env_, *context, kStartGate,
                           [this, request, response](const RpcCall& call) { return Start(call, *request, *response); });
}

absl::Status PipelineServiceImpl::Start(const RpcCall& call, const v1::StartGateRequest& request,
                                        v1::StartGateResponse& response) const {
  if (parts_.source == nullptr || parts_.decider == nullptr) return errors::StoreAbsent();
  ASSIGN_OR_RETURN(const v1::Subject subject, PullOf(request.subject()));
  std::string_view gate;
  if (request.gate() == v1::StartGateRequest::GATE_DESCRIPTION) gate = kCheckPrGate;
  if (request.gate() == v1::StartGateRequest::GATE_BUILD) gate = kRetestGate;
  if (gate.empty()) return errors::FieldInvalid("gate", "GATE_DESCRIPTION or GATE_BUILD");
  ASSIGN_OR_RETURN(const auto profile, ProfileOf(subject, request.pack()));
  ASSIGN_OR_RETURN(const DecisionAnswer decided,
                   parts_.decider->StartGate(subject, request.pack(), call.caller().name, gate,
                                             [&call] { return call.CheckAlive(); }));
  const auto& steps = decided.plan.explanation().steps();
  const auto step = absl::c_find_if(steps, [](const v1::StepOutcome& one) { return one.id() == "start"; });
  if (step != steps.end()) {
    response.set_started(step->taken());
    response.set_why(step->why());
  }
  return Diagnose(subject, *profile, *response.mutable_report());
}

}  // namespace yardmaster
