#include "services/intake/effects/own_comment.h"

namespace yardmaster {

bool IsOwnComment(const EffectContext& context, const ForgeComment& comment, std::string_view known_id) {
  return (!known_id.empty() && comment.id == known_id) || context.account.MayBeOurs(comment.author.login);
}

EffectObservation ObserveWritten(const EffectContext& context, const ForgeCommentWritten& written,
                                 const std::function<bool(const ForgeComment&)>& is_it) {
  if (written.answered.has_value()) context.account.NoteAuthor(written.answered->author.login);
  if (written.shown.has_value() && is_it(*written.shown)) return EffectObservation::Seen(written.shown->id);
  EffectObservation sighting;
  if (written.answered.has_value()) sighting.forge_ref = written.answered->id;
  return sighting;
}

absl::StatusOr<EffectObservation> ObserveById(const EffectContext& context, const store::Effect& effect,
                                              const std::function<bool(const ForgeComment&)>& is_it) {
  if (effect.forge_ref.empty()) return EffectObservation();
  const absl::StatusOr<ForgeComment> comment =
      context.forge().GetComment(context.call, ForgeSubjectOf(effect.subject), effect.forge_ref);
  if (absl::IsNotFound(comment.status())) return EffectObservation();
  if (!comment.ok()) return comment.status();
  return is_it(*comment) ? EffectObservation::Seen(comment->id) : EffectObservation();
}

}  // namespace yardmaster
