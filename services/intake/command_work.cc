#include "services/intake/command_work.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/forge_error.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"
#include "services/intake/effect.h"
#include "services/intake/forge_view.h"
#include "services/intake/guarded_action.h"
#include "services/intake/kept_decision.h"
#include "services/intake/people_labels.h"
#include "services/intake/reasons.h"
#include "services/intake/router.h"
#include "services/intake/work_results.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using store::DeliveryState;

constexpr milliseconds kReadTimeout{30'000};

std::vector<std::string> Names(const google::protobuf::RepeatedPtrField<std::string>& names) {
  return {names.begin(), names.end()};
}

// What the answer tells must be what is done: labels that the guardrails hold back at the end leave the plan now.
void OnlyWhatPasses(const rules::CompiledPack& pack, const std::vector<std::string>& labels_now,
                    const std::vector<std::string>& removed, v1::Plan& plan) {
  const std::unique_ptr<rules::Guardrails> guardrails = GuardrailsOf(pack);
  std::set<std::string> passed;
  for (int i = plan.actions_size() - 1; i >= 0; --i) {
    if (!plan.actions(i).has_add_labels()) continue;
    std::optional<v1::Action> guarded = GuardedAction(guardrails.get(), plan, plan.actions(i), labels_now, removed);
    if (!guarded.has_value()) {
      plan.mutable_actions()->DeleteSubrange(i, 1);
      continue;
    }
    *plan.mutable_actions(i) = *std::move(guarded);
    passed.insert(plan.actions(i).add_labels().labels().begin(), plan.actions(i).add_labels().labels().end());
  }
  std::vector<std::string> applied;
  for (const std::string& label : plan.applied()) {
    if (passed.contains(label)) {
      applied.push_back(label);
      continue;
    }
    v1::Suppression& suppression = *plan.mutable_explanation()->add_guardrails();
    suppression.set_rule_id("guardrail.sticky");
    suppression.set_reason("'" + label + "' is held back: a person took it off, or the guardrails forbid it now");
  }
  plan.mutable_applied()->Assign(applied.begin(), applied.end());
}

// Files and comments hold more than a command needs to fail for: what the forge refuses for good is an answer, too.
bool PassesBy(const absl::Status& status) {
  const StepResult step = FromForgeError(status);
  return step.kind != StepResult::Kind::kFailed;
}

}  // namespace

ForgeCall CommandWork::ReadCall() const {
  ForgeCall call;
  call.priority = ForgePriority::kCommand;
  call.timeout = kReadTimeout;
  return call;
}

CommandWork::Text CommandWork::TextNow(const SubjectReading& reading) const {
  const v1::Event& event = item_.event;
  Text text;
  if (event.kind() == v1::Event::KIND_OPENED || event.kind() == v1::Event::KIND_EDITED) {
    text.source = "post";
    text.now = reading.snapshot.body();
    text.author = reading.snapshot.author();
    return text;
  }
  // A comment without a name is known by the delivery that brought it.
  text.source = event.comment().empty() ? absl::StrCat("d", item_.delivery) : absl::StrCat("c", event.comment());
  text.now = event.text();
  text.author = event.text_author();
  for (const v1::Comment& comment : reading.snapshot.comments()) {
    if (event.comment().empty() || std::to_string(comment.id()) != event.comment()) continue;
    text.now = comment.body();
    text.author = comment.author();
    text.by_bot = comment.author_is_bot() || text.author.ends_with("[bot]");
    return text;
  }
  // Changed by somebody, gone since, and nobody knows whose it was: whose rights would hold?
  if (event.kind() == v1::Event::KIND_COMMENT_EDITED && text.author.empty()) text.now.clear();
  return text;
}

store::CommandsOfText CommandWork::Asked(const Text& text) const {
  const CommandContext context{subject_, *pack_, own_login_};
  const CrashMarks::Computing computing(env_.marks, item_.delivery);
  // What the actor wrote, or left as it was: the event's text.
  std::map<std::string, int> theirs;
  for (const FoundCommand& found : env_.command_planner->Find(context, item_.event.text())) ++theirs[found.fingerprint];
  store::CommandsOfText asked;
  asked.subject = subject_;
  asked.source = text.source;
  asked.actor = item_.event.actor();
  asked.delivery = item_.delivery;
  for (FoundCommand& found : env_.command_planner->Find(context, text.now)) {
    if (asked.asked.size() == kMaxCommandsInText) break;
    const bool take = theirs[found.fingerprint]-- > 0;
    asked.asked.push_back({std::move(found.fingerprint), std::move(found.command), take});
  }
  return asked;
}

