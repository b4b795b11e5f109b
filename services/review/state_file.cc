#include "services/review/state_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "services/core/files.h"
#include "services/review/operator_files.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

}  // namespace

StateFile::StateFile(const std::string& operator_folder)
    : folder_((fs::path(operator_folder) / kStateFolder).string()) {
  // The operator's folder itself is locked: it is there before ours is.
  lock_ = ::open(operator_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0) ::flock(lock_, LOCK_EX);
  std::string error;
  const fs::path file = fs::path(folder_) / kStateFile;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return;
  const std::optional<std::string> text = ReadText(file, kMaxStateBytes, error);
  std::optional<OperatorState> state = text.has_value() ? ParseState(*text) : std::nullopt;
  damaged_ = !state.has_value();
  if (state.has_value()) state_ = *std::move(state);
  read_ = state_;
}

StateFile::~StateFile() {
  if (lock_ >= 0) ::close(lock_);
}

bool StateFile::Save(std::string& error) {
  if (state_ == read_ && !damaged_) return true;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) {
    error = folder_ + ": " + failed.message();
    return false;
  }
  const absl::Status written = WriteFileAtomically(fs::path(folder_) / kStateFile, DumpState(state_));
  if (!written.ok()) {
    error = std::string(written.message());
    return false;
  }
  read_ = state_;
  damaged_ = false;
  return true;
}

}  // namespace yardmaster
