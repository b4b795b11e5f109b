#include "clients/cli/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "clients/cli/interrupt.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

std::string Reason() { return errno == 0 ? std::string("unknown error") : std::string(std::strerror(errno)); }

}  // namespace

std::unique_ptr<InputFile> InputFile::Open(const std::string& path, const Environment& env, std::string& error) {
  std::unique_ptr<InputFile> input(new InputFile);
  if (path == "-") {
    input->name_ = "<stdin>";
    input->stream_ = env.in;
    return input;
  }
  input->name_ = path;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    error = "can't read '" + path + "': it is a folder";
    return nullptr;
  }
  errno = 0;
  input->file_.open(path, std::ios::binary);
  if (!input->file_.is_open()) {
    error = "can't read '" + path + "': " + Reason();
    return nullptr;
  }
  input->stream_ = &input->file_;
  return input;
}

std::optional<std::string> InputFile::ReadAll(size_t max_bytes, std::string& error) {
  std::string text;
  char block[64 * 1024];
  while (stream_->read(block, sizeof(block)) || stream_->gcount() > 0) {
    text.append(block, static_cast<size_t>(stream_->gcount()));
    if (text.size() > max_bytes) {
      error = name_ + ": more than " + std::to_string(max_bytes) + " bytes, the limit";
      return std::nullopt;
    }
  }
  if (stream_->bad()) {
    error = name_ + ": reading failed";
    return std::nullopt;
  }
  return text;
}

std::unique_ptr<OutputFile> OutputFile::Create(const std::string& path, const Environment& env, std::string& error) {
  std::unique_ptr<OutputFile> output(new OutputFile);
  std::error_code ignored;
  // Through a link the file behind it is replaced, not the link.
  const fs::path real = fs::weakly_canonical(path, ignored);
  output->path_ = real.empty() ? fs::path(path) : real;
  const fs::file_status status = fs::status(output->path_, ignored);
  if (fs::is_directory(status)) {
    error = "can't write '" + path + "': it is a folder";
    return nullptr;
  }
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
  if (!output->file_.is_open()) {
    error = "can't write '" + path + "': " + Reason();
    return nullptr;
  }
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

bool OutputFile::Commit(std::string& error) {
  errno = 0;
  file_.close();
  if (!file_.good()) {
    error = "can't write '" + path_.string() + "': " + Reason();
    return false;
  }
  if (temporary_.empty()) return true;
  std::error_code failed;
  fs::rename(temporary_, path_, failed);
  if (failed) {
    error = "can't write '" + path_.string() + "': " + failed.message();
    return false;
  }
  if (interrupts_ != nullptr) interrupts_->Forget(temporary_);
  temporary_.clear();
  return true;
}

}  // namespace yardmaster::cli
