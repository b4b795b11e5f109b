#include "services/yardmasterd/batch_threads.h"

#include <sched.h>

namespace yardmaster {
namespace {

constexpr pid_t kThisThread = 0;

bool SetPolicy(int policy) {
  const sched_param none{};
  return ::sched_setscheduler(kThisThread, policy, &none) == 0;
}

}  // namespace

BatchThreads::BatchThreads() : changed_(::sched_getscheduler(kThisThread) == SCHED_OTHER && SetPolicy(SCHED_BATCH)) {}

BatchThreads::~BatchThreads() {
  if (changed_) SetPolicy(SCHED_OTHER);
}

}  // namespace yardmaster
