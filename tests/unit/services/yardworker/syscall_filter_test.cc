#include "services/yardworker/syscall_filter.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

namespace yardmaster::yardworker {
namespace {

// The errno of a call in a child under the filter; 0 where it is allowed, -1 where the child could not be made.
int Under(const std::function<long()>& call) {
  const std::string filter = SyscallFilter();
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    sock_fprog program{static_cast<unsigned short>(filter.size() / sizeof(sock_filter)),
                       reinterpret_cast<sock_filter*>(const_cast<char*>(filter.data()))};
    int result = -1;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0) {
      errno = 0;
      result = call() < 0 ? errno : 0;
    }
    if (::write(ends[1], &result, sizeof result) < 0) ::_exit(1);
    ::_exit(0);
  }
  int result = -1;
  if (::read(ends[0], &result, sizeof result) != sizeof result) result = -1;
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return result;
}

TEST(SyscallFilter, WhatRunsHaveNoBusinessWithIsRefused) {
  if (SyscallFilter().empty()) GTEST_SKIP() << "no filter for this processor";
  EXPECT_EQ(Under([] { return ::syscall(SYS_unshare, CLONE_NEWUSER); }), EPERM);
  EXPECT_EQ(Under([] { return ::syscall(SYS_mount, "none", "/", nullptr, 0, nullptr); }), EPERM);
  EXPECT_EQ(Under([] { return ::syscall(SYS_keyctl, 0, 0, 0, 0, 0); }), EPERM);
  EXPECT_EQ(Under([] { return ::syscall(SYS_bpf, 0, nullptr, 0); }), EPERM);
  EXPECT_EQ(Under([] { return ::syscall(SYS_perf_event_open, nullptr, 0, 0, 0, 0); }), EPERM);
  EXPECT_EQ(Under([] { return ::syscall(SYS_io_uring_setup, 1, nullptr); }), ENOSYS);
  EXPECT_EQ(Under([] { return ::syscall(SYS_clone3, nullptr, 0); }), ENOSYS);
  EXPECT_EQ(Under([] { return ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr); }),
            EPERM);
  EXPECT_EQ(Under([] { return static_cast<long>(::socket(AF_VSOCK, SOCK_STREAM, 0)); }), EPERM);
#if defined(__x86_64__)
  EXPECT_EQ(Under([] { return ::syscall(0x40000000L + SYS_getpid); }), ENOSYS);
#endif
}

TEST(SyscallFilter, WhatProgramsDoAllTheTimeIsAllowed) {
  if (SyscallFilter().empty()) GTEST_SKIP() << "no filter for this processor";
  EXPECT_EQ(Under([] { return ::syscall(SYS_getpid); }), 0);
  EXPECT_EQ(Under([] { return static_cast<long>(::socket(AF_UNIX, SOCK_STREAM, 0)); }), 0);
  EXPECT_EQ(Under([] { return static_cast<long>(::socket(AF_INET, SOCK_STREAM, 0)); }), 0);
  EXPECT_EQ(Under([] {
              const pid_t child = ::fork();
              if (child == 0) ::_exit(0);
              return static_cast<long>(::waitpid(child, nullptr, 0));
            }),
            0);
  EXPECT_EQ(Under([] {
              std::thread([] {}).join();
              return 0L;
            }),
            0);
}

}  // namespace
}  // namespace yardmaster::yardworker
