#include "services/intake/kept_decision.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "services/core/status_macros.h"
#include "services/intake/messages.h"

namespace yardmaster {

absl::Status KeepDecision(const WorkEnvironment& env, const WorkItem& item, const std::string& digest, v1::Plan& plan) {
  plan.set_id(env.new_decision_id());
  *plan.mutable_created_at() = ToTimestamp(env.clock.Now());
  store::NewDecision decision;
  decision.id = plan.id();
  decision.subject = item.event.subject();
  decision.pack = plan.pack();
  decision.pack_revision = plan.pack_revision();
  decision.input_digest = digest;
  decision.mode = plan.mode();
  decision.delivery = item.delivery;
  decision.plan = plan.SerializeAsString();
  RETURN_IF_ERROR(env.decisions.Put(decision));
  if (env.on_decision != nullptr) env.on_decision(std::make_shared<const v1::Plan>(plan));
  return absl::OkStatus();
}

absl::StatusOr<TakenOff> LabelsTakenOff(const WorkEnvironment& env, const v1::Subject& subject,
                                        const std::vector<std::string>& labels) {
  ASSIGN_OR_RETURN(WrittenLabels written, env.effects.LabelsWritten(subject));
  ASSIGN_OR_RETURN(const std::vector<store::RemovedLabel> removed, env.subjects.RemovedLabels(subject));
  TakenOff out;
  out.ours = std::move(written.ours);
  for (const store::RemovedLabel& label : removed) out.removed.push_back(label.label);
  // What we put there and is gone was taken off by somebody, whether we were told or not; so was what we took off
  // because a person asked for it.
  for (const std::string& label : written.all) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) out.removed.push_back(label);
  }
  return out;
}

}  // namespace yardmaster
