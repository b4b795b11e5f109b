#include "services/worker/devices/device_words.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "services/core/lines.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

bool IsHex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

int Badness(DeviceHealth health) {
  switch (health) {
    case DeviceHealth::kOk:
      return 0;
    case DeviceHealth::kWarning:
      return 1;
    case DeviceHealth::kUnknown:
      return 2;
    case DeviceHealth::kBad:
      return 3;
  }
  return 3;
}

}  // namespace

std::vector<std::string_view> SplitWords(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return words;
    const size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<uint64_t> NumberOf(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
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

void Worsen(Device& device, DeviceHealth health, std::string_view reason) {
  if (health == DeviceHealth::kOk) return;
  if (Badness(health) > Badness(device.health)) device.health = health;
  if (!device.health_reason.empty()) device.health_reason += "; ";
  device.health_reason += reason;
}

}  // namespace yardmaster::worker
