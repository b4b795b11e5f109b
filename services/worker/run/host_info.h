// What machine this is, for results.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_HOST_INFO_H_
#define YARDMASTER_SERVICES_WORKER_RUN_HOST_INFO_H_

#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

HostInfo ThisHost();

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_HOST_INFO_H_
