#include "services/intake/service/intake_service.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "clients/forge/forge_event.h"
#include "services/core/config/pack_choice.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/messages/issue_snapshot.h"
#include "services/core/messages/timestamps.h"
#include "services/core/reasons.h"
#include "services/core/repository_name.h"
#include "services/core/rpc/pooled_rpc.h"
#include "services/core/status_macros.h"
#include "services/intake/effect.h"
#include "services/intake/plans/similar_subjects.h"
#include "services/intake/service/messages.h"
#include "services/intake/service/on_demand_decider.h"

namespace yardmaster {
namespace {

#define YARDMASTER_INTAKE_METHOD(name) "/yardmaster.v1.IntakeService/" name
constexpr std::string_view kListDeliveries = YARDMASTER_INTAKE_METHOD("ListDeliveries");
constexpr std::string_view kShowDelivery = YARDMASTER_INTAKE_METHOD("ShowDelivery");
constexpr std::string_view kReplayDelivery = YARDMASTER_INTAKE_METHOD("ReplayDelivery");
constexpr std::string_view kGetPending = YARDMASTER_INTAKE_METHOD("GetPending");
constexpr std::string_view kListNotices = YARDMASTER_INTAKE_METHOD("ListNotices");
constexpr std::string_view kListDecisions = YARDMASTER_INTAKE_METHOD("ListDecisions");
constexpr std::string_view kListEffects = YARDMASTER_INTAKE_METHOD("ListEffects");
constexpr std::string_view kShowEffect = YARDMASTER_INTAKE_METHOD("ShowEffect");
constexpr std::string_view kSettleEffect = YARDMASTER_INTAKE_METHOD("SettleEffect");
constexpr std::string_view kAbandonEffect = YARDMASTER_INTAKE_METHOD("AbandonEffect");
constexpr std::string_view kListDeadLetters = YARDMASTER_INTAKE_METHOD("ListDeadLetters");
constexpr std::string_view kRequeueDeadLetters = YARDMASTER_INTAKE_METHOD("RequeueDeadLetters");
constexpr std::string_view kSweep = YARDMASTER_INTAKE_METHOD("Sweep");
constexpr std::string_view kFindSimilar = YARDMASTER_INTAKE_METHOD("FindSimilar");
#undef YARDMASTER_INTAKE_METHOD

// The reason of an effect that an operator gave up.
constexpr std::string_view kAbandoned = "abandoned by an operator";
constexpr int64_t kDefaultPage = 50;
constexpr int64_t kDefaultSimilar = 5;
// Between messages of a sweep that nothing changes in: so that a caller who has gone is noticed.
constexpr std::chrono::milliseconds kSweepTick{1'000};
// The first message of a sweep comes at once.
constexpr uint64_t kNoVersion = ~uint64_t{0};

store::PageRequest PageOf(const v1::PageRequest& page) {
  return {page.before(), page.limit() <= 0 ? kDefaultPage : page.limit()};
}

absl::Status CheckName(std::string_view field, std::string_view value) {
  if (value.size() > kMaxNameBytes) return errors::OverLimit(field, value.size(), kMaxNameBytes, "bytes");
  return absl::OkStatus();
}

// `Key`: EffectKey or a message with the same fields.
template <typename Key>
absl::StatusOr<store::Effect> FindEffect(store::Ledger& ledger, const Key& key) {
  if (key.which_case() == Key::WHICH_NOT_SET) return errors::FieldMissing("id or key");
  RETURN_IF_ERROR(CheckName("key", key.key()));
  return key.which_case() == Key::kId ? ledger.Get(key.id()) : ledger.Find(key.key());
}

// A filter's subject, if one was given.
absl::StatusOr<std::optional<v1::Subject>> SubjectOf(bool has, const v1::Subject& subject) {
  if (!has) return std::optional<v1::Subject>();
  RETURN_IF_ERROR(CheckSubject(subject));
  return std::optional<v1::Subject>(subject);
}

v1::SweepResponse ToProto(const SweepRunner::Run::State& state) {
  v1::SweepResponse out;
  out.set_found(state.progress.found);
  out.set_done(state.progress.done);
  out.set_ignored(state.progress.ignored);
  out.set_failed(state.progress.failed);
  if (state.progress.subject.number() > 0) *out.mutable_subject() = state.progress.subject;
  out.set_finished(state.finished);
  if (state.finished && !state.status.ok()) out.set_error(std::string(state.status.message()));
  return out;
}

// Follows one sweep. A thread of the pool waits for changes and hands each to gRPC, one write at a time.
class SweepReactor final : public grpc::ServerWriteReactor<v1::SweepResponse> {
 public:
  SweepReactor(const RpcEnvironment& env, grpc::CallbackServerContext& context) : call_(env, context, kSweep) {}

  RpcCall& call() { return call_; }

  void Begin(Executor& executor, std::shared_ptr<SweepRunner::Run> run) {
    run_ = std::move(run);
    if (!executor.Run([this] { Follow(); })) End(errors::TooManyLongCalls());
  }
  void End(const absl::Status& status) { Finish(call_.Finish(status)); }

  void OnWriteDone(bool ok) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      writing_ = false;
      broken_ = broken_ || !ok;
    }
    written_.notify_all();
  }
  void OnDone() override { delete this; }

