#include "services/intake/pipeline.h"

#include <algorithm>
#include <utility>

#include "services/core/status_macros.h"
#include "services/intake/reasons.h"
#include "services/intake/webhooks.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using store::Delivery;
using store::DeliveryState;

// After the store could not be read or written.
constexpr milliseconds kStoreTrouble{2'000};

// Whether every line that says something begins like a command or a mention.
bool OnlyCommands(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '/' && line[first] != '@') return false;
  }
  return true;
}

v1::Mode ToProto(RunMode mode) { return mode == RunMode::kApply ? v1::MODE_APPLY : v1::MODE_DRY_RUN; }

// An issue as the payload shows it, if it shows all of it.
std::optional<store::SeenSubject> SeenIn(const RoutedEvent& routed) {
  if (!routed.facts.Complete() || routed.event.subject().kind() != v1::SUBJECT_KIND_ISSUE) return std::nullopt;
  store::SeenSubject seen;
  seen.subject = routed.event.subject();
  seen.title = *routed.facts.title;
  seen.body = *routed.facts.body;
  seen.labels = *routed.facts.labels;
  seen.state = *routed.facts.open ? "open" : "closed";
  seen.author = routed.facts.author;
  seen.digest = routed.facts.Digest();
  return seen;
}

}  // namespace

Pipeline::Pipeline(PipelineEnvironment environment, PipelineOptions options)
    : env_(std::move(environment)), options_(options) {}

size_t Pipeline::in_flight() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return in_flight_;
}

absl::Status Pipeline::Start() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    suspects_from_ = env_.clock.Now() + options_.suspect_wait;
  }
  for (const int64_t id : env_.marks.Condemned()) {
    const absl::StatusOr<Delivery> delivery = env_.inbox.Get(id);
    if (!delivery.ok() && !absl::IsNotFound(delivery.status())) return delivery.status();
    if (delivery.ok() && delivery->state == DeliveryState::kReceived) {
      if (delivery->subject.number() > 0) {
        RETURN_IF_ERROR(env_.work.GiveUp(delivery->subject, id, reasons::kCrashed));
      }
      const std::string reason = reasons::WithDetail(
          reasons::kCrashed, "work on it ended the daemon " + std::to_string(env_.marks.Deaths(id)) + " times");
      RETURN_IF_ERROR(env_.inbox.MarkDead(id, reason));
      env_.logger.Error("delivery set aside: work on it ended the daemon too often",
                        {{"delivery", delivery->delivery_id}, {"forge", delivery->forge}, {"row", id}});
    }
    env_.marks.Forget(id);
  }
  return absl::OkStatus();
}

bool Pipeline::RunOne() {
  // Routing first: it is quick, and most deliveries end there. Then subjects; new deliveries when there is room.
  return RouteNext() || WorkNext() || ClaimMore();
}

std::optional<store::TimePoint> Pipeline::NextDue() {
  std::optional<store::TimePoint> due;
  const auto earlier = [&](store::TimePoint time) {
    if (!due.has_value() || time < *due) due = time;
  };
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!to_route_.empty()) return env_.clock.Now();
    if (!suspects_.empty()) earlier(suspects_from_);
    if (!ready_.empty()) earlier(ready_.begin()->first);
    if (claim_not_before_ > env_.clock.Now()) earlier(claim_not_before_);
    if (in_flight_ >= options_.window) return due;
  }
  const absl::StatusOr<std::optional<store::TimePoint>> retry = env_.inbox.NextDue();
  if (!retry.ok()) {
    earlier(env_.clock.Now() + kStoreTrouble);
  } else if (retry->has_value()) {
    earlier(**retry);
  }
  return due;
}

bool Pipeline::ClaimMore() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (in_flight_ >= options_.window || env_.clock.Now() < claim_not_before_) return false;
  }
  absl::StatusOr<std::vector<Delivery>> claimed = env_.inbox.Claim(options_.claim);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!claimed.ok()) {
    claim_not_before_ = env_.clock.Now() + kStoreTrouble;
    env_.logger.Error("deliveries can't be taken from the inbox", {{"error", std::string(claimed.status().message())}});
    return false;
  }
  in_flight_ += claimed->size();
  for (Delivery& delivery : *claimed) {
    std::deque<Delivery>& queue = env_.marks.Deaths(delivery.id) > 0 ? suspects_ : to_route_;
    queue.push_back(std::move(delivery));
  }
  return !claimed->empty();
}

