// An effect as somebody would add one, on calls that the clients of the forges have: all that is particular to it
// stands in this file. In services/intake/effects it would be add_labels_slowly.cc and its two lines in kinds.h; with
// an action of its own, which this one does not need, there is a field of v1::Action in proto/yardmaster/v1/plan.proto
// besides.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_EFFECTS_EXAMPLE_EFFECT_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_EFFECTS_EXAMPLE_EFFECT_H_

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/labels.h"
#include "services/core/status_macros.h"
#include "services/intake/effect.h"

namespace yardmaster::testing {

// "add_labels_slowly": one label a minute, each with a call of its own. Its delivery does not wait for it.
class AddLabelsSlowly final : public EffectKind {
 public:
  static constexpr std::chrono::minutes kPause{1};

  std::string_view name() const override { return "add_labels_slowly"; }
  v1::Action::ActionCase action() const override { return v1::Action::kAddLabels; }
  bool outlives_delivery() const override { return true; }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    return Entry{
        absl::StrCat("slow ", SubjectKey(plan.subject()), " ", absl::StrJoin(action.add_labels().labels(), ",")),
        action};
  }

  // The ledger keeps the last label that was added.
  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    const auto& labels = effect.action.add_labels().labels();
    const auto done = std::find(labels.begin(), labels.end(), effect.progress);
    const std::string& next = done == labels.end() ? labels.Get(0) : *(done + 1);
    RETURN_IF_ERROR(context.forge()
                        .AddLabels(context.call, ForgeSubjectOf(effect.subject), std::vector<std::string>{next})
                        .status());
    return InProgress(next, kPause);
  }

  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    ASSIGN_OR_RETURN(const ForgeIssue issue, context.forge().GetIssue(context.call, ForgeSubjectOf(effect.subject)));
    std::string last;
    for (const std::string& label : effect.action.add_labels().labels()) {
      if (!HasLabel(issue.labels, label)) return last.empty() ? EffectObservation() : InProgress(last, {});
      last = label;
    }
    return EffectObservation::Seen(last);
  }

 private:
  static EffectObservation InProgress(const std::string& last, std::chrono::milliseconds delay) {
    return {EffectObservation::State::kInProgress, {}, true, last, delay};
  }
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_EFFECTS_EXAMPLE_EFFECT_H_
