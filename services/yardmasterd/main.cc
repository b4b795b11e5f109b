// yardmasterd: see options.cc for the command line and daemon.cc for what is made in which order.
#include "absl/synchronization/mutex.h"
#include "services/yardmasterd/daemon.h"
#include "services/yardmasterd/options.h"
#include "services/yardmasterd/signals.h"

int main(int argc, char** argv) {
  int exit_code = 0;
  const std::optional<yardmaster::DaemonOptions> options = yardmaster::ParseOptions(argc, argv, exit_code);
  if (!options.has_value()) return exit_code;
  // Debian's absl looks for lock cycles at every lock that gRPC takes, under one lock of its own. The test programs
  // keep that on.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // Before any thread is made.
  yardmaster::BlockDaemonSignals();
  return yardmaster::RunDaemon(*options);
}
