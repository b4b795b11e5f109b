#include "services/worker/reports/report_errors.h"

#include <string>

#include "services/core/readable.h"

namespace yardmaster::worker::report_errors {
namespace {

absl::Status Invalid(const std::string& message) { return absl::InvalidArgumentError(message); }

}  // namespace

absl::Status Empty(std::string_view what) {
  return Invalid(std::string(what) + " is empty: the program ended before it wrote it");
}
absl::Status TooLarge(std::string_view what, size_t bytes, size_t limit) {
  return Invalid(std::string(what) + " has " + std::to_string(bytes) + " bytes; at most " + std::to_string(limit) +
                 " are read");
}
absl::Status TooManyElements(std::string_view what, size_t limit) {
  return Invalid(std::string(what) + " has more than " + std::to_string(limit) + " elements and attributes");
}
absl::Status TooManyTests(std::string_view what, size_t limit) {
  return Invalid(std::string(what) + " has more than " + std::to_string(limit) + " tests");
}
absl::Status NestedTooDeep(std::string_view what, size_t limit) {
  return Invalid(std::string(what) + " has suites in suites, more than " + std::to_string(limit) + " deep");
}
absl::Status HasDocumentType(std::string_view what) {
  return Invalid(std::string(what) + " declares a document type: no test program does, and it is not read");
}
absl::Status NotXml(std::string_view what, size_t line, std::string_view reason) {
  return Invalid(std::string(what) + ", line " + std::to_string(line) + ": " + std::string(reason));
}
absl::Status CutOff(std::string_view what, size_t line) {
  return Invalid(std::string(what) + " ends in the middle, in line " + std::to_string(line) +
                 ": the program was stopped while it wrote it, or the disk was full");
}
absl::Status WrongRoot(std::string_view what, std::string_view root, std::string_view expected) {
  return Invalid(std::string(what) + " begins with <" + Readable(root) + ">, expected " + std::string(expected));
}

absl::Status BadTensor(std::string_view reason) { return Invalid(std::string(reason)); }
absl::Status BadTensorSide(std::string_view which, const absl::Status& cause) {
  return Invalid("the " + std::string(which) + " tensor: " + std::string(cause.message()));
}
absl::Status TensorsDiffer(std::string_view what, std::string_view actual, std::string_view expected) {
  return Invalid("the " + std::string(what) + " differ: " + std::string(actual) + " is there, " +
                 std::string(expected) + " was expected");
}

}  // namespace yardmaster::worker::report_errors
