#include "services/worker/results/result_files.h"

#include <gtest/gtest.h>

#include <filesystem>

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
