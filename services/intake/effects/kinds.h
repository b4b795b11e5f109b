// The kinds of effects that this program knows. To add one, write its file here and name it twice below; an action that
// no kind carries out yet is a new field of v1::Action.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_KINDS_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_KINDS_H_

#include "services/intake/effect.h"

namespace yardmaster {

const EffectKind& AddLabelsEffect();
const EffectKind& AnswerCommentEffect();
const EffectKind& ApproveTestsEffect();
const EffectKind& AwaitConfirmationEffect();
const EffectKind& CancelJobEffect();
const EffectKind& ChatLinkEffect();
const EffectKind& ChatMessageEffect();
const EffectKind& ChatSubscriptionEffect();
const EffectKind& EditPullEffect();
const EffectKind& IgnoreRuleEffect();
const EffectKind& OpenPullEffect();
const EffectKind& PostTemplateEffect();
const EffectKind& PushRefEffect();
const EffectKind& ReactEffect();
const EffectKind& RemoveLabelsEffect();
const EffectKind& ReportCheckEffect();
const EffectKind& ResolveReviewCommentsEffect();
const EffectKind& ReviewCommentsEffect();
const EffectKind& StartGateEffect();
const EffectKind& SubmitJobEffect();

inline EffectKinds ShippedEffectKinds() {
  return {&AddLabelsEffect(),
          &AnswerCommentEffect(),
          &ApproveTestsEffect(),
          &AwaitConfirmationEffect(),
          &CancelJobEffect(),
          &ChatLinkEffect(),
          &ChatMessageEffect(),
          &ChatSubscriptionEffect(),
          &EditPullEffect(),
          &IgnoreRuleEffect(),
          &OpenPullEffect(),
          &PostTemplateEffect(),
          &PushRefEffect(),
          &ReactEffect(),
          &RemoveLabelsEffect(),
          &ReportCheckEffect(),
          &ResolveReviewCommentsEffect(),
          &ReviewCommentsEffect(),
          &StartGateEffect(),
          &SubmitJobEffect()};
}

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_KINDS_H_
