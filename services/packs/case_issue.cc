#include "services/packs/case_issue.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "services/core/errors.h"

namespace yardmaster {

absl::StatusOr<rules::IssueInput> CaseIssue(std::string_view pack, const rules::CaseModel& model) {
  nlohmann::json value = {{"number", 0}, {"title", model.title}, {"body", model.body}};
  if (model.labels_before) value["labels_before"] = *model.labels_before;
  if (!model.comments.is_null()) value["comments"] = model.comments;
  std::string error;
  std::optional<rules::IssueInput> issue = rules::ParseIssueInput(value, error);
  if (!issue) return errors::PackInvalid(pack, model.origin.file + ": case " + model.id + ": " + error);
  return *std::move(issue);
}

}  // namespace yardmaster
