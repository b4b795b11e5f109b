#include "services/worker/devices/system_devices.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>

#include "services/core/files.h"
#include "services/core/lines.h"
#include "services/worker/devices/toolkits.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxAttributeBytes = 4096;
constexpr size_t kMaxVersionBytes = 64 * 1024;

std::string Attribute(const std::filesystem::path& path) {
  absl::StatusOr<std::string> text = ReadSmallFile(path, kMaxAttributeBytes);
  return text.ok() ? LowerCase(TrimBlanks(*text)) : std::string();
}

}  // namespace

bool HasNvidiaCard(const SystemPaths& paths) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(paths.pci, error), end; !error && entry != end;
       entry.increment(error)) {
    if (Attribute(entry->path() / "vendor") != "0x10de") continue;
    // 0x03….: display controllers, with and without a screen. NVIDIA makes switches and sound devices, too.
    if (Attribute(entry->path() / "class").substr(0, 4) == "0x03") return true;
  }
  return false;
}

std::string NormalPciAddress(std::string_view address) {
  static const RE2 kAddress(R"(\s*([[:xdigit:]]{0,8}):([[:xdigit:]]{2}:[[:xdigit:]]{2}\.[[:xdigit:]])\s*)");
  std::string domain;
  std::string rest;
  if (!RE2::FullMatch(Piece(address), kAddress, &domain, &rest)) return "";
  domain.insert(0, 4 - std::min<size_t>(domain.size(), 4), '0');
  while (domain.size() > 4 && domain.front() == '0') domain.erase(0, 1);
  return LowerCase(domain + ":" + rest);
}

std::vector<std::string> AscendNodes(const SystemPaths& paths) {
  constexpr std::string_view kName = "davinci";
  std::map<uint64_t, std::string> nodes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(paths.dev, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.compare(0, kName.size(), kName) != 0) continue;
    // Not davinci_manager.
    if (const auto number = NumberOf(std::string_view(name).substr(kName.size()))) nodes[*number] = entry->path();
  }
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (auto& [number, name] : nodes) names.push_back(std::move(name));
  return names;
}

std::string AscendDriverVersion(const SystemPaths& paths) {
  absl::StatusOr<std::string> text = ReadSmallFile(paths.ascend_version, kMaxVersionBytes);
  if (!text.ok()) return "";
  return VersionInFile(*text, "version");
}

}  // namespace yardmaster::worker
