#include "services/intake/plans/label_history.h"

#include <iterator>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "clients/forge/labels.h"
#include "services/core/status_macros.h"
#include "services/intake/effect.h"

namespace yardmaster {
namespace {

// More are not there in any sane history, and the oldest say least.
constexpr int64_t kMaxEffectsRead = 200;

}  // namespace

absl::StatusOr<LabelHistory> ReadLabelHistory(store::Ledger& ledger, store::Subjects& subjects,
                                              const v1::Subject& subject, const std::vector<std::string>& labels_now) {
  std::vector<store::Effect> effects;
  for (const std::string_view kind : {kAddLabelsKind, kRemoveLabelsKind}) {
    store::EffectFilter filter;
    filter.subject = subject;
    filter.state = store::EffectState::kConfirmed;
    filter.kind = kind;
    ASSIGN_OR_RETURN(store::Page<store::Effect> page, ledger.List(filter, {0, kMaxEffectsRead}));
    std::move(page.items.begin(), page.items.end(), std::back_inserter(effects));
  }
  // In the order in which they were wanted: the last word about a label counts.
  absl::c_sort(effects, [](const auto& a, const auto& b) { return a.id < b.id; });
  std::map<std::string, bool> by_decision;
  for (const store::Effect& effect : effects) {
    const v1::AddLabels& added = effect.action.add_labels();
    for (const std::string& label : added.labels()) by_decision[label] = added.command().empty();
    for (const std::string& label : effect.action.remove_labels().labels()) by_decision[label] = false;
  }
  LabelHistory history;
  ASSIGN_OR_RETURN(const std::vector<store::RemovedLabel> removed, subjects.RemovedLabels(subject));
  for (const store::RemovedLabel& label : removed) history.removed.push_back(label.label);
  for (const auto& [label, decided] : by_decision) {
    if (decided) history.ours.push_back(label);
    // What was once put there and is gone was taken off by somebody, whether we were told or not.
    if (!HasLabel(labels_now, label)) history.removed.push_back(label);
  }
  return history;
}

absl::Status RecordPersonsLabels(store::Subjects& subjects, const v1::Subject& subject, const v1::Action& action,
                                 std::string_view person) {
  if (!action.add_labels().command().empty()) {
    for (const std::string& label : action.add_labels().labels()) {
      RETURN_IF_ERROR(subjects.ForgetLabelRemoved(subject, label));
    }
  }
  for (const std::string& label : action.remove_labels().labels()) {
    RETURN_IF_ERROR(subjects.NoteLabelRemoved(subject, label, person));
  }
  return absl::OkStatus();
}

}  // namespace yardmaster
