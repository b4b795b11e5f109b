// Why devices can't be looked at: all are UNAVAILABLE, since there is something, and nobody can say what.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_ERRORS_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_ERRORS_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"

namespace yardmaster::worker::device_errors {

// --- NVIDIA ---
// The card is there, the kernel's part of the driver is not.
absl::Status DriverNotLoaded();
absl::Status LibraryAndDriverDiffer();
absl::Status NvmlFailed(std::string_view call, int code, std::string_view text);
absl::Status NvidiaSmiFailed(int exit_code, std::string_view said);
absl::Status NvidiaSmiColumnMissing(std::string_view column);
absl::Status NvidiaSmiLine(size_t line, std::string_view what, std::string_view text);

// --- Ascend ---
absl::Status NpuSmiMissing(std::string_view node);
absl::Status NpuSmiFailed(int exit_code, std::string_view said);
absl::Status NpuSmiHeaderUnknown(size_t line, std::string_view header);
absl::Status NpuSmiWithoutTable();
absl::Status NpuSmiCutOff(std::string_view what);
absl::Status NpuSmiLine(size_t line, std::string_view what, std::string_view text);
// `unit` is "cards" or "chips".
absl::Status NpuCountsDiffer(size_t shown, size_t counted, std::string_view unit, std::string_view by);

// --- Tools ---
absl::Status ToolNotFound(std::string_view program, std::string_view reason);  // NOT_FOUND
absl::Status ToolTooSlow(std::string_view program, long seconds);              // DEADLINE_EXCEEDED
absl::Status ToolUnanswered(std::string_view program, const absl::Status& why);

}  // namespace yardmaster::worker::device_errors

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_ERRORS_H_
