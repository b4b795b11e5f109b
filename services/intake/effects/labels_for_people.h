// Labels that people set and take off through the bot. The pack lists them; its guardrails hold for people, too: what
// is forbidden stays so, groups of which a subject carries one stay so. What the rubric may do plays no part.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_LABELS_FOR_PEOPLE_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_LABELS_FOR_PEOPLE_H_

#include <string>
#include <utility>
#include <vector>

#include "rules/engine/compiled_pack.h"

namespace yardmaster {

struct LabelsForPerson {
  std::vector<std::string> go;       // to be added or taken off, as the pack or the subject spells them
  std::vector<std::string> already;  // there, or not there, already
  std::vector<std::pair<std::string, std::string>> refused;  // label and why
};

LabelsForPerson LabelsToAdd(const rules::CompiledPack& pack, const std::vector<std::string>& wanted,
                            const std::vector<std::string>& on_subject);
LabelsForPerson LabelsToRemove(const rules::CompiledPack& pack, const std::vector<std::string>& wanted,
                               const std::vector<std::string>& on_subject);

// The labels that people may set under this pack, in the pack's order.
std::vector<std::string> LabelsForPeople(const rules::CompiledPack& pack);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_LABELS_FOR_PEOPLE_H_
