// A child that runs in this program's memory until it executes another program or ends, as vfork makes one: nothing is
// copied, however large this program is.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_VFORK_CHILD_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_VFORK_CHILD_H_

#include <sys/types.h>

// For the functions that run in the child. Other threads of this program go on meanwhile: the child may only make
// system calls, and sanitizers must not instrument it.
#define YARD_IN_CHILD __attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined"), noinline))

namespace yardmaster::worker {

// Runs `run(argument)` in the child, on a stack of its own and with all signals blocked, and returns when it has
// executed a program or ended. `flags` are added to those of clone. The child's pid, or a negated errno.
pid_t RunVforkChild(int (*run)(void*), void* argument, int flags = 0);

// Waits for a child that has ended.
void ReapVforkChild(pid_t pid);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_VFORK_CHILD_H_
