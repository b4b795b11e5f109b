// Builds that go on where an earlier run had ended, and what a run can't leave to the next one.
#include "services/yardworker/build_tree.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "services/yardworker/run_cache.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMost = 1024 * 1024;

class BuildTreeTest : public ::testing::Test {
 protected:
  std::unique_ptr<BuildTree> Take(const std::string& key = "key") const {
    return BuildTree::Take(dir_.path() / "trees", key, kMost);
  }
  static void Write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  static void WriteSource(const BuildTree& tree, const std::string& code = "int answer = 42;") {
    Write(tree.source() / "answer.c", code);
    Write(tree.source() / "lib" / "other.c", "int other;");
    // As an archive has it: long ago, and not always the same.
    fs::last_write_time(tree.source() / "lib" / "other.c", fs::file_time_type::clock::now() - std::chrono::hours(48));
  }
  static int64_t TimeOf(const fs::path& file) {
    struct stat about {};
    EXPECT_EQ(::stat(file.c_str(), &about), 0) << file;
    return int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec;
  }
  // A run whose build passes; then its tests do what they like.
  void Run(const std::function<void(const BuildTree&)>& tests = nullptr,
           const std::function<void(const BuildTree&)>& source = nullptr) const {
    const std::unique_ptr<BuildTree> tree = Take();
    ASSERT_NE(tree, nullptr);
    WriteSource(*tree);
    if (source) source(*tree);
    ASSERT_TRUE(tree->Settle().ok());
    Write(tree->build() / "CMakeCache.txt", "cache");
    Write(tree->build() / "objects" / "answer.o", "object");
    tree->BuildHasPassed();
    if (tests) tests(*tree);
    tree->Keep();
  }
  // Whether the next run goes on with what is there.
  bool GoesOn(const std::function<void(const BuildTree&)>& source = nullptr) const {
    const std::unique_ptr<BuildTree> tree = Take();
    if (tree == nullptr) return false;
    WriteSource(*tree);
    if (source) source(*tree);
    const absl::StatusOr<bool> goes_on = tree->Settle();
    EXPECT_TRUE(goes_on.ok()) << goes_on.status();
    EXPECT_EQ(fs::is_empty(tree->build()), !*goes_on);
    return *goes_on;
  }

  testing::TempDir dir_;
};

TEST_F(BuildTreeTest, FilesThatAreAsTheyWereKeepTheirTimesAndOthersAreNew) {
  int64_t answer = 0;
  int64_t other = 0;
  Run([&](const BuildTree& tree) {
    answer = TimeOf(tree.source() / "answer.c");
    other = TimeOf(tree.source() / "lib" / "other.c");
  });
  const std::unique_ptr<BuildTree> tree = Take();
  ASSERT_NE(tree, nullptr);
  EXPECT_FALSE(fs::exists(tree->source()));
  WriteSource(*tree, "int answer = 43;");
  fs::last_write_time(tree->source() / "answer.c", fs::file_time_type::clock::now() - std::chrono::hours(24 * 365));
  const int64_t before = TimeOf(tree->build() / "objects" / "answer.o");
  ASSERT_TRUE(*tree->Settle());
  EXPECT_GT(TimeOf(tree->source() / "answer.c"), before);
  EXPECT_GT(TimeOf(tree->source() / "answer.c"), answer);
  EXPECT_EQ(TimeOf(tree->source() / "lib" / "other.c"), other);
  EXPECT_TRUE(fs::exists(tree->build() / "objects" / "answer.o"));
}

TEST_F(BuildTreeTest, AFileOrLinkThatComesGoesOrPointsElsewhereBeginsTheBuildAnew) {
  Run();
  EXPECT_FALSE(GoesOn([](const BuildTree& tree) { Write(tree.source() / "new.h", ""); }));
  Run();
  EXPECT_FALSE(GoesOn([](const BuildTree& tree) { fs::remove(tree.source() / "answer.c"); }));
  Run(nullptr, [](const BuildTree& tree) { fs::create_symlink("answer.c", tree.source() / "link.c"); });
  EXPECT_FALSE(GoesOn([](const BuildTree& tree) { fs::create_symlink("lib/other.c", tree.source() / "link.c"); }));
  Run();
  EXPECT_TRUE(GoesOn());
}

