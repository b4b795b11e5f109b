// "remove_labels": labels that a person asked to take off. A decision of ours never puts them back.
#include "absl/algorithm/container.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/effects/labels_effect.h"

namespace yardmaster {
namespace {

class RemoveLabels final : public EffectKind {
 public:
  std::string_view name() const override { return kRemoveLabelsKind; }
  v1::Action::ActionCase action() const override { return v1::Action::kRemoveLabels; }
  bool guarded() const override { return true; }

  // Only a command takes labels off.
  v1::Action Guard(const GuardContext&, const v1::Action& action) const override {
    return action.remove_labels().command().empty() ? v1::Action() : action;
  }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    std::vector<std::string> labels = LabelNames(action.remove_labels().labels());
    if (labels.empty()) return absl::InvalidArgumentError("no labels to take off");
    absl::c_sort(labels);
    const std::string subject = SubjectKey(plan.subject());
    std::vector<std::string_view> parts = {name(), subject, action.remove_labels().command()};
    parts.insert(parts.end(), labels.begin(), labels.end());
    return Entry{"u-" + ShortDigestOf(parts), action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    const std::vector<std::string> labels = LabelNames(effect.action.remove_labels().labels());
    // The calls share the time of one write.
    ForgeCall call = context.call;
    call.timeout /= static_cast<int64_t>(std::max<size_t>(1, labels.size()));
    // The last answer shows what all of them came to.
    EffectObservation sighting;
    for (const std::string& label : labels) {
      ASSIGN_OR_RETURN(const ForgeLabelsWritten written,
                       context.forge().RemoveLabel(call, ForgeSubjectOf(effect.subject), label));
      sighting = written.shown.has_value() ? ObserveLabels(*written.shown, labels, /*gone=*/true) : EffectObservation();
    }
    return sighting;
  }

  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    ASSIGN_OR_RETURN(const ForgeIssue issue, context.forge().GetIssue(context.call, ForgeSubjectOf(effect.subject)));
    return ObserveLabels(issue.labels, LabelNames(effect.action.remove_labels().labels()), /*gone=*/true);
  }
};

}  // namespace

const EffectKind& RemoveLabelsEffect() {
  static const RemoveLabels kind;
  return kind;
}

}  // namespace yardmaster
