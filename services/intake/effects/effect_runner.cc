#include "services/intake/effects/effect_runner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using store::EffectState;

// Where no time is configured.
constexpr milliseconds kDefaultWait{5'000};
// Open effects of one subject; more are not there in any sane history.
constexpr int64_t kMaxOpen = 200;
// Why an intent ends that was never sent.
constexpr std::string_view kNotWanted = "no longer wanted";

milliseconds Until(store::TimePoint due, store::TimePoint now) {
  // Rounded up: waking a little early would only mean to wait again.
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(due - now));
}

milliseconds FirstRead(const EffectContext& context) {
  return context.account.settle().empty() ? kDefaultWait : context.account.settle().front();
}

bool IsUnsent(const store::Effect& effect) {
  return effect.state == EffectState::kIntent && !effect.sent_at.has_value();
}

// The key of the `repeat`th effect of the same content, from 0.
std::string RepeatKey(const std::string& key, int repeat) {
  return repeat == 0 ? key : absl::StrCat(key, ".", repeat + 1);
}

// `otherwise` unless the store failed.
Outcome Noted(const absl::Status& noted, Outcome otherwise = {}) {
  return noted.ok() ? std::move(otherwise) : Outcome::OfStore(noted);
}

}  // namespace

EffectRunner::EffectRunner(EffectKinds kinds, store::Ledger& ledger, const Clock& clock, Logger& logger)
    : kinds_(std::move(kinds)), ledger_(ledger), clock_(clock), logger_(logger) {}

const EffectKind* EffectRunner::KindFor(const v1::Action& action) const {
  const auto found =
      absl::c_find_if(kinds_, [&](const EffectKind* kind) { return kind->action() == action.action_case(); });
  return found == kinds_.end() ? nullptr : *found;
}

const EffectKind* EffectRunner::KindOf(std::string_view name) const {
  const auto found = absl::c_find_if(kinds_, [name](const EffectKind* kind) { return kind->name() == name; });
  return found == kinds_.end() ? nullptr : *found;
}

absl::StatusOr<std::vector<store::Effect>> EffectRunner::Open(const v1::Subject& subject) {
  std::vector<store::Effect> open;
  for (const EffectState state : {EffectState::kIntent, EffectState::kUnknown}) {
    store::EffectFilter filter;
    filter.subject = subject;
    filter.state = state;
    ASSIGN_OR_RETURN(store::Page<store::Effect> page, ledger_.List(filter, {0, kMaxOpen}));
    for (store::Effect& effect : page.items) open.push_back(std::move(effect));
  }
  absl::c_sort(open, [](const auto& a, const auto& b) { return a.id < b.id; });
  return open;
}

Outcome EffectRunner::SettleOpen(const v1::Subject& subject, const EffectContext& context) {
  const absl::StatusOr<std::vector<store::Effect>> open = Open(subject);
  if (!open.ok()) return Outcome::OfStore(open.status());
  Outcome most_pressing;
  for (const store::Effect& effect : *open) {
    // An intent that was never about to be sent is certainly not there.
    if (IsUnsent(effect)) continue;
    Outcome outcome = Settle(effect, context);
    if (outcome.done()) continue;
    // The others are read, too: their time may have come.
    if (outcome.kind != Outcome::Kind::kWait) return outcome;
    most_pressing = MoreUrgent(most_pressing, outcome);
  }
  return most_pressing;
}

Outcome EffectRunner::Settle(const store::Effect& effect, const EffectContext& context) {
  const store::TimePoint now = clock_.Now();
  const store::TimePoint sent = effect.sent_at.value_or(effect.created_at);
  const store::TimePoint first_read = sent + FirstRead(context);
  if (effect.state == EffectState::kIntent) {
    // We died between noting and knowing.
    RETURN_UNLESS_DONE(
        Noted(ledger_.MarkUnknown(effect.id, first_read, "the daemon ended while it was sent", effect.forge_ref)));
  }
  const EffectKind* kind = KindOf(effect.kind);
  if (kind == nullptr) {
    // Written by a newer version: its kind can't be read back here.
    return Noted(ledger_.MarkFailed(effect.id, "this version does not know this kind of effect"));
  }
  const store::TimePoint due = std::max(first_read, effect.due_at.value_or(first_read));
  const bool in_progress = !effect.progress.empty();
  if (now < (in_progress ? due : first_read)) {
    // Nobody waits for what outlives its delivery.
    if (kind->outlives_delivery()) return {};
    return Outcome::Wait(Until(in_progress ? due : first_read, now), "settling");
  }
  const absl::StatusOr<EffectObservation> sighting = kind->ReadBack(context, effect);
  if (sighting.ok()) return Note(*kind, effect, sent, *sighting, context);
  Outcome outcome = Outcome::OfForge(sighting.status());
  if (!outcome.failed() && now - effect.created_at < kMaxEffectAge) return outcome;
  return Noted(ledger_.MarkFailed(effect.id, outcome.reason));
}

