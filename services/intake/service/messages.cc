#include "services/intake/service/messages.h"

#include "services/core/messages/timestamps.h"

namespace yardmaster {

v1::DeliveryState ToProto(store::DeliveryState state) {
  switch (state) {
    case store::DeliveryState::kReceived:
      return v1::DELIVERY_STATE_RECEIVED;
    case store::DeliveryState::kIgnored:
      return v1::DELIVERY_STATE_IGNORED;
    case store::DeliveryState::kDone:
      return v1::DELIVERY_STATE_DONE;
    case store::DeliveryState::kFailed:
      return v1::DELIVERY_STATE_FAILED;
    case store::DeliveryState::kDead:
      return v1::DELIVERY_STATE_DEAD;
  }
  return v1::DELIVERY_STATE_UNSPECIFIED;
}

std::optional<store::DeliveryState> FromProto(v1::DeliveryState state) {
  switch (state) {
    case v1::DELIVERY_STATE_RECEIVED:
      return store::DeliveryState::kReceived;
    case v1::DELIVERY_STATE_IGNORED:
      return store::DeliveryState::kIgnored;
    case v1::DELIVERY_STATE_DONE:
      return store::DeliveryState::kDone;
    case v1::DELIVERY_STATE_FAILED:
      return store::DeliveryState::kFailed;
    case v1::DELIVERY_STATE_DEAD:
      return store::DeliveryState::kDead;
    default:
      return std::nullopt;
  }
}

v1::EffectState ToProto(store::EffectState state) {
  switch (state) {
    case store::EffectState::kIntent:
      return v1::EFFECT_STATE_INTENT;
    case store::EffectState::kUnknown:
      return v1::EFFECT_STATE_UNKNOWN;
    case store::EffectState::kConfirmed:
      return v1::EFFECT_STATE_CONFIRMED;
    case store::EffectState::kRefused:
      return v1::EFFECT_STATE_REFUSED;
    case store::EffectState::kFailed:
      return v1::EFFECT_STATE_FAILED;
  }
  return v1::EFFECT_STATE_UNSPECIFIED;
}

std::optional<store::EffectState> FromProto(v1::EffectState state) {
  switch (state) {
    case v1::EFFECT_STATE_INTENT:
      return store::EffectState::kIntent;
    case v1::EFFECT_STATE_UNKNOWN:
      return store::EffectState::kUnknown;
    case v1::EFFECT_STATE_CONFIRMED:
      return store::EffectState::kConfirmed;
    case v1::EFFECT_STATE_REFUSED:
      return store::EffectState::kRefused;
    case v1::EFFECT_STATE_FAILED:
      return store::EffectState::kFailed;
    default:
      return std::nullopt;
  }
}

v1::Delivery ToProto(const store::Delivery& delivery) {
  v1::Delivery out;
  out.set_id(delivery.id);
  out.set_forge(delivery.forge);
  out.set_delivery_id(delivery.delivery_id);
  out.set_event(delivery.event);
  out.set_action(delivery.action);
  if (!delivery.subject.forge().empty()) *out.mutable_subject() = delivery.subject;
  out.set_state(ToProto(delivery.state));
  out.set_reason(delivery.reason);
  out.set_attempts(delivery.attempts);
  *out.mutable_received_at() = ToTimestamp(delivery.received_at);
  if (delivery.due_at.has_value()) *out.mutable_due_at() = ToTimestamp(*delivery.due_at);
  if (delivery.settled_at.has_value()) *out.mutable_settled_at() = ToTimestamp(*delivery.settled_at);
  out.set_body_sha256(delivery.body_sha256);
  out.set_body_bytes(delivery.body_bytes);
  out.set_body_kept(delivery.body_kept);
  return out;
}

v1::Effect ToProto(const store::Effect& effect) {
  v1::Effect out;
  out.set_id(effect.id);
  out.set_key(effect.key);
  *out.mutable_subject() = effect.subject;
  out.set_kind(effect.kind);
  out.set_state(ToProto(effect.state));
  out.set_forge_ref(effect.forge_ref);
  out.set_decision(effect.decision);
  out.set_attempts(effect.attempts);
  *out.mutable_created_at() = ToTimestamp(effect.created_at);
  if (effect.sent_at.has_value()) *out.mutable_sent_at() = ToTimestamp(*effect.sent_at);
  if (effect.settled_at.has_value()) *out.mutable_settled_at() = ToTimestamp(*effect.settled_at);
  out.set_reason(effect.reason);
  *out.mutable_action() = effect.action;
  if (out.action().has_push_ref()) out.mutable_action()->mutable_push_ref()->clear_pack();  // for the git server
  out.set_progress(effect.progress);
  out.set_delivery(effect.delivery);
  return out;
}

}  // namespace yardmaster
