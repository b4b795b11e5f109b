#include "services/pipeline/head_time.h"

#include <chrono>

namespace yardmaster {
namespace {

// Forges tell times in whole seconds: what came in the same second is not older.
rules::PipelineTime WholeSeconds(rules::PipelineTime time) { return std::chrono::floor<std::chrono::seconds>(time); }

}  // namespace

std::optional<rules::PipelineTime> HeadTime(std::optional<rules::PipelineTime> committed,
                                            const std::optional<store::SeenHead>& seen, rules::PipelineTime now) {
  // Made in the future: the clock of whoever made it says nothing.
  if (committed.has_value() && *committed > now) committed.reset();
  if (!seen.has_value()) return committed;
  if (seen->not_before.has_value() && (!committed.has_value() || *committed < *seen->not_before)) {
    return WholeSeconds(*seen->not_before);
  }
  if (!committed.has_value() || *committed > seen->not_after) return WholeSeconds(seen->not_after);
  return committed;
}

}  // namespace yardmaster
