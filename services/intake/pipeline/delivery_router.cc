#include "services/intake/pipeline/delivery_router.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "clients/forge/labels.h"
#include "services/core/absl_view.h"
#include "services/core/reasons.h"
#include "services/core/status_macros.h"
#include "services/intake/chat_bridge.h"
#include "services/intake/job_dispatcher.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using store::Delivery;
using store::DeliveryState;
using store::Settlement;

// Whether every line that says something begins like a command or a mention.
bool OnlyCommands(const std::string& text) {
  return absl::c_all_of(absl::StrSplit(text, '\n'), [](absl::string_view line) {
    line = absl::StripLeadingAsciiWhitespace(line);
    return line.empty() || line.front() == '/' || line.front() == '@';
  });
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

Routing DeliveryRouter::Route(const Delivery& delivery) const {
  const absl::StatusOr<std::string> body = env_.inbox.Body(delivery.id);
  if (absl::IsNotFound(body.status())) {
    return Settlement{delivery.id, DeliveryState::kFailed, "its body is no longer kept", {}, {}};
  }
  if (!body.ok()) {
    env_.logger.Error("a body can't be read", {{"error", std::string(body.status().message())}, {"row", delivery.id}});
    return StoreFailed{};
  }
  Routed routed{delivery, delivery.action, delivery.subject, {}, std::nullopt};
  if (env_.chat != nullptr && env_.chat->IsPlatform(delivery.forge)) return RouteChat(delivery, *body);
  const auto account = env_.forges.find(delivery.forge);
  if (account == env_.forges.end()) return Ignore(routed, reasons::kNoPack, "the forge is no longer configured");
  if (delivery.event == kRequestEvent) {
    std::string reason;
    routed.request = ReadRequest(delivery.forge, *body, reason);
    if (!routed.request.has_value()) {
      return Settlement{delivery.id, DeliveryState::kIgnored, reason, {}, {}};
    }
    routed.subject = routed.request->subject;
    routed.event = ToRoutedEvent(*routed.request, delivery.delivery_id);
    if (routed.request->announcement.has_value()) return AcceptAnnouncement(std::move(routed));
    return Accept(std::move(routed));
  }
  WebhookReading reading;
  {
    const std::string login = account->second->KnownLogin();
    const CrashMarks::Computing computing(env_.marks, delivery.id);
    // Whoever received it noted the repository that the secret's scope was checked for.
    reading =
        account->second->profile().webhooks.read({delivery.event, login, RepositoryOnReceipt(delivery.headers)}, *body);
  }
  routed.action = std::move(reading.action);
  routed.subject = SubjectOf(delivery.forge, reading.subject);
  if (!reading.event.has_value()) {
    return Settlement{delivery.id, DeliveryState::kIgnored, reading.reason, routed.action, routed.subject};
  }
  routed.event = ToRoutedEvent(delivery.forge, delivery.delivery_id, *std::move(reading.event));
  return Accept(std::move(routed));
}

Routing DeliveryRouter::AcceptAnnouncement(Routed routed) const {
  const v1::Subject& subject = routed.event.event.subject();
  const RepositoryConfig* repository = env_.config.FindRepository(subject.forge(), subject.repository());
  if (repository == nullptr || repository->packs.empty()) return Ignore(routed, reasons::kNoPack);
  WorkItem item;
  item.mode = ToProto(env_.config.ModeFor(repository));
  PackRoute route;
  route.pack = repository->packs.front();
  route.trigger = Trigger::kManual;
  route.why_not = reasons::kNoPlanner;
  item.routes.push_back(std::move(route));
  item.delivery = routed.delivery.id;
  item.attempts = routed.delivery.attempts;
  item.started = env_.clock.Now();
  item.event = std::move(routed.event.event);
  return item;
}

Routing DeliveryRouter::RouteChat(const Delivery& delivery, std::string_view body) const {
  ChatAsked asked;
  {
    const CrashMarks::Computing computing(env_.marks, delivery.id);
    asked = env_.chat->Read(delivery, body);
  }
  const v1::Subject& subject = asked.event.subject();
  const auto ignore = [&](std::string reason) -> Routing {
    return Settlement{delivery.id, DeliveryState::kIgnored, std::move(reason), delivery.action, subject};
  };
  if (!asked.ignored.empty()) return ignore(std::move(asked.ignored));
  const RepositoryConfig* repository = env_.config.FindRepository(subject.forge(), subject.repository());
  if (repository == nullptr || repository->packs.empty()) return ignore(std::string(reasons::kNoPack));
  if (!env_.forges.contains(subject.forge())) {
    return ignore(reasons::WithDetail(reasons::kNoPack, "the forge is no longer configured"));
  }
  WorkItem item;
  item.mode = ToProto(env_.config.ModeFor(repository));
  for (const std::string& pack : repository->packs) {
    if (env_.find_pack(pack) == nullptr) continue;
    PackRoute route;
    route.pack = pack;
    route.trigger = Trigger::kManual;
    route.commands = true;
    item.routes.push_back(std::move(route));
  }
  if (item.routes.empty()) return ignore(reasons::WithDetail(reasons::kNoPack, repository->packs.front()));
  item.delivery = delivery.id;
  item.attempts = delivery.attempts;
  item.started = env_.clock.Now();
  // Before anything is done with it: another run, after a restart too, must be about the same subject.
  if (delivery.action.empty() && !env_.inbox.Describe(delivery.id, kRoutedFromChat, subject).ok()) {
    return StoreFailed{};
  }
  item.event = std::move(asked.event);
  return item;
}

Routing DeliveryRouter::Ignore(const Routed& routed, std::string_view word, std::string_view detail) const {
  return Settlement{routed.delivery.id, DeliveryState::kIgnored, reasons::WithDetail(word, detail), routed.action,
                    routed.subject};
}

absl::Status DeliveryRouter::FindPull(v1::Event& event) const {
  if (event.subject().number() > 0 || event.kind() != v1::Event::KIND_RERUN || env_.find_pull == nullptr) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const int64_t number, env_.find_pull(event.subject(), event.head()));
  event.mutable_subject()->set_number(number);
  return absl::OkStatus();
}

