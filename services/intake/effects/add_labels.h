// "add_labels": one request to append labels.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_ADD_LABELS_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_ADD_LABELS_H_

#include "services/intake/effect.h"

namespace yardmaster {

const EffectKind& AddLabelsEffect();

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_ADD_LABELS_H_
