#include "services/core/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

namespace yardmaster {
namespace {

TEST(TempFolder, GoesWithAllThatIsInIt) {
  std::filesystem::path path;
  {
    const absl::StatusOr<std::unique_ptr<TempFolder>> folder = TempFolder::Make("yard-test");
    ASSERT_TRUE(folder.ok()) << folder.status();
    path = (*folder)->path();
    EXPECT_TRUE(path.filename().string().starts_with("yard-test-"));
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
    std::filesystem::create_directories(path / "below");
    std::ofstream(path / "below" / "file") << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TempFolder, TwoOfOneNameAreApart) {
  const absl::StatusOr<std::unique_ptr<TempFolder>> one = TempFolder::Make("yard-test");
  const absl::StatusOr<std::unique_ptr<TempFolder>> two = TempFolder::Make("yard-test");
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_NE((*one)->path(), (*two)->path());
}

}  // namespace
}  // namespace yardmaster