 private:
  void Follow() {
    uint64_t version = kNoVersion;
    while (true) {
      const SweepRunner::Run::State state = run_->WaitForChange(version, kSweepTick);
      if (absl::Status status = call_.CheckAlive(); !status.ok()) return End(status);
      if (state.version == version) continue;
      version = state.version;
      message_ = ToProto(state);
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        writing_ = true;
      }
      StartWrite(&message_);
      std::unique_lock<std::mutex> lock(mutex_);
      written_.wait(lock, [&] { return !writing_; });
      const bool broken = broken_;
      lock.unlock();
      if (broken) return End(errors::CallCancelled());
      if (state.finished) return End(absl::OkStatus());
    }
  }

  RpcCall call_;
  std::shared_ptr<SweepRunner::Run> run_;
  v1::SweepResponse message_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable written_;
  bool writing_ = false;
  bool broken_ = false;
};

}  // namespace

IntakeServiceImpl::IntakeServiceImpl(const RpcEnvironment& env, Executor& executor, IntakeParts parts)
    : env_(env), executor_(executor), parts_(std::move(parts)) {}

template <typename Work>
grpc::ServerUnaryReactor* IntakeServiceImpl::Handle(grpc::CallbackServerContext* context, std::string_view method,
                                                    Work work) {
  return HandlePooledUnary(executor_, env_, *context, method,
                           [this, work = std::move(work)](const RpcCall&) -> absl::Status {
                             if (parts_.store == nullptr) return errors::StoreAbsent();
                             return work(*parts_.store);
                           });
}

absl::StatusOr<store::Delivery> IntakeServiceImpl::FindDelivery(const v1::DeliveryKey& key) {
  store::Inbox& inbox = parts_.store->inbox();
  if (key.key_case() == v1::DeliveryKey::kId) return inbox.Get(key.id());
  if (key.delivery_id().empty()) return errors::FieldMissing("delivery");
  RETURN_IF_ERROR(CheckName("delivery_id", key.delivery_id()));
  store::DeliveryFilter filter;
  filter.delivery_id = key.delivery_id();
  ASSIGN_OR_RETURN(store::Page<store::Delivery> page, inbox.List(filter, {0, 1}));
  if (page.items.empty()) return errors::DeliveryUnknown(key.delivery_id());
  return std::move(page.items.front());
}

