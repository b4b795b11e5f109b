#include "services/intake/effects/kinds.h"

#include "services/intake/effects/add_labels.h"
#include "services/intake/effects/answer_comment.h"
#include "services/intake/effects/post_template.h"
#include "services/intake/effects/react.h"
#include "services/intake/effects/remove_labels.h"

namespace yardmaster {

EffectKinds ShippedEffectKinds() {
  return {&AddLabelsEffect(), &AnswerCommentEffect(), &PostTemplateEffect(), &ReactEffect(), &RemoveLabelsEffect()};
}

}  // namespace yardmaster
