#include "services/intake/written_actions.h"

#include <string>
#include <utility>

#include "services/core/limits.h"
#include "services/core/status_macros.h"

namespace yardmaster {

absl::StatusOr<std::vector<v1::Action>> WrittenActions(store::Ledger& ledger, const v1::Subject& subject,
                                                       std::string_view kind) {
  store::EffectFilter filter;
  filter.subject = subject;
  filter.kind = std::string(kind);
  ASSIGN_OR_RETURN(store::Page<store::Effect> effects, ledger.List(filter, {0, kMaxStorePage}));
  std::vector<v1::Action> written;
  for (store::Effect& effect : effects.items) {
    const bool refused = effect.state == store::EffectState::kRefused || effect.state == store::EffectState::kFailed;
    if (!refused) written.push_back(std::move(effect.action));
  }
  return written;
}

}  // namespace yardmaster
