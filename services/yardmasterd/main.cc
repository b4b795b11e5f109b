// yardmasterd: see options.cc for the command line and daemon.cc for what is made in which order.
#include "services/yardmasterd/daemon.h"
#include "services/yardmasterd/options.h"
#include "services/yardmasterd/signals.h"

int main(int argc, char** argv) {
  int exit_code = 0;
  const std::optional<yardmaster::DaemonOptions> options = yardmaster::ParseOptions(argc, argv, exit_code);
  if (!options.has_value()) return exit_code;
  // Before any thread is made.
  yardmaster::BlockDaemonSignals();
  return yardmaster::RunDaemon(*options);
}