bool Pipeline::RouteNext() {
  Delivery delivery;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::deque<Delivery>& queue = to_route_.empty() && env_.clock.Now() >= suspects_from_ ? suspects_ : to_route_;
    if (queue.empty()) return false;
    delivery = std::move(queue.front());
    queue.pop_front();
  }
  RouteOne(delivery);
  return true;
}

void Pipeline::RouteOne(const Delivery& delivery) {
  const absl::StatusOr<std::string> body = env_.inbox.Body(delivery.id);
  if (!body.ok()) {
    if (absl::IsNotFound(body.status())) {
      SettleRouted({delivery.id, DeliveryState::kFailed, "its body is no longer kept", {}, {}}, delivery.forge);
      return;
    }
    env_.logger.Error("a body can't be read", {{"error", std::string(body.status().message())}, {"row", delivery.id}});
    env_.inbox.Release({delivery.id});
    const std::lock_guard<std::mutex> lock(mutex_);
    claim_not_before_ = env_.clock.Now() + kStoreTrouble;
    --in_flight_;
    return;
  }
  const auto side = env_.forges.find(delivery.forge);
  if (side == env_.forges.end()) {
    SettleRouted({delivery.id,
                  DeliveryState::kIgnored,
                  reasons::WithDetail(reasons::kNoPack, "the forge is no longer configured"),
                  {},
                  {}},
                 delivery.forge);
    return;
  }
  const std::string login = side->second->KnownLogin();
  RouteContext context;
  context.forge = delivery.forge;
  context.event = delivery.event;
  context.delivery_id = delivery.delivery_id;
  context.bot_login = login;
  // The door noted the repository that it checked the scope for.
  context.repository = RepositoryAtTheDoor(delivery.headers);
  if (delivery.event == kRequestEvent) {
    RequestRoute route = RouteRequest(context, *body);
    Accept(delivery, std::move(route.result), &route.request);
    return;
  }
  RouteResult result;
  {
    const CrashMarks::Computing computing(env_.marks, delivery.id);
    result = side->second->route()(context, *body);
  }
  Accept(delivery, std::move(result), nullptr);
}

void Pipeline::Ignore(const Delivery& delivery, const RouteResult& result, std::string_view word,
                      std::string_view detail) {
  SettleRouted({delivery.id, DeliveryState::kIgnored, reasons::WithDetail(word, detail), result.action, result.subject},
               delivery.forge);
}

