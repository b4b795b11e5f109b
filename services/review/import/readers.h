// One reader for each format. They hand everything that they find to the collector, and fail only where the text as a
// whole is not of the format.
#ifndef YARDMASTER_SERVICES_REVIEW_IMPORT_READERS_H_
#define YARDMASTER_SERVICES_REVIEW_IMPORT_READERS_H_

#include <string_view>

#include "absl/status/status.h"
#include "services/review/import/finding_collector.h"
#include "services/review/import/finding_import.h"

namespace yardmaster {

// SARIF 2.1.0. Suppressed results, results that are no failures, and those that a baseline calls absent are left out;
// fingerprints of the tool are not read.
absl::Status ReadSarif(std::string_view content, const ImportOptions& options, FindingCollector& collector);

// <checkstyle><file name><error line column severity message source/></file></checkstyle>, without a document type.
absl::Status ReadCheckstyle(std::string_view content, const ImportOptions& options, FindingCollector& collector);

// "::error file=a.py,line=3,col=5,endLine=3,endColumn=9,title=F401::message" among other lines.
absl::Status ReadAnnotations(std::string_view content, const ImportOptions& options, FindingCollector& collector);
// Whether a line is such an annotation: error, warning or notice.
bool IsAnnotation(std::string_view line);

// "file:line: message", "file:line:column: message": compilers, clang-tidy, mypy, pylint, flake8, ruff's concise
// format, shellcheck's gcc format, golint.
absl::Status ReadLines(std::string_view content, const ImportOptions& options, FindingCollector& collector);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_IMPORT_READERS_H_
