// The signals that steer the daemon, taken by one thread and by nothing else.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_SIGNALS_H_
#define YARDMASTER_SERVICES_YARDMASTERD_SIGNALS_H_

namespace yardmaster {

// SIGTERM, SIGINT and SIGHUP are blocked in this thread and in all threads made afterwards: to be called before any is
// made. SIGPIPE is ignored.
void BlockDaemonSignals();

// Waits for one of them and returns its number.
int WaitForDaemonSignal();

// From now on the next SIGTERM or SIGINT ends the process at once with `exit_code`. For the time of draining.
void EndAtNextSignal(int exit_code);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_SIGNALS_H_
