// "post_template": a comment with a template of the pack and our marker. One template is posted once on a subject.
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/effects/own_comment.h"
#include "services/intake/marker.h"
#include "services/intake/plans/label_guard.h"

namespace yardmaster {
namespace {

class PostTemplate final : public EffectKind {
 public:
  std::string_view name() const override { return "post_template"; }
  v1::Action::ActionCase action() const override { return v1::Action::kPostTemplate; }
  bool guarded() const override { return true; }

  v1::Action Guard(const GuardContext& context, const v1::Action& action) const override {
    return GuardedByPack(context, action);
  }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const std::string& id = action.post_template().template_id();
    if (id.empty()) return absl::InvalidArgumentError("no template");
    const std::string subject = SubjectKey(plan.subject());
    Entry entry{"c-" + ShortDigestOf({name(), subject, id}), action};
    entry.action.mutable_post_template()->set_body(
        WithMarker(action.post_template().body(), plan.pack(), id, entry.key));
    return entry;
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    ASSIGN_OR_RETURN(
        const ForgeCommentWritten written,
        context.forge().AddComment(context.call, ForgeSubjectOf(effect.subject), effect.action.post_template().body()));
    return ObserveWritten(context, written, [](const ForgeComment&) { return true; });
  }

  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    // An entry that is wanted again has a key of its own, but writes the text of the first.
    const std::optional<std::string> key = MarkerKey(effect.action.post_template().body());
    const auto is_it = [&](const ForgeComment& comment) {
      return key.has_value() && MarkerKey(comment.body) == key && IsOwnComment(context, comment, effect.forge_ref);
    };
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

const EffectKind& PostTemplateEffect() {
  static const PostTemplate kind;
  return kind;
}

}  // namespace yardmaster
