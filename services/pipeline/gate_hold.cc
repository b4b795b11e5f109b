#include "services/pipeline/gate_hold.h"

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/pipeline/diagnose.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"
#include "services/pipeline/profile_choice.h"

namespace yardmaster {

absl::StatusOr<std::string> WhyGateHolds(const GateHoldEnvironment& env, const v1::Subject& subject,
                                         const std::string& pack, const ForgePullHead& branch) {
  const std::shared_ptr<const rules::PipelineProfile> profile = ProfileFor(env.config, env.packs, subject, pack);
  if (profile == nullptr || !profile->no_push_while_running) return std::string();
  const auto forge = env.forges.find(subject.forge());
  if (forge == env.forges.end() || forge->second->pulls() == nullptr) return std::string();
  // One branch may be that of several pull requests, and of others than the one that somebody writes at.
  ASSIGN_OR_RETURN(
      const std::vector<ForgePull> pulls,
      forge->second->pulls()->FindPulls({.priority = ForgePriority::kCommand}, subject.repository(), branch));
  for (const ForgePull& pull : pulls) {
    v1::Subject one = subject;
    one.set_number(pull.number);
    ASSIGN_OR_RETURN(const rules::PipelineSignals signals, env.gates.Read(one, *profile));
    const rules::PipelineReport report = rules::Diagnose(*profile, signals, env.clock.Now());
    if (!report.under_way) continue;
    return absl::StrCat("#", pull.number, ", ", Abs(rules::PipelinePhaseName(report.phase)), ": ", report.why);
  }
  return std::string();
}

}  // namespace yardmaster
