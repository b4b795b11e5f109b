#include "services/worker/devices/system_devices.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>

#include "services/core/files.h"
#include "services/core/lines.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxAttributeBytes = 4096;
constexpr size_t kMaxVersionBytes = 64 * 1024;

std::string Attribute(const std::filesystem::path& path) {
  absl::StatusOr<std::string> text = ReadSmallFile(path, kMaxAttributeBytes);
  return text.ok() ? LowerCase(TrimBlanks(*text)) : std::string();
}

bool IsHex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
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
  address = TrimBlanks(address);
  const size_t colon = address.find(':');
  // bb:dd.f
  constexpr size_t kRestBytes = 7;
  // Also where there is none: npos is beyond all.
  if (colon > 8 || address.size() != colon + 1 + kRestBytes) return "";
  std::string_view domain = address.substr(0, colon);
  const std::string_view rest = address.substr(colon + 1);
  // Hexadecimal but for its two signs.
  const std::string digits = std::string(rest.substr(0, 2)) + std::string(rest.substr(3, 2)) + rest[6];
  const bool signs = rest[2] == ':' && rest[5] == '.';
  if (!signs || !IsHex(domain) || !IsHex(digits)) return "";
  while (domain.size() > 4 && domain[0] == '0') domain.remove_prefix(1);
  return LowerCase(std::string(4 - std::min<size_t>(domain.size(), 4), '0') + std::string(domain) + ":" +
                   std::string(rest));
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
  for (const std::string_view line : LinesOf(*text)) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos || LowerCase(TrimBlanks(line.substr(0, equals))) != "version") continue;
    std::string_view value = TrimBlanks(line.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '[' && value.back() == ']') value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return "";
}

}  // namespace yardmaster::worker