WorkResult CommandWork::Run() {
  const absl::StatusOr<SubjectReading> reading = ReadSubject(side_.forge(), ReadCall(), subject_, own_login_);
  if (!reading.ok()) return FromRead(reading.status());
  const Text text = TextNow(*reading);
  // Known only now, perhaps: nobody asks for anything in what we wrote ourselves.
  if (SameLogin(text.author, own_login_)) return Ignored(reasons::kOwnAction);
  if (text.by_bot) return Ignored(reasons::kBot);
  const store::CommandsOfText asked = Asked(text);
  if (asked.asked.empty()) return Ignored(reasons::kKnownCommands, "they are no longer there");
  const absl::StatusOr<std::vector<std::optional<store::StoredCommand>>> taken = env_.commands->Take(asked);
  if (!taken.ok()) return FromStep(FromStoreError(taken.status()), "");
  WorkResult result = Ignored(reasons::kKnownCommands);
  for (const std::optional<store::StoredCommand>& command : *taken) {
    if (!command.has_value()) continue;
    WorkResult one = RunOne(*command, text);
    if (one.kind != WorkResult::Kind::kSettled) return one;
    // Whether another one depends on it is for the planner to say.
    if (result.state != DeliveryState::kFailed) result = std::move(one);
  }
  return result;
}

absl::StatusOr<std::vector<EarlierCommand>> CommandWork::Earlier(const store::StoredCommand& command) const {
  ASSIGN_OR_RETURN(const std::vector<store::StoredCommand> list, env_.commands->List(subject_));
  std::vector<EarlierCommand> earlier;
  for (const store::StoredCommand& other : list) {
    if (other.source != command.source || other.progress != store::CommandProgress::kSettled) continue;
    earlier.push_back({other.fingerprint, other.outcome});
  }
  return earlier;
}