Routing DeliveryRouter::Accept(Routed routed) const {
  // GitHub names no pull request in what it says of checks of a fork.
  if (!FindPull(routed.event.event).ok()) return StoreFailed{};
  const v1::Event& event = routed.event.event;
  const v1::Subject& subject = event.subject();

  // Lists of changed files in payloads end somewhere: what is known of the repository's files is in doubt.
  if (event.kind() == v1::Event::KIND_PUSHED && subject.number() <= 0) {
    env_.recent_files.Forget(subject.forge(), subject.repository());
  }

  // 1. Which packs, and what may become of it.
  const RepositoryConfig* repository = env_.config.FindRepository(subject.forge(), subject.repository());
  if (repository == nullptr || repository->packs.empty()) return Ignore(routed, reasons::kNoPack);
  std::vector<std::string> packs = repository->packs;
  WorkItem item;
  item.mode = ToProto(env_.config.ModeFor(repository));
  if (routed.request.has_value()) {
    if (routed.request->mode == v1::MODE_DRY_RUN) item.mode = v1::MODE_DRY_RUN;
    item.pack_named = !routed.request->pack.empty();
    if (item.pack_named) {
      if (!absl::c_linear_search(packs, routed.request->pack))
        return Ignore(routed, reasons::kNoPack, routed.request->pack);
      packs = {routed.request->pack};
    }
  }
  const std::shared_ptr<const rules::CompiledPack> pack = env_.find_pack(packs.front());
  if (pack == nullptr) return Ignore(routed, reasons::kNoPack, packs.front());
  if (subject.number() <= 0) return Ignore(routed, reasons::kNoPlanner);
  NoteHead(routed);
  if (!SupersedeTests(routed).ok() || !RerunTests(routed).ok()) return StoreFailed{};

  // 2. What was known of the subject before.
  std::optional<store::KnownSubject> seen;
  if (!routed.request.has_value()) {
    absl::StatusOr<std::optional<store::KnownSubject>> known = env_.subjects.Get(subject);
    if (!known.ok()) return StoreFailed{};
    seen = *std::move(known);
  }
  const bool may_be_no_change =
      event.kind() == v1::Event::KIND_EDITED || event.kind() == v1::Event::KIND_LABELS_CHANGED;
  const SubjectFacts& facts = routed.event.facts;
  const bool unchanged = may_be_no_change && facts.Complete() && seen.has_value() && seen->digest == facts.Digest();
  if (!routed.request.has_value() && !unchanged) NoteLabels(routed.event, seen);

  // 3. Who works on it, and what it asks for: under each pack, since the repository's own file may choose among them.
  bool wanted = false;
  milliseconds debounce{0};
  for (const std::string& name : packs) {
    const std::shared_ptr<const rules::CompiledPack> one = env_.find_pack(name);
    if (one == nullptr) continue;
    bool may_hold = false;
    TextCommands commands = CommandsIn(routed, *one, may_hold);
    std::optional<PackRoute> route =
        RouteUnder(name, routed, commands, unchanged, seen.has_value() ? &seen->labels : nullptr);
    if (!route.has_value()) continue;
    route->commands = may_hold || !commands.empty();
    wanted = wanted || route->planner != nullptr || route->commands;
    if (item.routes.empty() && !may_hold) item.commands = std::move(commands);
    debounce = std::max(debounce, route->debounce);
    item.routes.push_back(*std::move(route));
  }
  const std::string_view why_not = item.routes.front().why_not;
  if (!routed.request.has_value() && !unchanged && why_not != reasons::kNoPlanner) item.seen = SeenIn(routed.event);
  if (!wanted) {
    if (item.seen.has_value()) {
      const absl::Status noted = env_.subjects.Put(*item.seen);
      if (!noted.ok()) env_.logger.Warning("a subject can't be noted", {{"error", std::string(noted.message())}});
    }
    return Ignore(routed, why_not);
  }

  // 4. Into the queue of its subject.
  if (routed.delivery.subject.number() == 0) {
    const absl::Status described = env_.inbox.Describe(routed.delivery.id, routed.action, routed.subject);
    if (!described.ok()) {
      env_.logger.Warning("a delivery can't be described", {{"error", std::string(described.message())}});
    }
  }
  item.delivery = routed.delivery.id;
  item.attempts = routed.delivery.attempts;
  item.started = env_.clock.Now();
  item.commands_login = env_.forges.find(subject.forge())->second->KnownLogin();
  if (absl::c_none_of(item.routes, [](const PackRoute& route) { return route.commands; })) {
    routed.event.event.clear_text();
    // Commands are never passed by.
    if (debounce.count() > 0) item.debounced_until = item.started + debounce;
  }
  item.event = std::move(routed.event.event);
  return item;
}

