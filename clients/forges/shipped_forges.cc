#include "clients/forges/shipped_forges.h"

#include <array>

#include "clients/forge/gitcode/gitcode_profile.h"
#include "clients/forge/github/github_profile.h"

namespace yardmaster {

ForgeProfiles ShippedForges() {
  static const std::array<const ForgeProfile*, 2> table = {&GitHubProfile(), &GitCodeProfile()};
  return table;
}

}  // namespace yardmaster
