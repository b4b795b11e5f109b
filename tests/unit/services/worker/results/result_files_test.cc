#include "services/worker/results/result_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "services/worker/logs/log.h"
#include "services/worker/results/log_text.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/services/worker/results/sample_run.h"

namespace yardmaster::worker {
namespace {

namespace fs = std::filesystem;

TEST(WriteResultFiles, AllFilesAreThereAndNothingElse) {
  const testing::TempDir folder;
  ASSERT_TRUE(WriteResultFiles(folder.path(), SampleRun()).ok());
  size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
    files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 4u);
  const auto json = nlohmann::ordered_json::parse(testing::ReadWholeFile(folder.path() / "result.json"));
  EXPECT_EQ(json, ResultJson(SampleRun()));
  EXPECT_EQ(testing::ReadWholeFile(folder.path() / "junit.xml"), ResultJunit(SampleRun()));
  EXPECT_TRUE(testing::ReadWholeFile(folder.path() / "report.html") == ResultHtml(SampleRun()));
  EXPECT_TRUE(fs::exists(folder.path() / "tensors.json"));
}

TEST(WriteResultFiles, BesideEachLogLiesItsText) {
  const testing::TempDir folder;
  const RunResult run = SampleRun();
  {
    const auto log = CreateLog(folder.path() / "steps/all_reduce/log.yardlog", {});
    ASSERT_TRUE(log.ok());
    (*log)->Append(2, Stream::kStdout, "\x1b[31mcomparing\x1b[0m\n");
    for (int line = 0; line < 40'000; ++line) (*log)->Append(0, Stream::kStdout, std::string(60, 'x') + "\n");
    (*log)->Append(1, Stream::kStderr, "the end\n");
  }
  ASSERT_TRUE(WriteResultFiles(folder.path(), run).ok());
  const std::string text = testing::ReadWholeFile(folder.path() / "steps/all_reduce/log.yardlog.txt");
  EXPECT_NE(text.find("rank 2  comparing\n"), std::string::npos) << text.substr(0, 200);
  EXPECT_NE(text.find("lines are left out here"), std::string::npos);
  EXPECT_TRUE(text.ends_with("rank 1  the end\n"));
  EXPECT_LT(text.size(), kMaxLogTextBytes + 1000);
  EXPECT_FALSE(fs::exists(folder.path() / "steps/configure/log.yardlog.txt"));
}

TEST(WriteResultFiles, WithoutTensorsThereIsNoFileOfThem) {
  const testing::TempDir folder;
  RunResult run = SampleRun();
  run.tensors.clear();
  ASSERT_TRUE(WriteResultFiles(folder.path(), run).ok());
  EXPECT_FALSE(fs::exists(folder.path() / "tensors.json"));
}

TEST(WriteResultFiles, AFolderThatIsNotThereIsAnError) {
  const testing::TempDir folder;
  EXPECT_FALSE(WriteResultFiles(folder.path() / "missing", SampleRun()).ok());
}

}  // namespace
}  // namespace yardmaster::worker
