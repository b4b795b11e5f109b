// Which profile tells about a repository's gate.
#ifndef YARDMASTER_SERVICES_PIPELINE_PROFILE_CHOICE_H_
#define YARDMASTER_SERVICES_PIPELINE_PROFILE_CHOICE_H_

#include <memory>
#include <string_view>

#include "rules/engine/pipeline/profile.h"
#include "services/core/config/config.h"
#include "services/packs/registry/pack_registry.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// That of `pack`, else of the first pack of the repository that has one; null if none has.
inline std::shared_ptr<const rules::PipelineProfile> ProfileFor(const Config& config, const PackSet& packs,
                                                                const v1::Subject& subject, std::string_view pack) {
  if (auto profile = packs.FindPipeline(pack); profile != nullptr) return profile;
  const RepositoryConfig* repository = config.FindRepository(subject.forge(), subject.repository());
  if (repository == nullptr) return nullptr;
  for (const std::string& name : repository->packs) {
    if (auto profile = packs.FindPipeline(name); profile != nullptr) return profile;
  }
  return nullptr;
}

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PIPELINE_PROFILE_CHOICE_H_
