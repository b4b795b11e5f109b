// Errors of the worker, named by situation: the only place where their texts are made.
#ifndef YARDMASTER_SERVICES_WORKER_ERRORS_H_
#define YARDMASTER_SERVICES_WORKER_ERRORS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace yardmaster::worker::worker_errors {

// --- Processes and the machine ---
// `searched` is the PATH that was looked through; empty if the name has a slash.
absl::Status ProgramNotFound(std::string_view program, std::string_view searched);            // NOT_FOUND
absl::Status InterpreterNotFound(std::string_view program, std::string_view interpreter);     // NOT_FOUND
absl::Status ProgramNotExecutable(std::string_view program, std::string_view reason);         // FAILED_PRECONDITION
absl::Status DirectoryUnusable(std::string_view directory, std::string_view reason);          // FAILED_PRECONDITION
absl::Status SharedMemoryRefused(std::string_view program, int error);                        // FAILED_PRECONDITION
absl::Status NoProgramGiven();                                                                // FAILED_PRECONDITION
absl::Status NothingLeftToStart(std::string_view program, std::string_view what, int error);  // RESOURCE_EXHAUSTED
absl::Status NoPortsLeft(size_t wanted, unsigned first, unsigned last,
                         std::string_view together);                                // RESOURCE_EXHAUSTED
absl::Status LockFolderUnusable(std::string_view folder, std::string_view reason);  // FAILED_PRECONDITION
absl::Status DiskUnreadable(std::string_view path, std::string_view reason);        // NOT_FOUND

// --- Logs ---
absl::Status LogUnreadable(std::string_view path, std::string_view reason);  // NOT_FOUND
// `at`: the byte of the file where it begins.
absl::Status LogDamaged(std::string_view path, uint64_t at, std::string_view what);  // DATA_LOSS
// RESOURCE_EXHAUSTED where the disk, a quota or a limit on files is full, INTERNAL otherwise.
absl::Status LogNotWritten(std::string_view path, int error);
absl::Status PatternInvalid(std::string_view pattern, std::string_view reason);  // INVALID_ARGUMENT

// --- Devices: there is a device that can't be identified: UNAVAILABLE where nothing else is said ---
// The card is there, the kernel's part of the driver is not.
absl::Status DriverNotLoaded();
absl::Status LibraryAndDriverDiffer();
absl::Status NvmlFailed(std::string_view call, int code, std::string_view text);
absl::Status ToolFailed(std::string_view tool, int exit_code, std::string_view said);
absl::Status ToolLineUnclear(std::string_view tool, size_t line, std::string_view what, std::string_view text);
absl::Status ToolOutputUnclear(std::string_view tool, std::string_view what);
absl::Status NpuSmiMissing(std::string_view node);
// `unit` is "cards" or "chips".
absl::Status NpuCountsDiffer(size_t shown, size_t counted, std::string_view unit, std::string_view by);
absl::Status KernelLogUnreadable();                                         // UNAVAILABLE
absl::Status ToolNotFound(std::string_view tool, std::string_view reason);  // NOT_FOUND
absl::Status ToolTooSlow(std::string_view tool, int64_t seconds);           // DEADLINE_EXCEEDED
absl::Status ToolUnanswered(std::string_view tool, const absl::Status& why);

// --- Reports and tensors that tests wrote: INVALID_ARGUMENT. `what` names the kind: "the JUnit report" ---
absl::Status ReportEmpty(std::string_view what);
absl::Status ReportTooLarge(std::string_view what, size_t bytes, size_t limit);
absl::Status ReportHasTooMany(std::string_view what, size_t limit, std::string_view unit);
absl::Status ReportNestedTooDeep(std::string_view what, size_t limit);
absl::Status ReportHasDocumentType(std::string_view what);
absl::Status ReportNotXml(std::string_view what, size_t line, std::string_view reason);
// It ends before it is complete.
absl::Status ReportCutOff(std::string_view what, size_t line);
absl::Status ReportWrongRoot(std::string_view what, std::string_view root, std::string_view expected);
// `reason` says what is wrong with a tensor's file.
absl::Status BadTensor(std::string_view reason);
// `which` is "actual" or "expected".
absl::Status BadTensorSide(std::string_view which, const absl::Status& cause);
absl::Status TensorsDiffer(std::string_view what, std::string_view actual, std::string_view expected);

// --- Options of a run: INVALID_ARGUMENT ---
absl::Status ResultDirectoryNotEmpty(std::string_view path);
absl::Status ResultDirectoryUnusable(std::string_view path, std::string_view reason);
absl::Status SourceElsewhere();
absl::Status SourceFolderMissing(std::string_view path);
absl::Status SignaturesUnusable(std::string_view reason);

}  // namespace yardmaster::worker::worker_errors

#endif  // YARDMASTER_SERVICES_WORKER_ERRORS_H_
