// "pipeline-watch": looks at the gates of all open pull requests, and says what changed since it looked last.
// "watch-gates": does so of our own accord where a channel of chat asked to be told, and no schedule does.
#ifndef YARDMASTER_SERVICES_PIPELINE_WATCH_JOB_H_
#define YARDMASTER_SERVICES_PIPELINE_WATCH_JOB_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/intake/sweeps/scheduled.h"

namespace yardmaster {

// Phases of pull requests, by number, as they are kept: "12=GREEN 15=P2_FAILED". What can't be read is left out.
std::string PhasesToText(const std::map<int64_t, std::string>& phases);
std::map<int64_t, std::string> PhasesFromText(std::string_view text);

// The job. A pull request that is seen for the first time is noted and nothing is said about it.
absl::StatusOr<std::string> WatchGates(const JobEnvironment& env, const JobTurn& turn);

inline constexpr const char* kPipelineWatch = "pipeline-watch";
inline constexpr const char* kWatchGates = "watch-gates";
inline constexpr const char* kWatchGatesCron = "*/10 * * * *";

// Whether a configured schedule watches the gates of a repository.
bool IsWatched(const Config& config, const v1::Subject& repository);
// Whether a profile tells about the repository's gate: one of its packs has one, or that of a schedule that watches it.
bool HasGateToWatch(const Config& config, const PackSet& packs, const v1::Subject& repository);
absl::StatusOr<std::string> WatchSubscribedGates(const JobEnvironment& env, const JobTurn& turn);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PIPELINE_WATCH_JOB_H_
