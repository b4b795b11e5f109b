#include "services/intake/effect_runner.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "clients/forge/forge_error.h"
#include "services/core/status_macros.h"
#include "services/intake/command_effects.h"
#include "services/intake/effect_kinds.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using store::EffectState;

// Where the forge said "not now" without saying when.
constexpr milliseconds kDefaultWait{5'000};
constexpr milliseconds kStoreWait{2'000};
// A list of effects of one subject; more are not there in any sane history, and the oldest are final.
constexpr int64_t kMaxEffectsRead = 200;
// Why an intent ends that was never sent.
constexpr std::string_view kAbandoned = "no longer wanted";

std::string Text(const absl::Status& status) { return std::string(status.message()); }

milliseconds Until(store::TimePoint due, store::TimePoint now) {
  // Rounded up: waking a little early would only mean to wait again.
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(due - now));
}

}  // namespace

StepResult FromForgeError(const absl::Status& status) {
  const std::optional<ForgeError> error = ForgeErrorOf(status);
  if (!error.has_value()) return {StepResult::Kind::kFailed, milliseconds(0), Text(status)};
  switch (error->reason) {
    case ForgeReason::kStopped:
      return {StepResult::Kind::kStopped, milliseconds(0), Text(status)};
    case ForgeReason::kBudget:
    case ForgeReason::kRateLimited:
      return {StepResult::Kind::kWait, error->retry_after.value_or(kDefaultWait), Text(status)};
    case ForgeReason::kUnauthorized:
    case ForgeReason::kForbidden:
      // An operator mends it; nothing is lost meanwhile.
      return {StepResult::Kind::kRetry, error->retry_after.value_or(milliseconds(0)), Text(status)};
    default:
      break;
  }
  if (error->Transient()) {
    return {StepResult::Kind::kRetry, error->retry_after.value_or(milliseconds(0)), Text(status)};
  }
  return {StepResult::Kind::kFailed, milliseconds(0), Text(status)};
}

StepResult FromStoreError(const absl::Status& status) {
  return {StepResult::Kind::kWait, kStoreWait, "store: " + Text(status)};
}

EffectRunner::EffectRunner(Kinds kinds, store::Ledger& ledger, const Clock& clock, Logger& logger)
    : kinds_(std::move(kinds)), ledger_(ledger), clock_(clock), logger_(logger) {}

const EffectKind* EffectRunner::KindOf(std::string_view name) const {
  for (const auto& kind : kinds_) {
    if (kind->name() == name) return kind.get();
  }
  return nullptr;
}

absl::StatusOr<std::vector<store::Effect>> EffectRunner::Open(const v1::Subject& subject) {
  std::vector<store::Effect> open;
  for (const EffectState state : {EffectState::kIntent, EffectState::kUnknown}) {
    store::EffectFilter filter;
    filter.subject = subject;
    filter.state = state;
    ASSIGN_OR_RETURN(store::Page<store::Effect> page, ledger_.List(filter, {0, kMaxEffectsRead}));
    for (store::Effect& effect : page.items) open.push_back(std::move(effect));
  }
  std::sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return open;
}

StepResult EffectRunner::SettleOpen(const v1::Subject& subject, const EffectContext& context,
                                    const std::vector<milliseconds>& settle) {
  const absl::StatusOr<std::vector<store::Effect>> open = Open(subject);
  if (!open.ok()) return FromStoreError(open.status());
  StepResult first;
  for (const store::Effect& effect : *open) {
    // An intent that was never about to be sent is certainly not there.
    if (effect.state == EffectState::kIntent && !effect.sent_at.has_value()) continue;
    StepResult result = Settle(effect, context, settle);
    if (result.done()) continue;
    // Look at the others, too: their time may have come. Then wait for the one that is due first.
    if (result.kind != StepResult::Kind::kWait) return result;
    if (first.done() || result.delay < first.delay) first = result;
  }
  return first;
}