void Pipeline::Accept(const Delivery& delivery, RouteResult result, const SubjectRequest* request) {
  if (!result.routed.has_value()) {
    SettleRouted({delivery.id, DeliveryState::kIgnored, result.reason, result.action, result.subject}, delivery.forge);
    return;
  }
  const RoutedEvent& routed = *result.routed;
  const v1::Subject& subject = routed.event.subject();

  // Lists of changed files in payloads end somewhere: what is known of the repository's files is in doubt.
  if (env_.recent_files != nullptr && routed.event.kind() == v1::Event::KIND_PUSHED && subject.number() <= 0) {
    env_.recent_files->Forget(subject.forge(), subject.repository());
  }

  // 1. Which packs, and what may become of it.
  const RepositoryConfig* repository = env_.config.FindRepository(subject.forge(), subject.repository());
  if (repository == nullptr || repository->packs.empty()) return Ignore(delivery, result, reasons::kNoPack);
  std::vector<std::string> packs = repository->packs;
  if (request != nullptr && !request->pack.empty()) {
    if (std::find(packs.begin(), packs.end(), request->pack) == packs.end()) {
      return Ignore(delivery, result, reasons::kNoPack, request->pack);
    }
    packs = {request->pack};
  }
  WorkItem item;
  item.mode = ToProto(env_.config.ModeFor(repository));
  if (request != nullptr && request->mode == v1::MODE_DRY_RUN) item.mode = v1::MODE_DRY_RUN;
  if (env_.find_pack(packs.front()) == nullptr) return Ignore(delivery, result, reasons::kNoPack, packs.front());

  if (subject.number() <= 0) return Ignore(delivery, result, reasons::kNoPlanner);

  // 2. What was known of the subject before.
  absl::StatusOr<std::optional<store::KnownSubject>> seen = std::optional<store::KnownSubject>();
  if (request == nullptr) {
    seen = env_.subjects.Get(subject);
    if (!seen.ok()) {
      env_.inbox.Release({delivery.id});
      const std::lock_guard<std::mutex> lock(mutex_);
      claim_not_before_ = env_.clock.Now() + kStoreTrouble;
      --in_flight_;
      return;
    }
  }
  const bool may_be_no_change =
      routed.event.kind() == v1::Event::KIND_EDITED || routed.event.kind() == v1::Event::KIND_LABELS_CHANGED;
  const bool unchanged =
      may_be_no_change && routed.facts.Complete() && seen->has_value() && (*seen)->digest == routed.facts.Digest();
  if (request == nullptr && !unchanged) NoteLabels(routed, *seen);
  std::optional<std::vector<std::string>> labels;
  if (seen->has_value()) labels = (*seen)->labels;

  // 3. Who works on it, and what it asks for: under each pack, since the repository's own file may choose among them.
  bool wanted = false;
  for (const std::string& name : packs) {
    std::optional<PackRoute> route = RouteUnder(name, delivery, routed, request, unchanged, labels);
    if (!route.has_value()) continue;
    if (name != packs.front() && !repository->file_for_events && !route->commands) continue;
    wanted = wanted || route->planner != nullptr || route->commands;
    if (name == packs.front()) {
      item.route = *std::move(route);
    } else {
      item.others.push_back(*std::move(route));
    }
  }
  if (request == nullptr && !unchanged && item.route.why_not != reasons::kNoPlanner) item.seen = SeenIn(routed);
  if (!wanted) {
    if (item.seen.has_value()) {
      const absl::Status noted = env_.subjects.Put(*item.seen);
      if (!noted.ok()) env_.logger.Warning("a subject can't be noted", {{"error", std::string(noted.message())}});
    }
    return Ignore(delivery, result, item.route.why_not);
  }

  // 4. Into the queue of its subject.
  if (delivery.subject.number() == 0) {
    const absl::Status described = env_.inbox.Describe(delivery.id, result.action, result.subject);
    if (!described.ok()) {
      env_.logger.Warning("a delivery can't be described", {{"error", std::string(described.message())}});
    }
  }
  item.delivery = delivery.id;
  item.attempts = delivery.attempts;
  item.started = env_.clock.Now();
  item.event = std::move(result.routed->event);
  const bool commands = item.route.commands || std::any_of(item.others.begin(), item.others.end(),
                                                           [](const PackRoute& route) { return route.commands; });
  if (!commands) item.event.clear_text();
  item.ask_file = repository->file_for_events || commands;
  Enqueue(std::move(item));
}

std::optional<PackRoute> Pipeline::RouteUnder(const std::string& pack_name, const Delivery& delivery,
                                              const RoutedEvent& routed, const SubjectRequest* request, bool unchanged,
                                              const std::optional<std::vector<std::string>>& seen_labels) const {
  const std::shared_ptr<const rules::CompiledPack> pack = env_.find_pack(pack_name);
  if (pack == nullptr) return std::nullopt;
  PackRoute route;
  route.pack = pack_name;
  // What people ask for is known by itself, so an event may hold commands and want a plan besides.
  route.commands = request == nullptr && HasCommands(delivery, routed.event, *pack);
  route.why_not = reasons::kNothingChanged;
  if (unchanged) return route;
  route.why_not = reasons::kNoPlanner;
  for (const auto& planner : env_.planners) {
    if (!planner->Handles(routed.event.subject().kind(), pack->model())) continue;
    const TriggerResult wanted = planner->Wants(routed, pack->model(), seen_labels);
    // Who only gives commands has not answered what we asked.
    if (wanted.trigger == Trigger::kReply && route.commands && OnlyCommands(routed.event.text())) continue;
    if (wanted.trigger == Trigger::kNone) {
      if (route.why_not == reasons::kNoPlanner) route.why_not = wanted.reason;
      continue;
    }
    route.planner = planner;
    route.trigger = wanted.trigger;
    break;
  }
  if (request != nullptr && route.planner != nullptr) {
    route.trigger = request->origin == v1::Event::ORIGIN_SWEEP ? Trigger::kPlan : Trigger::kAsked;
  }
  return route;
}

