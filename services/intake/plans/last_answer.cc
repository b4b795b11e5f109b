#include "services/intake/plans/last_answer.h"

#include "services/core/status_macros.h"
#include "services/intake/marker.h"

namespace yardmaster {
namespace {

// Of all comments of a subject; a summary that is older is not updated any more.
constexpr int64_t kAnswersLooked = 100;

}  // namespace

absl::StatusOr<std::string> LastAnswer(const SubjectRun& run, std::string_view name) {
  store::EffectFilter filter;
  filter.subject = run.subject();
  filter.kind = "answer_comment";
  // The newest first.
  ASSIGN_OR_RETURN(const store::Page<store::Effect> effects, run.env().ledger.List(filter, {0, kAnswersLooked}));
  for (const store::Effect& effect : effects.items) {
    const bool gone = effect.state == store::EffectState::kRefused || effect.state == store::EffectState::kFailed;
    const v1::AnswerComment& answer = effect.action.answer_comment();
    if (!gone && answer.name() == name) return std::string(WithoutMarker(answer.body()));
  }
  return std::string();
}

}  // namespace yardmaster
