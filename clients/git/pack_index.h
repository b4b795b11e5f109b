// A pack put into a folder of objects.
#ifndef YARDMASTER_CLIENTS_GIT_PACK_INDEX_H_
#define YARDMASTER_CLIENTS_GIT_PACK_INDEX_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster {

// Writes a pack that ScanPack found good, and its index, to `folder`; gives the file of the index. nullopt and `error`
// if the pack can't be read.
std::optional<std::filesystem::path> IndexPack(const std::filesystem::path& folder, std::string_view pack,
                                               std::string& error);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_PACK_INDEX_H_
