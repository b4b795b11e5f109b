#include "services/worker/process/process_errors.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster::worker::process_errors {

absl::Status ProgramNotFound(std::string_view program, std::string_view searched) {
  if (program.find('/') != std::string_view::npos) {
    return absl::NotFoundError(absl::StrCat("there is no program '", Abs(program), "'"));
  }
  if (searched.empty()) {
    return absl::NotFoundError(absl::StrCat("there is no program '", Abs(program), "': the environment has no PATH"));
  }
  return absl::NotFoundError(absl::StrCat("there is no program '", Abs(program), "' in PATH (", Abs(searched), ")"));
}

absl::Status InterpreterNotFound(std::string_view program, std::string_view interpreter) {
  return absl::NotFoundError(
      absl::StrCat("'", Abs(program), "' can't be started: its interpreter '", Abs(interpreter), "' does not exist"));
}

absl::Status ProgramNotExecutable(std::string_view program, std::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat("'", Abs(program), "' can't be executed: ", Abs(reason)));
}

absl::Status DirectoryUnusable(std::string_view directory, std::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat("can't work in the folder '", Abs(directory), "': ", Abs(reason)));
}

absl::Status SharedMemoryRefused(std::string_view program, int error) {
  return absl::FailedPreconditionError(
      absl::StrCat("can't start '", Abs(program), "' with shared memory of its own: ", std::strerror(error)));
}

absl::Status NoProgramGiven() { return absl::FailedPreconditionError("a command needs a program"); }

absl::Status NothingLeftToStart(std::string_view program, std::string_view what, int error) {
  return absl::ResourceExhaustedError(absl::StrCat("can't start '", Abs(program), "': the system has no ", Abs(what),
                                                   " left (", std::strerror(error), ")"));
}

absl::Status NoPortsLeft(size_t wanted, unsigned first, unsigned last, std::string_view together) {
  return absl::ResourceExhaustedError(
      absl::StrCat("of the ports ", first, " to ", last, " fewer than ", wanted, " are free", Abs(together)));
}

absl::Status LockFolderUnusable(std::string_view folder, std::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat("can't note what is taken in '", Abs(folder), "': ", Abs(reason)));
}

absl::Status DiskUnreadable(std::string_view path, std::string_view reason) {
  return absl::NotFoundError(
      absl::StrCat("can't tell how much is free on the disk of '", Abs(path), "': ", Abs(reason)));
}

}  // namespace yardmaster::worker::process_errors