WorkResult CommandWork::RunOne(const store::StoredCommand& command, const Text& text) {
  // Each command sees what the ones before it did.
  absl::StatusOr<SubjectReading> reading = ReadSubject(side_.forge(), ReadCall(), subject_, own_login_);
  if (!reading.ok()) return FromRead(reading.status());
  absl::StatusOr<std::vector<EarlierCommand>> earlier = Earlier(command);
  if (!earlier.ok()) return FromStep(FromStoreError(earlier.status()), "");
  v1::Event event = item_.event;
  event.set_actor(command.actor);
  event.set_text_author(text.author);
  const bool apply = item_.mode == v1::MODE_APPLY;
  const CommandInput input{.event = event,
                           .text = text.now,
                           .fingerprint = command.fingerprint,
                           .earlier = *std::move(earlier),
                           .name = absl::StrCat("command-", text.source, "-", command.slot),
                           .revision = command.revision,
                           .snapshot = reading->snapshot,
                           .open = reading->open,
                           .pack = pack_,
                           .mode = item_.mode,
                           .own_login = own_login_,
                           .reactions = side_.forge().has_reactions()};
  const auto begin = [&](v1::Plan& plan) {
    *plan.mutable_subject() = subject_;
    plan.set_pack(pack_->model().name);
    plan.set_pack_revision(pack_->model().revision);
    plan.set_mode(item_.mode);
  };

  // 1. People see that somebody works on it.
  MarkedSection section(env_.marks, item_.delivery);
  ForgeView view(side_.forge(), ReadCall(), subject_, env_.decisions, env_.recent_files, &section,
                 [&](std::string_view planner, const AskOptions& options) { return Ask(planner, options, *reading); });
  absl::Status planned;
  if (apply) {
    v1::Plan acknowledgement;
    begin(acknowledgement);
    planned = env_.command_planner->Acknowledge(input, view, acknowledgement);
    section.Pause();
    for (const v1::Action& action : acknowledgement.actions()) {
      const StepResult step = Send(acknowledgement, action);
      // The answer tells the same, later.
      if (!step.done() && step.kind != StepResult::Kind::kFailed) return FromStep(step, "");
    }
    section.Resume();
  }

  // 2. What is to be done: decided once.
  v1::CommandPlan plan;
  if (command.progress != store::CommandProgress::kPlanned || !plan.ParseFromString(command.plan)) {
    plan.Clear();
    begin(*plan.mutable_plan());
    if (planned.ok()) planned = env_.command_planner->Plan(input, view, plan);
    plan.set_view_digest(view.Digest());
    if (!planned.ok() && ForgeErrorOf(planned).has_value() && PassesBy(planned)) {
      return FromStep(FromForgeError(planned), "");
    }
    if (!planned.ok()) {
      plan.Clear();
      begin(*plan.mutable_plan());
      env_.command_planner->Fail(input, std::string(planned.message()), *plan.mutable_plan());
      plan.set_outcome(absl::StrCat("failed: ", planned.message()));
    }
    section.Pause();
    if (plan.has_asked()) {
      *plan.mutable_asked()->mutable_labels_before() = reading->snapshot.labels();
      const absl::Status kept = KeepDecision(env_, item_, "", *plan.mutable_asked());
      if (!kept.ok()) return FromStep(FromStoreError(kept), "");
    }
    if (command.progress == store::CommandProgress::kTaken) {
      const absl::Status noted = env_.commands->Plan(command.id, plan.SerializeAsString());
      if (!noted.ok()) return FromStep(FromStoreError(noted), "");
    }
  }

  section.Pause();

  // 3. Do it, and answer.
  std::string failed;
  // The planner may narrow the mode: a repository's file does.
  const bool carried_out = apply && plan.plan().mode() == v1::MODE_APPLY;
  if (carried_out) {
    WorkResult done = CarryOut(input, plan, failed);
    if (done.kind != WorkResult::Kind::kSettled || done.state == DeliveryState::kFailed) return done;
  }
  const std::string outcome =
      absl::StrCat(carried_out ? "" : "dry-run: ", failed.empty() ? plan.outcome() : absl::StrCat("failed: ", failed));
  const absl::Status settled = env_.commands->Settle(command.id, outcome);
  if (!settled.ok()) return FromStep(FromStoreError(settled), "");
  env_.logger.Info("command answered", {{"command", command.command.empty() ? "?" : command.command},
                                        {"subject", SubjectKey(subject_)},
                                        {"actor", command.actor},
                                        {"outcome", outcome}});
  return Settled(DeliveryState::kDone);
}

WorkResult CommandWork::CarryOut(const CommandInput& input, const v1::CommandPlan& plan, std::string& failed) {
  if (plan.has_asked()) {
    const StepResult step = CarryOutAsked(plan.asked(), failed);
    if (!step.done()) return FromStep(step, reasons::kEffectFailed);
  }
  return FromStep(CarryOutOwn(input, plan.plan(), failed), reasons::kEffectFailed);
}

StepResult CommandWork::CarryOutAsked(const v1::Plan& plan, std::string& failed) {
  if (plan.mode() != v1::MODE_APPLY) return {};
  const std::unique_ptr<rules::Guardrails> guardrails = GuardrailsOf(*pack_);
  for (v1::Action action : plan.actions()) {
    const absl::StatusOr<ForgeIssue> now = side_.forge().GetIssue(ReadCall(), ForgeSubjectOf(subject_));
    if (!now.ok()) return FromForgeError(now.status());
    // Later ones replace earlier ones.
    if (action.has_answer_comment()) action.mutable_answer_comment()->set_revision(item_.delivery);
    const absl::StatusOr<TakenOff> removed = LabelsTakenOff(env_, subject_, now->labels);
    if (!removed.ok()) return FromStoreError(removed.status());
    const std::optional<v1::Action> guarded =
        GuardedAction(guardrails.get(), plan, action, now->labels, removed->removed);
    if (!guarded.has_value()) continue;
    StepResult step = Send(plan, *guarded);
    if (step.kind == StepResult::Kind::kFailed) {
      failed = step.reason;
    } else if (!step.done()) {
      return step;
    }
  }
  return {};
}

