// Several jobs that share the steps of a run. What they promise is said at JobShard in dispatch.proto.
#ifndef YARDMASTER_SERVICES_DISPATCH_JOB_SHARDS_H_
#define YARDMASTER_SERVICES_DISPATCH_JOB_SHARDS_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"
#include "services/dispatch/dispatch.h"
#include "services/dispatch/step_times.h"
#include "yardmaster/v1/dispatch.pb.h"

namespace yardmaster::dispatch {

inline constexpr uint32_t kMaxShards = 64;

// What the wanted steps take, as far as it is known; perhaps others, too.
using TimesOf = std::function<StepTimes(const std::set<std::string>& wanted)>;

// What a job of this specification runs, shared out to `shards` jobs at most. One, and no shard, where there is nothing
// to share. INVALID_ARGUMENT: it selects what the suite does not have.
absl::StatusOr<std::vector<v1::JobSpec>> PlanShards(const rules::SuiteModel& suite, const v1::JobSpec& spec,
                                                    uint32_t shards, const std::string& group, const TimesOf& times_of);

// The same with the suite that the specification names and with what its steps took before. Errors: as MakeJob.
absl::StatusOr<std::vector<v1::JobSpec>> ShardsOf(Dispatch& dispatch, const v1::JobSpec& spec, uint32_t shards,
                                                  const std::string& group);

// The job of a shard, from 1. That of the first is the group itself.
std::string ShardJobId(const std::string& group, uint32_t index);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_JOB_SHARDS_H_
