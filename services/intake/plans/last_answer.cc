#include "services/intake/plans/last_answer.h"

#include <algorithm>

#include "services/core/status_macros.h"
#include "services/intake/marker.h"

namespace yardmaster {
namespace {

// Of all comments of a subject; a summary that is older is not updated any more.
constexpr int64_t kAnswersLooked = 100;

}  // namespace

absl::StatusOr<AnswerBefore> LastAnswer(const SubjectRun& run, std::string_view name) {
  store::EffectFilter filter;
  filter.subject = run.subject();
  filter.kind = "answer_comment";
  // The newest first.
  ASSIGN_OR_RETURN(const store::Page<store::Effect> effects, run.env().ledger.List(filter, {0, kAnswersLooked}));
  AnswerBefore before;
  before.next_revision = run.delivery();
  bool found = false;
  for (const store::Effect& effect : effects.items) {
    const v1::AnswerComment& answer = effect.action.answer_comment();
    if (answer.name() != name) continue;
    before.next_revision = std::max(before.next_revision, answer.revision() + 1);
    const bool gone = effect.state == store::EffectState::kRefused || effect.state == store::EffectState::kFailed;
    if (!gone && !found) before.text = WithoutMarker(answer.body());
    found = found || !gone;
  }
  return before;
}

}  // namespace yardmaster