Outcome EffectRunner::Note(const EffectKind& kind, const store::Effect& effect, store::TimePoint sent,
                           const EffectObservation& sighting, const EffectContext& context) {
  const store::TimePoint now = clock_.Now();
  switch (sighting.state) {
    case EffectObservation::State::kSeen:
      RETURN_UNLESS_DONE(Noted(ledger_.MarkConfirmed(effect.id, sighting.forge_ref)));
      logger_.Info("effect confirmed",
                   {{"effect", effect.key}, {"kind", effect.kind}, {"forge_ref", sighting.forge_ref}});
      return {};
    case EffectObservation::State::kInProgress:
      RETURN_UNLESS_DONE(Noted(ledger_.NoteProgress(effect.id, sighting.progress, now + sighting.delay)));
      if (sighting.delay.count() == 0) return Send(kind, effect.id, context);
      return kind.outlives_delivery() ? Outcome() : Outcome::Wait(sighting.delay, "in progress");
    case EffectObservation::State::kNotSeen:
      break;
  }
  // The next read, if there is one: counted from the moment of sending. The one that just missed it counts as done.
  for (const milliseconds delay : context.account.settle()) {
    if (sent + delay > now) {
      return kind.outlives_delivery() ? Outcome() : Outcome::Wait(Until(sent + delay, now), "settling");
    }
  }
  if (!sighting.conclusive) {
    return Noted(ledger_.MarkFailed(effect.id, "the forge does not show enough to find it"));
  }
  if (effect.attempts >= kMaxEffectTries) {
    return Noted(
        ledger_.MarkFailed(effect.id, absl::StrCat("sent ", effect.attempts, " times and never seen on the forge")));
  }
  RETURN_UNLESS_DONE(Noted(ledger_.MarkNotFound(effect.id, "no read found it")));
  // Its delivery is over: nothing else sends it again.
  return kind.outlives_delivery() ? Send(kind, effect.id, context) : Outcome();
}

Outcome EffectRunner::NoteUnknown(int64_t id, store::TimePoint sent, std::string_view reason,
                                  std::string_view forge_ref, const EffectContext& context) {
  const store::TimePoint first_read = sent + FirstRead(context);
  return Noted(ledger_.MarkUnknown(id, first_read, reason, forge_ref),
               Outcome::Wait(Until(first_read, clock_.Now()), reason));
}

Outcome EffectRunner::Run(const v1::Plan& plan, const v1::Action& action, int64_t delivery, store::TimePoint started,
                          const EffectContext& context, std::string& key) {
  const EffectKind* kind = KindFor(action);
  if (kind == nullptr) return {Outcome::Kind::kFailed, milliseconds(0), "no kind of effect carries out this action"};
  const absl::StatusOr<EffectKind::Entry> entry = kind->Prepare(plan, action);
  if (!entry.ok()) return {Outcome::Kind::kFailed, milliseconds(0), std::string(entry.status().message())};
  // What failed for good, or was given up, and is wanted again gets an entry of its own.
  for (int repeat = 0;; ++repeat) {
    key = RepeatKey(entry->key, repeat);
    const absl::StatusOr<store::IntentResult> intent =
        ledger_.Intent({key, plan.subject(), std::string(kind->name()), entry->action, plan.id(), delivery});
    if (!intent.ok()) return Outcome::OfStore(intent.status());
    if (intent->state == EffectState::kConfirmed) return {};
    if (intent->state == EffectState::kIntent) {
      Outcome sent = Send(*kind, intent->id, context);
      if (sent.failed() && !kind->essential(context.forge())) return {};
      if (sent.kind == Outcome::Kind::kWait && kind->outlives_delivery()) return {};
      return sent;
    }
    if (intent->state == EffectState::kUnknown) {
      return kind->outlives_delivery() ? Outcome() : Outcome::Wait(FirstRead(context), "settling");
    }
    if (!kind->essential(context.forge())) return {};
    const absl::StatusOr<store::Effect> before = ledger_.Get(intent->id);
    if (!before.ok()) return Outcome::OfStore(before.status());
    const bool just_now = before->settled_at.has_value() && *before->settled_at >= started;
    if (just_now && before->reason != kNotWanted) {
      // What the forge refused stays refused. What got lost is tried again later, in a round of its own: a forge that
      // is unwell for a minute must not cost a person's attention.
      const bool again = before->state == EffectState::kFailed && repeat + 1 < kMaxEffectRounds;
      return {again ? Outcome::Kind::kRetry : Outcome::Kind::kFailed, milliseconds(0), before->reason};
    }
  }
}

