#include "services/intake/service/forge_label_source.h"

#include <chrono>
#include <optional>
#include <vector>

#include "clients/forge/forge_error.h"
#include "clients/forge/forge_event.h"
#include "services/core/errors.h"
#include "services/core/repository_name.h"

namespace yardmaster {
namespace {

constexpr std::chrono::milliseconds kReadTimeout{30'000};

}  // namespace

absl::StatusOr<std::string> ForgeLabelSource::DefaultPack(std::string_view forge, std::string_view repository,
                                                          bool any_repository) const {
  if (!IsRepositoryName(repository)) return errors::FieldInvalid("repository", "owner/name");
  if (forges_.find(forge) == forges_.end()) return errors::ForgeNotConfigured(forge);
  const RepositoryConfig* const entry = config_.FindRepository(forge, repository);
  if (entry == nullptr && !any_repository) {
    return errors::RepositoryNotListed(QualifiedName(forge, repository));
  }
  if (entry == nullptr || entry->packs.empty()) return std::string();
  return entry->packs.front();
}

absl::StatusOr<RepositoryLabels> ForgeLabelSource::Read(std::string_view forge, std::string_view repository) {
  const auto account = forges_.find(forge);
  if (account == forges_.end()) return errors::ForgeNotConfigured(forge);
  ForgeCall call;
  call.priority = ForgePriority::kCommand;
  call.timeout = kReadTimeout;
  Forge& client = account->second->forge();
  const absl::StatusOr<std::vector<ForgeLabel>> labels = client.RepositoryLabels(call, repository);
  if (!labels.ok()) {
    const std::optional<ForgeError> error = ForgeErrorOf(labels.status());
    if (error.has_value() && error->reason == ForgeReason::kNotFound) {
      return errors::RepositoryNotOnForge(QualifiedName(forge, repository));
    }
    return errors::ForgeUnusable(forge, std::string(labels.status().message()));
  }
  RepositoryLabels out;
  for (const ForgeLabel& label : *labels) out.names.push_back(label.name);
  out.min_characters = client.label_rules().min_characters;
  out.max_characters = client.label_rules().max_characters;
  return out;
}

}  // namespace yardmaster