StepResult CommandWork::CarryOutOwn(const CommandInput& input, const v1::Plan& plan, std::string& failed) {
  std::vector<std::string> taken_off;
  for (const v1::Action& action : plan.actions()) {
    v1::Action now = action;
    if (action.has_add_labels()) {
      // Somebody may have changed the labels since, or an earlier run has added them.
      const absl::StatusOr<ForgeIssue> issue = side_.forge().GetIssue(ReadCall(), ForgeSubjectOf(subject_));
      if (!issue.ok()) return FromForgeError(issue.status());
      const LabelsForPerson labels = LabelsToAdd(*pack_, Names(action.add_labels().labels()), issue->labels);
      now.mutable_add_labels()->clear_labels();
      for (const std::string& label : labels.go) now.mutable_add_labels()->add_labels(label);
      for (const std::string& label : action.add_labels().labels()) {
        const absl::Status noted = env_.subjects.ForgetLabelRemoved(subject_, label);
        if (!noted.ok()) return FromStoreError(noted);
      }
      if (labels.go.empty()) continue;
    }
    if (action.has_remove_labels()) {
      // A person's removal, whoever carries it out: no decision puts the label back.
      for (const std::string& label : action.remove_labels().labels()) {
        const absl::Status noted = env_.subjects.NoteLabelRemoved(subject_, label, input.event.actor());
        if (!noted.ok()) return FromStoreError(noted);
      }
    }
    if (action.has_answer_comment() && !failed.empty()) {
      v1::Plan instead;
      // What did work is not hidden by what did not.
      if (!taken_off.empty()) absl::StrAppend(&failed, "; taken off: ", absl::StrJoin(taken_off, ", "));
      env_.command_planner->Fail(input, failed, instead);
      for (const v1::Action& other : instead.actions()) {
        if (other.has_answer_comment()) now = other;
      }
    }
    StepResult step = Send(plan, now);
    if (step.kind == StepResult::Kind::kFailed) {
      // Without its answer a command is not done.
      if (action.has_answer_comment()) return step;
      const std::string labels = absl::StrJoin(action.remove_labels().labels(), ", ");
      absl::StrAppend(&failed, failed.empty() ? "" : "; ", labels, labels.empty() ? "" : ": ", step.reason);
    } else if (!step.done()) {
      return step;
    } else if (action.has_remove_labels()) {
      const auto& labels = action.remove_labels().labels();
      taken_off.insert(taken_off.end(), labels.begin(), labels.end());
    }
  }
  return {};
}

StepResult CommandWork::Send(const v1::Plan& plan, const v1::Action& action) {
  ForgeCall call = ReadCall();
  call.timeout = side_.WriteTimeout();
  const EffectContext context{side_.forge(), call, own_login_};
  std::string key;
  return env_.effects.CarryOut(plan, action, item_.delivery, item_.started, context, side_.settle(), key);
}

absl::StatusOr<AskedPlan> CommandWork::Ask(std::string_view planner_name, const AskOptions& options,
                                           const SubjectReading& reading) {
  AskedPlan asked;
  asked.reason = reasons::kNoPlanner;
  const auto planner = std::find_if(env_.planners.begin(), env_.planners.end(), [&](const auto& candidate) {
    return candidate->name() == planner_name && candidate->Handles(subject_.kind(), pack_->model());
  });
  if (planner == env_.planners.end()) return asked;
  ASSIGN_OR_RETURN(const TakenOff labels, LabelsTakenOff(env_, subject_, Names(reading.snapshot.labels())));
  v1::Event event = item_.event;
  event.set_kind(v1::Event::KIND_REQUESTED);
  event.set_origin(v1::Event::ORIGIN_COMMAND);
  event.clear_text();
  MarkedSection section(env_.marks, item_.delivery);
  ForgeView view(side_.forge(), ReadCall(), subject_, env_.decisions, env_.recent_files, &section, nullptr);
  const PlanInput input{.event = event,
                        .trigger = Trigger::kAsked,
                        .snapshot = reading.snapshot,
                        .open = reading.open,
                        .pack = pack_,
                        .mode = item_.mode,
                        .our_labels = labels.ours,
                        .asked = options,
                        .view = &view};
  asked.reason = std::string((*planner)->LeaveAlone(input));
  if (!asked.reason.empty()) return asked;
  v1::Plan plan;
  RETURN_IF_ERROR((*planner)->Plan(input, plan));
  ExplainChoice(choice_, plan);
  OnlyWhatPasses(*pack_, Names(reading.snapshot.labels()), labels.removed, plan);
  asked.plan = std::move(plan);
  return asked;
}

}  // namespace yardmaster
