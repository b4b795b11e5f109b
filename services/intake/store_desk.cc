#include "services/intake/store_desk.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "clients/forge/forge_error.h"
#include "services/core/errors.h"
#include "services/core/ids.h"
#include "services/core/status_macros.h"
#include "services/intake/effect.h"
#include "services/intake/forge_view.h"
#include "services/intake/messages.h"
#include "services/intake/pack_choice.h"
#include "services/intake/request.h"
#include "services/intake/snapshot.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using store::DeliveryState;

constexpr milliseconds kReadTimeout{30'000};
constexpr milliseconds kFirstLook{10};
constexpr milliseconds kLongestLook{500};
constexpr int64_t kSimilarInExplanation = 3;

absl::StatusOr<std::optional<v1::Plan>> ReadPlan(const std::string& bytes) {
  v1::Plan plan;
  if (!plan.ParseFromString(bytes)) return errors::StoredValueDamaged("a decision can't be read");
  return std::optional<v1::Plan>(std::move(plan));
}

absl::Status FromForge(const absl::Status& status, const v1::Subject& subject) {
  const std::optional<ForgeError> error = ForgeErrorOf(status);
  if (error.has_value() && error->reason == ForgeReason::kNotFound)
    return errors::SubjectNotOnForge(SubjectKey(subject));
  if (!error.has_value()) return errors::SubjectLeftAlone(SubjectKey(subject), std::string(status.message()));
  return errors::ForgeUnusable(subject.forge(), std::string(status.message()));
}

}  // namespace

void AddSimilarSubjects(store::Subjects& subjects, const v1::IssueSnapshot& snapshot, v1::Plan& plan) {
  store::SimilarQuery query;
  query.title = snapshot.title();
  query.body = snapshot.body();
  query.forge = snapshot.subject().forge();
  query.repository = snapshot.subject().repository();
  query.except = snapshot.subject();
  query.limit = kSimilarInExplanation;
  const absl::StatusOr<std::vector<store::SimilarSubject>> similar = subjects.Similar(query);
  // Good to have; nothing depends on it.
  if (!similar.ok()) return;
  for (const store::SimilarSubject& one : *similar) *plan.mutable_explanation()->add_similar() = ToProto(one);
}

absl::Status StoreDesk::Resolve(const v1::Subject& subject, std::string_view pack, ForgeSide*& side,
                                std::shared_ptr<const rules::CompiledPack>& found) const {
  const auto it = env_.forges.find(subject.forge());
  if (it == env_.forges.end()) return errors::ForgeNotConfigured(subject.forge());
  side = it->second;
  ASSIGN_OR_RETURN(const std::string name, ChoosePack(env_.config, subject.forge(), subject.repository(), pack));
  found = env_.find_pack(name);
  return found == nullptr ? errors::PackUnknown(name, {}) : absl::OkStatus();
}

absl::StatusOr<DeskAnswer> StoreDesk::DecideNow(const v1::Subject& subject, std::string_view pack) {
  ForgeSide* side = nullptr;
  std::shared_ptr<const rules::CompiledPack> found;
  RETURN_IF_ERROR(Resolve(subject, pack, side, found));
  ForgeCall call;
  call.priority = ForgePriority::kCommand;
  call.timeout = kReadTimeout;
  RepositoryChoice choice;
  const RepositoryConfig* entry = env_.config.FindRepository(subject.forge(), subject.repository());
  if (env_.find_choice != nullptr && entry != nullptr && entry->file_for_events) {
    ForgeView view(side->forge(), call, subject, env_.decisions, env_.recent_files, nullptr, nullptr);
    absl::StatusOr<RepositoryChoice> chosen = env_.find_choice(subject, view);
    if (!chosen.ok()) return FromForge(chosen.status(), subject);
    choice = *std::move(chosen);
    // Who names a pack wants that one.
    for (const std::string& name : pack.empty() ? choice.packs : std::vector<std::string>()) {
      const std::shared_ptr<const rules::CompiledPack> other = env_.find_pack(name);
      if (other == nullptr) continue;
      found = other;
      break;
    }
  }
  const auto planner = std::find_if(env_.planners.begin(), env_.planners.end(), [&](const auto& candidate) {
    return candidate->Handles(subject.kind(), found->model());
  });
  if (planner == env_.planners.end()) return errors::PackWithoutRubric(found->model().name);
  const absl::StatusOr<std::string> login = side->Login(call);
  if (!login.ok()) return FromForge(login.status(), subject);
  const absl::StatusOr<SubjectReading> reading = ReadSubject(side->forge(), call, subject, *login);
  if (!reading.ok()) return FromForge(reading.status(), subject);

  v1::Event event;
  event.set_origin(v1::Event::ORIGIN_COMMAND);
  event.set_kind(v1::Event::KIND_REQUESTED);
  *event.mutable_subject() = subject;
  const PlanInput input{.event = event,
                        .trigger = Trigger::kAsked,
                        .snapshot = reading->snapshot,
                        .open = reading->open,
                        .pack = found,
                        .mode = v1::MODE_DRY_RUN,
                        .our_labels = {}};
  DeskAnswer answer;
  RETURN_IF_ERROR((*planner)->Plan(input, answer.plan));
  v1::Plan& plan = answer.plan;
  ExplainChoice(choice, plan);
  *plan.mutable_labels_before() = reading->snapshot.labels();
  AddSimilarSubjects(env_.subjects, reading->snapshot, plan);
  plan.set_id(env_.new_decision_id());
  *plan.mutable_created_at() = ToTimestamp(env_.clock.Now());
  store::NewDecision decision;
  decision.id = plan.id();
  decision.subject = subject;
  decision.pack = plan.pack();
  decision.pack_revision = plan.pack_revision();
  // Without a digest: a person's question decides nothing for events that come.
  decision.mode = plan.mode();
  decision.plan = plan.SerializeAsString();
  RETURN_IF_ERROR(env_.decisions.Put(decision));
  return answer;
}

