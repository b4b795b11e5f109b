#include "services/intake/plans/decide.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/labels.h"
#include "services/core/reasons.h"
#include "services/intake/comment_sections.h"
#include "services/intake/plans/forge_view.h"
#include "services/intake/plans/label_guard.h"
#include "services/intake/plans/label_history.h"
#include "services/intake/plans/last_answer.h"
#include "services/intake/plans/shadow_decision.h"
#include "services/intake/plans/similar_subjects.h"

namespace yardmaster {
namespace {

// Whoever does long work says when it is done; this is for when nobody could.
constexpr std::chrono::milliseconds kLongWorkLook{2'000};

// What a step says; it is taken out of the plan. Empty: there is none.
std::string TakeStep(std::string_view id, v1::Plan& plan) {
  auto& steps = *plan.mutable_explanation()->mutable_steps();
  const auto step = absl::c_find_if(steps, [id](const v1::StepOutcome& one) { return one.id() == id; });
  if (step == steps.end()) return {};
  std::string why = std::move(*step->mutable_why());
  steps.erase(step);
  return why;
}

// One decision on its way.
class Decision {
 public:
  Decision(SubjectRun& run, const DecideRequest& request, v1::Plan& plan)
      : run_(run), request_(request), plan_(plan), section_(run.env().marks, run.delivery()), view_(run, section_) {
    section_.Pause();
  }

  Outcome Make();

 private:
  // Runs the planner's code under the crash mark.
  template <typename Work>
  auto Computing(Work work) {
    section_.Resume();
    auto result = work();
    section_.Pause();
    return result;
  }
  void Begin(v1::Plan& plan) const;
  PlanInput Input();
  // kDone with `plan_` set where work that was cut short goes on, kIgnored where nothing is to be decided.
  Outcome LookBack(const PlanInput& input, bool& resumed);
  Outcome Acknowledge(const PlanInput& input);
  Outcome MakePlan(const PlanInput& input);
  absl::StatusOr<RequestedPlan> Ask(std::string_view planner, const AskOptions& options);
  // Labels that the guardrails, people or the repository don't allow leave the plan.
  void HoldBackLabels();

  SubjectRun& run_;
  const DecideRequest& request_;
  v1::Plan& plan_;
  MarkedSection section_;
  ForgeView view_;
  LabelHistory history_;
  std::string digest_;
  std::optional<v1::Plan> made_;  // as the planner made it, where another revision of the pack is asked, too
  Outcome asking_;                // why another planner could not be asked
};

void Decision::Begin(v1::Plan& plan) const {
  plan.Clear();
  *plan.mutable_subject() = run_.subject();
  plan.set_pack(run_.pack()->model().name);
  plan.set_pack_revision(run_.pack()->model().revision);
  plan.set_mode(request_.mode);
}

PlanInput Decision::Input() {
  PlanInput input{.event = request_.event,
                  .trigger = request_.trigger,
                  .snapshot = request_.reading.snapshot,
                  .open = request_.reading.open,
                  .pack = run_.pack(),
                  .mode = request_.mode,
                  .choice = run_.choice(),
                  .now = request_.reading.read_at,
                  .asked = request_.asked,
                  .command = request_.command,
                  .view = view_};
  for (const std::string& label : history_.ours) {
    if (HasLabel(request_.reading.snapshot.labels(), label)) input.our_labels.push_back(label);
  }
  return input;
}

Outcome Decision::Make() {
  const auto& labels = request_.reading.snapshot.labels();
  absl::StatusOr<LabelHistory> history =
      ReadLabelHistory(run_.env().ledger, run_.env().subjects, run_.subject(), {labels.begin(), labels.end()});
  if (!history.ok()) return Outcome::OfStore(history.status());
  history_ = *std::move(history);
  if (request_.asked_plan != nullptr) {
    view_.AllowAsking([this](std::string_view planner, const AskOptions& options) { return Ask(planner, options); });
  }
  const PlanInput input = Input();
  bool resumed = false;
  RETURN_UNLESS_DONE(LookBack(input, resumed));
  // What a plan that is resumed said at once was said before it was made.
  if (resumed) return {};
  if (request_.acknowledge != nullptr) RETURN_UNLESS_DONE(Acknowledge(input));
  RETURN_UNLESS_DONE(MakePlan(input));
  if (request_.keeper == nullptr) return {};
  const absl::Status kept = request_.keeper->Keep(digest_, plan_);
  if (!kept.ok()) return Outcome::OfStore(kept);
  if (made_.has_value()) {
    Computing([&] {
      DecideInShadow(run_, request_.planner, input, digest_, *made_, plan_.id());
      return true;
    });
  }
  return {};
}

Outcome Decision::LookBack(const PlanInput& input, bool& resumed) {
  if (request_.keeper != nullptr) {
    digest_ = Computing([&] { return request_.planner.Digest(input); });
    const absl::StatusOr<bool> resume = request_.keeper->Resume(digest_, request_.reading, plan_);
    if (!resume.ok()) return Outcome::OfStore(resume.status());
    resumed = *resume;
    if (resumed) return {};
  }
  const std::string_view skip = Computing([&] { return request_.planner.SkipReason(input); });
  if (!skip.empty()) return Outcome::Ignored(skip);
  if (request_.keeper == nullptr || request_.trigger == Trigger::kManual) return {};
  const absl::StatusOr<bool> decided = request_.keeper->IsDecided(digest_);
  if (!decided.ok()) return Outcome::OfStore(decided.status());
  return *decided ? Outcome::Ignored(reasons::kDecided) : Outcome();
}

Outcome Decision::Acknowledge(const PlanInput& input) {
  v1::Plan acknowledgement;
  Begin(acknowledgement);
  const absl::Status made = Computing([&] { return request_.planner.Acknowledge(input, acknowledgement); });
  // The plan meets the same error, and says what it means.
  return made.ok() ? request_.acknowledge(acknowledgement) : Outcome();
}

Outcome Decision::MakePlan(const PlanInput& input) {
  Begin(plan_);
  const absl::Status planned = Computing([&] { return request_.planner.Plan(input, plan_); });
  if (!asking_.done()) return asking_;
  if (IsStillWorking(planned)) {
    if (request_.working != nullptr) RETURN_UNLESS_DONE(request_.working());
    return Outcome::Wait(kLongWorkLook, std::string(planned.message()));
  }
  if (!planned.ok()) return run_.ReadFailed(planned);
  *plan_.mutable_labels_before() = request_.reading.snapshot.labels();
  if (request_.command != nullptr) {
    plan_.set_input_digest(view_.Digest());
    return {};
  }
  if (request_.keeper != nullptr && HasShadow(run_, request_.planner)) made_ = plan_;
  ExplainChoice(run_.choice(), plan_);
  // Comments that are updated in place: what a later plan says replaces what an earlier one said.
  for (v1::Action& action : *plan_.mutable_actions()) {
    if (!action.has_answer_comment()) continue;
    v1::AnswerComment& comment = *action.mutable_answer_comment();
    const absl::StatusOr<AnswerBefore> before = LastAnswer(run_, comment.name());
    if (!before.ok()) return Outcome::OfStore(before.status());
    comment.set_revision(before->next_revision);
    if (comment.name() == kSummaryCommentName) comment.set_body(WithSectionsOf(before->text, comment.body()));
  }
  HoldBackLabels();
  AddSimilarSubjects(run_.env().subjects, request_.reading.snapshot, plan_);
  return {};
}

void Decision::HoldBackLabels() {
  const auto& on_it = request_.reading.snapshot.labels();
  const std::vector<std::string> labels_now(on_it.begin(), on_it.end());
  const std::shared_ptr<const std::vector<std::string>> existing =
      plan_.applied().empty() ? nullptr : run_.RepositoryLabels({plan_.applied().begin(), plan_.applied().end()});
  const GuardContext context{*run_.pack(), plan_, labels_now, history_.removed, existing.get()};
  std::vector<std::string> passed;
  for (int i = plan_.actions_size() - 1; i >= 0; --i) {
    if (!plan_.actions(i).has_add_labels()) continue;
    v1::Action left = GuardedByPack(context, plan_.actions(i));
    passed.insert(passed.end(), left.add_labels().labels().begin(), left.add_labels().labels().end());
    if (left.has_add_labels()) {
      *plan_.mutable_actions(i) = std::move(left);
    } else {
      plan_.mutable_actions()->DeleteSubrange(i, 1);
    }
  }
  std::vector<std::string> applied;
  for (const std::string& label : plan_.applied()) {
    if (HasLabel(passed, label)) {
      applied.push_back(label);
      continue;
    }
    v1::Suppression& suppression = *plan_.mutable_explanation()->add_guardrails();
    if (existing != nullptr && !HasLabel(*existing, label)) {
      suppression.set_rule_id("guardrail.missing-label");
      suppression.set_reason(absl::StrCat("'", label, "' is no label of the repository: it is not created"));
    } else {
      suppression.set_rule_id("guardrail.sticky");
      suppression.set_reason(
          absl::StrCat("'", label, "' is held back: a person took it off, or the guardrails forbid it now"));
    }
  }
  plan_.mutable_applied()->Assign(applied.begin(), applied.end());
}

absl::StatusOr<RequestedPlan> Decision::Ask(std::string_view planner_name, const AskOptions& options) {
  RequestedPlan asked;
  asked.reason = reasons::kNoPlanner;
  const auto& planners = run_.env().planners;
  const auto planner = absl::c_find_if(planners, [&](const auto& candidate) {
    return candidate->name() == planner_name && candidate->Handles(run_.subject().kind(), run_.pack()->model());
  });
  if (planner == planners.end()) return asked;
  v1::Event event = request_.event;
  event.set_kind(v1::Event::KIND_REQUESTED);
  event.set_origin(v1::Event::ORIGIN_COMMAND);
  event.clear_text();
  const Outcome outcome = Decide(run_,
                                 {.event = event,
                                  .planner = **planner,
                                  .trigger = Trigger::kManual,
                                  .mode = request_.mode,
                                  .reading = request_.reading,
                                  .asked = options,
                                  .working = request_.working},
                                 *request_.asked_plan);
  if (outcome.kind == Outcome::Kind::kIgnored) {
    asked.reason = outcome.reason;
    request_.asked_plan->Clear();
    return asked;
  }
  asking_ = outcome;
  if (!outcome.done()) return absl::CancelledError(outcome.reason);
  asked.told = TakeStep(kToldStep, *request_.asked_plan);
  asked.told_note = TakeStep(kToldNoteStep, *request_.asked_plan);
  asked.plan = *request_.asked_plan;
  if (options.preview) request_.asked_plan->Clear();
  return asked;
}

}  // namespace

Outcome Decide(SubjectRun& run, const DecideRequest& request, v1::Plan& plan) {
  return Decision(run, request, plan).Make();
}

}  // namespace yardmaster
