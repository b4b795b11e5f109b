#include "services/yardworker/disk_room.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "services/worker/process/disk.h"

namespace yardmaster::yardworker {

absl::Status CheckRoom(const std::filesystem::path& folder, uint64_t bytes, std::string_view what) {
  constexpr uint64_t kBytesOfMebibyte = 1024 * 1024;
  const uint64_t free = worker::FreeDiskBytes(folder).value_or(std::numeric_limits<uint64_t>::max());
  if (free >= bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("there are ", free / kBytesOfMebibyte, " MiB free at ",
                                                   folder.native(), ", and ", std::string(what), " needs ",
                                                   (bytes + kBytesOfMebibyte - 1) / kBytesOfMebibyte));
}

}  // namespace yardmaster::yardworker
