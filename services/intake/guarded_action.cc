#include "services/intake/guarded_action.h"

#include <algorithm>

namespace yardmaster {

std::unique_ptr<rules::Guardrails> GuardrailsOf(const rules::CompiledPack& pack) {
  if (!pack.model().guardrails.has_value()) return nullptr;
  Problems ignored;  // the pack compiled: its guardrails do
  return rules::Guardrails::Create(*pack.model().guardrails, ignored);
}

rules::GuardrailRequest GuardrailRequestOf(const rules::Guardrails& guardrails, const v1::Plan& plan) {
  rules::GuardrailRequest request;
  for (const std::string& label : plan.applied()) {
    if (guardrails.IsMarker(label)) {
      request.marker = true;
    } else {
      request.labels.push_back(label);
    }
  }
  request.template_id = plan.comment_template();
  return request;
}

std::optional<v1::Action> GuardedAction(const rules::Guardrails* guardrails, const v1::Plan& plan,
                                        const v1::Action& action, const std::vector<std::string>& labels_now,
                                        const std::vector<std::string>& removed) {
  if (action.has_react() || action.has_answer_comment()) return action;
  // Only a command takes labels off, and commands carry their own actions out.
  if (guardrails == nullptr || action.has_remove_labels()) return std::nullopt;
  rules::GuardrailRequest request = GuardrailRequestOf(*guardrails, plan);
  request.labels_on_issue.assign(labels_now.begin(), labels_now.end());
  request.removed_by_people.assign(removed.begin(), removed.end());
  const rules::GuardrailResult allowed = guardrails->Apply(request);

  if (action.has_post_template()) {
    if (allowed.template_id != action.post_template().template_id()) return std::nullopt;
    return action;
  }
  v1::Action narrowed;
  for (const std::string& label : action.add_labels().labels()) {
    const bool passes = std::find(allowed.labels.begin(), allowed.labels.end(), label) != allowed.labels.end();
    const bool taken_off = std::find(removed.begin(), removed.end(), label) != removed.end();
    if (passes && !taken_off) narrowed.mutable_add_labels()->add_labels(label);
  }
  if (narrowed.add_labels().labels().empty()) return std::nullopt;
  return narrowed;
}

}  // namespace yardmaster
