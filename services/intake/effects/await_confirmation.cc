// "await_confirmation": a command that waits for a person's yes, or the end of that. Its entry in the ledger is all
// there is: nothing is sent, and so nothing can get lost on the way.
#include "services/core/short_digest.h"
#include "services/intake/effects/kinds.h"

namespace yardmaster {
namespace {

class AwaitConfirmation final : public EffectKind {
 public:
  std::string_view name() const override { return kAwaitConfirmationKind; }
  v1::Action::ActionCase action() const override { return v1::Action::kAwaitConfirmation; }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::AwaitConfirmation& wait = action.await_confirmation();
    if (wait.command().empty() || wait.by().empty() || wait.cause().empty()) {
      return absl::InvalidArgumentError("no command, or nobody to confirm it");
    }
    return Entry{"w-" + ShortDigestOf({name(), SubjectKey(plan.subject()), wait.command(), wait.by(),
                                       wait.ended() ? "ended" : "begun", wait.cause()}),
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

const EffectKind& AwaitConfirmationEffect() {
  static const AwaitConfirmation kKind;
  return kKind;
}

}  // namespace yardmaster
