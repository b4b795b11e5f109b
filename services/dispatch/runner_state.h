// The word for how a runner stands.
#ifndef YARDMASTER_SERVICES_DISPATCH_RUNNER_STATE_H_
#define YARDMASTER_SERVICES_DISPATCH_RUNNER_STATE_H_

#include <string_view>

#include "services/dispatch/queue/model.h"

namespace yardmaster::dispatch {

// "quarantined", "offline", "draining", "busy" or "idle": the first that is true.
inline std::string_view RunnerStateName(const Runner& runner, bool has_leases) {
  if (runner.quarantined) return "quarantined";
  if (!runner.online) return "offline";
  if (runner.draining || runner.drained_by_people) return "draining";
  return has_leases ? "busy" : "idle";
}

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_RUNNER_STATE_H_
