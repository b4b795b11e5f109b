#include "services/intake/plans/label_guard.h"

#include "clients/forge/labels.h"

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

bool Exists(const GuardContext& context, std::string_view label) {
  return context.existing_labels == nullptr || HasLabel(*context.existing_labels, label);
}

v1::Action GuardedByPack(const GuardContext& context, const v1::Action& action) {
  v1::Action left;
  const std::unique_ptr<rules::Guardrails> guardrails = GuardrailsOf(context.pack);
  if (guardrails == nullptr) return left;
  rules::GuardrailRequest request = GuardrailRequestOf(*guardrails, context.plan);
  request.labels_on_issue.assign(context.labels_now.begin(), context.labels_now.end());
  request.removed_by_people.assign(context.removed_by_people.begin(), context.removed_by_people.end());
  const rules::GuardrailResult allowed = guardrails->Apply(request);
  if (action.has_post_template()) {
    return allowed.template_id == action.post_template().template_id() ? action : left;
  }
  for (const std::string& label : action.add_labels().labels()) {
    if (HasLabel(allowed.labels, label) && !HasLabel(context.removed_by_people, label) && Exists(context, label)) {
      left.mutable_add_labels()->add_labels(label);
    }
  }
  return left;
}

}  // namespace yardmaster
