#include "services/intake/effects/labels_for_people.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "rules/engine/guardrails.h"

namespace yardmaster {
namespace {

using rules::Guardrails;
using rules::GuardrailsModel;
using rules::NormaliseLabel;

// As the list spells it; nullptr if it is not there.
const std::string* FindLabel(const std::vector<std::string>& list, std::string_view label) {
  const std::string name = NormaliseLabel(label);
  const auto it =
      std::find_if(list.begin(), list.end(), [&](const std::string& one) { return NormaliseLabel(one) == name; });
  return it == list.end() ? nullptr : &*it;
}

// The pack's guardrails with people's labels in the place of the rubric's, and without what the engine adds on its own.
std::unique_ptr<Guardrails> GuardrailsForPeople(const rules::CompiledPack& pack) {
  if (!pack.model().guardrails.has_value()) return nullptr;
  GuardrailsModel model = *pack.model().guardrails;
  model.allow = LabelsForPeople(pack);
  model.markers.clear();
  model.confident_markers.clear();
  model.fallback.clear();
  model.redundant.clear();
  model.templates.clear();
  Problems ignored;  // the pack compiled: its lists do
  return Guardrails::Create(model, ignored);
}

}  // namespace

std::vector<std::string> LabelsForPeople(const rules::CompiledPack& pack) {
  std::vector<std::string> labels;
  if (!pack.model().guardrails.has_value()) return labels;
  for (const std::string& label : pack.commands()->model().people_labels) {
    // What may never be set is not settable because another list names it.
    GuardrailsModel model;
    model.allow = {label};
    model.never = pack.model().guardrails->never;
    model.never_patterns = pack.model().guardrails->never_patterns;
    Problems problems;
    const std::unique_ptr<Guardrails> guardrails = Guardrails::Create(model, problems);
    if (guardrails != nullptr && guardrails->MayAdd(label)) labels.push_back(label);
  }
  return labels;
}

LabelsForPerson LabelsToAdd(const rules::CompiledPack& pack, const std::vector<std::string>& wanted,
                            const std::vector<std::string>& on_subject) {
  LabelsForPerson out;
  const std::vector<std::string> allowed = LabelsForPeople(pack);
  const std::unique_ptr<Guardrails> guardrails = GuardrailsForPeople(pack);
  rules::GuardrailRequest request;
  for (const std::string& label : on_subject) request.labels_on_issue.push_back(label);
  for (const std::string& label : wanted) {
    const std::string* known = FindLabel(allowed, label);
    if (known == nullptr || guardrails == nullptr) {
      out.refused.emplace_back(label, "not one of the labels that people may set through the bot");
    } else if (FindLabel(on_subject, label) != nullptr) {
      out.already.push_back(*known);
    } else if (FindLabel(out.go, label) == nullptr) {
      out.go.push_back(*known);
    }
  }
  if (guardrails == nullptr) return out;
  for (const std::string& label : out.go) request.labels.push_back(label);
  const rules::GuardrailResult result = guardrails->Apply(request);
  std::vector<std::string> go;
  for (const std::string& label : out.go) {
    if (std::find(result.labels.begin(), result.labels.end(), label) != result.labels.end()) {
      go.push_back(label);
      continue;
    }
    std::string why = "the pack's guardrails hold it back";
    for (const rules::GuardrailNote& note : result.notes) {
      if (note.reason.find(label) != std::string::npos ||
          note.reason.find(NormaliseLabel(label)) != std::string::npos) {
        why = note.reason;
        break;
      }
    }
    out.refused.emplace_back(label, why);
  }
  out.go = std::move(go);
  return out;
}

LabelsForPerson LabelsToRemove(const rules::CompiledPack& pack, const std::vector<std::string>& wanted,
                               const std::vector<std::string>& on_subject) {
  LabelsForPerson out;
  const std::vector<std::string> allowed = LabelsForPeople(pack);
  for (const std::string& label : wanted) {
    const std::string* there = FindLabel(on_subject, label);
    if (FindLabel(allowed, label) == nullptr) {
      out.refused.emplace_back(label, "not one of the labels that people may take off through the bot");
    } else if (there == nullptr) {
      out.already.push_back(label);
    } else if (FindLabel(out.go, label) == nullptr) {
      out.go.push_back(*there);
    }
  }
  return out;
}

}  // namespace yardmaster
