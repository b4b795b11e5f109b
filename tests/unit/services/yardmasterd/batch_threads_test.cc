// Policies of threads, as the system tells them.
#include "services/yardmasterd/batch_threads.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace yardmaster {
namespace {

int Policy() { return ::sched_getscheduler(0); }

int PolicyOfAThread() {
  int policy = -1;
  std::thread([&policy] { policy = Policy(); }).join();
  return policy;
}

TEST(BatchThreads, AreThoseThatAreStartedWhileItLives) {
  ASSERT_EQ(Policy(), SCHED_OTHER);
  int of_grandchild = -1;
  {
    const BatchThreads batch;
    EXPECT_EQ(PolicyOfAThread(), SCHED_BATCH);
    std::thread([&of_grandchild] { of_grandchild = PolicyOfAThread(); }).join();
  }
  EXPECT_EQ(of_grandchild, SCHED_BATCH);
  EXPECT_EQ(Policy(), SCHED_OTHER);
  EXPECT_EQ(PolicyOfAThread(), SCHED_OTHER);
}

TEST(BatchThreads, LeaveAnotherPolicyAlone) {
  std::thread([] {
    const sched_param none{};
    ASSERT_EQ(::sched_setscheduler(0, SCHED_IDLE, &none), 0);
    {
      const BatchThreads batch;
      EXPECT_EQ(Policy(), SCHED_IDLE);
    }
    EXPECT_EQ(Policy(), SCHED_IDLE);
  }).join();
}

}  // namespace
}  // namespace yardmaster
