// The news of runners: those that people took out of use, and devices that workers took out of use by themselves.
#ifndef YARDMASTER_SERVICES_DISPATCH_QUARANTINE_NEWS_H_
#define YARDMASTER_SERVICES_DISPATCH_QUARANTINE_NEWS_H_

#include <vector>

#include "services/intake/sweeps/scheduled.h"

namespace yardmaster::dispatch {

// The topic "devices". Each is told once for as long as it is quarantined, to everybody who subscribed to it.
std::vector<NewsSource> RunnerNews();

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_QUARANTINE_NEWS_H_