absl::StatusOr<DeskAnswer> StoreDesk::Apply(const v1::Subject& subject, std::string_view pack, std::string_view actor,
                                            const std::function<absl::Status()>& alive) {
  ForgeSide* side = nullptr;
  std::shared_ptr<const rules::CompiledPack> found;
  RETURN_IF_ERROR(Resolve(subject, pack, side, found));
  SubjectRequest request;
  request.subject = subject;
  request.origin = v1::Event::ORIGIN_COMMAND;
  request.actor = actor;
  request.pack = pack;
  ASSIGN_OR_RETURN(const store::AddResult added, env_.inbox.AddAndWait(MakeRequest(request, NewId("request-"))));
  milliseconds look = kFirstLook;
  absl::StatusOr<store::Delivery> delivery = env_.inbox.Get(added.id);
  while (delivery.ok() && delivery->state == DeliveryState::kReceived) {
    RETURN_IF_ERROR(alive());
    std::this_thread::sleep_for(look);
    look = std::min(look * 2, kLongestLook);
    delivery = env_.inbox.Get(added.id);
  }
  if (!delivery.ok()) return delivery.status();
  const std::string key = SubjectKey(subject);
  if (delivery->state == DeliveryState::kIgnored) {
    if (delivery->reason == "subject-gone") return errors::SubjectNotOnForge(key);
    return errors::SubjectLeftAlone(key, delivery->reason);
  }
  if (delivery->state != DeliveryState::kDone) return errors::WorkGivenUp(key, delivery->reason);

  ASSIGN_OR_RETURN(const std::optional<store::Decision> latest, env_.decisions.Latest(subject));
  if (!latest.has_value()) return errors::SubjectWithoutDecision(key);
  ASSIGN_OR_RETURN(std::optional<v1::Plan> plan, ReadPlan(latest->plan));
  DeskAnswer answer;
  answer.plan = *std::move(plan);
  store::EffectFilter filter;
  filter.decision = answer.plan.id();
  ASSIGN_OR_RETURN(store::Page<store::Effect> effects, env_.ledger.List(filter, {0, 100}));
  std::reverse(effects.items.begin(), effects.items.end());
  for (const store::Effect& effect : effects.items) answer.effects.push_back(ToProto(effect));
  return answer;
}

absl::StatusOr<std::optional<v1::Plan>> StoreDesk::FindById(std::string_view id) {
  const absl::StatusOr<store::Decision> decision = env_.decisions.Get(id);
  if (absl::IsNotFound(decision.status())) return std::optional<v1::Plan>();
  if (!decision.ok()) return decision.status();
  return ReadPlan(decision->plan);
}

absl::StatusOr<std::optional<v1::Plan>> StoreDesk::FindBySubject(const v1::Subject& subject) {
  ASSIGN_OR_RETURN(const std::optional<store::Decision> decision, env_.decisions.Latest(subject));
  if (!decision.has_value()) return std::optional<v1::Plan>();
  return ReadPlan(decision->plan);
}

}  // namespace yardmaster
