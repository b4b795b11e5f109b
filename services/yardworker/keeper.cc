#include "services/yardworker/keeper.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>

#include "services/worker/process/cgroup.h"

namespace yardmaster::yardworker {
namespace {

constexpr int kExitOfSystem = 4;
constexpr int kNotExecuted = 127;
constexpr std::chrono::seconds kFirstPause{1};
constexpr std::chrono::seconds kLongestPause{30};
// One that lived so long had begun well: the next one need not wait.
constexpr std::chrono::seconds kBeganWell{60};

pid_t StartKept(const std::vector<std::string>& words) {
  std::vector<std::string> texts = words;
  std::vector<char*> argv;
  argv.reserve(texts.size() + 1);
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  const pid_t keeper = ::getpid();
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::getppid() == keeper) ::execv(argv[0], argv.data());
  ::_exit(kNotExecuted);
}

}  // namespace

int Keep(const std::vector<std::string>& words) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // The child makes do without, and says what is missing.
  std::string ignored;
  worker::MakeRoomForCgroups(ignored);
  bool told_to_end = false;
  std::chrono::seconds pause = kFirstPause;
  while (true) {
    const auto began = std::chrono::steady_clock::now();
    const pid_t child = StartKept(words);
    if (child < 0) return kExitOfSystem;
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) != child) {
      constexpr timespec kLookAgain{1, 0};
      const int signal = ::sigtimedwait(&signals, nullptr, &kLookAgain);
      if (signal != SIGTERM && signal != SIGINT) continue;
      told_to_end = true;
      ::kill(child, signal);
    }
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (told_to_end || (!WIFSIGNALED(status) && code != kExitOfSystem)) return code;
    if (std::chrono::steady_clock::now() - began > kBeganWell) pause = kFirstPause;
    std::cerr << "yard-worker: the worker ended with " << code << "; it is started again in " << pause.count() << " s"
              << std::endl;
    const timespec wait{pause.count(), 0};
    sigset_t ends = signals;
    sigdelset(&ends, SIGCHLD);
    if (::sigtimedwait(&ends, nullptr, &wait) > 0) return code;
    pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace yardmaster::yardworker
