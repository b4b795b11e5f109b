#include "services/intake/effects/own_comment.h"

namespace yardmaster {

bool IsOwnComment(const EffectContext& context, const ForgeComment& comment, std::string_view known_id) {
  return (!known_id.empty() && comment.id == known_id) || context.account.MayBeOurs(comment.author.login);
}

EffectSighting SightWritten(const EffectContext& context, const ForgeCommentWritten& written,
                            const std::function<bool(const ForgeComment&)>& is_it) {
  if (written.answered.has_value()) context.account.NoteAuthor(written.answered->author.login);
  if (written.shown.has_value() && is_it(*written.shown)) return EffectSighting::Seen(written.shown->id);
  EffectSighting sighting;
  if (written.answered.has_value()) sighting.forge_ref = written.answered->id;
  return sighting;
}

absl::StatusOr<EffectSighting> SightById(const EffectContext& context, const store::Effect& effect,
                                         const std::function<bool(const ForgeComment&)>& is_it) {
  if (effect.forge_ref.empty()) return EffectSighting();
  const absl::StatusOr<ForgeComment> comment =
      context.forge().GetComment(context.call, ForgeSubjectOf(effect.subject), effect.forge_ref);
  if (absl::IsNotFound(comment.status())) return EffectSighting();
  if (!comment.ok()) return comment.status();
  return is_it(*comment) ? EffectSighting::Seen(comment->id) : EffectSighting();
}

}  // namespace yardmaster
