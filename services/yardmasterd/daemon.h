// The daemon as a whole: what is made in which order, and how it ends.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_DAEMON_H_
#define YARDMASTER_SERVICES_YARDMASTERD_DAEMON_H_

#include "services/yardmasterd/options.h"

namespace yardmaster {

// Runs until SIGTERM or SIGINT; returns the exit code. Signals must be blocked already (signals.h).
int RunDaemon(const DaemonOptions& options);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_DAEMON_H_
