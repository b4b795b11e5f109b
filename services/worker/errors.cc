#include "services/worker/errors.h"

#include <cerrno>
#include <cstring>

#include "services/core/files.h"
#include "services/core/lines.h"
#include "services/core/readable.h"
#include "services/worker/text.h"

namespace yardmaster::worker::worker_errors {
namespace {

// Most bytes of a tool's words in a message.
constexpr size_t kMaxSaid = 200;

std::string Said(std::string_view text) {
  const std::string_view line = TrimBlanks(FirstLine(text));
  return line.empty() ? "it said nothing" : Readable(line, kMaxSaid);
}

}  // namespace

absl::Status ProgramNotFound(std::string_view program, std::string_view searched) {
  std::string where = Concat("' in PATH (", searched, ")");
  if (searched.empty()) where = "': the environment has no PATH";
  if (Contains(program, "/")) where = "'";
  return absl::NotFoundError(Concat("there is no program '", program, where));
}
absl::Status InterpreterNotFound(std::string_view program, std::string_view interpreter) {
  return absl::NotFoundError(
      Concat("'", program, "' can't be started: its interpreter '", interpreter, "' does not exist"));
}
absl::Status ProgramNotExecutable(std::string_view program, std::string_view reason) {
  return absl::FailedPreconditionError(Concat("'", program, "' can't be executed: ", reason));
}
absl::Status DirectoryUnusable(std::string_view directory, std::string_view reason) {
  return absl::FailedPreconditionError(Concat("can't work in the folder '", directory, "': ", reason));
}
absl::Status SharedMemoryRefused(std::string_view program, int error) {
  return absl::FailedPreconditionError(
      Concat("can't start '", program, "' with shared memory of its own: ", std::strerror(error)));
}
absl::Status NoProgramGiven() { return absl::FailedPreconditionError("a command needs a program"); }
absl::Status NothingLeftToStart(std::string_view program, std::string_view what, int error) {
  return absl::ResourceExhaustedError(
      Concat("can't start '", program, "': the system has no ", what, " left (", std::strerror(error), ")"));
}
absl::Status NoPortsLeft(size_t wanted, unsigned first, unsigned last, std::string_view together) {
  return absl::ResourceExhaustedError(
      Concat("of the ports ", first, " to ", last, " fewer than ", wanted, " are free", together));
}
absl::Status LockFolderUnusable(std::string_view folder, std::string_view reason) {
  return absl::FailedPreconditionError(Concat("can't note what is taken in '", folder, "': ", reason));
}
absl::Status DiskUnreadable(std::string_view path, std::string_view reason) {
  return absl::NotFoundError(Concat("can't tell how much is free on the disk of '", path, "': ", reason));
}

absl::Status LogUnreadable(std::string_view path, std::string_view reason) {
  return absl::NotFoundError(Concat("can't read the log '", path, "': ", reason));
}
absl::Status LogDamaged(std::string_view path, uint64_t at, std::string_view what) {
  return absl::DataLossError(Concat("the log '", path, "' is damaged at byte ", at, ": ", what));
}
absl::Status LogNotWritten(std::string_view path, int error) {
  return {CodeOfWriteError(error), Concat("can't write the log '", path, "': ", std::strerror(error))};
}
absl::Status PatternInvalid(std::string_view pattern, std::string_view reason) {
  return absl::InvalidArgumentError(Concat("the pattern '", pattern, "' can't be understood: ", reason));
}

absl::Status DriverNotLoaded() {
  return absl::UnavailableError("there is an NVIDIA card and NVML, but the kernel's driver is not loaded (nvidia.ko)");
}
absl::Status LibraryAndDriverDiffer() {
  return absl::UnavailableError(
      "the NVIDIA driver in the kernel has another version than its library: load the new one, or start the host anew");
}
absl::Status NvmlFailed(std::string_view call, int code, std::string_view text) {
  return absl::UnavailableError(Concat("NVML failed to ", call, ": ", Readable(text, kMaxSaid), " (", code, ")"));
}
absl::Status ToolFailed(std::string_view tool, int exit_code, std::string_view said) {
  return absl::UnavailableError(Concat(tool, " failed with exit code ", exit_code, ": ", Said(said)));
}
absl::Status ToolLineUnclear(std::string_view tool, size_t line, std::string_view what, std::string_view text) {
  return absl::UnavailableError(Concat(tool, ", line ", line, ": ", what, ": ", Quoted(text, kMaxSaid)));
}
absl::Status ToolOutputUnclear(std::string_view tool, std::string_view what) {
  return absl::UnavailableError(Concat(tool, " printed ", what));
}
absl::Status NpuSmiMissing(std::string_view node) {
  return absl::UnavailableError(Concat("there is ", node, ", but no npu-smi that could say what it is"));
}
absl::Status NpuCountsDiffer(size_t shown, size_t counted, std::string_view unit, std::string_view by) {
  return absl::UnavailableError(Concat("npu-smi info shows ", shown, " ", unit, ", ", by, " counts ", counted));
}
absl::Status KernelLogUnreadable() {
  return absl::UnavailableError(
      "the kernel's log can't be read: neither /dev/kmsg nor, as a member of the group systemd-journal, by journalctl");
}
absl::Status ToolNotFound(std::string_view tool, std::string_view reason) {
  return absl::NotFoundError(Concat("can't run ", Readable(tool), ": ", reason));
}
absl::Status ToolTooSlow(std::string_view tool, int64_t seconds) {
  return absl::DeadlineExceededError(Concat(Readable(tool), " did not answer within ", seconds, " s and was ended"));
}
absl::Status ToolUnanswered(std::string_view tool, const absl::Status& why) {
  return absl::UnavailableError(Concat(tool, " can't be asked: ", std::string(why.message())));
}

absl::Status ReportEmpty(std::string_view what) {
  return absl::InvalidArgumentError(Concat(what, " is empty: the program ended before it wrote it"));
}
absl::Status ReportTooLarge(std::string_view what, size_t bytes, size_t limit) {
  return absl::InvalidArgumentError(Concat(what, " has ", bytes, " bytes; at most ", limit, " are read"));
}
absl::Status ReportHasTooMany(std::string_view what, size_t limit, std::string_view unit) {
  return absl::InvalidArgumentError(Concat(what, " has more than ", limit, " ", unit));
}
absl::Status ReportNestedTooDeep(std::string_view what, size_t limit) {
  return absl::InvalidArgumentError(Concat(what, " has suites in suites, more than ", limit, " deep"));
}
absl::Status ReportHasDocumentType(std::string_view what) {
  return absl::InvalidArgumentError(
      Concat(what, " declares a document type: no test program does, and it is not read"));
}
absl::Status ReportNotXml(std::string_view what, size_t line, std::string_view reason) {
  return absl::InvalidArgumentError(Concat(what, ", line ", line, ": ", reason));
}
absl::Status ReportCutOff(std::string_view what, size_t line) {
  return absl::InvalidArgumentError(Concat(what, " ends in the middle, in line ", line,
                                           ": the program was stopped while it wrote it, or the disk was full"));
}
absl::Status ReportWrongRoot(std::string_view what, std::string_view root, std::string_view expected) {
  return absl::InvalidArgumentError(Concat(what, " begins with <", Readable(root), ">, expected ", expected));
}
absl::Status BadTensor(std::string_view reason) { return absl::InvalidArgumentError(std::string(reason)); }
absl::Status BadTensorSide(std::string_view which, const absl::Status& cause) {
  return absl::InvalidArgumentError(Concat("the ", which, " tensor: ", std::string(cause.message())));
}
absl::Status TensorsDiffer(std::string_view what, std::string_view actual, std::string_view expected) {
  return absl::InvalidArgumentError(
      Concat("the ", what, " differ: ", actual, " is there, ", expected, " was expected"));
}

absl::Status ResultDirectoryNotEmpty(std::string_view path) {
  return absl::InvalidArgumentError(Concat("the result directory ", path, " is not empty"));
}
absl::Status ResultDirectoryUnusable(std::string_view path, std::string_view reason) {
  return absl::InvalidArgumentError(Concat("the result directory ", path, " can't be used: ", reason));
}
absl::Status SourceElsewhere() {
  return absl::InvalidArgumentError(
      "the suite's source is a folder of the machine on which it was written; name a \"repository\" in its manifest, "
      "or "
      "run it there with --local");
}
absl::Status SourceFolderMissing(std::string_view path) {
  return absl::InvalidArgumentError(Concat("there is no folder ", path, " to take the source from"));
}
absl::Status SignaturesUnusable(std::string_view reason) {
  return absl::InvalidArgumentError(Concat("the failure signatures can't be compiled: ", reason));
}

}  // namespace yardmaster::worker::worker_errors
