#include "services/worker/reports/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "services/worker/errors.h"
#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {
namespace {

absl::Status Unreadable() { return worker_errors::BadTensor(std::string("it can't be read: ") + std::strerror(errno)); }

}  // namespace

absl::StatusOr<MappedFile> MappedFile::Open(const std::filesystem::path& path, uint64_t max_bytes) {
  // Not blocking: opening a pipe would wait for a writer.
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.ok()) return Unreadable();
  struct stat about {};
  if (fstat(file.get(), &about) != 0) return Unreadable();
  if (!S_ISREG(about.st_mode)) return worker_errors::BadTensor("it is no regular file");
  const auto size = static_cast<uint64_t>(about.st_size);
  if (size > max_bytes) return worker_errors::ReportTooLarge("the file", size, max_bytes);
  MappedFile mapped;
  if (size == 0) return mapped;
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) return Unreadable();
  madvise(address, size, MADV_SEQUENTIAL);
  mapped.start_ = {static_cast<const char*>(address), UnmapDeleter{size}};
  return mapped;
}

}  // namespace yardmaster::worker
