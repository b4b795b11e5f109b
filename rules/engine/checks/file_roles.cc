#include "rules/engine/checks/file_roles.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "rules/engine/checks/compiled_checks.h"

namespace yardmaster::rules {

bool HasRole(const CheckSet::Impl& checks, const std::string& path) {
  return absl::c_any_of(checks.roles, [&](const CompiledRole& role) { return RE2::FullMatch(path, *role.path); });
}

void AssignRole(const CheckSet::Impl& checks, const std::string& forced, const std::string& op, Unit& unit) {
  constexpr size_t kMaxGroups = 16;
  std::array<re2::StringPiece, kMaxGroups> found;
  const std::string& path = unit.path();
  for (const CompiledRole& role : checks.roles) {
    if (!forced.empty() && role.info.role != forced) continue;
    const auto groups = static_cast<int>(std::min(role.groups.size(), kMaxGroups));
    if (!role.path->Match(path, 0, path.size(), RE2::ANCHOR_BOTH, found.data(), groups)) continue;
    unit.role = role.info.role;
    for (size_t i = 1; i < static_cast<size_t>(groups); ++i) {
      if (!role.groups[i].empty() && found[i].data() != nullptr) {
        unit.groups[role.groups[i]] = std::string(found[i].data(), found[i].size());
      }
    }
    break;
  }
  if (!forced.empty() && unit.role.empty()) {
    // Called something else: its stem is what the name would say.
    unit.role = forced;
    std::string_view name = path;
    name = name.substr(name.rfind('/') + 1);
    unit.groups["op"] = op.empty() ? std::string(name.substr(0, name.rfind('.'))) : op;
  }
  if (!op.empty()) unit.groups.try_emplace("op", op);
}

}  // namespace yardmaster::rules
