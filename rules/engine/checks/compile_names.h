// Names in the JSON of checks: reading them, looking them up, and listing those that are known.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_NAMES_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_NAMES_H_

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {

std::vector<std::string_view> Split(std::string_view text, char separator);

// Whether a list of profiles, moments or the like has that id.
template <typename List>
bool HasId(const List& list, std::string_view id) {
  return absl::c_any_of(list, [&](const auto& one) { return one.id == id; });
}

template <typename Map>
std::vector<std::string_view> KeysOf(const Map& map) {
  std::vector<std::string_view> keys;
  keys.reserve(std::size(map));
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

// All names with commas between them.
std::string Listed(const std::vector<std::string_view>& names);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_NAMES_H_
