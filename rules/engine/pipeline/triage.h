// Whether a failure is the pull request's, and whether building again can help.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_TRIAGE_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_TRIAGE_H_

#include <string>
#include <vector>

#include "rules/engine/pipeline/facts.h"
#include "rules/engine/pipeline/profile.h"
#include "rules/engine/pipeline/report.h"
#include "rules/engine/pipeline/signals.h"

namespace yardmaster::rules {

// Fills failures, stages, excerpts and `flaky` of the report from the newest build's log, from bots' comments where
// there is no log, or from checks. What is not shown to be somebody else's is the pull request's.
void TriageFailures(const PipelineProfile& profile, const PipelineSignals& signals, const PipelineFacts& facts,
                    PipelineReport& report);

// How the report's failures are routed.
enum class FailureRoute : uint8_t {
  kFix,                 // the pull request's, or not shown to be anything else
  kRetest,              // others than before, none of them the pull request's
  kSticky,              // the same again, none of them the pull request's
  kInfrastructure,      // the machine or its setup, for the first time
  kSameInfrastructure,  // the same again: building again never helps
};
FailureRoute RouteFailures(const PipelineProfile& profile, const PipelineSignals& signals, const PipelineFacts& facts,
                           const PipelineReport& report);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_TRIAGE_H_
