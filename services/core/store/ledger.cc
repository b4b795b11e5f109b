#include "services/core/store/ledger.h"

namespace yardmaster::store {

std::string_view EffectStateName(EffectState state) {
  switch (state) {
    case EffectState::kIntent:
      return "intent";
    case EffectState::kUnknown:
      return "unknown";
    case EffectState::kConfirmed:
      return "confirmed";
    case EffectState::kRefused:
      return "refused";
    case EffectState::kFailed:
      return "failed";
  }
  return "intent";
}

std::optional<EffectState> EffectStateFromName(std::string_view name) {
  for (EffectState state : {EffectState::kIntent, EffectState::kUnknown, EffectState::kConfirmed, EffectState::kRefused,
                            EffectState::kFailed}) {
    if (EffectStateName(state) == name) return state;
  }
  return std::nullopt;
}

bool IsFinal(EffectState state) { return state != EffectState::kIntent && state != EffectState::kUnknown; }

bool MayFollow(EffectState from, EffectState to) { return !IsFinal(from) && from != to; }

}  // namespace yardmaster::store
