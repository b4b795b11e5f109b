// "submit_job", "cancel_job": jobs of the dispatcher, which lives in the same store. Both are known by the job's name,
// so that doing them again changes nothing.
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/short_digest.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/job_dispatcher.h"

namespace yardmaster {
namespace {

absl::Status NoJobDispatcher() {
  return MakeForgeStatus({ForgeReason::kInvalidInput, ForgeOutcome::kNotSent, 0, std::nullopt},
                         "suites are not run by this daemon");
}

// What the dispatcher says, in the words that the pipe knows: what can't run is refused, the rest is tried again.
absl::StatusOr<EffectObservation> Done(const absl::Status& status, const std::string& job) {
  if (status.ok()) return EffectObservation::Seen(job);
  const bool final = absl::IsNotFound(status) || absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status);
  return MakeForgeStatus(
      {final ? ForgeReason::kInvalidInput : ForgeReason::kNetwork, ForgeOutcome::kNotSent, 0, std::nullopt},
      std::string(status.message()));
}

class SubmitJob final : public EffectKind {
 public:
  std::string_view name() const override { return kSubmitJobKind; }
  v1::Action::ActionCase action() const override { return v1::Action::kSubmitJob; }

  absl::StatusOr<Entry> Prepare(const v1::Plan&, const v1::Action& action) const override {
    const v1::SubmitJob& submit = action.submit_job();
    if (submit.job().empty() || submit.spec().suite().empty() || submit.spec().subject().empty() ||
        submit.cause().empty()) {
      return absl::InvalidArgumentError("no job of a pull request");
    }
    return Entry{"j-" + ShortDigestOf({name(), submit.job()}), action};
  }
  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    if (context.jobs == nullptr) return NoJobDispatcher();
    const v1::SubmitJob& submit = effect.action.submit_job();
    return Done(context.jobs->Submit(submit), submit.job());
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    return Send(context, effect);
  }
};

class CancelJob final : public EffectKind {
 public:
  std::string_view name() const override { return "cancel_job"; }
  v1::Action::ActionCase action() const override { return v1::Action::kCancelJob; }

  absl::StatusOr<Entry> Prepare(const v1::Plan&, const v1::Action& action) const override {
    const v1::CancelJob& cancel = action.cancel_job();
    if (cancel.job().empty() || cancel.cause().empty()) return absl::InvalidArgumentError("no job, or no cause");
    return Entry{"j-" + ShortDigestOf({name(), cancel.job()}), action};
  }
  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    if (context.jobs == nullptr) return NoJobDispatcher();
    const v1::CancelJob& cancel = effect.action.cancel_job();
    return Done(context.jobs->Cancel(cancel), cancel.job());
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    return Send(context, effect);
  }
};

}  // namespace

const EffectKind& SubmitJobEffect() {
  static const SubmitJob kKind;
  return kKind;
}

const EffectKind& CancelJobEffect() {
  static const CancelJob kKind;
  return kKind;
}

}  // namespace yardmaster
