#include "services/intake/effects/labels_effect.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "clients/forge/labels.h"

namespace yardmaster {

EffectObservation ObserveLabels(const std::vector<std::string>& have, const std::vector<std::string>& labels,
                                bool gone) {
  const bool seen = !labels.empty() &&
                    absl::c_all_of(labels, [&](const std::string& label) { return HasLabel(have, label) != gone; });
  return seen ? EffectObservation::Seen(absl::StrJoin(labels, ", ")) : EffectObservation();
}

}  // namespace yardmaster
