// GitCode's row in the table of forges.
#ifndef YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_PROFILE_H_
#define YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_PROFILE_H_

#include "clients/forge/profile.h"

namespace yardmaster {

const ForgeProfile& GitCodeProfile();

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_PROFILE_H_
