// What other tools found, in the report of a change: told once, and new only on lines that the change adds.
#ifndef YARDMASTER_SERVICES_REVIEW_IMPORTED_FINDINGS_H_
#define YARDMASTER_SERVICES_REVIEW_IMPORTED_FINDINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "rules/engine/checks/review.h"
#include "services/review/change.h"
#include "services/review/import/finding_import.h"
#include "services/review/report.h"

namespace yardmaster {

// Whether the change adds or changes a line from `first` to `last`; 0, 0: anything of the file.
using ChangesLines = absl::FunctionRef<bool(const std::string& path, uint32_t first, uint32_t last)>;

struct ImportCounts {
  size_t read = 0;  // added ones and duplicates
  size_t added_new = 0;
  size_t added_still = 0;
  size_t duplicates = 0;
  size_t left_out = 0;
};

// Adds findings to the report. One that the report has from the same tool is not added again; nor is one that another
// tool, or a pack, tells about the same line by the same rule's name or in the same words: the first one stays.
ImportCounts MergeImported(std::vector<rules::Finding> imported, ChangesLines changes, ReviewReport& report);

// What a tool wrote, as it came.
struct ImportedText {
  std::string content;
  ImportFormat format = ImportFormat::kAuto;
  ImportOptions options;
};

// All of it: reads `content`, sets fingerprints by the texts at head, and merges. What was left out is told under
// `skipped`. Errors are those of ReadFindings and of reading the change.
absl::StatusOr<ImportCounts> ImportFindings(std::string_view content, ImportFormat format, const ImportOptions& options,
                                            Change& change, ReviewReport& report);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_IMPORTED_FINDINGS_H_