grpc::ServerUnaryReactor* IntakeServiceImpl::ListDeliveries(grpc::CallbackServerContext* context,
                                                            const v1::ListDeliveriesRequest* request,
                                                            v1::ListDeliveriesResponse* response) {
  return Handle(context, kListDeliveries, [request, response](store::Store& store) -> absl::Status {
    for (const std::string* name : {&request->forge(), &request->delivery_id(), &request->event()}) {
      RETURN_IF_ERROR(CheckName("a filter", *name));
    }
    store::DeliveryFilter filter;
    filter.forge = request->forge();
    filter.delivery_id = request->delivery_id();
    filter.event = request->event();
    filter.state = FromProto(request->state());
    ASSIGN_OR_RETURN(std::optional<v1::Subject> subject, SubjectOf(request->has_subject(), request->subject()));
    filter.subject = std::move(subject);
    ASSIGN_OR_RETURN(const store::Page<store::Delivery> page, store.inbox().List(filter, PageOf(request->page())));
    for (const store::Delivery& delivery : page.items) *response->add_deliveries() = ToProto(delivery);
    response->set_next(page.next);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* IntakeServiceImpl::ShowDelivery(grpc::CallbackServerContext* context,
                                                          const v1::ShowDeliveryRequest* request,
                                                          v1::ShowDeliveryResponse* response) {
  return Handle(context, kShowDelivery, [this, request, response](store::Store& store) -> absl::Status {
    ASSIGN_OR_RETURN(const store::Delivery delivery, FindDelivery(request->delivery()));
    *response->mutable_delivery() = ToProto(delivery);
    for (const auto& [name, value] : delivery.headers) {
      response->add_headers()->append(name).append(": ").append(value);
    }
    if (!request->omit_body() && delivery.body_kept) {
      absl::StatusOr<std::string> body = store.inbox().Body(delivery.id);
      if (!body.ok() && !absl::IsNotFound(body.status())) return body.status();
      if (body.ok()) response->set_body(*std::move(body));
    }
    if (delivery.subject.number() > 0) {
      store::EffectFilter filter;
      filter.subject = delivery.subject;
      ASSIGN_OR_RETURN(store::Page<store::Effect> effects, store.ledger().List(filter, {0, 200}));
      std::reverse(effects.items.begin(), effects.items.end());
      for (const store::Effect& effect : effects.items) {
        if (effect.delivery == delivery.id) *response->add_effects() = ToProto(effect);
      }
    }
    return absl::OkStatus();
  });
}

absl::Status IntakeServiceImpl::Requeue(int64_t id) {
  RETURN_IF_ERROR(parts_.store->inbox().Requeue(id));
  if (parts_.on_requeue != nullptr) parts_.on_requeue(id);
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* IntakeServiceImpl::ReplayDelivery(grpc::CallbackServerContext* context,
                                                            const v1::ReplayDeliveryRequest* request,
                                                            v1::ReplayDeliveryResponse* response) {
  return Handle(context, kReplayDelivery, [this, request, response](store::Store& store) -> absl::Status {
    ASSIGN_OR_RETURN(const store::Delivery delivery, FindDelivery(request->delivery()));
    RETURN_IF_ERROR(Requeue(delivery.id));
    ASSIGN_OR_RETURN(const store::Delivery now, store.inbox().Get(delivery.id));
    *response->mutable_delivery() = ToProto(now);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* IntakeServiceImpl::GetPending(grpc::CallbackServerContext* context,
                                                        const v1::GetPendingRequest*,
                                                        v1::GetPendingResponse* response) {
  return Handle(context, kGetPending, [response](store::Store& store) -> absl::Status {
    // Effects are looked at last: a delivery that ends between the two leaves nothing behind.
    ASSIGN_OR_RETURN(const store::InboxCounts counts, store.inbox().Counts());
    ASSIGN_OR_RETURN(const int64_t effects, store.ledger().CountPending());
    response->set_deliveries(counts.received);
    response->set_effects(effects);
    response->set_dead_letters(counts.failed + counts.dead);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* IntakeServiceImpl::ListNotices(grpc::CallbackServerContext* context,
                                                         const v1::ListNoticesRequest*,
                                                         v1::ListNoticesResponse* response) {
  return Handle(context, kListNotices, [this, response](store::Store&) -> absl::Status {
    if (parts_.notices == nullptr) return absl::OkStatus();
    for (const Notice& notice : parts_.notices->List()) {
      v1::Notice& out = *response->add_notices();
      out.set_key(notice.key);
      out.set_text(notice.text);
      *out.mutable_since() = ToTimestamp(notice.since);
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* IntakeServiceImpl::ListDecisions(grpc::CallbackServerContext* context,
                                                           const v1::ListDecisionsRequest* request,
                                                           v1::ListDecisionsResponse* response) {
  return Handle(context, kListDecisions, [request, response](store::Store& store) -> absl::Status {
    store::DecisionFilter filter;
    RETURN_IF_ERROR(CheckName("pack", request->pack()));
    filter.pack = request->pack();
    if (request->mode() != v1::MODE_UNSPECIFIED) filter.mode = request->mode();
    ASSIGN_OR_RETURN(std::optional<v1::Subject> subject, SubjectOf(request->has_subject(), request->subject()));
    filter.subject = std::move(subject);
    ASSIGN_OR_RETURN(const store::Page<store::Decision> page, store.decisions().List(filter, PageOf(request->page())));
    for (const store::Decision& decision : page.items) {
      const absl::StatusOr<store::Decision> whole = store.decisions().Get(decision.id);
      if (!whole.ok()) continue;  // retention was quicker
      v1::Plan& plan = *response->add_decisions();
      if (!plan.ParseFromString(whole->plan)) return errors::StoredValueDamaged("a decision can't be read");
      plan.clear_explanation();
    }
    response->set_next(page.next);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* IntakeServiceImpl::ListEffects(grpc::CallbackServerContext* context,
                                                         const v1::ListEffectsRequest* request,
                                                         v1::ListEffectsResponse* response) {
  return Handle(context, kListEffects, [request, response](store::Store& store) -> absl::Status {
    for (const std::string* name : {&request->kind(), &request->decision()}) {
      RETURN_IF_ERROR(CheckName("a filter", *name));
    }
    store::EffectFilter filter;
    filter.kind = request->kind();
    filter.decision = request->decision();
    filter.state = FromProto(request->state());
    ASSIGN_OR_RETURN(std::optional<v1::Subject> subject, SubjectOf(request->has_subject(), request->subject()));
    filter.subject = std::move(subject);
    ASSIGN_OR_RETURN(const store::Page<store::Effect> page, store.ledger().List(filter, PageOf(request->page())));
    for (const store::Effect& effect : page.items) *response->add_effects() = ToProto(effect);
    response->set_next(page.next);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* IntakeServiceImpl::ShowEffect(grpc::CallbackServerContext* context,
                                                        const v1::ShowEffectRequest* request,
                                                        v1::ShowEffectResponse* response) {
  return Handle(context, kShowEffect, [request, response](store::Store& store) -> absl::Status {
    ASSIGN_OR_RETURN(const store::Effect effect, FindEffect(store.ledger(), *request));
    *response->mutable_effect() = ToProto(effect);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* IntakeServiceImpl::SettleEffect(grpc::CallbackServerContext* context,
                                                          const v1::SettleEffectRequest* request,
                                                          v1::SettleEffectResponse* response) {
  return Handle(context, kSettleEffect, [this, request, response](store::Store& store) -> absl::Status {
    ASSIGN_OR_RETURN(const store::Effect effect, FindEffect(store.ledger(), request->effect()));
    if (!store::IsFinal(effect.state) && parts_.settle != nullptr) parts_.settle(effect.subject);
    *response->mutable_effect() = ToProto(effect);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* IntakeServiceImpl::AbandonEffect(grpc::CallbackServerContext* context,
                                                           const v1::AbandonEffectRequest* request,
                                                           v1::AbandonEffectResponse* response) {
  return Handle(context, kAbandonEffect, [request, response](store::Store& store) -> absl::Status {
    RETURN_IF_ERROR(CheckName("reason", request->reason()));
    ASSIGN_OR_RETURN(const store::Effect open, FindEffect(store.ledger(), request->effect()));
    RETURN_IF_ERROR(store.ledger().MarkFailed(open.id, reasons::WithDetail(kAbandoned, request->reason())));
    ASSIGN_OR_RETURN(const store::Effect effect, store.ledger().Get(open.id));
    *response->mutable_effect() = ToProto(effect);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* IntakeServiceImpl::ListDeadLetters(grpc::CallbackServerContext* context,
                                                             const v1::ListDeadLettersRequest* request,
                                                             v1::ListDeadLettersResponse* response) {
  return Handle(context, kListDeadLetters, [request, response](store::Store& store) -> absl::Status {
    const v1::DeliveryState wanted = request->state();
    if (wanted != v1::DELIVERY_STATE_UNSPECIFIED && wanted != v1::DELIVERY_STATE_FAILED &&
        wanted != v1::DELIVERY_STATE_DEAD) {
      return errors::FieldInvalid("state", "DELIVERY_STATE_FAILED or DELIVERY_STATE_DEAD");
    }
    // Both states: the failed ones first. A negative `before` stands for the second list; 1 below the row, since 0
    // means its beginning.
    store::PageRequest page = PageOf(request->page());
    const bool both = wanted == v1::DELIVERY_STATE_UNSPECIFIED;
    bool dead = wanted == v1::DELIVERY_STATE_DEAD;
    if (both && page.before < 0) {
      dead = true;
      page.before = -page.before - 1;
    }
    while (true) {
      store::DeliveryFilter filter;
      filter.state = dead ? store::DeliveryState::kDead : store::DeliveryState::kFailed;
      ASSIGN_OR_RETURN(const store::Page<store::Delivery> list, store.inbox().List(filter, page));
      for (const store::Delivery& delivery : list.items) *response->add_deliveries() = ToProto(delivery);
      if (list.next != 0) {
        response->set_next(both && dead ? -list.next - 1 : list.next);
        return absl::OkStatus();
      }
      if (!both || dead) return absl::OkStatus();
      dead = true;
      page.before = 0;
      page.limit -= static_cast<int64_t>(list.items.size());
      if (page.limit <= 0) {
        response->set_next(-1);
        return absl::OkStatus();
      }
    }
  });
}

grpc::ServerUnaryReactor* IntakeServiceImpl::RequeueDeadLetters(grpc::CallbackServerContext* context,
                                                                const v1::RequeueDeadLettersRequest* request,
                                                                v1::RequeueDeadLettersResponse* response) {
  return Handle(context, kRequeueDeadLetters, [this, request, response](store::Store& store) -> absl::Status {
    std::vector<int64_t> ids(request->ids().begin(), request->ids().end());
    if (ids.empty() && !request->all()) return errors::FieldMissing("ids or all");
    if (request->all()) {
      store::DeliveryFilter filter;
      filter.state = store::DeliveryState::kFailed;
      store::PageRequest page{0, 500};
      do {
        ASSIGN_OR_RETURN(const store::Page<store::Delivery> list, store.inbox().List(filter, page));
        for (const store::Delivery& delivery : list.items) ids.push_back(delivery.id);
        page.before = list.next;
      } while (page.before != 0);
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const int64_t id : ids) {
      const absl::StatusOr<store::Delivery> delivery = store.inbox().Get(id);
      absl::Status status = delivery.status();
      const bool is_dead_letter = delivery.ok() && (delivery->state == store::DeliveryState::kFailed ||
                                                    delivery->state == store::DeliveryState::kDead);
      if (status.ok()) {
        status = is_dead_letter ? Requeue(id) : errors::FieldInvalid("ids", "dead letters: this one is none");
      }
      if (status.ok()) {
        response->add_requeued(id);
      } else {
        v1::RequeueDeadLettersResponse::Refused& refused = *response->add_refused();
        refused.set_id(id);
        refused.set_reason(std::string(status.message()));
      }
    }
    return absl::OkStatus();
  });
}

grpc::ServerWriteReactor<v1::SweepResponse>* IntakeServiceImpl::Sweep(grpc::CallbackServerContext* context,
                                                                      const v1::SweepRequest* request) {
  auto* reactor = new SweepReactor(env_, *context);
  absl::Status status = reactor->call().admitted();
  std::shared_ptr<SweepRunner::Run> run;
  if (status.ok() && (parts_.sweeps == nullptr || parts_.config == nullptr)) status = errors::StoreAbsent();
  if (status.ok() && !IsRepositoryName(request->repository())) {
    status = errors::FieldInvalid("repository", "owner/name");
  }
  if (status.ok() && !parts_.config->forges.contains(request->forge())) {
    status = errors::ForgeNotConfigured(request->forge());
  }
  if (status.ok()) {
    const absl::StatusOr<std::string> pack =
        ChoosePack(*parts_.config, request->forge(), request->repository(), request->pack());
    status = pack.status();
    if (status.ok()) {
      run = parts_.sweeps->Request({request->forge(), request->repository(), *pack, !request->pack().empty()},
                                   std::max<int64_t>(request->limit(), 0));
      if (run == nullptr) status = errors::ShuttingDown();
    }
  }
  if (status.ok()) {
    reactor->Begin(executor_, std::move(run));
  } else {
    reactor->End(status);
  }
  return reactor;
}

grpc::ServerUnaryReactor* IntakeServiceImpl::FindSimilar(grpc::CallbackServerContext* context,
                                                         const v1::FindSimilarRequest* request,
                                                         v1::FindSimilarResponse* response) {
  return Handle(context, kFindSimilar, [request, response](store::Store& store) -> absl::Status {
    for (const std::string* name : {&request->forge(), &request->repository()}) {
      RETURN_IF_ERROR(CheckName("a filter", *name));
    }
    store::SimilarQuery query;
    query.title = request->title();
    query.body = request->body();
    query.forge = request->forge();
    query.repository = request->repository();
    query.limit = request->limit() <= 0 ? kDefaultSimilar : request->limit();
    if (request->has_subject()) {
      RETURN_IF_ERROR(CheckSubject(request->subject()));
      v1::Subject subject = request->subject();
      if (subject.kind() == v1::SUBJECT_KIND_UNSPECIFIED) subject.set_kind(v1::SUBJECT_KIND_ISSUE);
      ASSIGN_OR_RETURN(const std::optional<store::KnownSubject> known, store.subjects().Get(subject));
      if (!known.has_value()) return errors::SubjectNeverSeen(SubjectKey(subject));
      if (query.title.empty()) query.title = known->title;
      if (query.forge.empty()) query.forge = subject.forge();
      if (query.repository.empty()) query.repository = subject.repository();
      query.except = subject;
    } else if (query.title.empty() && query.body.empty()) {
      return errors::FieldMissing("subject or title");
    }
    if (query.title.size() > kMaxTitleBytes) {
      return errors::OverLimit("title", query.title.size(), kMaxTitleBytes, "bytes");
    }
    ASSIGN_OR_RETURN(const std::vector<store::SimilarSubject> similar, store.subjects().Similar(query));
    for (const store::SimilarSubject& one : similar) *response->add_similar() = ToProto(one);
    return absl::OkStatus();
  });
}

}  // namespace yardmaster
