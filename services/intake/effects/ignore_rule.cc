// "ignore_rule": a rule that a person silences in one pull request, or that such a silence ends. Its entry in the
// ledger is all there is: nothing is sent, and so nothing can get lost on the way.
#include "services/core/short_digest.h"
#include "services/intake/effects/kinds.h"

namespace yardmaster {
namespace {

class IgnoreRule final : public EffectKind {
 public:
  std::string_view name() const override { return "ignore_rule"; }
  v1::Action::ActionCase action() const override { return v1::Action::kIgnoreRule; }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::IgnoreRule& ignore = action.ignore_rule();
    const v1::IgnoredRule& rule = ignore.rule();
    if (rule.rule_id().empty() || ignore.cause().empty()) {
      return absl::InvalidArgumentError("no rule, or nothing that asks for it");
    }
    return Entry{"i-" + ShortDigestOf({name(), SubjectKey(plan.subject()), rule.rule_id(), rule.path(),
                                       ignore.ended() ? "ended" : "begun", ignore.cause()}),
                 action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext&, const store::Effect&) const override {
    return EffectObservation::Seen("noted");
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext&, const store::Effect&) const override {
    return EffectObservation::Seen("noted");
  }
};

}  // namespace

const EffectKind& IgnoreRuleEffect() {
  static const IgnoreRule kind;
  return kind;
}

}  // namespace yardmaster