StepResult EffectRunner::Settle(const store::Effect& effect, const EffectContext& context,
                                const std::vector<milliseconds>& settle) {
  const EffectKind* kind = KindOf(effect.kind);
  const store::TimePoint sent = effect.sent_at.value_or(effect.created_at);
  const store::TimePoint first_look = settle.empty() ? sent : sent + settle.front();
  if (effect.state == EffectState::kIntent) {
    // We died between noting and knowing.
    const absl::Status noted = ledger_.MarkUnknown(effect.id, first_look, "the daemon ended while it was sent");
    if (!noted.ok()) return FromStoreError(noted);
  }
  if (kind == nullptr) {
    // Written by a newer version: nobody here can look for it.
    const absl::Status noted = ledger_.MarkFailed(effect.id, "this version does not know this kind of effect");
    return noted.ok() ? StepResult() : FromStoreError(noted);
  }
  store::TimePoint now = clock_.Now();
  if (now < first_look) return {StepResult::Kind::kWait, Until(first_look, now), "settling"};

  const absl::StatusOr<LookResult> look = kind->Look(context, effect);
  if (!look.ok()) {
    StepResult result = FromForgeError(look.status());
    if (result.kind != StepResult::Kind::kFailed) return result;
    const absl::Status noted = ledger_.MarkFailed(effect.id, result.reason);
    if (!noted.ok()) return FromStoreError(noted);
    return {};
  }
  if (look->seen) {
    const absl::Status noted = ledger_.MarkConfirmed(effect.id, look->forge_ref);
    if (!noted.ok()) return FromStoreError(noted);
    return {};
  }
  // The next look, if there is one: counted from the moment of sending. The look that just missed counts as done.
  for (const milliseconds delay : settle) {
    if (sent + delay > now) return {StepResult::Kind::kWait, Until(sent + delay, now), "settling"};
  }
  absl::Status noted;
  if (!look->conclusive || effect.attempts >= kMaxEffectTries) {
    noted = ledger_.MarkFailed(
        effect.id, look->conclusive ? "sent " + std::to_string(effect.attempts) + " times and never seen on the forge"
                                    : "the forge does not show enough to find it");
  } else {
    noted = ledger_.MarkNotSent(effect.id, "all looks missed it");
  }
  return noted.ok() ? StepResult() : FromStoreError(noted);
}

StepResult EffectRunner::CarryOut(const v1::Plan& plan, const v1::Action& action, int64_t delivery,
                                  store::TimePoint started, const EffectContext& context,
                                  const std::vector<milliseconds>& settle, std::string& key) {
  for (const auto& kind : kinds_) {
    // What failed for good, or was abandoned, and is wanted again gets an entry of its own.
    for (int repeat = 0;; ++repeat) {
      std::optional<store::NewEffect> effect = kind->Make(plan, action, repeat);
      if (!effect.has_value()) break;
      effect->delivery = delivery;
      key = effect->key;
      const absl::StatusOr<store::IntentResult> intent = ledger_.Intent(*effect);
      if (!intent.ok()) return FromStoreError(intent.status());
      if (intent->state == EffectState::kConfirmed) return {};
      if (store::IsFinal(intent->state)) {
        if (!kind->essential()) return {};
        const absl::StatusOr<store::Effect> before = ledger_.Get(intent->id);
        if (!before.ok()) return FromStoreError(before.status());
        const bool just_now = before->settled_at.has_value() && *before->settled_at >= started;
        if (just_now && before->reason != kAbandoned) {
          // What the forge refused stays refused. What got lost is tried again later, in a round of its own: a forge
          // that is unwell for a minute must not cost a person's attention.
          const bool again = before->state == EffectState::kFailed && repeat + 1 < kMaxEffectRounds;
          return {again ? StepResult::Kind::kRetry : StepResult::Kind::kFailed, milliseconds(0), before->reason};
        }
        continue;
      }
      if (intent->state == EffectState::kUnknown) {
        return {StepResult::Kind::kWait, settle.empty() ? kDefaultWait : settle.front(), "settling"};
      }
      StepResult sent = Send(*kind, intent->id, context, settle);
      if (sent.kind == StepResult::Kind::kFailed && !kind->essential()) return {};
      return sent;
    }
  }
  return {StepResult::Kind::kFailed, milliseconds(0), "no kind of effect carries out this action"};
}

