// Whether a runner could do a job, and which of its devices it would use.
#ifndef YARDMASTER_SERVICES_DISPATCH_QUEUE_FIT_H_
#define YARDMASTER_SERVICES_DISPATCH_QUEUE_FIT_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "services/dispatch/queue/model.h"

namespace yardmaster::dispatch {

// What the runner lacks for the demand, for people, one reason each; empty: it could do it with all of its devices
// free. Whether it is online, busy or draining is no question here, nor whether a device is healthy: it may be again.
std::vector<std::string> Missing(const Demand& demand, const Runner& runner);

// True if the device is of the kind, model and memory that the demand names.
bool DeviceFits(const Demand& demand, const Device& device);

// Indexes of `demand.count` devices of the runner among those that `usable` allows; empty: there are not so many. From
// one group where it can be, and from the smallest that suffices, so that large groups stay whole for large jobs.
std::vector<size_t> ChooseDevices(const Demand& demand, const Runner& runner,
                                  const std::function<bool(size_t)>& usable);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_QUEUE_FIT_H_
