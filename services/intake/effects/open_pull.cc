// "open_pull": a pull request of our own. It is known by the branch that it comes from and the one that it goes to.
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/repository_name.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effects/kinds.h"

namespace yardmaster {
namespace {

ForgePullHead HeadOf(const v1::OpenPull& open) { return {open.head_repository(), open.head()}; }

absl::Status NoPulls() {
  return MakeForgeStatus({ForgeReason::kUnsupported, ForgeOutcome::kNotSent, 0, {}},
                         "this forge's pull requests can't be written");
}

class OpenPull final : public EffectKind {
 public:
  std::string_view name() const override { return "open_pull"; }
  v1::Action::ActionCase action() const override { return v1::Action::kOpenPull; }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::OpenPull& open = action.open_pull();
    if (!IsRepositoryName(open.head_repository()) || open.head().empty() || open.base().empty() ||
        open.title().empty() || open.cause().empty()) {
      return absl::InvalidArgumentError("not a pull request that can be opened");
    }
    return Entry{"o-" + ShortDigestOf({name(), SubjectKey(plan.subject()), open.head_repository(), open.head(),
                                       open.base(), open.cause()}),
                 action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    ForgePulls* const pulls = context.account.pulls();
    if (pulls == nullptr) return NoPulls();
    const v1::OpenPull& open = effect.action.open_pull();
    absl::StatusOr<EffectObservation> there = ReadBack(context, effect);
    if (!there.ok()) return AsNotSent(there.status());
    if (there->seen()) return there;
    // A branch of that name which somebody else has made is not ours to propose.
    GitPusher* const git = context.account.git();
    if (git == nullptr) return NoPulls();
    const absl::StatusOr<std::vector<GitRef>> refs = git->Refs(open.head_repository());
    if (!refs.ok()) {
      return MakeForgeStatus({ForgeReason::kNetwork, ForgeOutcome::kNotSent, 0, {}},
                             std::string(refs.status().message()));
    }
    if (PlaceOf(*refs, absl::StrCat("refs/heads/", open.head())) != open.head_id()) {
      return MakeForgeStatus({ForgeReason::kConflict, ForgeOutcome::kRefused, 0, {}},
                             absl::StrCat("the branch ", open.head(), " is not what was pushed"));
    }
    ASSIGN_OR_RETURN(const ForgePull made,
                     pulls->CreatePull(context.call, effect.subject.repository(),
                                       {open.title(), open.body(), HeadOf(open), open.base(), /*draft=*/false}));
    return EffectObservation::Seen(absl::StrCat(made.number));
  }

  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    ForgePulls* const pulls = context.account.pulls();
    if (pulls == nullptr) return NoPulls();
    const v1::OpenPull& open = effect.action.open_pull();
    ASSIGN_OR_RETURN(const std::vector<ForgePull> found,
                     pulls->FindPulls(context.call, effect.subject.repository(), HeadOf(open)));
    for (const ForgePull& pull : found) {
      if (pull.base_ref == open.base()) return EffectObservation::Seen(absl::StrCat(pull.number));
    }
    return EffectObservation();
  }
};

}  // namespace

const EffectKind& OpenPullEffect() {
  static const OpenPull kKind;
  return kKind;
}

}  // namespace yardmaster
