// Profile + signals → report: where a pull request stands between its two gates, and what is to be done. Pure.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_DIAGNOSE_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_DIAGNOSE_H_

#include "rules/engine/pipeline/profile.h"
#include "rules/engine/pipeline/report.h"
#include "rules/engine/pipeline/signals.h"

namespace yardmaster::rules {

PipelineReport Diagnose(const PipelineProfile& profile, const PipelineSignals& signals, PipelineTime now);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_DIAGNOSE_H_
