#include "services/triage/triage_service.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/messages/issue_snapshot.h"
#include "services/core/messages/timestamps.h"
#include "services/core/rpc/pooled_rpc.h"
#include "services/core/status_macros.h"
#include "services/triage/decision_json.h"
#include "services/triage/triage_planner.h"

namespace yardmaster {
namespace {

constexpr std::string_view kTriageIssue = "/yardmaster.v1.TriageService/TriageIssue";
constexpr std::string_view kExplainDecision = "/yardmaster.v1.TriageService/ExplainDecision";
constexpr std::string_view kEvaluateCases = "/yardmaster.v1.TriageService/EvaluateCases";

// Reads a message without copying its bytes first, where gRPC has them in one piece.
bool Parse(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite& message) {
  grpc::Slice slice;
  if (!bytes.TrySingleSlice(&slice).ok() && !bytes.DumpToSingleSlice(&slice).ok()) return false;
  return message.ParseFromArray(slice.begin(), static_cast<int>(slice.size()));
}

// True if the request names a subject of a forge instead of bringing a text along. Looks at the fields that stand
// before the first text only: a long request costs no more than a short one.
bool NamesSubject(const grpc::ByteBuffer& bytes) {
  grpc::Slice slice;
  if (!bytes.TrySingleSlice(&slice).ok() && !bytes.DumpToSingleSlice(&slice).ok()) return false;
  google::protobuf::io::CodedInputStream in(slice.begin(), static_cast<int>(slice.size()));
  while (const uint32_t tag = in.ReadTag()) {
    const int field = static_cast<int>(tag >> 3);
    if (field == v1::TriageIssueRequest::kSubjectFieldNumber) return true;
    if (field == v1::TriageIssueRequest::kIssueFieldNumber) return false;
    if (!google::protobuf::internal::WireFormatLite::SkipField(&in, tag)) return false;
  }
  return false;
}

// One stream of cases. At most two are under way: one answer on its way out while the next case is read and decided.
class EvaluateReactor final : public grpc::ServerBidiReactor<v1::EvaluateCasesRequest, v1::EvaluateCasesResponse> {
 public:
  EvaluateReactor(const RpcEnvironment& env, const PackRegistry& packs, grpc::CallbackServerContext& context)
      : packs_(packs), call_(env, context, kEvaluateCases) {
    if (call_.admitted().ok()) {
      StartRead(&request_);
    } else {
      Finish(call_.Finish(call_.admitted()));
    }
  }

  void OnReadDone(bool ok) override {
    // Only one read is under way, so that what belongs to reading needs no lock.
    absl::Status status;
    if (ok) {
      status = call_.CheckAlive();
      if (status.ok()) status = DecideNext(answers_[filling_]);
    }
    bool write = false;
    bool finish = false;
    size_t slot = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!ok || !status.ok()) {
        reading_done_ = true;
        final_status_ = status;
        finish = !writing_;
      } else if (writing_) {
        pending_ = true;
      } else {
        write = writing_ = true;
        slot = filling_;
        filling_ = 1 - filling_;
      }
    }
    if (write) {
      StartWrite(&answers_[slot]);
      StartRead(&request_);
    }
    if (finish) End();
  }

