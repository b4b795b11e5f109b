#include "services/core/packs_dir.h"

#include <gtest/gtest.h>

#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

TEST(LocatePacksDir, AnExplicitFolderWinsAndThenTheEnvironment) {
  EXPECT_EQ(*LocatePacksDir("/explicit", "/environment", "/bin/yard"), "/explicit");
  EXPECT_EQ(*LocatePacksDir("", "/environment", "/bin/yard"), "/environment");
}

TEST(LocatePacksDir, AnInstalledProgramFindsItsShareFolder) {
  testing::TempDir dir;
  fs::create_directories(dir.path() / "share/yardmaster/packs");
  EXPECT_EQ(*LocatePacksDir("", "", dir.path() / "bin/yardmasterd"), dir.path() / "share/yardmaster/packs");
}

TEST(LocatePacksDir, AProgramInABuildFolderFindsTheSourceTree) {
  testing::TempDir dir;
  fs::create_directories(dir.path() / "source/rules/packs");
  // The build folder may lie elsewhere: its cache names the sources.
  dir.Write("elsewhere/build/CMakeCache.txt",
            "# comment\nCMAKE_HOME_DIRECTORY:INTERNAL=" + (dir.path() / "source").string() + "\n");
  EXPECT_EQ(*LocatePacksDir("", "", dir.path() / "elsewhere/build/bin/yard"), dir.path() / "source/rules/packs");
}

TEST(LocatePacksDir, ASourceTreeThatWasMovedWithItsBuildFolderIsFound) {
  testing::TempDir dir;
  fs::create_directories(dir.path() / "moved/rules/packs");
  dir.Write("moved/build/release/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=/where/it/was/before\n");
  EXPECT_EQ(*LocatePacksDir("", "", dir.path() / "moved/build/release/bin/yard"), dir.path() / "moved/rules/packs");
}

TEST(LocatePacksDir, WhenNothingIsThereTheErrorNamesThePlaces) {
  testing::TempDir dir;
  const auto found = LocatePacksDir("", "", dir.path() / "bin/yard");
  EXPECT_EQ(found.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(found.status().message().find("share/yardmaster/packs"), absl::string_view::npos);
  EXPECT_NE(found.status().message().find("YARD_PACKS"), absl::string_view::npos);
}

TEST(LocatePacksDir, ThisTestFindsTheSourceTree) {
  const auto found = LocatePacksDir("");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(fs::equivalent(*found, testing::SourcePath("rules/packs")));
}

TEST(LocateSuitesDir, AnInstalledProgramAndOneInABuildFolderFindThem) {
  testing::TempDir dir;
  dir.Write("build/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=" + (dir.path() / "source").string() + "\n");
  EXPECT_EQ(LocateSuitesDir(dir.path() / "build/bin/yard").status().code(), absl::StatusCode::kNotFound);
  fs::create_directories(dir.path() / "source/tests/suites");
  EXPECT_EQ(*LocateSuitesDir(dir.path() / "build/bin/yard"), dir.path() / "source/tests/suites");
  fs::create_directories(dir.path() / "share/yardmaster/suites");
  EXPECT_EQ(*LocateSuitesDir(dir.path() / "bin/yard"), dir.path() / "share/yardmaster/suites");
}

}  // namespace
}  // namespace yardmaster
