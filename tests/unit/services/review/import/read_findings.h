// What tests of readers share.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_IMPORT_READ_FINDINGS_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_IMPORT_READ_FINDINGS_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/review/import/finding_import.h"

namespace yardmaster::testing {

inline ImportedFindings Imported(std::string_view content, ImportFormat format = ImportFormat::kAuto,
                                 const ImportOptions& options = {}) {
  absl::StatusOr<ImportedFindings> imported = ReadFindings(content, format, options);
  EXPECT_TRUE(imported.ok()) << imported.status();
  return imported.value_or(ImportedFindings());
}

// "a.py:3:5-3:9 major ruff/F401 message"; the whole file has no places.
inline std::vector<std::string> Told(const ImportedFindings& imported) {
  std::vector<std::string> told;
  for (const rules::Finding& one : imported.findings) {
    const std::string place =
        one.line == 0 ? "" : absl::StrCat(":", one.line, ":", one.column, "-", one.end_line, ":", one.end_column);
    told.push_back(absl::StrCat(one.path, place, " ", std::string(rules::SeverityName(one.severity)), " ", one.rule_id,
                                " ", one.message));
  }
  return told;
}

// "2 reason: example".
inline std::vector<std::string> LeftOutOf(const ImportedFindings& imported) {
  std::vector<std::string> told;
  for (const LeftOut& one : imported.left_out)
    told.push_back(absl::StrCat(one.count, " ", one.reason, ": ", one.example));
  return told;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_IMPORT_READ_FINDINGS_H_
