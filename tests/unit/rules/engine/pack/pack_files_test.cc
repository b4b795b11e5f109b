#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "rules/engine/pack/pack_loader.h"

namespace yardmaster::rules {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;

// A packs folder that is gone after the test.
class ReadPackFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "yard-packs-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = fs::path(pattern) / "packs";
    fs::create_directory(root_);
  }
  void TearDown() override { fs::remove_all(root_.parent_path()); }

  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }

  std::vector<std::string> Read() {
    Problems problems;
    files_ = ReadPackFiles(root_, problems);
    std::vector<std::string> out;
    for (const Problem& problem : problems) out.push_back(problem.ToString());
    return out;
  }

  fs::path root_;
  PackFiles files_;
};

TEST_F(ReadPackFilesTest, JsonBelowThePacksIsReadByteForByte) {
  Write("p/pack.json", "{}");
  Write("p/cases/a.json", std::string("\0\xFF", 2));
  Write("p/README.md", "# P");
  Write("q/pack.json", "");
  Write("README.md", "beside the packs");
  Write(".git/config.json", "{}");
  Write("p/.rubric.json.swp", "an editor's");
  EXPECT_THAT(Read(), IsEmpty());
  EXPECT_THAT(files_, ElementsAre(Key("p/cases/a.json"), Key("p/pack.json"), Key("q/pack.json")));
  EXPECT_EQ(files_["p/cases/a.json"], std::string("\0\xFF", 2));
}

TEST_F(ReadPackFilesTest, AMissingFolderIsAProblem) {
  root_ /= "nope";
  EXPECT_THAT(Read(), ElementsAre(HasSubstr("/packs/nope: no such folder; expected the folder of the packs")));
}

TEST_F(ReadPackFilesTest, OtherFilesAreProblems) {
  Write("p/pack.json", "{}");
  Write("p/rubric.jsn", "{}");
  Write("p/cases/deeper/x.json", "{}");
  EXPECT_THAT(Read(), ElementsAre("p/cases/deeper: unknown folder; expected files only",
                                  "p/rubric.jsn: unknown file; expected JSON files (*.json) and README.md"));
}

TEST_F(ReadPackFilesTest, AFolderWithoutAPackJsonIsNotPassedOver) {
  Write("p/rubric.json", "{}");
  EXPECT_THAT(Read(), ElementsAre("p/pack.json: missing file; every pack has one"));
}

TEST_F(ReadPackFilesTest, LinksMayPointInsideButNotOutOfTheFolder) {
  Write("p/pack.json", "{}");
  Write("p/labels.json", "{\"labels\": []}");
  Write("../secret.json", "secret");
  fs::create_directory(root_ / "q");
  fs::create_symlink("../p/pack.json", root_ / "q/pack.json");
  fs::create_symlink(root_.parent_path() / "secret.json", root_ / "p/rubric.json");
  fs::create_directory_symlink(root_.parent_path(), root_ / "p/cases");
  fs::create_symlink("nowhere.json", root_ / "p/zones.json");
  const std::vector<std::string> problems = Read();
  EXPECT_EQ(problems.size(), 3u);
  for (const std::string& problem : problems)
    EXPECT_THAT(problem, HasSubstr("a symbolic link that leaves the packs folder"));
  EXPECT_THAT(files_, ElementsAre(Key("p/labels.json"), Key("p/pack.json"), Key("q/pack.json")));
}

TEST_F(ReadPackFilesTest, APipeIsNotWaitedFor) {
  Write("p/pack.json", "{}");
  ASSERT_EQ(mkfifo((root_ / "p/rubric.json").c_str(), 0600), 0);
  EXPECT_THAT(Read(), ElementsAre("p/rubric.json: expected a file or a folder"));
}

TEST_F(ReadPackFilesTest, ATooLargeFileIsAProblemAndNotKept) {
  Write("p/pack.json", "{}");
  Write("p/rubric.json", std::string(kMaxPackFileBytes + 1, ' '));
  Write("p/zones.json", std::string(kMaxPackFileBytes, ' '));
  EXPECT_THAT(Read(), ElementsAre("p/rubric.json: too large; expected at most 4194304 bytes"));
  EXPECT_THAT(files_, ElementsAre(Key("p/pack.json"), Key("p/zones.json")));
}

TEST_F(ReadPackFilesTest, TooManyFilesAreAProblem) {
  Write("p/pack.json", "{}");
  for (size_t i = 0; i < kMaxPackFiles; ++i) Write("p/cases/" + std::to_string(i) + ".json", "");
  const std::vector<std::string> problems = Read();
  EXPECT_THAT(problems,
              ElementsAre(HasSubstr("too many files; expected at most 2000"), HasSubstr("p/pack.json: missing file")));
}

}  // namespace
}  // namespace yardmaster::rules
