#include "services/yardworker/run_log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace yardmaster::yardworker {
namespace {

constexpr size_t kBlockOfLogBytes = 256 * 1024;

}  // namespace

RunLogFile::RunLogFile(const std::filesystem::path& file, uint64_t most_bytes)
    : fd_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)), left_(most_bytes) {}

void RunLogFile::AddLine(std::string_view text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // The run is ended by its budget, which looks at the file.
  const size_t bytes = std::min<uint64_t>(left_, text.size() + 1);
  left_ -= bytes;
  block_ += text.substr(0, bytes);
  if (bytes > text.size()) block_ += '\n';
  if (block_.size() >= kBlockOfLogBytes) FlushLocked();
}

void RunLogFile::Flush() {
  const std::lock_guard<std::mutex> lock(mutex_);
  FlushLocked();
}

bool RunLogFile::lost_lines() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return lost_lines_;
}

void RunLogFile::FlushLocked() {
  std::string_view rest = block_;
  while (!rest.empty()) {
    const ssize_t count = ::write(fd_.get(), rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      lost_lines_ = true;
      break;
    }
    rest.remove_prefix(static_cast<size_t>(count));
  }
  block_.clear();
}

}  // namespace yardmaster::yardworker
