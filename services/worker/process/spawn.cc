#include "services/worker/process/spawn.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "services/worker/process/vfork_child.h"

namespace yardmaster::worker {
namespace {

constexpr int kSignals = 64;
// Without close_range every possible descriptor is marked; beyond this it would take too long.
constexpr int kMaxDescriptorsMarked = 1 << 20;
#ifndef CLOSE_RANGE_CLOEXEC
constexpr unsigned kCloseRangeCloexec = 1U << 2;
#else
constexpr unsigned kCloseRangeCloexec = CLOSE_RANGE_CLOEXEC;
#endif

// What the child needs, made ready by the parent. The child runs in the parent's memory, so that it also answers here.
struct ChildPlan {
  const char* const* programs = nullptr;
  size_t program_count = 0;
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  const char* directory = nullptr;
  const int* namespaces = nullptr;        // -1 ends them
  const SpawnRequest* request = nullptr;  // for its numbers only
  char oom_score_adj[16] = "";
  size_t oom_score_adj_size = 0;
  rlim_t max_descriptors = 0;
  // Answers.
  int error = 0;
  SpawnStage stage = SpawnStage::kClone;
  size_t program = 0;
};

YARD_IN_CHILD void FailChild(ChildPlan& plan, SpawnStage stage, int error) {
  plan.stage = stage;
  plan.error = error;
  ::syscall(SYS_exit_group, 127);
}

YARD_IN_CHILD int RunChild(void* argument) {
  ChildPlan& plan = *static_cast<ChildPlan*>(argument);
  const SpawnRequest& request = *plan.request;
  ::syscall(SYS_setsid);

  // All zero is the default action with an empty mask, in whatever order a processor's kernel has the fields.
  unsigned long all_zero[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int number = 1; number <= kSignals; ++number) {
    ::syscall(SYS_rt_sigaction, number, all_zero, nullptr, kSignals / 8);
  }

  // Before the namespaces: a user namespace gives the right to enter the others, and takes others away.
  if (request.cgroup_procs >= 0 && ::syscall(SYS_write, request.cgroup_procs, "0", 1) != 1) {
    FailChild(plan, SpawnStage::kCgroup, errno);
  }
  for (const int* fd = plan.namespaces; *fd >= 0; ++fd) {
    if (::syscall(SYS_setns, *fd, 0) != 0) FailChild(plan, SpawnStage::kNamespace, errno);
  }
  // Entering a mount namespace leads to its root, which is not ours where we are confined to a folder.
  if (request.root >= 0 && (::syscall(SYS_fchdir, request.root) != 0 || ::syscall(SYS_chroot, ".") != 0)) {
    FailChild(plan, SpawnStage::kNamespace, errno);
  }
  if (::syscall(SYS_chdir, plan.directory) != 0) FailChild(plan, SpawnStage::kDirectory, errno);
  if (::syscall(SYS_dup3, request.in, 0, 0) < 0 || ::syscall(SYS_dup3, request.out, 1, 0) < 0 ||
      ::syscall(SYS_dup3, request.err, 2, 0) < 0) {
    FailChild(plan, SpawnStage::kDescriptors, errno);
  }
  // Raising is always allowed; where /proc is missing it goes without.
  const long score = ::syscall(SYS_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC, 0);
  if (score >= 0) ::syscall(SYS_write, score, plan.oom_score_adj, plan.oom_score_adj_size);
  if (::syscall(SYS_close_range, 3, ~0U, kCloseRangeCloexec) != 0) {
    for (int fd = 3; fd < kMaxDescriptorsMarked && static_cast<rlim_t>(fd) < plan.max_descriptors; ++fd) {
      ::syscall(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
    }
  }
  rlimit core = {0, 0};
  if (::syscall(SYS_prlimit64, 0, RLIMIT_CORE, nullptr, &core) == 0) {
    core.rlim_cur = 0;
    ::syscall(SYS_prlimit64, 0, RLIMIT_CORE, &core, nullptr);
  }
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, all_zero, nullptr, kSignals / 8);

  // As a search in PATH goes: what is not there, or not ours to run, is passed over; what is broken is not.
  int error = ENOENT;
  for (size_t i = 0; i < plan.program_count; ++i) {
    ::syscall(SYS_execve, plan.programs[i], plan.argv, plan.environment);
    const int reason = errno;
    if (reason == ENOENT || reason == ENOTDIR) continue;
    plan.program = i;
    error = reason;
    if (reason != EACCES) break;
  }
  FailChild(plan, SpawnStage::kExec, error);
  return 127;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

SpawnResult Spawn(const SpawnRequest& request) {
  const std::vector<char*> programs = Pointers(request.programs);
  const std::vector<char*> argv = Pointers(request.argv);
  const std::vector<char*> environment = Pointers(request.environment);
  ChildPlan plan;
  plan.programs = programs.data();
  plan.program_count = request.programs.size();
  plan.argv = argv.data();
  plan.environment = environment.data();
  plan.directory = request.directory.c_str();
  plan.request = &request;
  std::vector<int> namespaces = request.namespaces;
  namespaces.push_back(-1);
  plan.namespaces = namespaces.data();
  const int length = std::snprintf(plan.oom_score_adj, sizeof(plan.oom_score_adj), "%d", request.oom_score_adj);
  plan.oom_score_adj_size = static_cast<size_t>(length);
  rlimit descriptors = {1024, 1024};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  plan.max_descriptors = descriptors.rlim_max;

  SpawnResult result;
  const pid_t pid = RunVforkChild(RunChild, &plan);
  if (pid < 0) {
    result.error = -pid;
    return result;
  }
  if (plan.error == 0) {
    result.pid = pid;
    return result;
  }
  ReapVforkChild(pid);
  result.error = plan.error;
  result.stage = plan.stage;
  result.program = plan.program;
  return result;
}

}  // namespace yardmaster::worker