TEST_F(BuildTreeTest, WhatTestsAddIsRemovedAndWhatTheyChangeEndsTheTree) {
  Run([](const BuildTree& tree) {
    Write(tree.build() / "left" / "deep", "for the next run");
    fs::create_symlink("/etc", tree.build() / "objects" / "link");
    Write(tree.source() / "answer.c", "poisoned");
  });
  {
    const std::unique_ptr<BuildTree> tree = Take();
    EXPECT_FALSE(fs::exists(tree->build() / "left"));
    EXPECT_FALSE(fs::is_symlink(tree->build() / "objects" / "link"));
    EXPECT_TRUE(fs::exists("/etc"));
    EXPECT_FALSE(fs::exists(tree->source()));
  }
  const std::function<void(const BuildTree&)> harms[] = {
      [](const BuildTree& tree) { Write(tree.build() / "objects" / "answer.o", "OBJECT"); },
      [](const BuildTree& tree) {
        // With the time that it had.
        const auto time = fs::last_write_time(tree.build() / "objects" / "answer.o");
        Write(tree.build() / "objects" / "answer.o", "OBJECT");
        fs::last_write_time(tree.build() / "objects" / "answer.o", time);
      },
      [](const BuildTree& tree) { fs::remove(tree.build() / "objects" / "answer.o"); },
      [](const BuildTree& tree) {
        fs::rename(tree.build() / "objects", tree.build() / "moved");
        fs::create_symlink("moved", tree.build() / "objects");
      }};
  for (const auto& harm : harms) {
    Run(harm);
    EXPECT_FALSE(GoesOn());
    EXPECT_TRUE(fs::is_empty(dir_.path() / "trees"));
  }
}

TEST_F(BuildTreeTest, OnlyAWholeBuildOfCMakeIsKept) {
  {
    const std::unique_ptr<BuildTree> fails = Take();
    WriteSource(*fails);
    ASSERT_TRUE(fails->Settle().ok());
    Write(fails->build() / "CMakeCache.txt", "half");
    fails->Keep();
  }
  EXPECT_FALSE(GoesOn());
  {
    const std::unique_ptr<BuildTree> other = Take();
    WriteSource(*other);
    ASSERT_TRUE(other->Settle().ok());
    Write(other->build() / "wheel", "");
    other->BuildHasPassed();
    other->Keep();
  }
  EXPECT_FALSE(GoesOn());
  // One that is killed in the middle.
  Run();
  fs::remove(dir_.path() / "trees" / fs::directory_iterator(dir_.path() / "trees")->path() / "files");
  EXPECT_FALSE(GoesOn());
}

TEST_F(BuildTreeTest, ARunThatIsDeclinedLeavesWhatIsThere) {
  Run();
  Take();
  EXPECT_TRUE(GoesOn());
}

TEST_F(BuildTreeTest, OneRunAtATimeAndNothingThatIsTooLarge) {
  Run();
  {
    const std::unique_ptr<BuildTree> first = Take();
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(Take(), nullptr);
    EXPECT_NE(Take("another key"), nullptr);
  }
  const std::unique_ptr<BuildTree> small = BuildTree::Take(dir_.path() / "trees", "key", 1);
  ASSERT_NE(small, nullptr);
  EXPECT_TRUE(fs::is_empty(small->build()));
}

TEST_F(BuildTreeTest, TheCachesBudgetCoversThemAndSparesTheOneInUse) {
  const RunCache cache(dir_.path(), 1, "");
  Run();
  {
    const std::unique_ptr<BuildTree> used = Take();
    cache.Trim();
    EXPECT_TRUE(fs::exists(used->build() / "CMakeCache.txt"));
  }
  cache.Trim();
  EXPECT_TRUE(fs::is_empty(dir_.path() / "trees"));
}

TEST(BuildTreeKey, DiffersWithEverythingThatABuildCouldSee) {
  v1::RunOrder order;
  rules::SuiteModel suite;
  suite.id = "kernels";
  std::set<std::string> keys = {BuildTreeKey(order, suite, "g++ 12")};
  const auto differs = [&](const std::string& key) { return keys.insert(key).second; };
  EXPECT_TRUE(differs(BuildTreeKey(order, suite, "g++ 13")));
  suite.digest = "new";
  EXPECT_TRUE(differs(BuildTreeKey(order, suite, "g++ 12")));
  order.mutable_spec()->set_pool("untrusted");
  EXPECT_TRUE(differs(BuildTreeKey(order, suite, "g++ 12")));
  order.mutable_spec()->set_repository("github:o/r");
  EXPECT_TRUE(differs(BuildTreeKey(order, suite, "g++ 12")));
  order.mutable_spec()->set_repository("github:o/s");
  EXPECT_TRUE(differs(BuildTreeKey(order, suite, "g++ 12")));
  order.mutable_spec()->set_subject("github:o/s#7");
  EXPECT_TRUE(differs(BuildTreeKey(order, suite, "g++ 12")));
  order.mutable_spec()->add_variables("A=1");
  EXPECT_TRUE(differs(BuildTreeKey(order, suite, "g++ 12")));
  order.mutable_spec()->add_select("dtype=float32");
  EXPECT_TRUE(differs(BuildTreeKey(order, suite, "g++ 12")));
  order.mutable_spec()->mutable_devices()->add_models("910B3");
  EXPECT_TRUE(differs(BuildTreeKey(order, suite, "g++ 12")));
}

}  // namespace
}  // namespace yardmaster::yardworker
