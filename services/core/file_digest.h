// SHA-256 of a file of any size.
#ifndef YARDMASTER_SERVICES_CORE_FILE_DIGEST_H_
#define YARDMASTER_SERVICES_CORE_FILE_DIGEST_H_

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"

namespace yardmaster {

// 64 lower-case digits. The error of FileUnreadable if it can't be read to its end.
absl::StatusOr<std::string> FileSha256Hex(const std::filesystem::path& file);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_FILE_DIGEST_H_
