#include "services/review/operator_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;

TEST(ListTree, FoldersOfToolsAreLeftOutAndThoseOfForgesAreNot) {
  const testing::TempDir dir;
  for (const char* const name : {".git/config", ".github/workflows/ci.yml", ".ci/build.sh", ".venv/lib.py", "src/a.py",
                                 "node_modules/b.js", "src/__pycache__/a.pyc", ".clang-format"}) {
    dir.Write(name, "text");
  }
  EXPECT_THAT(ListTree(dir.path(), 100, 9).paths,
              ElementsAre(".ci/build.sh", ".clang-format", ".github/workflows/ci.yml", "src/a.py"));
  EXPECT_THAT(ListTree(dir.path(), 100, 9, HiddenFolders::kListed).paths,
              ElementsAre(".ci/build.sh", ".clang-format", ".github/workflows/ci.yml", ".venv/lib.py", "src/a.py"));
}

}  // namespace
}  // namespace yardmaster
