// Tells how the gate of a pull request stands, and starts it where a person asks. Never acts on its own.
#ifndef YARDMASTER_SERVICES_PIPELINE_GATE_PLANNER_H_
#define YARDMASTER_SERVICES_PIPELINE_GATE_PLANNER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rules/engine/pipeline/report.h"
#include "services/core/config/config.h"
#include "services/intake/subject_planner.h"
#include "services/packs/registry/pack_registry.h"
#include "services/pipeline/gate_source.h"

namespace yardmaster {

// Words of Event.gate.
inline constexpr std::string_view kCheckPrGate = "check_pr";
inline constexpr std::string_view kRetestGate = "retest";

// Whether a person may start a gate as the report stands; `why` says why not. A person may build again what a program
// would not: they may know more. Nobody starts what runs, and nobody more often than the profile allows.
bool MayStartGate(const rules::PipelineReport& report, std::string_view gate, std::string& why);

// What the planner stands on. References outlive it.
struct GateEnvironment {
  const Config& config;
  std::function<std::shared_ptr<const PackSet>()> packs;
  GateSource* source = nullptr;  // null: gates can't be read
};

// Says in steps: "phase", "next" with the action, "why"; "failure" for the first ones; "note"; and "start" where a gate
// was to be started.
class GatePlanner final : public Planner {
 public:
  static constexpr std::string_view kName = "pipeline";
  explicit GatePlanner(GateEnvironment environment) : env_(std::move(environment)) {}

  std::string_view name() const override { return kName; }
  bool Handles(v1::SubjectKind kind, const rules::PackModel& pack) const override;
  // Only for events that name a gate.
  TriggerResult TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                           const std::vector<std::string>* seen_labels) const override;
  std::string_view SkipReason(const PlanInput&) const override { return {}; }
  std::string Digest(const PlanInput& input) const override;
  absl::Status Plan(const PlanInput& input, v1::Plan& plan) const override;

 private:
  const GateEnvironment env_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PIPELINE_GATE_PLANNER_H_
