#include "services/intake/service/on_demand_decider.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/config/pack_choice.h"
#include "services/core/errors.h"
#include "services/core/ids.h"
#include "services/core/reasons.h"
#include "services/core/status_macros.h"
#include "services/intake/pipeline/request.h"
#include "services/intake/plans/decide.h"
#include "services/intake/plans/decision_keeper.h"
#include "services/intake/service/messages.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using store::DeliveryState;

constexpr milliseconds kFirstLook{10};
constexpr milliseconds kLongestLook{500};
constexpr int64_t kMaxEffectsShown = 100;

// What an outcome that is no decision means for the caller.
absl::Status ErrorOf(const Outcome& outcome, const v1::Subject& subject) {
  const std::string key = SubjectKey(subject);
  const std::string_view word = reasons::CodeOf(outcome.reason);
  if (outcome.kind == Outcome::Kind::kIgnored && word == reasons::kGone) return errors::SubjectNotOnForge(key);
  if (outcome.kind == Outcome::Kind::kIgnored) return errors::SubjectSkipped(key, outcome.reason);
  if (word == reasons::kPlanningFailed) return errors::WorkAbandoned(key, outcome.reason);
  return errors::ForgeUnusable(subject.forge(), outcome.reason);
}

absl::StatusOr<std::optional<v1::Plan>> ForPeople(const std::string& stored) {
  ASSIGN_OR_RETURN(v1::Plan plan, ReadPlan(stored));
  DropPacks(plan);
  return std::optional(std::move(plan));
}

v1::Event RequestedEvent(const v1::Subject& subject) {
  v1::Event event;
  event.set_origin(v1::Event::ORIGIN_COMMAND);
  event.set_kind(v1::Event::KIND_REQUESTED);
  *event.mutable_subject() = subject;
  return event;
}

}  // namespace

absl::StatusOr<std::vector<PackRoute>> PipelineDecider::Routes(const v1::Subject& subject, std::string_view pack,
                                                               const v1::Event& event) const {
  if (!env_.forges.contains(subject.forge())) return errors::ForgeNotConfigured(subject.forge());
  ASSIGN_OR_RETURN(const std::string chosen, ChoosePack(env_.config, subject.forge(), subject.repository(), pack));
  std::vector<std::string> names = {chosen};
  if (pack.empty()) names = env_.config.FindRepository(subject.forge(), subject.repository())->packs;
  std::vector<PackRoute> routes;
  for (const std::string& name : names) {
    const std::shared_ptr<const rules::CompiledPack> found = env_.find_pack(name);
    if (found == nullptr) continue;
    for (const auto& planner : env_.planners) {
      if (!planner->Handles(subject.kind(), found->model())) continue;
      const TriggerResult wanted = planner->TriggerFor({event, {}, {}, {}}, found->model(), nullptr);
      if (wanted.trigger == Trigger::kNone) continue;
      routes.push_back({name, planner, Trigger::kManual, /*commands=*/false, {}});
      break;
    }
  }
  if (env_.find_pack(chosen) == nullptr) return errors::PackUnknown(chosen, {});
  if (routes.empty()) return errors::PackWithoutRubric(chosen);
  return routes;
}

absl::StatusOr<DecisionAnswer> PipelineDecider::DecideNow(const v1::Subject& subject, std::string_view pack) {
  return DecideAbout(RequestedEvent(subject), pack);
}

absl::StatusOr<DecisionAnswer> PipelineDecider::Preview(const v1::Subject& subject, std::string_view pack,
                                                        const v1::PullOperation& operation) {
  v1::Event event = RequestedEvent(subject);
  *event.mutable_operation() = operation;
  return DecideAbout(event, pack);
}

absl::StatusOr<DecisionAnswer> PipelineDecider::DecideAbout(const v1::Event& event, std::string_view pack) {
  const v1::Subject& subject = event.subject();
  ASSIGN_OR_RETURN(const std::vector<PackRoute> routes, Routes(subject, pack, event));
  SubjectRun run(env_, subject, /*delivery=*/0, ForgePriority::kCommand);
  const auto decide = [&](DecisionAnswer& answer) -> Outcome {
    RETURN_UNLESS_DONE(run.Open());
    RETURN_UNLESS_DONE(run.Choose(routes, v1::MODE_DRY_RUN, !pack.empty()));
    SubjectReading reading;
    RETURN_UNLESS_DONE(run.Read(reading));
    DecisionKeeper keeper(run, v1::MODE_DRY_RUN);
    return Decide(run,
                  {.event = event,
                   .planner = *run.route().planner,
                   .trigger = Trigger::kManual,
                   .reading = reading,
                   .keeper = &keeper},
                  answer.plan);
  };
  DecisionAnswer answer;
  const Outcome outcome = decide(answer);
  if (!outcome.done()) return ErrorOf(outcome, subject);
  DropPacks(answer.plan);
  return answer;
}

