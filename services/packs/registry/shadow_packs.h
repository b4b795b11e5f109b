// Revisions of packs that run beside those in service, for the repositories whose configuration names one. Nothing of
// it is read or held in memory where none does.
#ifndef YARDMASTER_SERVICES_PACKS_REGISTRY_SHADOW_PACKS_H_
#define YARDMASTER_SERVICES_PACKS_REGISTRY_SHADOW_PACKS_H_

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "rules/engine/compiled_pack.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/config/config.h"
#include "services/core/config/shadow_config.h"
#include "services/core/problem.h"
#include "services/packs/registry/pack_registry.h"

namespace yardmaster {

// Those of a configuration.
ShadowSources ShadowsOf(const Config& config);

// `packs` with the shadows of `sources` beside them; `files` are those that `packs` were made of. Returns nullptr and
// problems that name the field of the configuration if one can't be used.
std::shared_ptr<const PackSet> WithShadows(const std::shared_ptr<const PackSet>& packs, const rules::PackFiles& files,
                                           const ShadowSources& sources, Problems& problems);

// The packs as they would be for a repository if its shadow were in service; nullptr if it has none for `pack`, or that
// one is the same revision.
std::shared_ptr<const PackSet> ShadowFor(const Config& config, const PackSet& packs, std::string_view forge,
                                         std::string_view repository, std::string_view pack);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_REGISTRY_SHADOW_PACKS_H_
