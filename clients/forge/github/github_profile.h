// GitHub's row in the table of forges.
#ifndef YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_PROFILE_H_
#define YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_PROFILE_H_

#include "clients/forge/profile.h"

namespace yardmaster {

const ForgeProfile& GitHubProfile();

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_PROFILE_H_
