// A regular file, mapped for reading.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_MAPPED_FILE_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "absl/status/statusor.h"

namespace yardmaster::worker {

// Nobody may shorten the file meanwhile: the processes that wrote it have ended.
class MappedFile {
 public:
  // Links and what is no regular file are refused, as is what has more than `max_bytes`.
  static absl::StatusOr<MappedFile> Open(const std::filesystem::path& path, uint64_t max_bytes);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(address_), size_}; }

 private:
  MappedFile(void* address, size_t size) : address_(address), size_(size) {}
  void* address_ = nullptr;
  size_t size_ = 0;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_MAPPED_FILE_H_
