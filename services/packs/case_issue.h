// A case of a pack as an issue that can be decided.
#ifndef YARDMASTER_SERVICES_PACKS_CASE_ISSUE_H_
#define YARDMASTER_SERVICES_PACKS_CASE_ISSUE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "rules/engine/issue_input.h"
#include "rules/engine/pack/pack_model.h"

namespace yardmaster {

// INVALID_ARGUMENT if the case is not one, which the schema has ruled out for packs that were loaded.
absl::StatusOr<rules::IssueInput> CaseIssue(std::string_view pack, const rules::CaseModel& model);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_CASE_ISSUE_H_
