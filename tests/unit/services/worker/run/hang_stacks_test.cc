#include "services/worker/run/hang_stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "services/worker/logs/log.h"
#include "tests/support/temp_dir.h"

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

TEST(HangStacks, TheFirstToolThatIsThereIsAskedAboutEachProcess) {
  const yardmaster::testing::TempDir folder;
  const std::filesystem::path tool = folder.path() / "py-spy";
  std::ofstream(tool)
      << "#!/bin/sh\necho \"Process $3: python3\"\necho \"Thread $3 (idle)\"\necho '    main (train.py:7)'\n";
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  const std::unique_ptr<ProcessStarter> processes = MakeProcessStarter();
  const std::vector<ProcessStack> stacks = TakeStacks(*processes, ::getpid(), 3, folder.path().native());
  ASSERT_FALSE(stacks.empty());
  EXPECT_EQ(stacks.front().pid, ::getpid());
  EXPECT_EQ(stacks.front().rank, 3);
  EXPECT_EQ(stacks.front().text, "Thread " + std::to_string(::getpid()) + " (idle)\n    main (train.py:7)\n");
}

TEST(HangStacks, WithoutAToolThereIsNone) {
  const std::unique_ptr<ProcessStarter> processes = MakeProcessStarter();
  EXPECT_THAT(TakeStacks(*processes, 1, kNoRank, "/nonexistent"), IsEmpty());
}

}  // namespace
}  // namespace yardmaster::worker
