#include "services/intake/subject_work.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "clients/forge/forge_error.h"
#include "rules/engine/guardrails.h"
#include "services/core/status_macros.h"
#include "services/intake/command_work.h"
#include "services/intake/forge_view.h"
#include "services/intake/guarded_action.h"
#include "services/intake/kept_decision.h"
#include "services/intake/reasons.h"
#include "services/intake/snapshot.h"
#include "services/intake/store_desk.h"
#include "services/intake/work_results.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using store::DeliveryState;

// Reading a subject: issue and all comments.
constexpr milliseconds kReadTimeout{30'000};
// A subject that people change faster than we can write is tried again later.
constexpr int kMaxReplans = 5;

ForgePriority PriorityOf(const WorkItem& item) {
  if (item.event.origin() == v1::Event::ORIGIN_SWEEP) return ForgePriority::kSweep;
  return item.route.trigger == Trigger::kAsked ? ForgePriority::kCommand : ForgePriority::kEvent;
}

}  // namespace

// One run. Lives on the stack.
class SubjectWork::Attempt {
 public:
  Attempt(const WorkEnvironment& env, const WorkItem& item) : env_(env), item_(item), subject_(item.event.subject()) {}

  WorkResult Run();

 private:
  // What the repository's file chooses: pack and mode. nullopt: go on.
  std::optional<WorkResult> Choose();
  // What the planner wants for the event.
  WorkResult PlanAll();
  // One plan, from reading to writing. nullopt: the subject changed meanwhile, make another.
  std::optional<WorkResult> PlanOnce();
  // Decides; `reason` is set instead of the plan where the subject is left alone.
  std::optional<WorkResult> Decide(const SubjectReading& reading, v1::Plan& plan);
  // A plan that this delivery led to before a wait or a restart, if the subject is still what it was made for, or what
  // it has made of it.
  absl::StatusOr<bool> Resume(const std::string& digest, const SubjectReading& reading, v1::Plan& plan);
  // Whether another delivery's decision about the same input stands.
  absl::StatusOr<bool> AlreadyDecided(const std::string& digest, const rules::PackModel& pack);
  std::optional<WorkResult> Write(const SubjectReading& reading, const v1::Plan& plan);
  // The end of work that decided something or left the subject alone on purpose.
  WorkResult Finish(const SubjectReading& reading, WorkResult result);

  ForgeCall ReadCall() const {
    ForgeCall call;
    call.priority = PriorityOf(item_);
    call.timeout = kReadTimeout;
    return call;
  }

  const WorkEnvironment& env_;
  WorkItem item_;  // as the repository's file narrows it
  const v1::Subject& subject_;
  RepositoryChoice choice_;
  ForgeSide* side_ = nullptr;
  std::string login_;
  std::shared_ptr<const rules::CompiledPack> pack_;
  std::unique_ptr<rules::Guardrails> guardrails_;
  std::vector<std::string> ours_;     // labels that we put on by our own decision
  std::vector<std::string> removed_;  // labels that people took off
  std::set<std::string> wanted_;      // keys of the effects of this run's plan
};

