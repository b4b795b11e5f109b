// "react": one reaction of ours on a comment or an opening post. Nobody waits for it: where the forge has none or does
// not take it, it is refused and the work goes on.
#include "clients/forge/forge_error.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effects/kinds.h"

namespace yardmaster {
namespace {

class React final : public EffectKind {
 public:
  std::string_view name() const override { return "react"; }
  v1::Action::ActionCase action() const override { return v1::Action::kReact; }
  bool essential(const Forge&) const override { return false; }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::React& react = action.react();
    if (!ForgeReactionFromName(react.content()).has_value()) return absl::InvalidArgumentError("not a reaction");
    const std::string subject = SubjectKey(plan.subject());
    return Entry{"r-" + ShortDigestOf({name(), subject, react.comment(), react.content()}), action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    const v1::React& react = effect.action.react();
    const std::optional<ForgeReaction> reaction = ForgeReactionFromName(react.content());
    if (!reaction.has_value()) {
      return MakeForgeStatus({ForgeReason::kInvalidInput, ForgeOutcome::kNotSent, 0, std::nullopt}, "not a reaction");
    }
    ASSIGN_OR_RETURN(const std::string id, context.forge().AddReaction(context.call, ForgeSubjectOf(effect.subject),
                                                                       react.comment(), *reaction));
    return EffectObservation::Seen(id.empty() ? react.content() : id);
  }

  // Sends it again: a forge keeps one reaction of a kind for each account, so that this changes nothing where it is
  // already there, and its answer is the only proof that there is.
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    return Send(context, effect);
  }
};

}  // namespace

const EffectKind& ReactEffect() {
  static const React kind;
  return kind;
}

}  // namespace yardmaster
