#include "services/worker/process/vfork_child.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstddef>

// The C library's clone under its other name: sanitizers take the usual one for a fork, and would put on record in our
// memory, which the child shares, that everything from here on is to be ignored.
extern "C" int CloneUnnoticed(int (*run)(void*), void* stack, int flags, void* argument) __asm__("__clone");

namespace yardmaster::worker {
namespace {

constexpr size_t kStackBytes = 64 * 1024;

}  // namespace

pid_t RunVforkChild(int (*run)(void*), void* argument, int flags) {
  // A stack of its own, so that the child's frames don't overwrite ours.
  void* stack = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -errno;
  // No handler of ours may run in the child.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid =
      CloneUnnoticed(run, static_cast<char*>(stack) + kStackBytes, CLONE_VM | CLONE_VFORK | SIGCHLD | flags, argument);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::munmap(stack, kStackBytes);
  return pid < 0 ? -error : pid;
}

void ReapVforkChild(pid_t pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace yardmaster::worker
