// Applies the guardrails to a plan and its actions right before they are written.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_LABEL_GUARD_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_LABEL_GUARD_H_

#include <memory>
#include <string_view>

#include "rules/engine/compiled_pack.h"
#include "rules/engine/guardrails.h"
#include "services/intake/effect.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

// nullptr for a pack without guardrails, which may only be read.
std::unique_ptr<rules::Guardrails> GuardrailsOf(const rules::CompiledPack& pack);

// What `plan` wants to write: its labels, marker and template, as views into the plan. What is on the subject, and what
// people took off it, is for the caller to add.
rules::GuardrailRequest GuardrailRequestOf(const rules::Guardrails& guardrails, const v1::Plan& plan);

// Whether the repository has a label, as far as is known. One that it does not have would be made by adding it.
bool Exists(const GuardContext& context, std::string_view label);

// The part of `action`, labels to add or a template to post, that the pack's guardrails let through.
v1::Action GuardedByPack(const GuardContext& context, const v1::Action& action);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_LABEL_GUARD_H_
