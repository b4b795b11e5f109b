// "approve_tests": a person lets one commit be tested. Its entry in the ledger is all there is.
#include "services/core/short_digest.h"
#include "services/intake/effects/kinds.h"

namespace yardmaster {
namespace {

class ApproveTests final : public EffectKind {
 public:
  std::string_view name() const override { return kApproveTestsKind; }
  v1::Action::ActionCase action() const override { return v1::Action::kApproveTests; }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::ApproveTests& approve = action.approve_tests();
    if (approve.head().empty() || approve.by().empty() || approve.cause().empty()) {
      return absl::InvalidArgumentError("no commit, nobody, or nothing that asks for it");
    }
    return Entry{"t-" + ShortDigestOf({name(), SubjectKey(plan.subject()), approve.head(), approve.cause()}), action};
  }
  absl::StatusOr<EffectObservation> Send(const EffectContext&, const store::Effect&) const override {
    return EffectObservation::Seen("noted");
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext&, const store::Effect&) const override {
    return EffectObservation::Seen("noted");
  }
};

}  // namespace

const EffectKind& ApproveTestsEffect() {
  static const ApproveTests kKind;
  return kKind;
}

}  // namespace yardmaster