WorkResult SubjectWork::Attempt::Run() {
  const auto side = env_.forges.find(subject_.forge());
  if (side == env_.forges.end())
    return Settled(DeliveryState::kFailed, reasons::WithDetail(reasons::kForgeFailed, "the forge is not configured"));
  side_ = side->second;
  const absl::StatusOr<std::string> login = side_->Login(ReadCall());
  if (!login.ok()) return FromStep(FromForgeError(login.status()), reasons::kForgeFailed);
  login_ = *login;
  // Known only now, perhaps: the router asks nobody.
  if (item_.event.origin() == v1::Event::ORIGIN_WEBHOOK && SameLogin(item_.event.actor(), login_)) {
    return Ignored(reasons::kOwnAction);
  }

  // 1. What an earlier run may have sent comes first: nothing is planned on top of it.
  const EffectContext look{side_->forge(), ReadCall(), login_};
  if (const StepResult step = env_.effects.SettleOpen(subject_, look, side_->settle()); !step.done()) {
    return FromStep(step, reasons::kEffectFailed);
  }

  // 2. The pack, as it is in service now.
  if (std::optional<WorkResult> result = Choose(); result.has_value()) return *std::move(result);
  if (item_.route.planner == nullptr && !item_.route.commands) {
    if (item_.seen.has_value()) {
      const absl::Status noted = env_.subjects.Put(*item_.seen);
      if (!noted.ok()) return FromStep(FromStoreError(noted), "");
    }
    return Ignored(item_.route.why_not);
  }
  pack_ = env_.find_pack(item_.route.pack);
  if (pack_ == nullptr) return Ignored(reasons::kNoPack, item_.route.pack);
  guardrails_ = GuardrailsOf(*pack_);

  // 3. What people ask for comes before what we would do on our own.
  std::optional<WorkResult> commands;
  if (item_.route.commands && env_.commands != nullptr && env_.command_planner != nullptr) {
    commands = CommandWork(env_, item_, choice_, *side_, login_, pack_).Run();
    if (item_.route.planner == nullptr || commands->kind != WorkResult::Kind::kSettled) return *std::move(commands);
  }
  WorkResult planned = item_.route.planner == nullptr ? Ignored(reasons::kNoPlanner) : PlanAll();
  if (!commands.has_value() || planned.kind != WorkResult::Kind::kSettled) return planned;
  // Both are over: the delivery is what the worse of them is, and done if one of them did something.
  if (commands->state == DeliveryState::kFailed) return *std::move(commands);
  if (planned.state == DeliveryState::kIgnored && commands->state == DeliveryState::kDone) return *std::move(commands);
  return planned;
}

std::optional<WorkResult> SubjectWork::Attempt::Choose() {
  // A call to the forge only where the file could change something.
  if (env_.find_choice == nullptr || !item_.ask_file) return std::nullopt;
  if (item_.mode != v1::MODE_APPLY && item_.others.empty()) return std::nullopt;
  MarkedSection section(env_.marks, item_.delivery);
  ForgeView view(side_->forge(), ReadCall(), subject_, env_.decisions, env_.recent_files, &section, nullptr);
  absl::StatusOr<RepositoryChoice> choice = env_.find_choice(subject_, view);
  section.Pause();
  if (!choice.ok()) return FromRead(choice.status());
  choice_ = *std::move(choice);
  // The first of its packs that is in service.
  for (const std::string& pack : choice_.packs) {
    if (pack == item_.route.pack) break;
    const auto other = std::find_if(item_.others.begin(), item_.others.end(),
                                    [&](const PackRoute& route) { return route.pack == pack; });
    if (other == item_.others.end()) continue;
    item_.route = *other;
    break;
  }
  if (choice_.dry_run) item_.mode = v1::MODE_DRY_RUN;
  return std::nullopt;
}

