#include "rules/engine/checks/compile_names.h"

#include "absl/strings/str_join.h"

namespace yardmaster::rules {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string Listed(const std::vector<std::string_view>& names) {
  return absl::StrJoin(names, ", ", [](std::string* out, std::string_view name) { out->append(name); });
}

}  // namespace yardmaster::rules
