#include "services/core/version.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

TEST(Version, IsTheOneOfTheBuild) {
  const std::string cmake = testing::SourceText("CMakeLists.txt");
  EXPECT_NE(cmake.find("VERSION " + std::string(kVersion) + " "), std::string::npos);
}

}  // namespace
}  // namespace yardmaster
