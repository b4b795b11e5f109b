// What /why and /triage answer: a decision in a few lines of Markdown.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_WHY_TEXT_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_WHY_TEXT_H_

#include <string>
#include <string_view>

#include "yardmaster/v1/plan.pb.h"

namespace yardmaster::commands {

// Labels of the decision with their scores, thresholds and strongest evidence, what held others back, the steps that
// were taken. Short: the whole of it is `yard explain ID`. What issues say is quoted defanged.
std::string WhyText(const v1::Plan& plan, bool chinese);

// What a decision that was asked for does: labels added, template posted, or nothing. `preview`: what it would do.
std::string TriageText(const v1::Plan& plan, bool chinese, bool preview);

// Why an issue is skipped, in words: `reason` is a code of services/core/reasons.h.
std::string SkipReasonText(std::string_view reason, bool chinese);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_WHY_TEXT_H_
