// `pr --analyze-only`: what the commits of a branch hold, for people and programs that write its description.
#ifndef YARDMASTER_SERVICES_WORKFLOW_ANALYZE_H_
#define YARDMASTER_SERVICES_WORKFLOW_ANALYZE_H_

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "services/workflow/result.h"

namespace yardmaster::workflow {

struct AnalyzeRequest {
  std::filesystem::path repo;
  std::string base;  // a branch of upstream; empty: the default branch of upstream, else of origin
};

// Of the commits since the branch left its base, as that was last fetched. Reads only. `analysis` of the result:
// {base, merge_base, files: [{path, state: "added"|"changed"|"removed"|"renamed", from?, added: [NAME], removed:
// [NAME]}], folders: {FOLDER: FILES}, tests: [PATH], commits: [{id, type, scope, breaking, subject}], issues: [TEXT],
// title, body}; names are those of public functions and classes, `type` is empty where a subject has none.
absl::StatusOr<Result> Analyze(const AnalyzeRequest& request);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_ANALYZE_H_
