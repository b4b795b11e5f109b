// Why a process can't be started or a thing of the machine can't be had. The only place in this folder where the texts
// of errors are made.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_ERRORS_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_ERRORS_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"

namespace yardmaster::worker::process_errors {

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

}  // namespace yardmaster::worker::process_errors

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_ERRORS_H_
