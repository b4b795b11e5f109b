// When a pull request got its head. A commit says when it was made, in the words of whoever made it; who pushes it
// late, or dates it wrong, would keep labels alive that were given to other commits.
#ifndef YARDMASTER_SERVICES_PIPELINE_HEAD_TIME_H_
#define YARDMASTER_SERVICES_PIPELINE_HEAD_TIME_H_

#include <optional>

#include "rules/engine/pipeline/signals.h"
#include "services/core/store/subjects.h"

namespace yardmaster {

// The commit's own time as far as what was seen allows it: not before the last look at another head, and not after the
// first look at this one. nullopt: nothing tells.
std::optional<rules::PipelineTime> HeadTime(std::optional<rules::PipelineTime> committed,
                                            const std::optional<store::SeenHead>& seen, rules::PipelineTime now);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PIPELINE_HEAD_TIME_H_
