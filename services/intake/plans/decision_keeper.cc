#include "services/intake/plans/decision_keeper.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "clients/forge/labels.h"
#include "services/core/errors.h"
#include "services/core/messages/timestamps.h"
#include "services/core/status_macros.h"

namespace yardmaster {

absl::StatusOr<v1::Plan> ReadPlan(const std::string& bytes) {
  v1::Plan plan;
  if (!plan.ParseFromString(bytes)) return errors::StoredValueDamaged("a decision can't be read");
  return plan;
}

void DropPacks(v1::Plan& plan) {
  for (v1::Action& action : *plan.mutable_actions()) {
    if (action.has_push_ref()) action.mutable_push_ref()->clear_pack();
  }
}

absl::StatusOr<bool> DecisionKeeper::Resume(const std::string& digest, const SubjectReading& reading, v1::Plan& plan) {
  if (run_.delivery() == 0) return false;
  ASSIGN_OR_RETURN(const std::optional<store::Decision> decision, run_.env().decisions.Latest(run_.subject()));
  const rules::PackModel& pack = run_.pack()->model();
  if (!decision.has_value() || decision->delivery != run_.delivery() || decision->input_digest != digest ||
      decision->mode != mode_ || decision->pack != pack.name || decision->pack_revision != pack.revision ||
      !reading.open) {
    return false;
  }
  v1::Plan before;
  if (!before.ParseFromString(decision->plan)) return false;
  // The labels are those of then, perhaps with some that the plan adds: nobody else changed them.
  const auto& now = reading.snapshot.labels();
  const bool same =
      absl::c_all_of(before.labels_before(), [&](const std::string& label) { return HasLabel(now, label); }) &&
      absl::c_all_of(now, [&](const std::string& label) {
        return HasLabel(before.labels_before(), label) || HasLabel(before.applied(), label);
      });
  if (same) plan = std::move(before);
  return same;
}

absl::StatusOr<bool> DecisionKeeper::IsDecided(const std::string& digest) {
  if (run_.delivery() == 0) return false;
  // A dry run settles nothing for a run that may write.
  std::optional<v1::Mode> mode;
  if (mode_ == v1::MODE_APPLY) mode = v1::MODE_APPLY;
  const rules::PackModel& pack = run_.pack()->model();
  ASSIGN_OR_RETURN(const std::optional<store::Decision> same,
                   run_.env().decisions.FindSame(run_.subject(), digest, pack.name, pack.revision, mode));
  if (!same.has_value()) return false;
  // Ours: this run continues it.
  if (same->delivery == run_.delivery()) return false;
  if (same->delivery == 0) return true;
  // A decision that was never carried out to its end decides nothing.
  const absl::StatusOr<store::Delivery> origin = run_.env().inbox.Get(same->delivery);
  if (absl::IsNotFound(origin.status())) return true;  // so old that it is no longer kept
  if (!origin.ok()) return origin.status();
  return origin->state == store::DeliveryState::kDone;
}

absl::Status DecisionKeeper::Keep(const std::string& digest, v1::Plan& plan) {
  plan.set_id(run_.env().new_decision_id());
  *plan.mutable_created_at() = ToTimestamp(run_.env().clock.Now());
  store::NewDecision decision;
  decision.id = plan.id();
  decision.subject = run_.subject();
  decision.pack = plan.pack();
  decision.pack_revision = plan.pack_revision();
  // Without a digest a decision is never found again as one about the same input.
  if (run_.delivery() != 0) decision.input_digest = digest;
  decision.mode = plan.mode();
  decision.delivery = run_.delivery();
  if (digest.empty()) {
    // Nobody goes on with it.
    v1::Plan shown = plan;
    DropPacks(shown);
    decision.plan = shown.SerializeAsString();
  } else {
    decision.plan = plan.SerializeAsString();
  }
  return run_.env().decisions.Put(decision);
}

}  // namespace yardmaster
