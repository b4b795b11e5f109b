// "start_gate": the comment that starts a gate. It carries no marker, since the gate's bot reads nothing but the whole
// text: it is found again by our account, its text, and its time.
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "clients/forge/limits.h"
#include "services/core/lines.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/effects/own_comment.h"

namespace yardmaster {
namespace {

constexpr size_t kMaxTriggerBytes = 200;

// Whether it is the comment of this start, not that of an earlier one with the same text.
bool IsStart(const EffectContext& context, const store::Effect& effect, const ForgeComment& comment) {
  if (!effect.forge_ref.empty() && comment.id == effect.forge_ref) return true;
  if (!context.account.MayBeOurs(comment.author.login)) return false;
  if (TrimBlanks(comment.body) != effect.action.start_gate().comment()) return false;
  absl::Time at;
  if (!absl::ParseTime(absl::RFC3339_full, comment.created_at, &at, nullptr)) return false;
  return absl::ToChronoTime(at) + kMaxClockSkew >= effect.created_at;
}

class StartGate final : public EffectKind {
 public:
  std::string_view name() const override { return "start_gate"; }
  v1::Action::ActionCase action() const override { return v1::Action::kStartGate; }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::StartGate& start = action.start_gate();
    if (start.comment().empty() || start.comment().size() > kMaxTriggerBytes || start.gate().empty()) {
      return absl::InvalidArgumentError("not a comment that starts a gate");
    }
    const std::string subject = SubjectKey(plan.subject());
    return Entry{"g-" + ShortDigestOf({name(), subject, start.gate(), start.head(), absl::StrCat(start.start())}),
                 action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    ASSIGN_OR_RETURN(
        const ForgeCommentWritten written,
        context.forge().AddComment(context.call, ForgeSubjectOf(effect.subject), effect.action.start_gate().comment()));
    return ObserveWritten(context, written, [&](const ForgeComment& one) { return IsStart(context, effect, one); });
  }

  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    const auto is_it = [&](const ForgeComment& comment) { return IsStart(context, effect, comment); };
    ASSIGN_OR_RETURN(const ForgeCommentList list,
                     context.forge().ListComments(context.call, ForgeSubjectOf(effect.subject)));
    for (const ForgeComment& comment : list.comments) {
      if (is_it(comment)) return EffectObservation::Seen(comment.id);
    }
    ASSIGN_OR_RETURN(EffectObservation sighting, ObserveById(context, effect, is_it));
    sighting.conclusive = list.complete;
    return sighting;
  }
};

}  // namespace

const EffectKind& StartGateEffect() {
  static const StartGate kind;
  return kind;
}

}  // namespace yardmaster
