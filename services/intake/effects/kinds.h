// The kinds of effects that this program knows.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_KINDS_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_KINDS_H_

#include "services/intake/effect.h"

namespace yardmaster {

EffectKinds ShippedEffectKinds();

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_KINDS_H_
