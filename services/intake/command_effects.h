// The kinds of effects that answer people: reactions, comments that are updated in place, labels taken off. Commands
// need them first; reviews and later services keep their summaries with them.
#ifndef YARDMASTER_SERVICES_INTAKE_COMMAND_EFFECTS_H_
#define YARDMASTER_SERVICES_INTAKE_COMMAND_EFFECTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "services/intake/effect.h"

namespace yardmaster {

// "react": one reaction of ours on a comment or an opening post. Nobody waits for it: where the forge has none or does
// not take it, it is refused and the work goes on.
class ReactEffect final : public EffectKind {
 public:
  static constexpr std::string_view kName = "react";
  std::string_view name() const override { return kName; }
  bool essential() const override { return false; }
  std::optional<store::NewEffect> Make(const v1::Plan& plan, const v1::Action& action, int repeat) const override;
  absl::StatusOr<LookResult> Send(const EffectContext& context, const store::Effect& effect) const override;
  // Sends it again, the one look that does: a forge keeps one reaction of a kind for each account, so that it changes
  // nothing where it is already there, and its answer is the proof that nothing else gives.
  absl::StatusOr<LookResult> Look(const EffectContext& context, const store::Effect& effect) const override;
};

// "answer_comment": a comment of ours that is made once and updated in place, known on its subject by its name. Every
// revision of it is an entry of its own. A revision is there when a comment of our own account carries the marker of
// this name with this or a later number, so that sending one again, or late, neither makes a second comment nor brings
// an older text back. Where the comment is gone, or the forge does not let us edit, the revision is a new comment.
class AnswerCommentEffect final : public EffectKind {
 public:
  static constexpr std::string_view kName = "answer_comment";
  // Longer texts are cut, with a line that says so: the marker must fit behind them.
  static constexpr size_t kMaxCharacters = 60'000;

  std::string_view name() const override { return kName; }
  // nullopt also for a name that does not fit a marker, an empty text and a negative revision.
  std::optional<store::NewEffect> Make(const v1::Plan& plan, const v1::Action& action, int repeat) const override;
  absl::StatusOr<LookResult> Send(const EffectContext& context, const store::Effect& effect) const override;
  absl::StatusOr<LookResult> Look(const EffectContext& context, const store::Effect& effect) const override;

  // The key in the marker of a revision: "a-<16 hex characters over subject and name>-<revision>".
  static std::string MarkerKey(const v1::Subject& subject, std::string_view name, int64_t revision);
  // The revision of a key of the same subject and name; nullopt for every other key.
  static std::optional<int64_t> RevisionOf(std::string_view marker_key, std::string_view comment_key);
};

// "remove_labels": labels that a person asked to take off. They are never put back by a decision of ours
// (EffectRunner::LabelsWritten).
class RemoveLabelsEffect final : public EffectKind {
 public:
  static constexpr std::string_view kName = "remove_labels";
  std::string_view name() const override { return kName; }
  std::optional<store::NewEffect> Make(const v1::Plan& plan, const v1::Action& action, int repeat) const override;
  absl::StatusOr<LookResult> Send(const EffectContext& context, const store::Effect& effect) const override;
  absl::StatusOr<LookResult> Look(const EffectContext& context, const store::Effect& effect) const override;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_COMMAND_EFFECTS_H_