StepResult EffectRunner::Send(const EffectKind& kind, int64_t id, const EffectContext& context,
                              const std::vector<milliseconds>& settle) {
  // The entry may have been made by an earlier decision: what it says is what is sent.
  const absl::StatusOr<store::Effect> effect = ledger_.Get(id);
  if (!effect.ok()) return FromStoreError(effect.status());
  if (const absl::Status noted = ledger_.Sending(id); !noted.ok()) return FromStoreError(noted);
  const store::TimePoint sent = clock_.Now();
  const milliseconds first_look = settle.empty() ? kDefaultWait : settle.front();

  const absl::StatusOr<LookResult> result = kind.Send(context, *effect);
  const auto unknown = [&](std::string_view reason) -> StepResult {
    const absl::Status noted = ledger_.MarkUnknown(id, sent + first_look, reason);
    if (!noted.ok()) return FromStoreError(noted);
    return {StepResult::Kind::kWait, Until(sent + first_look, clock_.Now()), std::string(reason)};
  };
  if (result.ok()) {
    if (!result->seen) return unknown("written, but not visible yet");
    const absl::Status noted = ledger_.MarkConfirmed(id, result->forge_ref);
    if (!noted.ok()) return FromStoreError(noted);
    logger_.Info("effect confirmed",
                 {{"effect", effect->key}, {"kind", effect->kind}, {"forge_ref", result->forge_ref}});
    return {};
  }
  if (ForgeOutcomeOf(result.status()) == ForgeOutcome::kUnknown) return unknown(Text(result.status()));

  // Not done, and the forge or our own client is sure of it.
  StepResult step = FromForgeError(result.status());
  absl::Status noted;
  if (step.kind == StepResult::Kind::kFailed) {
    noted = ledger_.MarkRefused(id, step.reason);
    logger_.Warning("effect refused", {{"effect", effect->key}, {"kind", effect->kind}, {"reason", step.reason}});
  } else {
    noted = ledger_.TakeBack(id, step.reason);
  }
  return noted.ok() ? step : FromStoreError(noted);
}

absl::Status EffectRunner::Abandon(const v1::Subject& subject, const std::set<std::string>& keep) {
  ASSIGN_OR_RETURN(const std::vector<store::Effect> open, Open(subject));
  for (const store::Effect& effect : open) {
    if (effect.state != EffectState::kIntent || effect.sent_at.has_value() || keep.contains(effect.key)) continue;
    RETURN_IF_ERROR(ledger_.MarkRefused(effect.id, kAbandoned));
  }
  return absl::OkStatus();
}

absl::Status EffectRunner::GiveUp(const v1::Subject& subject, int64_t delivery, std::string_view reason) {
  ASSIGN_OR_RETURN(const std::vector<store::Effect> open, Open(subject));
  for (const store::Effect& effect : open) {
    if (effect.delivery != delivery) continue;
    RETURN_IF_ERROR(ledger_.MarkFailed(effect.id, reason));
  }
  return absl::OkStatus();
}

absl::StatusOr<WrittenLabels> EffectRunner::LabelsWritten(const v1::Subject& subject) {
  // In the order in which they were wanted: the last word about a label counts.
  std::vector<store::Effect> effects;
  for (const std::string_view kind : {AddLabelsEffect::kName, RemoveLabelsEffect::kName}) {
    store::EffectFilter filter;
    filter.subject = subject;
    filter.state = EffectState::kConfirmed;
    filter.kind = kind;
    ASSIGN_OR_RETURN(store::Page<store::Effect> page, ledger_.List(filter, {0, kMaxEffectsRead}));
    std::move(page.items.begin(), page.items.end(), std::back_inserter(effects));
  }
  std::sort(effects.begin(), effects.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  std::map<std::string, bool> ours;
  for (const store::Effect& effect : effects) {
    const bool decided = effect.kind == AddLabelsEffect::kName && !AddLabelsEffect::AskedFor(effect.payload);
    for (const std::string& label : AddLabelsEffect::LabelsOf(effect.payload)) ours[label] = decided;
  }
  WrittenLabels out;
  for (const auto& [label, decided] : ours) {
    out.all.push_back(label);
    if (decided) out.ours.push_back(label);
  }
  return out;
}

}  // namespace yardmaster
