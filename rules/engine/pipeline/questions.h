// The questions that tell whose failure a failed test is. Each has an answer and the reason for it.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_QUESTIONS_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_QUESTIONS_H_

#include <cstdint>
#include <string>

#include "rules/engine/pipeline/console_log.h"
#include "rules/engine/pipeline/profile.h"
#include "rules/engine/pipeline/signals.h"
#include "rules/engine/pipeline/trunk.h"

namespace yardmaster::rules {

struct Answer {
  enum class Value : uint8_t { kNo, kYes, kUnknown };
  Value value = Value::kUnknown;
  std::string why;
};
// "no: it changes no code".
std::string AnswerText(const Answer& answer);

// Does the pull request change what every test stands on?
Answer ChangesBuild(const PipelineProfile& profile, const PipelineSignals& signals);
// Does the test reach what it changes?
Answer ReachesChange(const PipelineProfile& profile, const PipelineSignals& signals, const LogFailure& failure);
// Does the test pass on the base branch?
Answer PassesOnBase(const PipelineSignals& signals, const TrunkHistory& trunk, const LogFailure& failure);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_QUESTIONS_H_
