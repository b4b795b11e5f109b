#include "services/review/merged_report.h"

#include <iterator>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/review/file_sets.h"

namespace yardmaster {

void AddReport(std::string_view folder, ReviewReport part, ReviewReport& all) {
  const auto inside = [&](std::string& path) {
    if (path.empty() || path == ".") {
      path = folder;
    } else if (folder != ".") {
      path = JoinPath(folder, path);
    }
  };
  for (ReportedFinding& reported : part.findings) inside(reported.finding.path);
  for (rules::SkippedCheck& skipped : part.skipped) inside(skipped.path);
  for (ChecklistItem& item : part.checklist) {
    if (!item.path.empty()) inside(item.path);
  }
  if (all.packs.empty()) all.packs = std::move(part.packs);
  if (all.profile.empty()) all.profile = std::move(part.profile);
  absl::c_move(part.findings, std::back_inserter(all.findings));
  absl::c_move(part.skipped, std::back_inserter(all.skipped));
  absl::c_move(part.checklist, std::back_inserter(all.checklist));
  all.files += part.files;
  all.seconds += part.seconds;
  all.complete = all.complete && part.complete;
  SortFindings(all.findings);
}

}  // namespace yardmaster
