// Which system calls a run may make.
#ifndef YARDMASTER_SERVICES_YARDWORKER_SYSCALL_FILTER_H_
#define YARDMASTER_SERVICES_YARDWORKER_SYSCALL_FILTER_H_

#include <string>

namespace yardmaster::yardworker {

// A filter (classic BPF) as the kernel and bubblewrap's --seccomp take it. It refuses what builds and tests have no
// business with and what of the kernel is broken into most: mounts, namespaces, keys, kernel modules, BPF, performance
// counters, io_uring, other clocks, sockets that leave the network namespace (vsock). Refused calls fail with EPERM, or
// with ENOSYS where programs then fall back to another. All else is allowed: a run has what its user has. Empty on
// architectures that it does not know.
std::string SyscallFilter();

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_SYSCALL_FILTER_H_
