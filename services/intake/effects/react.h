// "react": one reaction of ours on a comment or an opening post. Nobody waits for it: where the forge has none or does
// not take it, it is refused and the work goes on.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_REACT_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_REACT_H_

#include "services/intake/effect.h"

namespace yardmaster {

const EffectKind& ReactEffect();

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_REACT_H_
