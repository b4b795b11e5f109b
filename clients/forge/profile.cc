#include "clients/forge/profile.h"

#include "absl/algorithm/container.h"

namespace yardmaster {

const ForgeProfile* FindForge(ForgeProfiles profiles, std::string_view name) {
  const auto found = absl::c_find_if(profiles, [name](const ForgeProfile* profile) { return profile->name == name; });
  return found == profiles.end() ? nullptr : *found;
}

}  // namespace yardmaster