bool Pipeline::HasCommands(const Delivery& delivery, const v1::Event& event, const rules::CompiledPack& pack) const {
  if (env_.command_planner == nullptr || event.text().empty()) return false;
  // Machines ask for nothing, and nobody asks in what a machine wrote: our own help is full of commands.
  if (event.actor_is_bot() || event.text_author_is_bot()) return false;
  const auto side = env_.forges.find(event.subject().forge());
  const std::string login = side == env_.forges.end() ? std::string() : side->second->KnownLogin();
  if (SameLogin(event.actor(), login) || SameLogin(event.text_author(), login)) return false;
  // Before the forge was ever asked nobody knows how we are mentioned: the work finds out.
  if (login.empty() && event.text().find('@') != std::string::npos) return true;
  const CrashMarks::Computing computing(env_.marks, delivery.id);
  return !env_.command_planner->Find({event.subject(), pack, login}, event.text()).empty();
}

void Pipeline::NoteLabels(const RoutedEvent& routed, const std::optional<store::KnownSubject>& seen) {
  if (routed.event.actor_is_bot()) return;
  std::vector<std::string> added;
  std::vector<std::string> removed;
  if (!routed.label_added.empty()) added.push_back(routed.label_added);
  if (!routed.label_removed.empty()) removed.push_back(routed.label_removed);
  if (added.empty() && removed.empty() && seen.has_value() && routed.facts.labels.has_value()) {
    // The forge sent the whole set: what changed is the difference.
    const std::vector<std::string>& now = *routed.facts.labels;
    for (const std::string& label : seen->labels) {
      if (std::find(now.begin(), now.end(), label) == now.end()) removed.push_back(label);
    }
    for (const std::string& label : now) {
      if (std::find(seen->labels.begin(), seen->labels.end(), label) == seen->labels.end()) added.push_back(label);
    }
  }
  const v1::Subject& subject = routed.event.subject();
  for (const std::string& label : removed) {
    const absl::Status noted = env_.subjects.NoteLabelRemoved(subject, label, routed.event.actor());
    if (!noted.ok()) env_.logger.Warning("a removed label can't be noted", {{"error", std::string(noted.message())}});
  }
  for (const std::string& label : added) {
    const absl::Status noted = env_.subjects.ForgetLabelRemoved(subject, label);
    if (!noted.ok()) env_.logger.Warning("an added label can't be noted", {{"error", std::string(noted.message())}});
  }
}

void Pipeline::SettleRouted(store::Settlement settlement, std::string forge) {
  const int64_t id = settlement.id;
  env_.inbox.SettleAsync(std::move(settlement), [this, id, forge = std::move(forge)](const absl::Status& status) {
    if (status.ok()) {
      env_.marks.Forget(id);
    } else {
      env_.logger.Error("a delivery can't be settled", {{"error", std::string(status.message())}, {"row", id}});
      env_.inbox.Release({id});
    }
    Leave(id);
  });
}

void Pipeline::Leave(int64_t) {
  const std::lock_guard<std::mutex> lock(mutex_);
  --in_flight_;
}

void Pipeline::Enqueue(WorkItem item) {
  std::string key = SubjectKey(item.event.subject());
  const std::lock_guard<std::mutex> lock(mutex_);
  Queue& queue = queues_[key];
  const bool idle = queue.items.empty() && !queue.busy;
  queue.items.push_back(std::move(item));
  if (idle) {
    queue.not_before = env_.clock.Now();
    ready_.emplace(queue.not_before, std::move(key));
  }
}

