#include "clients/forge/profile.h"

#include <array>

#include "absl/algorithm/container.h"
#include "clients/forge/gitcode/gitcode_profile.h"
#include "clients/forge/github/github_profile.h"

namespace yardmaster {

ForgeProfiles ShippedForges() {
  static const std::array<const ForgeProfile*, 2> table = {&GitHubProfile(), &GitCodeProfile()};
  return table;
}

const ForgeProfile* FindForge(ForgeProfiles profiles, std::string_view name) {
  const auto found = absl::c_find_if(profiles, [name](const ForgeProfile* profile) { return profile->name == name; });
  return found == profiles.end() ? nullptr : *found;
}

const ForgeProfile* ProfileOf(const ForgeConfig& config) {
  return config.profile != nullptr ? config.profile : FindForge(ShippedForges(), config.name);
}

}  // namespace yardmaster
