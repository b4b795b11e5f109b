// Where the packs and the sources of our own suites are, from any working directory.
#ifndef YARDMASTER_SERVICES_CORE_PACKS_DIR_H_
#define YARDMASTER_SERVICES_CORE_PACKS_DIR_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace yardmaster {

// The first that applies: `explicit_dir` (from a flag or the config); the environment variable YARD_PACKS;
// <prefix>/share/yardmaster/packs where the executable is <prefix>/bin/PROGRAM; rules/packs of the source tree when the
// executable lies in a build folder. The first two are taken as they are: a folder that is missing there is the
// reader's error. NOT_FOUND names every place looked at.
absl::StatusOr<std::filesystem::path> LocatePacksDir(std::string_view explicit_dir);

// The same for a given environment, for tests. `yard_packs` may be empty.
absl::StatusOr<std::filesystem::path> LocatePacksDir(std::string_view explicit_dir, std::string_view yard_packs,
                                                     const std::filesystem::path& executable);

// The sources of our own suites: <prefix>/share/yardmaster/suites, or tests/suites of the source tree when the
// executable lies in a build folder. NOT_FOUND names every place looked at.
absl::StatusOr<std::filesystem::path> LocateSuitesDir(const std::filesystem::path& executable);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_PACKS_DIR_H_
