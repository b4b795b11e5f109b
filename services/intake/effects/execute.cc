#include "services/intake/effects/execute.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/intake/plans/label_history.h"

namespace yardmaster {
namespace {

// What an answer says where an action before it failed; empty: the action is no answer, or says the same.
const std::string& BodyOnFailure(const v1::Action& action) {
  return action.has_chat_message() ? action.chat_message().body_on_failure()
                                   : action.answer_comment().body_on_failure();
}

class PlanExecution {
 public:
  PlanExecution(SubjectRun& run, EffectRunner& effects, const v1::Plan& plan, const ExecuteOptions& options,
                Execution& execution)
      : run_(run), effects_(effects), plan_(plan), options_(options), execution_(execution) {
    if (options.made_for != nullptr) expected_ = *options.made_for;
  }

  Outcome Carry();

 private:
  // One action; kDone also if nothing of it may be written any more.
  Outcome CarryOne(const v1::Action& action);
  // The part of an action that may be written to the subject as it is now.
  Outcome Guard(const EffectKind& kind, v1::Action& action);
  void NoteFailure(const v1::Action& action, const std::string& reason);

  SubjectRun& run_;
  EffectRunner& effects_;
  const v1::Plan& plan_;
  const ExecuteOptions& options_;
  Execution& execution_;
  std::optional<SubjectReading> expected_;
  std::vector<std::string> taken_off_;
};

Outcome PlanExecution::Carry() {
  if (plan_.mode() != v1::MODE_APPLY) return {};
  Outcome pending;
  for (const v1::Action& action : plan_.actions()) {
    // An answer tells what became of the actions before it.
    const bool tells = !BodyOnFailure(action).empty();
    if (tells && !pending.done()) break;
    Outcome outcome = CarryOne(action);
    if (outcome.failed()) {
      if (tells) return outcome;
      NoteFailure(action, outcome.reason);
      continue;
    }
    if (outcome.kind == Outcome::Kind::kChanged || outcome.kind == Outcome::Kind::kIgnored ||
        outcome.kind == Outcome::Kind::kStopped) {
      return outcome;
    }
    pending = MoreUrgent(pending, outcome);
  }
  return pending;
}

Outcome PlanExecution::Guard(const EffectKind& kind, v1::Action& action) {
  const absl::StatusOr<ForgeIssue> now = run_.forge().GetIssue(run_.ReadCall(), ForgeSubjectOf(run_.subject()));
  if (!now.ok()) return run_.ReadFailed(now.status());
  if (expected_.has_value() && Differs(*expected_, *now)) return {Outcome::Kind::kChanged, {}, {}};
  const absl::StatusOr<LabelHistory> history =
      ReadLabelHistory(run_.env().ledger, run_.env().subjects, run_.subject(), now->labels);
  if (!history.ok()) return Outcome::OfStore(history.status());
  const auto& wanted = action.add_labels().labels();
  const RecentLabels::Labels existing =
      wanted.empty() ? nullptr : run_.RepositoryLabels({wanted.begin(), wanted.end()});
  action = kind.Guard({*run_.pack(), plan_, now->labels, history->removed, existing.get()}, action);
  return {};
}

Outcome PlanExecution::CarryOne(const v1::Action& action) {
  const EffectKind* kind = effects_.KindFor(action);
  v1::Action allowed = action;
  if (kind != nullptr && (kind->guarded() || expected_.has_value())) {
    // Right before writing: is it still the subject that the plan was made for?
    RETURN_UNLESS_DONE(Guard(*kind, allowed));
  }
  const absl::Status noted = RecordPersonsLabels(run_.env().subjects, run_.subject(), action, options_.person);
  if (!noted.ok()) return Outcome::OfStore(noted);
  if (allowed.action_case() == v1::Action::ACTION_NOT_SET) return {};
  if (!execution_.failures.empty() && !BodyOnFailure(allowed).empty()) {
    // What did work is not hidden by what did not.
    std::string reason = execution_.failures;
    if (!taken_off_.empty()) absl::StrAppend(&reason, "; taken off: ", absl::StrJoin(taken_off_, ", "));
    std::string text = absl::StrReplaceAll(BodyOnFailure(allowed), {{Abs(kFailureReasonPlace), EchoText(reason)}});
    if (allowed.has_chat_message()) {
      allowed.mutable_chat_message()->set_body(std::move(text));
    } else {
      allowed.mutable_answer_comment()->set_body(std::move(text));
    }
  }
  std::string key;
  Outcome outcome = effects_.Run(plan_, allowed, run_.delivery(), options_.started,
                                 {run_.account(), run_.WriteCall(), run_.env().chat, run_.env().jobs}, key);
  execution_.keys.insert(std::move(key));
  if (!outcome.done()) return outcome;
  if (expected_.has_value()) {
    for (const std::string& label : allowed.add_labels().labels()) expected_->snapshot.add_labels(label);
  }
  const auto& removed = allowed.remove_labels().labels();
  taken_off_.insert(taken_off_.end(), removed.begin(), removed.end());
  return outcome;
}

void PlanExecution::NoteFailure(const v1::Action& action, const std::string& reason) {
  const std::string labels = absl::StrJoin(action.remove_labels().labels(), ", ");
  const std::string failure = absl::StrCat(labels, labels.empty() ? "" : ": ", reason);
  // One refusal often meets all actions alike.
  if (absl::StrContains(execution_.failures, failure)) return;
  absl::StrAppend(&execution_.failures, execution_.failures.empty() ? "" : "; ", failure);
}

}  // namespace

Outcome Execute(SubjectRun& run, EffectRunner& effects, const v1::Plan& plan, const ExecuteOptions& options,
                Execution& execution) {
  return PlanExecution(run, effects, plan, options, execution).Carry();
}

}  // namespace yardmaster
