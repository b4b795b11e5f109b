#include "services/yardworker/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/core/readable.h"
#include "services/yardworker/artifacts.h"
#include "services/yardworker/run_log_file.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::yardworker {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Outcome, WhatTestsPrintBecomesFitForAMessage) {
  worker::RunResult run;
  run.verdict = worker::Verdict::kFailed;
  run.reason = "a test said \xff\xfe and " + std::string(5'000, 'x') + "é";
  run.notes = {"note \xc3", "", std::string(999, 'n') + "é"};
  const v1::FinishRunRequest outcome = OutcomeOfResult(run);
  EXPECT_TRUE(IsValidUtf8(outcome.cause().text()));
  EXPECT_LE(outcome.cause().text().size(), 4'000U);
  ASSERT_EQ(outcome.notes_size(), 2);
  for (const std::string& note : outcome.notes()) EXPECT_TRUE(IsValidUtf8(note)) << note;
  v1::FinishRunRequest read;
  EXPECT_TRUE(read.ParseFromString(outcome.SerializeAsString()));
}

TEST(Outcome, NotesEndWhereTheServerTakesNoMore) {
  v1::FinishRunRequest outcome;
  for (int i = 0; i < 100; ++i) AddNote("note", outcome);
  EXPECT_LT(outcome.notes_size(), 64);
}

TEST(Artifacts, ReportsComeFirstAndWhatIsTooMuchIsCounted) {
  const testing::TempDir dir;
  dir.Write("result.json", "{}");
  for (int i = 0; i < 5; ++i) dir.Write("steps/a/" + std::to_string(i), "x");
  const ArtifactList list = ListArtifacts(dir.path(), 3);
  ASSERT_THAT(list.artifacts, SizeIs(3));
  EXPECT_EQ(list.artifacts[0].path(), "result.json");
  EXPECT_THAT(list.notes, ElementsAre("3 artifacts were left out: a run keeps 3"));
}

TEST(Artifacts, LinksAreLeftOut) {
  const testing::TempDir dir;
  dir.Write("steps/a/log", "x");
  std::filesystem::create_symlink("/etc/passwd", dir.path() / "steps" / "a" / "link");
  std::filesystem::create_directory_symlink("/etc", dir.path() / "steps" / "etc");
  EXPECT_THAT(ListArtifacts(dir.path()).artifacts, SizeIs(1));
  const testing::TempDir other;
  std::filesystem::create_directory_symlink(dir.path() / "steps", other.path() / "steps");
  EXPECT_THAT(ListArtifacts(other.path()).artifacts, SizeIs(0));
}

TEST(RunLogFile, IsCutAtItsLimitAndWrittenWhenAsked) {
  const testing::TempDir dir;
  RunLogFile log(dir.path() / "log", 10);
  log.AddLine("12345");
  EXPECT_EQ(testing::ReadWholeFile(dir.path() / "log"), "");
  log.Flush();
  EXPECT_EQ(testing::ReadWholeFile(dir.path() / "log"), "12345\n");
  log.AddLine("67890");
  log.AddLine("more");
  log.Flush();
  EXPECT_EQ(testing::ReadWholeFile(dir.path() / "log"), "12345\n6789");
  EXPECT_FALSE(log.lost_lines());
}

TEST(RunLogFile, SaysThatLinesWereLost) {
  RunLogFile log("/dev/full", 1'000);
  log.AddLine("nobody reads this");
  log.Flush();
  EXPECT_TRUE(log.lost_lines());
}

}  // namespace
}  // namespace yardmaster::yardworker
