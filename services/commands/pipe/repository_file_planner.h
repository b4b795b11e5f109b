// Tells a pull request that changes the repository's own file for the bot whether that file is right, before it is
// merged.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_REPOSITORY_FILE_PLANNER_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_REPOSITORY_FILE_PLANNER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/config/config.h"
#include "services/intake/subject_planner.h"
#include "services/packs/registry/pack_registry.h"

namespace yardmaster::commands {

// Runs when a pull request is opened or gets new commits, where no review does it. One comment, updated in place.
class RepositoryFilePlanner final : public Planner {
 public:
  RepositoryFilePlanner(const Config& config, std::function<std::shared_ptr<const PackSet>()> packs)
      : config_(config), packs_(std::move(packs)) {}

  std::string_view name() const override { return "repository-file"; }
  bool Handles(v1::SubjectKind kind, const rules::PackModel& pack) const override;
  TriggerResult TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                           const std::vector<std::string>* seen_labels) const override;
  std::string_view SkipReason(const PlanInput& input) const override;
  std::string Digest(const PlanInput& input) const override;
  absl::Status Plan(const PlanInput& input, v1::Plan& plan) const override;

 private:
  const Config& config_;
  const std::function<std::shared_ptr<const PackSet>()> packs_;
};

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_REPOSITORY_FILE_PLANNER_H_
