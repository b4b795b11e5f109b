// Loads and compiles one pack without putting it into service.
#ifndef YARDMASTER_SERVICES_PACKS_VALIDATE_H_
#define YARDMASTER_SERVICES_PACKS_VALIDATE_H_

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "rules/engine/compiled_pack.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/problem.h"

namespace yardmaster {

// The files of a packs folder, and what went wrong while they were read.
struct PacksFolder {
  rules::PackFiles files;
  Problems problems;
};
PacksFolder ReadPacksFolder(const std::filesystem::path& packs_dir);

// Files of one pack that came with a request: path inside the pack's folder, bytes. The paths are checked by the loader
// like those of a folder: unknown ones are problems.
using InlineFiles = std::vector<std::pair<std::string_view, std::string_view>>;

// Puts these files in the place of the pack's own. INVALID_ARGUMENT for a bad name, a path given twice, an empty one,
// or too many or too large files.
absl::Status ReplacePack(std::string_view name, const InlineFiles& files, PacksFolder& folder);

// Loads and compiles a pack. Returns nullptr if there was a problem; adds all problems of the pack and of what it
// extends, sorted. Problems of other packs of the folder are left out.
std::shared_ptr<const rules::CompiledPack> BuildPack(const PacksFolder& folder, std::string_view name,
                                                     Problems& problems);

// What a valid pack could do better: patterns of its own files that are costly. Sorted; empty for most packs.
Problems PackWarnings(const PacksFolder& folder, const rules::CompiledPack& pack);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_VALIDATE_H_