bool Pipeline::WorkNext() {
  std::string key;
  WorkItem item;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ready_.empty() || ready_.begin()->first > env_.clock.Now()) return false;
    key = ready_.begin()->second;
    ready_.erase(ready_.begin());
    Queue& queue = queues_[key];
    queue.busy = true;
    item = queue.items.front();
  }
  const WorkResult result = env_.work.Run(item);
  HandleResult(key, item, result);
  return true;
}

void Pipeline::HandleResult(const std::string& key, const WorkItem& item, const WorkResult& result) {
  const v1::Subject& subject = item.event.subject();
  const store::TimePoint now = env_.clock.Now();
  Log(item, result);
  // What becomes of the delivery. A store that can't note it now is asked again later, by running the work again.
  absl::Status noted;
  bool finished = true;
  store::TimePoint again = now;
  switch (result.kind) {
    case WorkResult::Kind::kSettled: {
      if (result.state == DeliveryState::kFailed) noted = env_.work.GiveUp(subject, item.delivery, result.reason);
      if (noted.ok()) noted = env_.inbox.Settle({item.delivery, result.state, result.reason, {}, {}});
      if (noted.ok()) {
        env_.marks.Forget(item.delivery);
      }
      break;
    }
    case WorkResult::Kind::kRetry: {
      const int attempts = static_cast<int>(item.attempts) + 1;
      const uint64_t jitter =
          options_.seed + static_cast<uint64_t>(item.delivery) * 1'000 + static_cast<uint64_t>(attempts);
      std::optional<milliseconds> at_least;
      if (result.delay.count() > 0) at_least = result.delay;
      if (attempts >= options_.backoff.max_attempts) {
        const std::string reason = reasons::WithDetail(reasons::kForgeFailed, result.reason);
        noted = env_.work.GiveUp(subject, item.delivery, reason);
        if (noted.ok()) noted = env_.inbox.MarkFailed(item.delivery, reason);
        if (noted.ok()) {
          env_.marks.Forget(item.delivery);
        }
      } else {
        noted = env_.inbox.Retry(item.delivery, now + BackoffDelay(options_.backoff, attempts, jitter, at_least),
                                 result.reason);
      }
      break;
    }
    case WorkResult::Kind::kWait:
      finished = false;
      again = now + std::max(result.delay, milliseconds(1));
      break;
    case WorkResult::Kind::kStopped:
      env_.inbox.Release({item.delivery});
      break;
  }
  if (!noted.ok()) {
    env_.logger.Error("the outcome of a delivery can't be noted",
                      {{"error", std::string(noted.message())}, {"row", item.delivery}});
    finished = false;
    again = now + kStoreTrouble;
  }

  const std::lock_guard<std::mutex> lock(mutex_);
  Queue& queue = queues_[key];
  queue.busy = false;
  if (finished) {
    queue.items.pop_front();
    --in_flight_;
  }
  if (queue.items.empty()) {
    queues_.erase(key);
    return;
  }
  queue.not_before = again;
  ready_.emplace(again, key);
}

void Pipeline::Log(const WorkItem& item, const WorkResult& result) {
  const v1::Subject& subject = item.event.subject();
  const bool trouble = result.kind == WorkResult::Kind::kRetry ||
                       (result.kind == WorkResult::Kind::kSettled && result.state == DeliveryState::kFailed);
  const LogLevel level = trouble ? LogLevel::kWarning : LogLevel::kDebug;
  if (!env_.logger.Enabled(level)) return;
  const char* outcome = result.kind == WorkResult::Kind::kWait      ? "waiting"
                        : result.kind == WorkResult::Kind::kRetry   ? "retry"
                        : result.kind == WorkResult::Kind::kStopped ? "stopped"
                                                                    : store::DeliveryStateName(result.state).data();
  env_.logger.Log(level, "worked on a delivery",
                  {{"row", item.delivery},
                   {"delivery", item.event.id()},
                   {"subject", SubjectKey(subject)},
                   {"outcome", outcome},
                   {"reason", result.reason}});
}

}  // namespace yardmaster
