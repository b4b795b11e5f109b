#include "clients/cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "clients/cli/exit_code.h"

namespace yardmaster::cli {

Interrupts::Interrupts() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  for (const int signal : {SIGTERM, SIGHUP}) {
    struct sigaction current {};
    // A blocked signal waits for us even if it is to be ignored.
    if (sigaction(signal, nullptr, &current) == 0 && current.sa_handler != SIG_IGN) sigaddset(&signals_, signal);
  }
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

void Interrupts::CallInstead(std::function<void()> callback) {
  const std::lock_guard<std::mutex> lock(mutex_);
  callback_ = std::move(callback);
}

void Interrupts::Wait() {
  while (true) {
    int signal = 0;
    if (sigwait(&signals_, &signal) != 0 || signal == SIGUSR1) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (callback_ != nullptr) {
      callback_();
      continue;
    }
    for (const std::string& file : files_) unlink(file.c_str());
    // No destructors: other threads are in the middle of their work.
    _exit(static_cast<int>(ExitCode::kInterrupted));
  }
}

}  // namespace yardmaster::cli