WorkResult SubjectWork::Attempt::PlanAll() {
  // A broken file forbids what is decided about issues; what is said about a pull request may be what mends it.
  if (choice_.broken && subject_.kind() == v1::SUBJECT_KIND_ISSUE) item_.mode = v1::MODE_DRY_RUN;
  // Read, plan, write; again if somebody changed the subject meanwhile.
  for (int i = 0; i < kMaxReplans; ++i) {
    if (std::optional<WorkResult> result = PlanOnce(); result.has_value()) return *std::move(result);
  }
  WorkResult busy;
  busy.kind = WorkResult::Kind::kWait;
  busy.delay = milliseconds(10'000);
  busy.reason = "the subject keeps changing";
  return busy;
}

std::optional<WorkResult> SubjectWork::Attempt::PlanOnce() {
  wanted_.clear();
  const absl::StatusOr<SubjectReading> reading = ReadSubject(side_->forge(), ReadCall(), subject_, login_);
  if (!reading.ok()) return FromRead(reading.status());

  const auto& on_it = reading->snapshot.labels();
  absl::StatusOr<TakenOff> labels = LabelsTakenOff(env_, subject_, {on_it.begin(), on_it.end()});
  if (!labels.ok()) return FromStep(FromStoreError(labels.status()), "");
  ours_ = std::move(labels->ours);
  removed_ = std::move(labels->removed);

  v1::Plan plan;
  if (std::optional<WorkResult> left_alone = Decide(*reading, plan); left_alone.has_value()) {
    if (left_alone->kind != WorkResult::Kind::kSettled || left_alone->state == DeliveryState::kFailed)
      return left_alone;
    return Finish(*reading, *std::move(left_alone));
  }
  if (plan.mode() == v1::MODE_APPLY) {
    std::optional<WorkResult> result = Write(*reading, plan);
    if (!result.has_value()) return std::nullopt;
    if (result->kind != WorkResult::Kind::kSettled) return result;
    return Finish(*reading, *std::move(result));
  }
  return Finish(*reading, Settled(DeliveryState::kDone));
}

std::optional<WorkResult> SubjectWork::Attempt::Decide(const SubjectReading& reading, v1::Plan& plan) {
  MarkedSection section(env_.marks, item_.delivery);
  ForgeView view(side_->forge(), ReadCall(), subject_, env_.decisions, env_.recent_files, &section, nullptr);
  PlanInput input{.event = item_.event,
                  .trigger = item_.route.trigger,
                  .snapshot = reading.snapshot,
                  .open = reading.open,
                  .pack = pack_,
                  .mode = item_.mode,
                  .our_labels = {},
                  .view = &view};
  const auto& labels = reading.snapshot.labels();
  for (const std::string& label : ours_) {
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) input.our_labels.push_back(label);
  }
  // Our own code on texts from outside is what the section marks: this is where a body could break us.
  const std::string digest = item_.route.planner->Digest(input);
  section.Pause();
  const absl::StatusOr<bool> resumed = Resume(digest, reading, plan);
  if (!resumed.ok()) return FromStep(FromStoreError(resumed.status()), "");
  if (*resumed) return std::nullopt;
  section.Resume();
  if (const std::string_view word = item_.route.planner->LeaveAlone(input); !word.empty()) return Ignored(word);
  section.Pause();
  if (item_.route.trigger != Trigger::kAsked) {
    const absl::StatusOr<bool> decided = AlreadyDecided(digest, pack_->model());
    if (!decided.ok()) return FromStep(FromStoreError(decided.status()), "");
    if (*decided) return Ignored(reasons::kDecided);
  }
  section.Resume();
  const absl::Status planned = item_.route.planner->Plan(input, plan);
  section.Pause();
  if (!planned.ok() && ForgeErrorOf(planned).has_value()) return FromRead(planned);
  if (!planned.ok()) {
    return Settled(DeliveryState::kFailed,
                   reasons::WithDetail(reasons::kPlanningFailed, std::string(planned.message())));
  }
  ExplainChoice(choice_, plan);
  // Comments that are updated in place: what a later delivery says replaces what an earlier one said.
  for (v1::Action& action : *plan.mutable_actions()) {
    if (action.has_answer_comment()) action.mutable_answer_comment()->set_revision(item_.delivery);
  }
  *plan.mutable_labels_before() = reading.snapshot.labels();
  AddSimilarSubjects(env_.subjects, reading.snapshot, plan);
  if (const absl::Status kept = KeepDecision(env_, item_, digest, plan); !kept.ok()) {
    return FromStep(FromStoreError(kept), "");
  }
  return std::nullopt;
}

absl::StatusOr<bool> SubjectWork::Attempt::AlreadyDecided(const std::string& digest, const rules::PackModel& pack) {
  // A dry run settles nothing for a run that may write.
  std::optional<v1::Mode> mode;
  if (item_.mode == v1::MODE_APPLY) mode = v1::MODE_APPLY;
  ASSIGN_OR_RETURN(const std::optional<store::Decision> same,
                   env_.decisions.FindSame(subject_, digest, pack.name, pack.revision, mode));
  if (!same.has_value()) return false;
  const int64_t delivery = same->delivery;
  // Ours: this run continues it.
  if (delivery == item_.delivery) return false;
  if (delivery == 0) return true;
  // A decision that was never carried out to its end decides nothing.
  const absl::StatusOr<store::Delivery> origin = env_.inbox.Get(delivery);
  if (absl::IsNotFound(origin.status())) return true;  // so old that it is no longer kept
  if (!origin.ok()) return origin.status();
  return origin->state == DeliveryState::kDone;
}

