#include "services/intake/plans/recent_labels.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "clients/forge/labels.h"
#include "services/core/repository_name.h"

namespace yardmaster {

RecentLabels::Labels RecentLabels::Get(Forge& forge, const ForgeCall& call, std::string_view repository,
                                       const std::vector<std::string>& wanted) {
  const std::string key = absl::AsciiStrToLower(QualifiedName(forge.name(), repository));
  const auto asked = clock_.Monotonic();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = repositories_.find(key);
    if (known != repositories_.end()) {
      const Labels& labels = known->second.labels;
      const bool has_all = labels != nullptr &&
                           absl::c_all_of(wanted, [&](const std::string& label) { return HasLabel(*labels, label); });
      if (asked - known->second.read_at < (has_all ? kKept : kKeptAfterMiss)) return labels;
    }
  }
  const absl::StatusOr<std::vector<ForgeLabel>> read = forge.RepositoryLabels(call, repository);
  Labels labels;
  if (read.ok()) {
    auto names = std::make_shared<std::vector<std::string>>();
    for (const ForgeLabel& label : *read) names->push_back(label.name);
    labels = std::move(names);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (repositories_.size() >= kMaxRepositories) repositories_.clear();
  repositories_[key] = {labels, asked};
  return labels;
}

}  // namespace yardmaster
