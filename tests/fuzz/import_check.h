// What must hold of findings of other tools, whatever they were read from.
#ifndef YARDMASTER_TESTS_FUZZ_IMPORT_CHECK_H_
#define YARDMASTER_TESTS_FUZZ_IMPORT_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "services/core/readable.h"
#include "services/review/import/finding_import.h"
#include "services/review/import/repository_path.h"
#include "tests/fuzz/check.h"

namespace yardmaster {

inline void CheckImported(const rules::Finding& finding) {
  Check(RepositoryPath(finding.path, "") == finding.path, "a path that is none of the repository");
  Check(finding.rule_id.starts_with(finding.pack + "/"), "a rule without its tool");
  Check(!finding.message.empty() && finding.message.size() <= 3 * kMaxImportedMessageBytes, "an empty or long message");
  for (const std::string_view text : {std::string_view(finding.message), std::string_view(finding.rule_id)}) {
    Check(IsValidUtf8(text) && text.find('\n') == std::string_view::npos, "a text that is not one line");
  }
  if (finding.line == 0) return;
  Check(finding.column > 0 && finding.end_line >= finding.line, "a place that ends before it begins");
  Check(finding.end_line > finding.line || finding.end_column >= finding.column, "a column before the first one");
}

// With and without a root.
inline void CheckImport(const uint8_t* data, size_t size, ImportFormat format) {
  for (const char* const root : {"", "/ci/repo"}) {
    ImportOptions options;
    options.root = root;
    const absl::StatusOr<ImportedFindings> imported =
        ReadFindings(std::string_view(reinterpret_cast<const char*>(data), size), format, options);
    if (!imported.ok()) {
      Check(imported.status().code() == absl::StatusCode::kInvalidArgument, "an unexpected code");
      Check(IsValidUtf8(std::string_view(imported.status().message().data(), imported.status().message().size())),
            "an error that is no text");
      continue;
    }
    Check(imported->findings.size() <= kMaxImportedFindings, "too many findings");
    for (const rules::Finding& finding : imported->findings) CheckImported(finding);
    for (const LeftOut& one : imported->left_out) {
      Check(one.count > 0 && !one.reason.empty() && IsValidUtf8(one.example), "something left out without a word");
    }
  }
}

}  // namespace yardmaster

#endif  // YARDMASTER_TESTS_FUZZ_IMPORT_CHECK_H_