  void OnWriteDone(bool ok) override {
    bool write = false;
    bool finish = false;
    size_t slot = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      writing_ = false;
      // After a failed write the other side is gone, and the read under way fails too.
      if (pending_) {
        pending_ = false;
        if (ok) {
          write = writing_ = true;
          slot = filling_;
          filling_ = 1 - filling_;
        } else {
          reading_done_ = true;
        }
      }
      finish = !writing_ && reading_done_;
    }
    if (write) {
      StartWrite(&answers_[slot]);
      StartRead(&request_);
    }
    if (finish) End();
  }

  void OnDone() override { delete this; }

 private:
  absl::Status DecideNext(v1::EvaluateCasesResponse& answer) {
    if (index_ == 0) {
      ASSIGN_OR_RETURN(pack_, FindPack(*packs_.Current(), request_.pack()));
      if (!pack_->model().has_rubric) return errors::PackWithoutRubric(request_.pack());
      options_.explain = !request_.omit_explanation();
    }
    if (index_ >= kMaxEvaluateCases) return errors::OverLimit("the stream", index_ + 1, kMaxEvaluateCases, "cases");
    absl::Status status = request_.has_issue() ? CheckIssueSize(request_.issue()) : errors::FieldMissing("issue");
    if (status.ok()) {
      answer.Clear();
      status = PlanTriage(*pack_, request_.issue(), options_, *answer.mutable_plan());
    }
    if (!status.ok()) return errors::CaseFailed(index_, status);
    ++index_;
    return absl::OkStatus();
  }

  void End() {
    absl::Status status = final_status_;
    if (status.ok()) status = call_.CheckAlive();
    Finish(call_.Finish(status));
  }

  const PackRegistry& packs_;
  RpcCall call_;
  // Reading.
  v1::EvaluateCasesRequest request_;
  std::shared_ptr<const rules::CompiledPack> pack_;
  PlanOptions options_;
  size_t index_ = 0;
  // Both.
  std::array<v1::EvaluateCasesResponse, 2> answers_;
  std::mutex mutex_;
  size_t filling_ = 0;  // the answer that the next case goes into; the other one may be on its way out
  bool writing_ = false;
  bool pending_ = false;       // answers_[filling_] waits for the write under way
  bool reading_done_ = false;  // no read is under way and none will be started
  absl::Status final_status_;
};

}  // namespace

TriageServiceImpl::TriageServiceImpl(const RpcEnvironment& env, const PackRegistry& packs, DecisionLog& decisions,
                                     DecisionIds& ids, Executor& waiting_calls, OnDemandDecider* on_demand)
    : env_(env),
      packs_(packs),
      decisions_(decisions),
      ids_(ids),
      waiting_calls_(waiting_calls),
      on_demand_(on_demand) {}

TriageServiceImpl::~TriageServiceImpl() = default;

grpc::ServerUnaryReactor* TriageServiceImpl::TriageIssue(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  if (NamesSubject(*request)) {
    if (on_demand_ == nullptr) {
      return HandleUnary(env_, *context, kTriageIssue, [](const RpcCall&) { return errors::StoreAbsent(); });
    }
    return HandlePooledUnary(
        waiting_calls_, env_, *context, kTriageIssue,
        [this, request, response](const RpcCall& call) { return TriageSubject(call, *request, *response); });
  }
  return HandleUnary(env_, *context, kTriageIssue, [&](const RpcCall&) { return Triage(*request, *response); });
}

absl::Status TriageServiceImpl::TriageSubject(const RpcCall& call, const grpc::ByteBuffer& request,
                                              grpc::ByteBuffer& response) {
  v1::TriageIssueRequest question;
  if (!Parse(request, question)) return errors::FieldInvalid("request", "a TriageIssueRequest with UTF-8 texts");
  if (question.has_issue()) return errors::FieldInvalid("issue", "either it or subject, not both");
  v1::Subject subject = question.subject();
  RETURN_IF_ERROR(CheckSubject(subject));
  if (subject.forge().empty() || subject.repository().empty() || subject.number() < 1) {
    return errors::FieldInvalid("subject", "a forge, a repository and a number from 1");
  }
  if (subject.kind() == v1::SUBJECT_KIND_UNSPECIFIED) subject.set_kind(v1::SUBJECT_KIND_ISSUE);
  if (subject.kind() == v1::SUBJECT_KIND_PULL_REQUEST) {
    return errors::FieldInvalid("subject", "an issue; ReviewPullRequest is for pull requests");
  }
  if (question.pack().size() > kMaxNameBytes) {
    return errors::OverLimit("pack", question.pack().size(), kMaxNameBytes, "bytes");
  }
  // Writing to a forge takes more than looking.
  if (question.apply() && !RoleSuffices(call.caller().role, Role::kOperator)) {
    return errors::RoleTooLow(call.caller().name, RoleName(call.caller().role), RoleName(Role::kOperator));
  }
  ASSIGN_OR_RETURN(DecisionAnswer decided, question.apply()
                                               ? on_demand_->Apply(subject, question.pack(), call.caller().name,
                                                                   [&call] { return call.CheckAlive(); })
                                               : on_demand_->DecideNow(subject, question.pack()));
  v1::TriageIssueResponse answer;
  *answer.mutable_plan() = std::move(decided.plan);
  for (v1::Effect& effect : decided.effects) *answer.add_effects() = std::move(effect);
  const std::string bytes = answer.SerializeAsString();
  grpc::Slice slice(bytes);
  response = grpc::ByteBuffer(&slice, 1);
  return absl::OkStatus();
}

