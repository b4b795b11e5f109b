// "add_labels": one request to append labels.
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/effects/labels_effect.h"
#include "services/intake/effects/labels_for_people.h"
#include "services/intake/plans/label_guard.h"

namespace yardmaster {
namespace {

class AddLabels final : public EffectKind {
 public:
  std::string_view name() const override { return kAddLabelsKind; }
  v1::Action::ActionCase action() const override { return v1::Action::kAddLabels; }
  bool guarded() const override { return true; }

  v1::Action Guard(const GuardContext& context, const v1::Action& action) const override {
    if (action.add_labels().command().empty()) return GuardedByPack(context, action);
    // A person's labels pass the guardrails for people. Somebody may have changed the labels since they were asked for,
    // or an earlier run has added them.
    LabelsForPerson labels = LabelsToAdd(context.pack, LabelNames(action.add_labels().labels()), context.labels_now);
    std::erase_if(labels.go, [&](const std::string& label) { return !Exists(context, label); });
    v1::Action left;
    if (labels.go.empty()) return left;
    left.mutable_add_labels()->mutable_labels()->Assign(labels.go.begin(), labels.go.end());
    left.mutable_add_labels()->set_command(action.add_labels().command());
    return left;
  }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    std::vector<std::string> labels = LabelNames(action.add_labels().labels());
    if (labels.empty()) return absl::InvalidArgumentError("no labels to add");
    absl::c_sort(labels);
    const std::string subject = SubjectKey(plan.subject());
    std::vector<std::string_view> parts = {name(), subject};
    parts.insert(parts.end(), labels.begin(), labels.end());
    // What a person asks for is done again when asked again. No label has a line break.
    const std::string command = "\n" + action.add_labels().command();
    if (command.size() > 1) parts.push_back(command);
    return Entry{"l-" + ShortDigestOf(parts), action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    const std::vector<std::string> labels = LabelNames(effect.action.add_labels().labels());
    ASSIGN_OR_RETURN(const ForgeLabelsWritten written,
                     context.forge().AddLabels(context.call, ForgeSubjectOf(effect.subject), labels));
    return written.shown.has_value() ? ObserveLabels(*written.shown, labels, /*gone=*/false) : EffectObservation();
  }

  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    ASSIGN_OR_RETURN(const ForgeIssue issue, context.forge().GetIssue(context.call, ForgeSubjectOf(effect.subject)));
    return ObserveLabels(issue.labels, LabelNames(effect.action.add_labels().labels()), /*gone=*/false);
  }
};

}  // namespace

const EffectKind& AddLabelsEffect() {
  static const AddLabels kind;
  return kind;
}

}  // namespace yardmaster
