#include "services/core/store/ledger.h"

namespace yardmaster::store {

std::string_view EffectStateName(EffectState state) {
  static constexpr std::string_view kNames[] = {"intent", "unknown", "confirmed", "refused", "failed"};
  return kNames[static_cast<size_t>(state)];
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
