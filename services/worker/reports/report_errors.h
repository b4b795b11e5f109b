// Errors of report parsers and of the comparison of tensors, named by situation. All are INVALID_ARGUMENT: a file that
// a test program wrote is not what it should be.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_ERRORS_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_ERRORS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace yardmaster::worker::report_errors {

// `what` names the kind of report: "the JUnit report".
absl::Status Empty(std::string_view what);
absl::Status TooLarge(std::string_view what, size_t bytes, size_t limit);
absl::Status TooManyElements(std::string_view what, size_t limit);
absl::Status TooManyTests(std::string_view what, size_t limit);
absl::Status NestedTooDeep(std::string_view what, size_t limit);
absl::Status HasDocumentType(std::string_view what);
absl::Status NotXml(std::string_view what, size_t line, std::string_view reason);
// It ends before it is complete.
absl::Status CutOff(std::string_view what, size_t line);
absl::Status WrongRoot(std::string_view what, std::string_view root, std::string_view expected);

// `reason` says what is wrong with a tensor's file.
absl::Status BadTensor(std::string_view reason);
// `which` is "actual" or "expected".
absl::Status BadTensorSide(std::string_view which, const absl::Status& cause);
absl::Status TensorsDiffer(std::string_view what, std::string_view actual, std::string_view expected);

}  // namespace yardmaster::worker::report_errors

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_ERRORS_H_
