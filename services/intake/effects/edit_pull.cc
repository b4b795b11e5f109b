// "edit_pull": title and description of a pull request, replaced only where nobody has changed them since they were
// read.
#include "clients/forge/forge_error.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effects/kinds.h"

namespace yardmaster {
namespace {

constexpr std::string_view kEdited = "edited";

// Forges end lines and texts as they like.
std::string Plain(std::string text) {
  std::erase(text, '\r');
  while (text.ends_with('\n')) text.pop_back();
  return text;
}
bool Says(const ForgePull& pull, const std::string& title, const std::string& body) {
  return pull.title == title && Plain(pull.body) == Plain(body);
}

class EditPull final : public EffectKind {
 public:
  std::string_view name() const override { return kEditPullKind; }
  v1::Action::ActionCase action() const override { return v1::Action::kEditPull; }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::EditPull& edit = action.edit_pull();
    if (edit.title().empty() || edit.cause().empty()) {
      return absl::InvalidArgumentError("a pull request must keep a title");
    }
    return Entry{"e-" + ShortDigestOf({name(), SubjectKey(plan.subject()), edit.title(), edit.body(), edit.cause()}),
                 action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    ForgePulls* const pulls = context.account.pulls();
    if (pulls == nullptr) {
      return MakeForgeStatus({ForgeReason::kUnsupported, ForgeOutcome::kNotSent, 0, {}},
                             "this forge's pull requests can't be written");
    }
    const v1::EditPull& edit = effect.action.edit_pull();
    const ForgeSubject subject = ForgeSubjectOf(effect.subject);
    const absl::StatusOr<ForgePull> now = context.forge().GetPull(context.call, subject);
    if (!now.ok()) return AsNotSent(now.status());
    if (Says(*now, edit.title(), edit.body())) return EffectObservation::Seen(kEdited);
    if (!Says(*now, edit.old_title(), edit.old_body())) {
      return MakeForgeStatus({ForgeReason::kConflict, ForgeOutcome::kRefused, 0, {}},
                             "somebody else has changed title or description meanwhile: nothing was written");
    }
    ASSIGN_OR_RETURN(const ForgePull shown, pulls->EditPull(context.call, subject, edit.title(), edit.body()));
    return Says(shown, edit.title(), edit.body()) ? EffectObservation::Seen(kEdited) : EffectObservation();
  }

  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    const v1::EditPull& edit = effect.action.edit_pull();
    ASSIGN_OR_RETURN(const ForgePull now, context.forge().GetPull(context.call, ForgeSubjectOf(effect.subject)));
    return Says(now, edit.title(), edit.body()) ? EffectObservation::Seen(kEdited) : EffectObservation();
  }
};

}  // namespace

const EffectKind& EditPullEffect() {
  static const EditPull kKind;
  return kKind;
}

}  // namespace yardmaster