std::optional<PackRoute> DeliveryRouter::RouteUnder(const std::string& pack_name, const Routed& routed,
                                                    const TextCommands& commands, bool unchanged,
                                                    const std::vector<std::string>* seen_labels) const {
  const std::shared_ptr<const rules::CompiledPack> pack = env_.find_pack(pack_name);
  if (pack == nullptr) return std::nullopt;
  PackRoute route;
  route.pack = pack_name;
  route.why_not = unchanged ? reasons::kNothingChanged : reasons::kNoPlanner;
  if (unchanged) return route;
  const v1::Event& event = routed.event.event;
  for (const auto& planner : env_.planners) {
    if (!planner->Handles(event.subject().kind(), pack->model())) continue;
    const TriggerResult wanted = planner->TriggerFor(routed.event, pack->model(), seen_labels);
    // Who only gives commands has not answered what we asked.
    if (wanted.trigger == Trigger::kReply && !commands.empty() && OnlyCommands(event.text())) continue;
    if (wanted.trigger == Trigger::kNone) {
      if (route.why_not == reasons::kNoPlanner) route.why_not = wanted.reason;
      continue;
    }
    route.planner = planner;
    route.trigger = wanted.trigger;
    route.debounce = wanted.debounce;
    break;
  }
  if (routed.request.has_value() && route.planner != nullptr) {
    route.trigger = routed.request->origin == v1::Event::ORIGIN_SWEEP ? Trigger::kPlan : Trigger::kManual;
  }
  return route;
}

