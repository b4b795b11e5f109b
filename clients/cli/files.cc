#include "clients/cli/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/interrupt.h"
#include "services/core/status_macros.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

std::string Reason() { return errno == 0 ? std::string("unknown error") : std::string(std::strerror(errno)); }

std::string CantRead(const std::string& path, const std::string& reason) {
  return absl::StrCat("can't read '", path, "': ", reason);
}

std::string CantWrite(const std::string& path, const std::string& reason) {
  return absl::StrCat("can't write '", path, "': ", reason);
}

}  // namespace

absl::StatusOr<std::unique_ptr<InputFile>> InputFile::Open(const std::string& path, const Environment& env) {
  std::unique_ptr<InputFile> input(new InputFile);
  if (path == "-") {
    input->name_ = "<stdin>";
    input->stream_ = env.in;
    return input;
  }
  input->name_ = path;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return UsageError(CantRead(path, "it is a folder"));
  errno = 0;
  input->file_.open(path, std::ios::binary);
  if (!input->file_.is_open()) return UsageError(CantRead(path, Reason()));
  input->stream_ = &input->file_;
  return input;
}

absl::StatusOr<std::string> InputFile::ReadAll(size_t max_bytes) {
  std::string text;
  char block[64 * 1024];
  while (stream_->read(block, sizeof(block)) || stream_->gcount() > 0) {
    text.append(block, static_cast<size_t>(stream_->gcount()));
    if (text.size() > max_bytes) {
      return UsageError(absl::StrCat(name_, ": more than ", max_bytes, " bytes, the limit"));
    }
  }
  if (stream_->bad()) return UsageError(name_ + ": reading failed");
  return text;
}

absl::StatusOr<std::string> ReadInputFile(const std::string& path, const Environment& env, size_t max_bytes) {
  ASSIGN_OR_RETURN(const std::unique_ptr<InputFile> input, InputFile::Open(path, env));
  return input->ReadAll(max_bytes);
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& path, const Environment& env) {
  std::unique_ptr<OutputFile> output(new OutputFile);
  std::error_code ignored;
  // Through a link the file behind it is replaced, not the link.
  const fs::path real = fs::weakly_canonical(path, ignored);
  output->path_ = real.empty() ? fs::path(path) : real;
  const fs::file_status status = fs::status(output->path_, ignored);
  if (fs::is_directory(status)) return UsageError(CantWrite(path, "it is a folder"));
  std::string target = output->path_.string();
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    target += ".tmp-" + std::to_string(getpid());
    // Registered first: an interrupt right after the file is made must find its name.
    output->interrupts_ = env.interrupts;
    if (output->interrupts_ != nullptr) output->interrupts_->RemoveOnInterrupt(target);
    output->temporary_ = target;
  }
  errno = 0;
  output->file_.open(target, std::ios::binary | std::ios::trunc);
  if (!output->file_.is_open()) return UsageError(CantWrite(path, Reason()));
  // A file that is replaced may be a program.
  if (!output->temporary_.empty() && fs::exists(status)) fs::permissions(target, status.permissions(), ignored);
  return output;
}

OutputFile::~OutputFile() {
  if (temporary_.empty()) return;
  file_.close();
  unlink(temporary_.c_str());
  if (interrupts_ != nullptr) interrupts_->Forget(temporary_);
}

absl::Status OutputFile::Commit() {
  errno = 0;
  file_.close();
  if (!file_.good()) return SystemError(CantWrite(path_.string(), Reason()));
  if (temporary_.empty()) return absl::OkStatus();
  std::error_code failed;
  fs::rename(temporary_, path_, failed);
  if (failed) return SystemError(CantWrite(path_.string(), failed.message()));
  if (interrupts_ != nullptr) interrupts_->Forget(temporary_);
  temporary_.clear();
  return absl::OkStatus();
}

}  // namespace yardmaster::cli
