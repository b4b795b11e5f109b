#include "services/review/operator_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster {
namespace {

using ::testing::HasSubstr;

// Remembers what it was asked.
class RecordingRemote final : public GitRemote {
 public:
  absl::StatusOr<GitFolder> ReadFolder(const GitFolderRequest& request) override {
    asked.push_back(request);
    return GitFolder{{{"a.py", "x"}}, {}};
  }
  std::vector<GitFolderRequest> asked;
};

class OperatorSourceTest : public ::testing::Test {
 protected:
  OperatorSourceTest() {
    config_.repositories.push_back({"github", "o/r", {"pypto", "lantern"}, 0, {}, std::nullopt, {}});
    config_.repositories.push_back({"github", "all/*", {"pypto"}, 0, {}, std::nullopt, {}});
    config_.repositories.push_back({"gitcode", "o/r", {"pypto"}, 0, {}, std::nullopt, {}});
  }
  absl::Status Read(const std::string& repository, const std::string& commit = std::string(40, 'a'),
                    const std::string& pack = "pypto") {
    const OperatorSource source(config_, {{"github", &remote_}, {"gitcode", nullptr}});
    return source.Read({repository, commit, "d"}, pack, nullptr).status();
  }

  Config config_;
  RecordingRemote remote_;
};

TEST_F(OperatorSourceTest, AsksForWhatTheConfigurationNames) {
  EXPECT_TRUE(Read("github:o/r").ok());
  EXPECT_TRUE(Read("github:all/x.y", std::string(40, 'F')).ok());
  ASSERT_EQ(remote_.asked.size(), 2u);
  EXPECT_EQ(remote_.asked[0].repository, "o/r");
  EXPECT_EQ(remote_.asked[0].folder, "d");
  EXPECT_EQ(remote_.asked[0].max_files, 1000u);
  EXPECT_EQ(remote_.asked[0].max_bytes, 8u * 1024 * 1024);
  EXPECT_EQ(remote_.asked[1].commit, std::string(40, 'f'));
}

TEST_F(OperatorSourceTest, AsksForNothingElse) {
  EXPECT_EQ(Read("github:o/other").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Read("github:o/r", std::string(40, 'a'), "pytorch").message()), HasSubstr("pytorch"));
  EXPECT_EQ(Read("github:all/x", std::string(40, 'a'), "lantern").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Read("elsewhere:o/r").message()), HasSubstr("elsewhere"));
  EXPECT_THAT(std::string(Read("gitcode:o/r").message()), HasSubstr("forges.gitcode.git_url"));
  for (const char* repository : {"", "github", "o/r", ":o/r", "github:", "github:o", "github:all/..", "github:all/a/b",
                                 "github:all/*", "github:all/a?b", "https://github.com/o/r"}) {
    EXPECT_EQ(Read(repository).code(), absl::StatusCode::kInvalidArgument) << repository;
  }
  for (const std::string& commit : {std::string(), std::string("main"), std::string(39, 'a'), std::string(41, 'a'),
                                    std::string(40, 'g'), std::string(64, 'a')}) {
    EXPECT_EQ(Read("github:o/r", commit).code(), absl::StatusCode::kInvalidArgument) << commit;
  }
  EXPECT_TRUE(remote_.asked.empty());
}

}  // namespace
}  // namespace yardmaster
