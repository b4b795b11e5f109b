#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "services/worker/launch/launcher.h"
#include "tests/support/memory_log.h"
#include "tests/support/source_path.h"

namespace yardmaster::worker {
namespace {

using nlohmann::literals::operator""_json_pointer;

LauncherReport Read(std::string_view launcher, const std::string& name) {
  testing::MemoryLog log;
  EXPECT_TRUE(log.AddFile(name)) << name;
  return ReadLauncherLog(*FindLauncher(Launchers(), launcher), log);
}

LauncherReport ReadLines(std::string_view launcher, int rank, std::string_view lines) {
  testing::MemoryLog log;
  log.Add(rank, 0, lines);
  return ReadLauncherLog(*FindLauncher(Launchers(), launcher), log);
}

TEST(Launchers, TheTableAndTheSchemaNameTheSame) {
  std::ifstream file(testing::SourcePath("rules/schema/suites.schema.json"));
  const std::set<std::string> in_schema =
      nlohmann::json::parse(file).at("/definitions/launcher/properties/kind/enum"_json_pointer);
  std::set<std::string> known = {std::string(rules::kNoLauncher), std::string(rules::kPlainLauncher)};
  for (const Launcher& launcher : Launchers()) known.emplace(launcher.name);
  EXPECT_EQ(known, in_schema);
  EXPECT_EQ(known.size(), Launchers().size() + 2) << "two launchers have one name";
}

TEST(Launchers, WhatTheTableDoesNotHaveIsNotFound) {
  EXPECT_EQ(FindLauncher(Launchers(), "srun"), nullptr);
  EXPECT_EQ(FindLauncher({}, "torchrun"), nullptr);
}

TEST(ReadLauncherLog, TorchrunsSummaryHasTheEndOfEachRankAndItsGuess) {
  const LauncherReport segv = Read("torchrun", "torchrun_segv.txt");
  ASSERT_EQ(segv.ends.size(), 2U);
  EXPECT_EQ(segv.ends.at(0).code, 1);
  EXPECT_EQ(segv.ends.at(1).signal, SIGSEGV);
  EXPECT_EQ(segv.ends.at(1).code, 128 + SIGSEGV);
  EXPECT_EQ(segv.blamed, 0);  // as it really said

  const LauncherReport exit = Read("torchrun", "torchrun_exit.txt");
  EXPECT_EQ(exit.ends.at(1).code, 3);
  EXPECT_EQ(exit.ends.at(1).signal, 0);
}

TEST(ReadLauncherLog, MpirunNamesTheFirstThatEnded) {
  EXPECT_EQ(Read("mpirun", "mpirun_segv.txt").ends.at(1).signal, SIGSEGV);
  EXPECT_EQ(Read("mpirun", "mpirun_kill.txt").ends.at(1).signal, SIGKILL);
  EXPECT_EQ(Read("mpirun", "mpirun_exit.txt").ends.at(1).code, 3);
  EXPECT_EQ(Read("mpirun", "mpirun_abort.txt").ends.at(1).code, 7);
  EXPECT_EQ(Read("mpirun", "mpirun_abort.txt").blamed, 1);
}

TEST(ReadLauncherLog, LinesOfRanksAreNotTheLaunchers) {
  EXPECT_TRUE(ReadLines("torchrun", 0, "  rank      : 1 (local_rank: 1)\n  exitcode  : 3 (pid: 20059)").ends.empty());
}

TEST(ReadLauncherLog, ACodeWithoutARankIsNobodys) {
  EXPECT_TRUE(ReadLines("torchrun", kNoRank, "  exitcode  : 3 (pid: 20059)").ends.empty());
  EXPECT_TRUE(ReadLines("mpirun", kNoRank, "  Exit code:    4").ends.empty());
}

TEST(ReadLauncherLog, OneThatSaysNothingOfItsRanksHasNoReport) {
  const LauncherReport report = ReadLines("msrun", kNoRank, "rank 1 died");
  EXPECT_TRUE(report.ends.empty());
  EXPECT_EQ(report.blamed, kNoRank);
}

}  // namespace
}  // namespace yardmaster::worker