absl::StatusOr<bool> SubjectWork::Attempt::Resume(const std::string& digest, const SubjectReading& reading,
                                                  v1::Plan& plan) {
  ASSIGN_OR_RETURN(const std::optional<store::Decision> latest, env_.decisions.Latest(subject_));
  if (!latest.has_value()) return false;
  const store::Decision& decision = *latest;
  if (decision.delivery != item_.delivery || decision.input_digest != digest || decision.mode != item_.mode ||
      decision.pack != pack_->model().name || decision.pack_revision != pack_->model().revision || !reading.open) {
    return false;
  }
  v1::Plan before;
  if (!before.ParseFromString(decision.plan)) return false;
  // The labels are those of then, perhaps with some that the plan adds: nobody else changed them.
  const auto has = [](const auto& labels, const std::string& label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  for (const std::string& label : before.labels_before()) {
    if (!has(reading.snapshot.labels(), label)) return false;
  }
  for (const std::string& label : reading.snapshot.labels()) {
    if (!has(before.labels_before(), label) && !has(before.applied(), label)) return false;
  }
  plan = std::move(before);
  return true;
}

std::optional<WorkResult> SubjectWork::Attempt::Write(const SubjectReading& reading, const v1::Plan& plan) {
  StepResult failed;
  SubjectReading expected = reading;
  for (const v1::Action& action : plan.actions()) {
    // Right before writing: is it still the subject that the plan was made for?
    const absl::StatusOr<ForgeIssue> now = side_->forge().GetIssue(ReadCall(), ForgeSubjectOf(subject_));
    if (!now.ok()) return FromRead(now.status());
    if (Differs(expected, *now)) return std::nullopt;
    const std::optional<v1::Action> guarded = GuardedAction(guardrails_.get(), plan, action, now->labels, removed_);
    if (!guarded.has_value()) continue;

    ForgeCall call = ReadCall();
    call.timeout = side_->WriteTimeout();
    const EffectContext context{side_->forge(), call, login_};
    std::string key;
    const StepResult step =
        env_.effects.CarryOut(plan, *guarded, item_.delivery, item_.started, context, side_->settle(), key);
    wanted_.insert(key);
    if (step.kind == StepResult::Kind::kFailed) {
      // The other actions do not depend on it.
      failed = step;
    } else if (!step.done()) {
      return FromStep(step, "");
    } else if (guarded->has_add_labels()) {
      for (const std::string& label : guarded->add_labels().labels()) expected.snapshot.add_labels(label);
    }
  }
  if (failed.kind == StepResult::Kind::kFailed) return FromStep(failed, reasons::kEffectFailed);
  return Settled(DeliveryState::kDone);
}

WorkResult SubjectWork::Attempt::Finish(const SubjectReading& reading, WorkResult result) {
  // Intents that an earlier plan left behind and this one does not want.
  const absl::Status abandoned = env_.effects.Abandon(subject_, wanted_);
  if (!abandoned.ok()) return FromStep(FromStoreError(abandoned), "");
  // Issues only: pull requests would be found as issues that are alike.
  if (subject_.kind() != v1::SUBJECT_KIND_ISSUE) return result;
  // Last: after a crash before this line the same delivery must not look like an edit that changes nothing.
  store::SeenSubject seen;
  seen.subject = subject_;
  seen.title = reading.snapshot.title();
  seen.body = reading.snapshot.body();
  seen.labels = reading.facts.labels.value_or(std::vector<std::string>());
  seen.state = reading.open ? "open" : "closed";
  seen.author = reading.snapshot.author();
  seen.digest = reading.facts.Digest();
  const absl::Status noted = env_.subjects.Put(seen);
  if (!noted.ok()) return FromStep(FromStoreError(noted), "");
  return result;
}

WorkResult SubjectWork::Run(const WorkItem& item) { return Attempt(env_, item).Run(); }

absl::Status SubjectWork::GiveUp(const v1::Subject& subject, int64_t delivery, std::string_view reason) {
  return env_.effects.GiveUp(subject, delivery, reason);
}

}  // namespace yardmaster
