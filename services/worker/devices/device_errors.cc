#include "services/worker/devices/device_errors.h"

#include <string>

#include "services/core/readable.h"

namespace yardmaster::worker::device_errors {
namespace {

// Most bytes of a tool's words in a message.
constexpr size_t kMaxSaid = 200;

absl::Status Unavailable(const std::string& message) { return absl::UnavailableError(message); }

// The first line that says something.
std::string FirstLine(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "it said nothing";
  text.remove_prefix(begin);
  return Readable(text.substr(0, text.find('\n')), kMaxSaid);
}

}  // namespace

absl::Status DriverNotLoaded() {
  return Unavailable("there is an NVIDIA card and NVML, but the kernel's driver is not loaded (nvidia.ko)");
}
absl::Status LibraryAndDriverDiffer() {
  return Unavailable(
      "the NVIDIA driver in the kernel has another version than its library: load the new one, or start the host anew");
}
absl::Status NvmlFailed(std::string_view call, int code, std::string_view text) {
  return Unavailable("NVML failed to " + std::string(call) + ": " + Readable(text, kMaxSaid) + " (" +
                     std::to_string(code) + ")");
}
absl::Status NvidiaSmiFailed(int exit_code, std::string_view said) {
  return Unavailable("nvidia-smi failed with exit code " + std::to_string(exit_code) + ": " + FirstLine(said));
}
absl::Status NvidiaSmiColumnMissing(std::string_view column) {
  return Unavailable("the table of nvidia-smi has no column \"" + std::string(column) + "\"");
}
absl::Status NvidiaSmiLine(size_t line, std::string_view what, std::string_view text) {
  return Unavailable("the table of nvidia-smi, line " + std::to_string(line) + ": " + std::string(what) + ": " +
                     Quoted(text, kMaxSaid));
}

absl::Status NpuSmiMissing(std::string_view node) {
  return Unavailable("there is " + std::string(node) + ", but no npu-smi that could say what it is");
}
absl::Status NpuSmiFailed(int exit_code, std::string_view said) {
  return Unavailable("npu-smi failed with exit code " + std::to_string(exit_code) + ": " + FirstLine(said));
}
absl::Status NpuSmiHeaderUnknown(size_t line, std::string_view header) {
  return Unavailable("npu-smi, line " + std::to_string(line) +
                     ": the columns of this table are not known: " + Quoted(header, kMaxSaid));
}
absl::Status NpuSmiWithoutTable() { return Unavailable("npu-smi printed no table of devices"); }
absl::Status NpuSmiCutOff(std::string_view what) {
  return Unavailable("the output of npu-smi is cut off: " + std::string(what));
}
absl::Status NpuSmiLine(size_t line, std::string_view what, std::string_view text) {
  return Unavailable("npu-smi, line " + std::to_string(line) + ": " + std::string(what) + ": " +
                     Quoted(text, kMaxSaid));
}
absl::Status NpuCountsDiffer(size_t shown, size_t counted, std::string_view unit, std::string_view by) {
  return Unavailable("npu-smi info shows " + std::to_string(shown) + " " + std::string(unit) + ", " + std::string(by) +
                     " counts " + std::to_string(counted));
}

absl::Status ToolNotFound(std::string_view program, std::string_view reason) {
  return absl::NotFoundError("can't run " + Readable(program) + ": " + std::string(reason));
}
absl::Status ToolTooSlow(std::string_view program, long seconds) {
  return absl::DeadlineExceededError(Readable(program) + " did not answer within " + std::to_string(seconds) +
                                     " s and was ended");
}
absl::Status ToolUnanswered(std::string_view program, const absl::Status& why) {
  return Unavailable(std::string(program) + " can't be asked: " + std::string(why.message()));
}

}  // namespace yardmaster::worker::device_errors
