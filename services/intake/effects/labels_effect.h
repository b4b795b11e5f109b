// What the kinds of effects that change labels share.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_LABELS_EFFECT_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_LABELS_EFFECT_H_

#include <string>
#include <string_view>
#include <vector>

#include "services/intake/effect.h"

namespace yardmaster {

// Seen if every label of `labels` is among `have`, or with `gone` none of them.
EffectObservation ObserveLabels(const std::vector<std::string>& have, const std::vector<std::string>& labels,
                                bool gone);

template <typename Names>
std::vector<std::string> LabelNames(const Names& names) {
  return {names.begin(), names.end()};
}

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_LABELS_EFFECT_H_
