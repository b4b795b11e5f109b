#include "services/core/packs_dir.h"

#include <cstdlib>
#include <fstream>
#include <system_error>

#include "services/core/errors.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

bool IsDirectory(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// The source folder that a build folder was configured from; empty if `dir` is no build folder.
fs::path SourceOfBuildFolder(const fs::path& dir) {
  std::ifstream cache(dir / "CMakeCache.txt");
  constexpr std::string_view kKey = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  for (std::string line; std::getline(cache, line);) {
    if (line.starts_with(kKey)) return line.substr(kKey.size());
  }
  return {};
}

// <prefix>/share/yardmaster/NAME, else `in_sources` of the source tree; empty after adding to `places` what was looked
// at.
fs::path BesideProgram(const fs::path& executable, std::string_view name, const fs::path& in_sources,
                       std::string& places) {
  const fs::path bin = executable.parent_path();
  if (bin.empty()) return {};
  const auto look = [&](const fs::path& dir) {
    places += (places.empty() ? "" : ", ") + dir.string();
    return IsDirectory(dir);
  };
  // Installed.
  fs::path installed = bin.parent_path() / "share" / "yardmaster" / name;
  if (look(installed)) return installed;
  // In a build folder: its cache says where the sources are, also when the build folder is elsewhere.
  for (fs::path dir = bin; dir.has_relative_path(); dir = dir.parent_path()) {
    const fs::path source = SourceOfBuildFolder(dir);
    if (source.empty()) continue;
    if (look(source / in_sources)) return source / in_sources;
    // The sources were moved together with the build folder inside of them.
    for (fs::path up = dir.parent_path(); up.has_relative_path(); up = up.parent_path()) {
      if (IsDirectory(up / in_sources)) return up / in_sources;
    }
    break;
  }
  return {};
}

}  // namespace

absl::StatusOr<fs::path> LocatePacksDir(std::string_view explicit_dir) {
  const char* yard_packs = std::getenv("YARD_PACKS");
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  return LocatePacksDir(explicit_dir, yard_packs == nullptr ? "" : yard_packs, executable);
}

absl::StatusOr<fs::path> LocatePacksDir(std::string_view explicit_dir, std::string_view yard_packs,
                                        const fs::path& executable) {
  if (!explicit_dir.empty()) return fs::path(explicit_dir);
  if (!yard_packs.empty()) return fs::path(yard_packs);

  std::string places = "YARD_PACKS (not set)";
  fs::path found = BesideProgram(executable, "packs", fs::path("rules") / "packs", places);
  if (!found.empty()) return found;
  return errors::PacksDirNotFound(places);
}

absl::StatusOr<fs::path> LocateSuitesDir(const fs::path& executable) {
  std::string places;
  fs::path found = BesideProgram(executable, "suites", fs::path("tests") / "suites", places);
  if (!found.empty()) return found;
  return errors::SuitesDirNotFound(places);
}

}  // namespace yardmaster