absl::Status TriageServiceImpl::Triage(const grpc::ByteBuffer& request, grpc::ByteBuffer& response) {
  v1::TriageIssueRequest question;
  if (!Parse(request, question)) return errors::FieldInvalid("request", "a TriageIssueRequest with UTF-8 texts");
  v1::Plan plan;
  WireWriter answer;
  RETURN_IF_ERROR(Decide(question, plan, answer));

  // So far the answer holds the explanation's fields. Around them go the plan's others, and around those the answer.
  answer.Message(v1::Plan::kExplanationFieldNumber, 0);
  const size_t size = plan.ByteSizeLong();
  plan.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(answer.Before(size)));
  decisions_.Add(plan, answer.bytes());
  answer.Message(v1::TriageIssueResponse::kPlanFieldNumber, 0);
  const grpc::Slice slice(answer.bytes().data(), answer.bytes().size());
  response = grpc::ByteBuffer(&slice, 1);
  return absl::OkStatus();
}

absl::Status TriageServiceImpl::Decide(const v1::TriageIssueRequest& request, v1::Plan& plan, WireWriter& explanation) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const rules::CompiledPack> pack, FindPack(*packs_.Current(), request.pack()));
  if (!request.has_issue()) return errors::FieldMissing("issue");
  RETURN_IF_ERROR(CheckIssueSize(request.issue()));
  RETURN_IF_ERROR(PlanTriage(*pack, request.issue(), PlanOptions(), plan, &explanation));
  const std::chrono::system_clock::time_point now = env_.clock.Now();
  plan.set_id(ids_.Next(now));
  *plan.mutable_created_at() = ToTimestamp(now);
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* TriageServiceImpl::ExplainDecision(grpc::CallbackServerContext* context,
                                                             const v1::ExplainDecisionRequest* request,
                                                             v1::ExplainDecisionResponse* response) {
  return HandleUnary(env_, *context, kExplainDecision, [&](const RpcCall&) { return Explain(*request, *response); });
}

absl::Status TriageServiceImpl::Explain(const v1::ExplainDecisionRequest& request,
                                        v1::ExplainDecisionResponse& response) {
  // Decisions about inline texts are in memory, those about subjects of forges in the store.
  std::optional<v1::Plan> plan;
  absl::StatusOr<std::optional<v1::Plan>> stored = std::optional<v1::Plan>();
  absl::Status unknown;
  switch (request.which_case()) {
    case v1::ExplainDecisionRequest::kDecisionId:
      if (request.decision_id().size() > kMaxNameBytes) return errors::DecisionUnknown(request.decision_id());
      plan = decisions_.FindById(request.decision_id());
      if (!plan.has_value() && on_demand_ != nullptr) stored = on_demand_->FindById(request.decision_id());
      unknown = errors::DecisionUnknown(request.decision_id());
      break;
    case v1::ExplainDecisionRequest::kSubject: {
      RETURN_IF_ERROR(CheckSubject(request.subject()));
      v1::Subject subject = request.subject();
      if (subject.kind() == v1::SUBJECT_KIND_UNSPECIFIED) subject.set_kind(v1::SUBJECT_KIND_ISSUE);
      if (on_demand_ != nullptr && !subject.forge().empty()) stored = on_demand_->FindBySubject(subject);
      if (stored.ok() && !stored->has_value()) plan = decisions_.FindBySubject(request.subject());
      unknown = errors::SubjectWithoutDecision(SubjectReference(request.subject()));
      break;
    }
    case v1::ExplainDecisionRequest::WHICH_NOT_SET:
      return errors::FieldMissing("decision_id or subject");
  }
  if (!stored.ok()) return stored.status();
  if (!plan.has_value()) plan = *std::move(stored);
  if (!plan.has_value()) return unknown;
  *response.mutable_plan() = *std::move(plan);
  return absl::OkStatus();
}

grpc::ServerBidiReactor<v1::EvaluateCasesRequest, v1::EvaluateCasesResponse>* TriageServiceImpl::EvaluateCases(
    grpc::CallbackServerContext* context) {
  return new EvaluateReactor(env_, packs_, *context);
}

}  // namespace yardmaster
