// The guardrails' last word on a plan and on its actions, right before they are written.
#ifndef YARDMASTER_SERVICES_INTAKE_GUARDED_ACTION_H_
#define YARDMASTER_SERVICES_INTAKE_GUARDED_ACTION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rules/engine/compiled_pack.h"
#include "rules/engine/guardrails.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

// nullptr for a pack without guardrails, which may only be read.
std::unique_ptr<rules::Guardrails> GuardrailsOf(const rules::CompiledPack& pack);

// What `plan` wants to write: its labels, marker and template, as views into the plan. What is on the subject, and what
// people took off it, is for the caller to add.
rules::GuardrailRequest GuardrailRequestOf(const rules::Guardrails& guardrails, const v1::Plan& plan);

// The part of `action` that the guardrails still let through on a subject with `labels_now`, off which people took
// `removed`; nullopt if nothing is left. Answers and reactions pass: they change nothing but our own words.
std::optional<v1::Action> GuardedAction(const rules::Guardrails* guardrails, const v1::Plan& plan,
                                        const v1::Action& action, const std::vector<std::string>& labels_now,
                                        const std::vector<std::string>& removed);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_GUARDED_ACTION_H_
