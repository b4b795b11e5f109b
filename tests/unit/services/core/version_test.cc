#include "services/core/version.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

TEST(Version, IsTheOneOfTheBuild) {
  const std::string cmake = testing::ReadWholeFile(std::string(YARD_SOURCE_DIR) + "/CMakeLists.txt");
  EXPECT_NE(cmake.find("VERSION " + std::string(kVersion) + " "), std::string::npos);
}

}  // namespace
}  // namespace yardmaster
