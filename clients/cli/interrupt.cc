#include "clients/cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include "clients/cli/exit_code.h"

namespace yardmaster::cli {

Interrupts::Interrupts() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  // SIGUSR1 ends the waiting thread.
  sigaddset(&signals_, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::thread([this] { Wait(); });
}

Interrupts::~Interrupts() {
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
}

void Interrupts::RemoveOnInterrupt(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  files_.insert(path);
}

void Interrupts::Forget(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  files_.erase(path);
}

void Interrupts::Wait() {
  int signal = 0;
  if (sigwait(&signals_, &signal) != 0 || signal != SIGINT) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const std::string& file : files_) unlink(file.c_str());
  // No destructors: other threads are in the middle of their work.
  _exit(static_cast<int>(ExitCode::kInterrupted));
}

}  // namespace yardmaster::cli
