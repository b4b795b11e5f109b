// "push_ref": a ref of a repository that moves, by git's own protocol. The server compares under its lock where the ref
// is, so what somebody else pushed meanwhile is never overwritten, and nothing is pushed twice.
#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/repository_name.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effects/kinds.h"

namespace yardmaster {
namespace {

constexpr size_t kMaxPackBytes = 8 * 1024 * 1024;
constexpr size_t kMaxRefBytes = 512;
constexpr size_t kObjectNameLength = 40;
// What the ledger calls a ref that is removed.
constexpr std::string_view kRemoved = "removed";

bool IsObjectName(const std::string& text) {
  return text.size() == kObjectNameLength && absl::c_all_of(text, [](char c) { return absl::ascii_isxdigit(c); });
}
bool IsObjectNameOrNone(const std::string& text) { return text.empty() || IsObjectName(text); }

absl::Status NoGitServer() {
  return MakeForgeStatus({ForgeReason::kUnsupported, ForgeOutcome::kNotSent, 0, {}},
                         "the forge's git server is not reached by HTTP");
}

// The error of a git server, as one of its forge.
absl::Status GitFailed(const absl::Status& status, bool maybe_done) {
  ForgeReason reason = ForgeReason::kNetwork;
  if (absl::IsNotFound(status)) reason = ForgeReason::kNotFound;
  if (absl::IsFailedPrecondition(status)) reason = ForgeReason::kForbidden;
  if (absl::IsCancelled(status)) reason = ForgeReason::kStopped;
  return MakeForgeStatus({reason, maybe_done ? ForgeOutcome::kUnknown : ForgeOutcome::kNotSent, 0, {}},
                         std::string(status.message()));
}

class PushRef final : public EffectKind {
 public:
  std::string_view name() const override { return kPushRefKind; }
  v1::Action::ActionCase action() const override { return v1::Action::kPushRef; }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::PushRef& push = action.push_ref();
    const bool is_fine = IsRepositoryName(push.repository()) && push.ref().starts_with("refs/heads/") &&
                         push.ref().size() <= kMaxRefBytes && IsObjectNameOrNone(push.old_id()) &&
                         IsObjectNameOrNone(push.new_id()) && push.old_id() != push.new_id() &&
                         push.pack().size() <= kMaxPackBytes && !push.cause().empty();
    if (!is_fine) return absl::InvalidArgumentError("not a ref that can be moved");
    return Entry{"p-" + ShortDigestOf({name(), SubjectKey(plan.subject()), push.repository(), push.ref(), push.old_id(),
                                       push.new_id(), push.cause()}),
                 action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    GitPusher* const git = context.account.git();
    if (git == nullptr) return NoGitServer();
    const v1::PushRef& push = effect.action.push_ref();
    bool maybe_done = false;
    const absl::StatusOr<PushOutcome> outcome =
        git->Push(push.repository(), {push.ref(), push.old_id(), push.new_id()}, push.pack(), maybe_done);
    if (!outcome.ok()) return GitFailed(outcome.status(), maybe_done);
    switch (outcome->state) {
      case PushOutcome::State::kDone:
        return EffectObservation::Seen(push.new_id().empty() ? kRemoved : std::string_view(push.new_id()));
      case PushOutcome::State::kMoved:
        return MakeForgeStatus(
            {ForgeReason::kConflict, ForgeOutcome::kRefused, 0, {}},
            absl::StrCat("somebody else has moved ", push.ref(), " of ", push.repository(), " to ",
                         outcome->reason.empty() ? "nothing" : outcome->reason, ": nothing was pushed"));
      case PushOutcome::State::kRefused:
        return MakeForgeStatus({ForgeReason::kForbidden, ForgeOutcome::kRefused, 0, {}},
                               absl::StrCat("the git server does not take the push: ", outcome->reason));
    }
    return absl::InternalError("an outcome without a name");
  }

  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    GitPusher* const git = context.account.git();
    if (git == nullptr) return NoGitServer();
    const v1::PushRef& push = effect.action.push_ref();
    const absl::StatusOr<std::vector<GitRef>> refs = git->Refs(push.repository());
    if (!refs.ok()) return GitFailed(refs.status(), /*maybe_done=*/false);
    if (PlaceOf(*refs, push.ref()) != push.new_id()) return EffectObservation();
    return EffectObservation::Seen(push.new_id().empty() ? kRemoved : std::string_view(push.new_id()));
  }
};

}  // namespace

const EffectKind& PushRefEffect() {
  static const PushRef kKind;
  return kKind;
}

}  // namespace yardmaster
