#include "services/worker/process/process_errors.h"

#include <cstring>
#include <initializer_list>
#include <string>

namespace yardmaster::worker::process_errors {
namespace {

std::string Text(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace

absl::Status ProgramNotFound(std::string_view program, std::string_view searched) {
  if (program.find('/') != std::string_view::npos) {
    return absl::NotFoundError(Text({"there is no program '", program, "'"}));
  }
  if (searched.empty()) {
    return absl::NotFoundError(Text({"there is no program '", program, "': the environment has no PATH"}));
  }
  return absl::NotFoundError(Text({"there is no program '", program, "' in PATH (", searched, ")"}));
}

absl::Status InterpreterNotFound(std::string_view program, std::string_view interpreter) {
  return absl::NotFoundError(
      Text({"'", program, "' can't be started: its interpreter '", interpreter, "' does not exist"}));
}

absl::Status ProgramNotExecutable(std::string_view program, std::string_view reason) {
  return absl::FailedPreconditionError(Text({"'", program, "' can't be executed: ", reason}));
}

absl::Status DirectoryUnusable(std::string_view directory, std::string_view reason) {
  return absl::FailedPreconditionError(Text({"can't work in the folder '", directory, "': ", reason}));
}

absl::Status NoProgramGiven() { return absl::FailedPreconditionError("a command needs a program"); }

absl::Status NothingLeftToStart(std::string_view program, std::string_view what, int error) {
  return absl::ResourceExhaustedError(
      Text({"can't start '", program, "': the system has no ", what, " left (", std::strerror(error), ")"}));
}

absl::Status NoPortsLeft(size_t wanted, unsigned first, unsigned last, std::string_view together) {
  return absl::ResourceExhaustedError(Text({"of the ports ", std::to_string(first), " to ", std::to_string(last),
                                            " fewer than ", std::to_string(wanted), " are free", together}));
}

absl::Status PortFolderUnusable(std::string_view folder, std::string_view reason) {
  return absl::FailedPreconditionError(Text({"can't note taken ports in '", folder, "': ", reason}));
}

absl::Status DiskUnreadable(std::string_view path, std::string_view reason) {
  return absl::NotFoundError(Text({"can't tell how much is free on the disk of '", path, "': ", reason}));
}

}  // namespace yardmaster::worker::process_errors
