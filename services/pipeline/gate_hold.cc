#include "services/pipeline/gate_hold.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "rules/engine/pipeline/diagnose.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"
#include "services/pipeline/profile_choice.h"

namespace yardmaster {

absl::StatusOr<std::string> WhyGateHolds(const Config& config, const PackSet& packs, GateSource& gates,
                                         const Clock& clock, const v1::Subject& subject, const std::string& pack) {
  const std::shared_ptr<const rules::PipelineProfile> profile = ProfileFor(config, packs, subject, pack);
  if (profile == nullptr || !profile->no_push_while_running) return std::string();
  ASSIGN_OR_RETURN(const rules::PipelineSignals signals, gates.Read(subject, *profile));
  const rules::PipelineReport report = rules::Diagnose(*profile, signals, clock.Now());
  if (!report.under_way) return std::string();
  return absl::StrCat(Abs(rules::PipelinePhaseName(report.phase)), ": ", report.why);
}

}  // namespace yardmaster
