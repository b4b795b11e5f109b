#include "services/packs/people_labels.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/labels.h"
#include "services/core/repository_name.h"
#include "services/intake/plans/label_history.h"

namespace yardmaster {

const PeopleLabels::Known& PeopleLabels::KnownOf(const v1::Subject& subject) {
  const std::string key =
      absl::StrCat(QualifiedName(subject.forge(), subject.repository()), "#", subject.number(), "/", subject.kind());
  const auto [entry, is_new] = known_.try_emplace(key);
  Known& known = entry->second;
  if (!is_new) return known;
  const absl::StatusOr<std::optional<store::KnownSubject>> seen = store_.subjects().Get(subject);
  // Nobody knows: then nobody is said to be right.
  if (!seen.ok() || !seen->has_value()) return known;
  absl::StatusOr<LabelHistory> history = ReadLabelHistory(store_.ledger(), store_.subjects(), subject, (*seen)->labels);
  if (!history.ok()) return known;
  known.now = (*seen)->labels;
  known.ours = std::move(history->ours);
  known.removed = std::move(history->removed);
  return known;
}

std::optional<bool> PeopleLabels::Wanted(const v1::ShadowRun& run, const std::string& label) {
  const Known& known = KnownOf(run.subject());
  if (HasLabel(known.now, label)) {
    if (HasLabel(known.ours, label) || HasLabel(run.labels_before(), label)) return std::nullopt;
    return true;
  }
  if (HasLabel(known.removed, label)) return false;
  return std::nullopt;
}

}  // namespace yardmaster
