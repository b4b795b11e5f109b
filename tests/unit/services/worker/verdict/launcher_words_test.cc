#include "services/worker/verdict/launcher_words.h"

#include <gtest/gtest.h>

#include <csignal>

#include "tests/unit/services/worker/verdict/step_case.h"

namespace yardmaster::worker {
namespace {

LauncherWords Read(const std::string& name) {
  StepCase test(2);
  test.Play(name);
  return ReadLauncherWords(test.log);
}

TEST(LauncherWords, TorchrunsSummaryHasTheEndOfEachRankAndItsGuess) {
  const LauncherWords segv = Read("torchrun_segv.txt");
  ASSERT_EQ(segv.ends.size(), 2U);
  EXPECT_EQ(segv.ends.at(0).code, 1);
  EXPECT_EQ(segv.ends.at(1).signal, SIGSEGV);
  EXPECT_EQ(segv.ends.at(1).code, 128 + SIGSEGV);
  EXPECT_EQ(segv.blamed, 0);  // as it really said

  const LauncherWords exit = Read("torchrun_exit.txt");
  EXPECT_EQ(exit.ends.at(1).code, 3);
  EXPECT_EQ(exit.ends.at(1).signal, 0);
}

TEST(LauncherWords, MpirunNamesTheFirstThatEnded) {
  EXPECT_EQ(Read("mpirun_segv.txt").ends.at(1).signal, SIGSEGV);
  EXPECT_EQ(Read("mpirun_kill.txt").ends.at(1).signal, SIGKILL);
  EXPECT_EQ(Read("mpirun_exit.txt").ends.at(1).code, 3);
  EXPECT_EQ(Read("mpirun_abort.txt").ends.at(1).code, 7);
  EXPECT_EQ(Read("mpirun_abort.txt").blamed, 1);
}

TEST(LauncherWords, LinesOfRanksAreNotTheLaunchers) {
  testing::MemoryLog log;
  log.Add(0, 0, "  rank      : 1 (local_rank: 1)\n  exitcode  : 3 (pid: 20059)");
  EXPECT_TRUE(ReadLauncherWords(log).ends.empty());
}

TEST(LauncherWords, ACodeWithoutARankIsNobodys) {
  testing::MemoryLog log;
  log.Add(kNoRank, 0, "  exitcode  : 3 (pid: 20059)\n  Exit code:    4");
  EXPECT_TRUE(ReadLauncherWords(log).ends.empty());
}

TEST(LauncherWords, SignalsHaveNames) {
  EXPECT_EQ(SignalName(SIGSEGV), "SIGSEGV");
  EXPECT_EQ(SignalMeaning(SIGSEGV), "segmentation fault");
  EXPECT_EQ(SignalName(64), "signal 64");
  EXPECT_EQ(SignalMeaning(64), "");
}

}  // namespace
}  // namespace yardmaster::worker
