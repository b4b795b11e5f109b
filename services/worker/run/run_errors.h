// Errors of a run's options, named by situation.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_RUN_ERRORS_H_
#define YARDMASTER_SERVICES_WORKER_RUN_RUN_ERRORS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace yardmaster::worker {

// All INVALID_ARGUMENT.
absl::Status AxisUnknown(std::string_view axis, const std::vector<std::string>& known);
absl::Status AxisValueUnknown(std::string_view axis, std::string_view value, const std::vector<std::string>& known);
absl::Status LayerUnknown(std::string_view layer, const std::vector<std::string>& known);
absl::Status ResultDirectoryNotEmpty(std::string_view path);
absl::Status ResultDirectoryUnusable(std::string_view path, std::string_view reason);
absl::Status SourceFolderMissing(std::string_view path);
absl::Status SignaturesUnusable(std::string_view reason);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_RUN_ERRORS_H_
