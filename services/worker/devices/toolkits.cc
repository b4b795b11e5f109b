#include "services/worker/devices/toolkits.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "services/core/files.h"
#include "services/core/lines.h"
#include "services/core/readable.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxToolkitFileBytes = 64 * 1024;
constexpr size_t kMaxToolkitVersionBytes = 64;

// Where CANN says its version, and under which name: releases differ.
struct VersionFile {
  std::string_view path;
  std::string_view name;
};
constexpr VersionFile kCannFiles[] = {{"compiler/version.info", "version"},
                                      {"runtime/version.info", "version"},
                                      {"ascend_toolkit_install.info", "version"},
                                      {"aarch64-linux/ascend_toolkit_install.info", "version"},
                                      {"x86_64-linux/ascend_toolkit_install.info", "version"},
                                      {"aarch64-linux/ascend_nnae_install.info", "version"},
                                      {"x86_64-linux/ascend_nnae_install.info", "version"},
                                      {"version.cfg", "toolkit_installed_version"},
                                      {"version.cfg", "compiler_installed_version"}};

std::string CannVersionIn(const fs::path& root) {
  for (const VersionFile& file : kCannFiles) {
    const absl::StatusOr<std::string> text = ReadSmallFile(root / file.path, kMaxToolkitFileBytes);
    if (!text.ok()) continue;
    const std::string version = VersionInFile(*text, file.name);
    // "8.0.RC3:8.0.RC3.1": behind the colon it is counted within the release.
    if (!version.empty()) return version.substr(0, version.find(':'));
  }
  return "";
}

}  // namespace

std::string VersionInFile(std::string_view text, std::string_view name) {
  for (const std::string_view line : LinesOf(text)) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos || LowerCase(TrimBlanks(line.substr(0, equals))) != name) continue;
    std::string_view value = TrimBlanks(line.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '[' && value.back() == ']') value = value.substr(1, value.size() - 2);
    return Readable(value, kMaxToolkitVersionBytes);
  }
  return "";
}

std::string CannVersion(const std::vector<fs::path>& roots, const ToolkitPaths& paths) {
  for (const fs::path& root : roots) {
    if (root.empty()) continue;
    if (std::string version = CannVersionIn(root); !version.empty()) return version;
  }
  return CannVersionIn(paths.ascend);
}

std::string CudaVersion(const ToolkitPaths& paths) {
  const absl::StatusOr<std::string> text = ReadSmallFile(paths.cuda / "version.json", kMaxToolkitFileBytes);
  if (!text.ok()) return "";
  const nlohmann::json versions = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!versions.is_object()) return "";
  const auto cuda = versions.find("cuda");
  if (cuda == versions.end() || !cuda->is_object()) return "";
  const auto version = cuda->find("version");
  if (version == cuda->end() || !version->is_string()) return "";
  return Readable(version->get<std::string>(), kMaxToolkitVersionBytes);
}

}  // namespace yardmaster::worker
