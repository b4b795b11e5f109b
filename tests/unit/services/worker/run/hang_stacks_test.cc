#include "services/worker/run/hang_stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/worker/logs/log.h"

namespace yardmaster::worker {
namespace {

using ::testing::IsEmpty;

TEST(HangStacks, OnlyFramesAndThreadsAreKept) {
  EXPECT_EQ(StackLines("[New LWP 12]\nUsing host libthread_db library\nThread 1 (LWP 12):\n#0  0x1 in read ()\n"
                       "#1  0x2 in main ()\nThe program is not being run.\n"),
            "Thread 1 (LWP 12):\n#0  0x1 in read ()\n#1  0x2 in main ()\n");
  EXPECT_EQ(
      StackLines("Process 12: python3 a.py\nThread 12 (idle): \"MainThread\"\n    all_reduce (dist/core.py:250)\n"),
      "Thread 12 (idle): \"MainThread\"\n    all_reduce (dist/core.py:250)\n");
  EXPECT_EQ(StackLines("ptrace: Operation not permitted.\n"), "");
}

TEST(HangStacks, WithoutAToolThereIsNone) {
  const std::unique_ptr<ProcessStarter> processes = MakeProcessStarter();
  EXPECT_THAT(TakeStacks(*processes, 1, kNoRank, "/nonexistent"), IsEmpty());
}

}  // namespace
}  // namespace yardmaster::worker
