// Trees of the configured repositories, for jobs that name a repository.
#ifndef YARDMASTER_SERVICES_DISPATCH_PULLS_REPOSITORY_TREE_H_
#define YARDMASTER_SERVICES_DISPATCH_PULLS_REPOSITORY_TREE_H_

#include <map>
#include <string>

#include "clients/git/git_cache.h"
#include "services/core/config/config.h"
#include "services/dispatch/dispatch.h"

namespace yardmaster::dispatch {

// Fetches through `caches`, by the forge's name. Only repositories that the configuration names: its credentials read
// no others for anybody. Everything must outlive what is returned.
FetchTree FetchConfiguredTrees(const Config& config, const std::map<std::string, GitCache*, std::less<>>& caches,
                               Dispatch& dispatch);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PULLS_REPOSITORY_TREE_H_
