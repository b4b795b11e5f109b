// Writes a tar archive (POSIX pax) piece by piece. The same files give the same bytes: owners and times are fixed.
#ifndef YARDMASTER_SERVICES_CORE_TAR_WRITER_H_
#define YARDMASTER_SERVICES_CORE_TAR_WRITER_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace yardmaster {

class TarWriter {
 public:
  // `sink` gets the archive in order.
  explicit TarWriter(std::function<void(std::string_view)> sink) : sink_(std::move(sink)) {}

  // `path`: relative, with "/". A file's `size` bytes follow by Data, before anything else is added.
  void BeginFile(std::string_view path, uint64_t size, bool executable);
  void Data(std::string_view piece);
  void AddLink(std::string_view path, std::string_view target);
  // To be called once, at the end.
  void Finish();

 private:
  void Entry(std::string_view path, std::string_view target, char type, uint64_t size, uint32_t mode);
  void Pad();

  const std::function<void(std::string_view)> sink_;
  uint64_t in_file_ = 0;  // bytes since the last header
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_TAR_WRITER_H_
