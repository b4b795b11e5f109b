// Whether the disk has room for what is about to be written.
#ifndef YARDMASTER_SERVICES_YARDWORKER_DISK_ROOM_H_
#define YARDMASTER_SERVICES_YARDWORKER_DISK_ROOM_H_

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "absl/status/status.h"

namespace yardmaster::yardworker {

// RESOURCE_EXHAUSTED if fewer than `bytes` are free where `folder` is; `what` says for people what needs them.
absl::Status CheckRoom(const std::filesystem::path& folder, uint64_t bytes, std::string_view what);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_DISK_ROOM_H_