TextCommands DeliveryRouter::CommandsIn(const Routed& routed, const rules::CompiledPack& pack, bool& may_hold) const {
  const v1::Event& event = routed.event.event;
  if (env_.command_parser == nullptr || routed.request.has_value() || event.text().empty()) return {};
  // Bots give no commands, and no one can give one in a bot's text: our own help is full of commands.
  if (event.actor_is_bot() || event.text_author_is_bot()) return {};
  const ConfiguredForge& account = *env_.forges.find(event.subject().forge())->second;
  if (account.IsOurs(event.actor()) || account.IsOurs(event.text_author())) return {};
  const std::string login = account.KnownLogin();
  // Until the forge was asked our login is unknown, and so are mentions: the work finds out.
  may_hold = login.empty() && event.text().find('@') != std::string::npos;
  if (may_hold) return {};
  const CrashMarks::Computing computing(env_.marks, routed.delivery.id);
  return env_.command_parser->Parse({event.subject(), pack, login}, event.text());
}

absl::Status DeliveryRouter::SupersedeTests(const Routed& routed) const {
  const v1::Event& event = routed.event.event;
  const bool moved = event.kind() == v1::Event::KIND_PUSHED || event.kind() == v1::Event::KIND_CLOSED;
  if (!moved || env_.jobs == nullptr || !env_.jobs->HasLive(event.subject())) return absl::OkStatus();
  // A request of its own, since what else the event asks for may wait, or be nothing.
  SubjectRequest request;
  request.subject = event.subject();
  request.test.emplace().set_kind(v1::TestRequest::KIND_SUPERSEDE);
  return env_.inbox.AddAndWait(MakeRequest(request, absl::StrCat("supersede-", event.id()))).status();
}

absl::Status DeliveryRouter::RerunTests(const Routed& routed) const {
  const v1::Event& event = routed.event.event;
  if (event.kind() != v1::Event::KIND_RERUN || env_.jobs == nullptr) return absl::OkStatus();
  absl::string_view suite = event.check();
  // A check of another kind; without a name all are meant.
  if (!absl::ConsumePrefix(&suite, Abs(kTestCheckPrefix)) && !suite.empty()) return absl::OkStatus();
  SubjectRequest request;
  request.subject = event.subject();
  request.actor = event.actor();
  v1::TestRequest& test = request.test.emplace();
  test.set_kind(v1::TestRequest::KIND_RETEST);
  test.set_suite(std::string(suite));
  return env_.inbox.AddAndWait(MakeRequest(request, absl::StrCat("retest-", event.id()))).status();
}

void DeliveryRouter::NoteHead(const Routed& routed) const {
  const v1::Event& event = routed.event.event;
  // What asks for a check may be about an older commit.
  if (event.head().empty() || event.kind() == v1::Event::KIND_RERUN || routed.request.has_value()) return;
  const v1::Subject& subject = event.subject();
  if (subject.kind() != v1::SUBJECT_KIND_PULL_REQUEST || subject.number() < 1) return;
  const absl::StatusOr<store::SeenHead> noted =
      env_.subjects.SeeHead(subject, event.head(), routed.delivery.received_at, store::HeadSource::kDelivery);
  if (!noted.ok()) {
    env_.logger.Warning("a head can't be noted", {{"error", std::string(noted.status().message())}});
  }
}

void DeliveryRouter::NoteLabels(const RoutedEvent& routed, const std::optional<store::KnownSubject>& seen) const {
  if (routed.event.actor_is_bot()) return;
  std::vector<std::string> added;
  std::vector<std::string> removed;
  if (!routed.label_added.empty()) added.push_back(routed.label_added);
  if (!routed.label_removed.empty()) removed.push_back(routed.label_removed);
  if (added.empty() && removed.empty() && seen.has_value() && routed.facts.labels.has_value()) {
    // The forge sent the whole set: what changed is the difference.
    const std::vector<std::string>& now = *routed.facts.labels;
    absl::c_copy_if(seen->labels, std::back_inserter(removed),
                    [&](const auto& label) { return !HasLabel(now, label); });
    absl::c_copy_if(now, std::back_inserter(added), [&](const auto& label) { return !HasLabel(seen->labels, label); });
  }
  const v1::Subject& subject = routed.event.subject();
  absl::Status noted;
  for (const std::string& label : removed) {
    noted.Update(env_.subjects.NoteLabelRemoved(subject, label, routed.event.actor()));
  }
  for (const std::string& label : added) noted.Update(env_.subjects.ForgetLabelRemoved(subject, label));
  if (!noted.ok()) env_.logger.Warning("a change of labels can't be noted", {{"error", std::string(noted.message())}});
}

}  // namespace yardmaster
