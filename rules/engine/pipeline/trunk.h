// How a test ends on the base branch, as the builds of other pull requests tell.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_TRUNK_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_TRUNK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pipeline/console_log.h"
#include "rules/engine/pipeline/facts.h"
#include "rules/engine/pipeline/profile.h"
#include "rules/engine/pipeline/signals.h"

namespace yardmaster::rules {

// What a test is known by beyond one log: "file::test", or the name alone.
std::string TestName(const LogFailure& failure);

struct TrunkEvidence {
  bool passed = false;
  std::string why;  // "build #501 of another pull request passed"
};

// Builds of other pull requests around the newest one, no more than three days before or after. Builds that ended too
// soon to be results count as none.
struct TrunkHistory {
  struct Failed {
    const PipelineBuild* build = nullptr;
    std::set<std::string, std::less<>> tests;
  };
  const PipelineBuild* passed = nullptr;  // the newest
  std::map<int64_t, Failed> failed;       // by pull request: the newest whose log is there
};
// Empty where it could not tell anything: when builds were started is not known.
TrunkHistory ReadTrunk(const PipelineProfile& profile, const PipelineSignals& signals, const PipelineFacts& facts);

// The test fails in the logs of two other pull requests, and nothing has passed since one of them; or a build of
// another pull request passed. nullopt: neither.
std::optional<TrunkEvidence> TestOnTrunk(const TrunkHistory& history, std::string_view test);

// Whether other builds can tell whose failure it is: a test failed that nothing shows to be the pull request's, and
// that reaches nothing of what it changes.
bool WantsTrunk(const PipelineProfile& profile, const PipelineSignals& signals);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_TRUNK_H_
