// The forges that this program knows. To add one, write its folder beside clients/forge/github and name its profile
// here.
#ifndef YARDMASTER_CLIENTS_FORGES_SHIPPED_FORGES_H_
#define YARDMASTER_CLIENTS_FORGES_SHIPPED_FORGES_H_

#include "clients/forge/profile.h"

namespace yardmaster {

ForgeProfiles ShippedForges();

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGES_SHIPPED_FORGES_H_
