// "remove_labels": labels that a person asked to take off. A decision of ours never puts them back.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_REMOVE_LABELS_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_REMOVE_LABELS_H_

#include "services/intake/effect.h"

namespace yardmaster {

const EffectKind& RemoveLabelsEffect();

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_REMOVE_LABELS_H_
