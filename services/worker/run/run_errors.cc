#include "services/worker/run/run_errors.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/absl_view.h"

namespace yardmaster::worker {
namespace {

std::string KnownOnes(const std::vector<std::string>& known) {
  return known.empty() ? "; there are none" : absl::StrCat("; there are ", absl::StrJoin(known, ", "));
}

}  // namespace

absl::Status AxisUnknown(std::string_view axis, const std::vector<std::string>& known) {
  return absl::InvalidArgumentError(absl::StrCat("the suite has no axis \"", Abs(axis), "\"", KnownOnes(known)));
}

absl::Status AxisValueUnknown(std::string_view axis, std::string_view value, const std::vector<std::string>& known) {
  return absl::InvalidArgumentError(
      absl::StrCat("the axis \"", Abs(axis), "\" has no value \"", Abs(value), "\"", KnownOnes(known)));
}

absl::Status LayerUnknown(std::string_view layer, const std::vector<std::string>& known) {
  return absl::InvalidArgumentError(absl::StrCat("the suite has no layer \"", Abs(layer), "\"", KnownOnes(known)));
}

absl::Status ResultDirectoryNotEmpty(std::string_view path) {
  return absl::InvalidArgumentError(absl::StrCat("the result directory ", Abs(path), " is not empty"));
}

absl::Status ResultDirectoryUnusable(std::string_view path, std::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("the result directory ", Abs(path), " can't be used: ", Abs(reason)));
}

absl::Status SourceFolderMissing(std::string_view path) {
  return absl::InvalidArgumentError(absl::StrCat("there is no folder ", Abs(path), " to take the source from"));
}

absl::Status SignaturesUnusable(std::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("the failure signatures can't be compiled: ", Abs(reason)));
}

}  // namespace yardmaster::worker
