// What goes wrong with logs. The only place in this folder where the texts of errors are made.
#ifndef YARDMASTER_SERVICES_WORKER_LOGS_LOG_ERRORS_H_
#define YARDMASTER_SERVICES_WORKER_LOGS_LOG_ERRORS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace yardmaster::worker::log_errors {

absl::Status LogUnreadable(std::string_view path, std::string_view reason);  // NOT_FOUND
// `at`: the byte of the file where it begins.
absl::Status LogDamaged(std::string_view path, uint64_t at, std::string_view what);  // DATA_LOSS
// RESOURCE_EXHAUSTED where the disk, a quota or a limit on files is full, INTERNAL otherwise.
absl::Status LogNotWritten(std::string_view path, int error);
absl::Status PatternInvalid(std::string_view pattern, std::string_view reason);  // INVALID_ARGUMENT

}  // namespace yardmaster::worker::log_errors

#endif  // YARDMASTER_SERVICES_WORKER_LOGS_LOG_ERRORS_H_
