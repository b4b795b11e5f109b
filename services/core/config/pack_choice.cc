#include "services/core/config/pack_choice.h"

#include <algorithm>

#include "services/core/errors.h"
#include "services/core/repository_name.h"

namespace yardmaster {

absl::StatusOr<std::string> ChoosePack(const Config& config, std::string_view forge, std::string_view repository,
                                       std::string_view pack) {
  const std::string name = QualifiedName(forge, repository);
  const RepositoryConfig* entry = config.FindRepository(forge, repository);
  if (entry == nullptr || entry->packs.empty()) return errors::RepositoryNotConfigured(name);
  if (pack.empty()) return entry->packs.front();
  if (std::find(entry->packs.begin(), entry->packs.end(), pack) == entry->packs.end()) {
    return errors::PackNotAllowed(pack, name);
  }
  return std::string(pack);
}

}  // namespace yardmaster