absl::StatusOr<DecisionAnswer> PipelineDecider::Apply(const v1::Subject& subject, std::string_view pack,
                                                      std::string_view actor,
                                                      const std::function<absl::Status()>& alive) {
  return StartGate(subject, pack, actor, /*gate=*/"", alive);
}

absl::StatusOr<DecisionAnswer> PipelineDecider::StartGate(const v1::Subject& subject, std::string_view pack,
                                                          std::string_view actor, std::string_view gate,
                                                          const std::function<absl::Status()>& alive) {
  SubjectRequest request;
  request.subject = subject;
  request.actor = actor;
  request.pack = pack;
  request.gate = gate;
  return Request(std::move(request), alive);
}

absl::StatusOr<DecisionAnswer> PipelineDecider::Operate(const v1::Subject& subject, std::string_view pack,
                                                        std::string_view actor, const v1::PullOperation& operation,
                                                        const std::function<absl::Status()>& alive) {
  SubjectRequest request;
  request.subject = subject;
  request.actor = actor;
  request.pack = pack;
  request.operation = operation;
  return Request(std::move(request), alive);
}

absl::StatusOr<DecisionAnswer> PipelineDecider::Request(SubjectRequest request,
                                                        const std::function<absl::Status()>& alive) {
  const v1::Subject& subject = request.subject;
  if (!env_.forges.contains(subject.forge())) return errors::ForgeNotConfigured(subject.forge());
  ASSIGN_OR_RETURN(const std::string chosen,
                   ChoosePack(env_.config, subject.forge(), subject.repository(), request.pack));
  if (env_.find_pack(chosen) == nullptr) return errors::PackUnknown(chosen, {});
  request.origin = v1::Event::ORIGIN_COMMAND;
  ASSIGN_OR_RETURN(const store::AddResult added, env_.inbox.AddAndWait(MakeRequest(request, NewId("request-"))));
  milliseconds look = kFirstLook;
  ASSIGN_OR_RETURN(store::Delivery delivery, env_.inbox.Get(added.id));
  while (delivery.state == DeliveryState::kReceived) {
    RETURN_IF_ERROR(alive());
    std::this_thread::sleep_for(look);
    look = std::min(look * 2, kLongestLook);
    ASSIGN_OR_RETURN(delivery, env_.inbox.Get(added.id));
  }
  const std::string key = SubjectKey(subject);
  if (delivery.state == DeliveryState::kIgnored) return ErrorOf(Outcome::Ignored(delivery.reason), subject);
  if (delivery.state != DeliveryState::kDone) return errors::WorkAbandoned(key, delivery.reason);

  ASSIGN_OR_RETURN(std::optional<v1::Plan> plan, FindBySubject(subject));
  if (!plan.has_value()) return errors::SubjectWithoutDecision(key);
  DecisionAnswer answer;
  answer.plan = *std::move(plan);
  store::EffectFilter filter;
  filter.decision = answer.plan.id();
  ASSIGN_OR_RETURN(store::Page<store::Effect> effects, env_.ledger.List(filter, {0, kMaxEffectsShown}));
  absl::c_reverse(effects.items);
  for (const store::Effect& effect : effects.items) answer.effects.push_back(ToProto(effect));
  return answer;
}

absl::StatusOr<std::optional<v1::Plan>> PipelineDecider::FindById(std::string_view id) {
  const absl::StatusOr<store::Decision> decision = env_.decisions.Get(id);
  if (absl::IsNotFound(decision.status())) return std::optional<v1::Plan>();
  if (!decision.ok()) return decision.status();
  return ForPeople(decision->plan);
}

absl::StatusOr<std::optional<v1::Plan>> PipelineDecider::FindBySubject(const v1::Subject& subject) {
  ASSIGN_OR_RETURN(const std::optional<store::Decision> decision, env_.decisions.Latest(subject));
  if (!decision.has_value()) return std::optional<v1::Plan>();
  return ForPeople(decision->plan);
}

}  // namespace yardmaster
