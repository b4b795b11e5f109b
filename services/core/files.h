// Small files: read and written whole.
#ifndef YARDMASTER_SERVICES_CORE_FILES_H_
#define YARDMASTER_SERVICES_CORE_FILES_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace yardmaster {

// The bytes of a regular file, a pipe or a device. NOT_FOUND with the system's reason if it can't be read,
// INVALID_ARGUMENT if it has more than `max_bytes`.
absl::StatusOr<std::string> ReadSmallFile(const std::filesystem::path& path, size_t max_bytes);

// Writes a file so that readers see the old content or the new one, never a part: a temporary file beside it, then a
// rename. RESOURCE_EXHAUSTED if there is no room for it, INTERNAL for any other reason.
absl::Status WriteFileAtomically(const std::filesystem::path& path, std::string_view content);

// Of what a write left in errno: RESOURCE_EXHAUSTED where there was no room, which may pass; else INTERNAL.
absl::StatusCode CodeOfWriteError(int error);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_FILES_H_
