#include "services/core/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "services/core/errors.h"

namespace yardmaster {
namespace {

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::filesystem::path& path, size_t max_bytes) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return errors::FileUnreadable(path.native(), std::strerror(errno));
  std::string content;
  char buffer[16 * 1024];
  while (true) {
    const ssize_t count = ::read(file.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errors::FileUnreadable(path.native(), std::strerror(errno));
    if (count == 0) return content;
    content.append(buffer, static_cast<size_t>(count));
    if (content.size() > max_bytes) return errors::FileTooLarge(path.native(), max_bytes);
  }
}

absl::StatusCode CodeOfWriteError(int error) {
  const bool no_room = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return no_room ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kInternal;
}

absl::Status WriteFileAtomically(const std::filesystem::path& path, std::string_view content) {
  const std::string temporary = path.native() + "." + std::to_string(::getpid()) + ".tmp";
  const auto failed = [&] {
    const int error = errno;
    ::unlink(temporary.c_str());
    return absl::Status(CodeOfWriteError(error), errors::FileNotWritten(path.native(), std::strerror(error)).message());
  };
  {
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) return failed();
    while (!content.empty()) {
      const ssize_t count = ::write(file.get(), content.data(), content.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failed();
      content.remove_prefix(static_cast<size_t>(count));
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return failed();
  return absl::OkStatus();
}

}  // namespace yardmaster
