// Labels of repositories, read with the daemon's credentials.
#ifndef YARDMASTER_SERVICES_INTAKE_SERVICE_FORGE_LABEL_SOURCE_H_
#define YARDMASTER_SERVICES_INTAKE_SERVICE_FORGE_LABEL_SOURCE_H_

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "services/core/config/config.h"
#include "services/intake/configured_forge.h"
#include "services/intake/label_source.h"

namespace yardmaster {

class ForgeLabelSource final : public LabelSource {
 public:
  // Everything outlives the source.
  ForgeLabelSource(const Config& config, ConfiguredForges forges) : config_(config), forges_(std::move(forges)) {}

  absl::StatusOr<std::string> DefaultPack(std::string_view forge, std::string_view repository,
                                          bool any_repository) const override;
  absl::StatusOr<RepositoryLabels> Read(std::string_view forge, std::string_view repository) override;

 private:
  const Config& config_;
  const ConfiguredForges forges_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SERVICE_FORGE_LABEL_SOURCE_H_
