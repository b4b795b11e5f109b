// A regular file, mapped for reading.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_MAPPED_FILE_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_MAPPED_FILE_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"

namespace yardmaster::worker {

// Ends a mapping.
struct UnmapDeleter {
  size_t size = 0;
  void operator()(const char* start) const { munmap(const_cast<char*>(start), size); }
};

// The file must not be shortened meanwhile: the processes that wrote it have ended.
class MappedFile {
 public:
  // Links and what is no regular file are refused, as is what has more than `max_bytes`.
  static absl::StatusOr<MappedFile> Open(const std::filesystem::path& path, uint64_t max_bytes);

  std::string_view bytes() const { return {start_.get(), start_.get_deleter().size}; }

 private:
  std::unique_ptr<const char[], UnmapDeleter> start_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_MAPPED_FILE_H_
