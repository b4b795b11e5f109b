// Plans what people want done with the commits, the branch and the description of a pull request. Never acts on its
// own, and only where the forge says that we may.
#ifndef YARDMASTER_SERVICES_WORKFLOW_SERVER_PULL_OPERATION_PLANNER_H_
#define YARDMASTER_SERVICES_WORKFLOW_SERVER_PULL_OPERATION_PLANNER_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/forge/forge_pulls.h"
#include "clients/git/git_cache.h"
#include "services/core/config/config.h"
#include "services/intake/configured_forge.h"
#include "services/intake/subject_planner.h"

namespace yardmaster::workflow {

// What the planner stands on. References outlive it.
struct PullOperationEnvironment {
  const Config& config;
  // By the forge's name; null or missing: its git server is not reached by HTTP.
  std::map<std::string, GitCache*, std::less<>> caches;
  const ConfiguredForges& forges;
  // Why nothing may be pushed now to a branch, since the gate of a pull request runs that comes from there; empty: it
  // may. `subject`: the pull request that the work is about. Waits for the network. Null: a gate never holds anything
  // up.
  std::function<absl::StatusOr<std::string>(const v1::Subject& subject, const std::string& pack,
                                            const ForgePullHead& branch)>
      gate_hold;
};

// Says in steps: "refused" with a code, and "why" with the detail, where nothing is done; "hunk" for each file of a
// conflict, its path in the first line; else "old", "new", "ref", "commits", "title"; "lasts" where it can't be taken
// back. "stands-on" is equal for plans of the same operation on the same commits and texts: AskOptions.stands_on wants
// one of them and no other.
class PullOperationPlanner final : public Planner {
 public:
  static constexpr std::string_view kName = "workflow";
  explicit PullOperationPlanner(PullOperationEnvironment environment) : env_(std::move(environment)) {}

  std::string_view name() const override { return kName; }
  bool Handles(v1::SubjectKind kind, const rules::PackModel& pack) const override;
  // Only for events that name an operation.
  TriggerResult TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                           const std::vector<std::string>* seen_labels) const override;
  std::string_view SkipReason(const PlanInput&) const override { return {}; }
  std::string Digest(const PlanInput& input) const override;
  absl::Status Plan(const PlanInput& input, v1::Plan& plan) const override;

 private:
  const PullOperationEnvironment env_;
};

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_SERVER_PULL_OPERATION_PLANNER_H_
