#include "services/yardmasterd/signals.h"

#include <unistd.h>

#include <csignal>
#include <thread>

namespace yardmaster {
namespace {

sigset_t DaemonSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

void BlockDaemonSignals() {
  const sigset_t set = DaemonSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int WaitForDaemonSignal() {
  const sigset_t set = DaemonSignals();
  int signal = 0;
  while (sigwait(&set, &signal) != 0) {
  }
  return signal;
}

void EndAtNextSignal(int exit_code) {
  std::thread([exit_code] {
    while (WaitForDaemonSignal() == SIGHUP) {
    }
    ::_exit(exit_code);
  }).detach();
}

}  // namespace yardmaster
