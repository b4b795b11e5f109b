// "post_template": a comment with a template of the pack and our marker. One template is posted once on a subject.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_POST_TEMPLATE_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_POST_TEMPLATE_H_

#include "services/intake/effect.h"

namespace yardmaster {

const EffectKind& PostTemplateEffect();

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_POST_TEMPLATE_H_