Outcome EffectRunner::Send(const EffectKind& kind, int64_t id, const EffectContext& context) {
  // The entry may have been made by an earlier decision: what it says is what is sent.
  const absl::StatusOr<store::Effect> effect = ledger_.Get(id);
  if (!effect.ok()) return Outcome::OfStore(effect.status());
  if (effect->state == EffectState::kIntent) {
    RETURN_UNLESS_DONE(Noted(ledger_.Sending(id)));
  }
  const store::TimePoint sent = clock_.Now();
  const absl::StatusOr<EffectObservation> sighting = kind.Send(context, *effect);
  if (sighting.ok()) {
    if (sighting->state != EffectObservation::State::kNotSeen) return Note(kind, *effect, sent, *sighting, context);
    return NoteUnknown(id, sent, "written, but not visible yet", sighting->forge_ref, context);
  }
  Outcome outcome = Outcome::OfForge(sighting.status());
  const bool maybe_done = ForgeOutcomeOf(sighting.status()) == ForgeOutcome::kUnknown;
  if (effect->state == EffectState::kUnknown && (maybe_done || !outcome.failed())) {
    // A part of it is done: the next read tells what became of this one.
    const milliseconds delay = std::max(outcome.delay, FirstRead(context));
    return Noted(ledger_.Postpone(id, sent + delay, outcome.reason),
                 kind.outlives_delivery() ? Outcome() : Outcome::Wait(delay, outcome.reason));
  }
  if (maybe_done) return NoteUnknown(id, sent, std::string(sighting.status().message()), effect->forge_ref, context);
  // Not done, and the forge or our own client is sure of it.
  if (!outcome.failed()) return Noted(ledger_.UndoSending(id, outcome.reason), outcome);
  logger_.Warning("effect refused", {{"effect", effect->key}, {"kind", effect->kind}, {"reason", outcome.reason}});
  return Noted(ledger_.MarkRefused(id, outcome.reason), outcome);
}

absl::Status EffectRunner::RefuseUnsent(const v1::Subject& subject, const std::set<std::string>& keep) {
  ASSIGN_OR_RETURN(const std::vector<store::Effect> open, Open(subject));
  for (const store::Effect& effect : open) {
    if (IsUnsent(effect) && !keep.contains(effect.key)) {
      RETURN_IF_ERROR(ledger_.MarkRefused(effect.id, kNotWanted));
    }
  }
  return absl::OkStatus();
}

absl::Status EffectRunner::RefuseIfUnsent(const v1::Subject& subject, std::string_view key) {
  ASSIGN_OR_RETURN(const std::vector<store::Effect> open, Open(subject));
  for (const store::Effect& effect : open) {
    if (IsUnsent(effect) && effect.key == key) RETURN_IF_ERROR(ledger_.MarkRefused(effect.id, kNotWanted));
  }
  return absl::OkStatus();
}

absl::Status EffectRunner::RefuseOrphans(const v1::Subject& subject, store::Inbox& inbox) {
  ASSIGN_OR_RETURN(const std::vector<store::Effect> open, Open(subject));
  for (const store::Effect& effect : open) {
    if (!IsUnsent(effect)) continue;
    const absl::StatusOr<store::Delivery> delivery = inbox.Get(effect.delivery);
    if (!delivery.ok() && !absl::IsNotFound(delivery.status())) return delivery.status();
    if (delivery.ok() && delivery->state == store::DeliveryState::kReceived) continue;
    RETURN_IF_ERROR(ledger_.MarkRefused(effect.id, kNotWanted));
  }
  return absl::OkStatus();
}

absl::Status EffectRunner::Abandon(const v1::Subject& subject, int64_t delivery, std::string_view reason) {
  ASSIGN_OR_RETURN(const std::vector<store::Effect> open, Open(subject));
  for (const store::Effect& effect : open) {
    const EffectKind* kind = KindOf(effect.kind);
    if (effect.delivery != delivery || (kind != nullptr && kind->outlives_delivery() && !IsUnsent(effect))) continue;
    RETURN_IF_ERROR(ledger_.MarkFailed(effect.id, reason));
  }
  return absl::OkStatus();
}

absl::Status EffectRunner::GiveUpAll(const v1::Subject& subject, std::string_view reason) {
  ASSIGN_OR_RETURN(const std::vector<store::Effect> open, Open(subject));
  for (const store::Effect& effect : open) {
    RETURN_IF_ERROR(ledger_.MarkFailed(effect.id, reason));
  }
  return absl::OkStatus();
}

absl::Status EffectRunner::GiveUpOld(const v1::Subject& subject, std::string_view reason) {
  ASSIGN_OR_RETURN(const std::vector<store::Effect> open, Open(subject));
  for (const store::Effect& effect : open) {
    if (clock_.Now() - effect.created_at < kMaxEffectAge) continue;
    RETURN_IF_ERROR(ledger_.MarkFailed(effect.id, reason));
  }
  return absl::OkStatus();
}

}  // namespace yardmaster
