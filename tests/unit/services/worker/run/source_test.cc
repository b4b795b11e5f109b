#include "services/worker/run/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCommit = "0123456789abcdef0123456789abcdef01234567";

TEST(CommitOf, ABranchIsFollowedFromAFolderBelow) {
  testing::TempDir dir;
  dir.Write("repo/.git/HEAD", "ref: refs/heads/main\n");
  dir.Write("repo/.git/refs/heads/main", std::string(kCommit) + "\n");
  dir.Write("repo/tests/suites/kernels/x", "");
  const std::filesystem::path below = dir.path() / "repo" / "tests" / "suites" / "kernels";
  EXPECT_EQ(CommitOf(below, true), kCommit);
  EXPECT_EQ(CommitOf(below, false), "");
  EXPECT_EQ(CommitOf(dir.path() / "repo", false), kCommit);
}

TEST(CommitOf, PackedBranchesAndDetachedHeadsAreFound) {
  testing::TempDir dir;
  dir.Write("a/.git/HEAD", "ref: refs/heads/main\n");
  dir.Write("a/.git/packed-refs", "# pack-refs with: peeled\n" + std::string(40, 'a') + " refs/heads/main2\n" +
                                      std::string(kCommit) + " refs/heads/main\n");
  EXPECT_EQ(CommitOf(dir.path() / "a", true), kCommit);
  dir.Write("b/.git/HEAD", std::string(kCommit) + "\n");
  EXPECT_EQ(CommitOf(dir.path() / "b", true), kCommit);
}

TEST(CommitOf, AWorktreeSaysWhereItsRepositoryIs) {
  testing::TempDir dir;
  dir.Write("main/.git/worktrees/w/HEAD", "ref: refs/heads/topic\n");
  dir.Write("main/.git/worktrees/w/commondir", "../..\n");
  dir.Write("main/.git/refs/heads/topic", std::string(kCommit) + "\n");
  dir.Write("w/.git", "gitdir: " + (dir.path() / "main/.git/worktrees/w").native() + "\n");
  EXPECT_EQ(CommitOf(dir.path() / "w", true), kCommit);
}

TEST(CommitOf, WhatIsNoneOfGitsOrDamagedHasNone) {
  testing::TempDir dir;
  EXPECT_EQ(CommitOf(dir.path(), true), "");
  dir.Write("x/.git/HEAD", "rubbish");
  EXPECT_EQ(CommitOf(dir.path() / "x", true), "");
}

TEST(PlanSource, AnOwnSuiteIsUsedWhereItLies) {
  testing::TempDir dir;
  dir.Write("suites/kernels/CMakeLists.txt", "");
  rules::SourceModel source;
  source.own = "kernels";
  RunOptions options;
  options.own_suites = dir.path() / "suites";
  const auto plan = PlanSource(source, options, {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->folder.filename(), "kernels");
  EXPECT_FALSE(plan->fetch.has_value());
  source.own = "absent";
  EXPECT_EQ(PlanSource(source, options, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PlanSource, ARepositoryIsFetchedShallowIntoAFolderForItsRef) {
  testing::TempDir dir;
  rules::SourceModel source;
  source.repository = "gitcode:mindspore/hyper-parallel";
  source.ref = "master";
  const auto plan = PlanSource(source, {}, dir.path());
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_TRUE(plan->fetch.has_value());
  const std::string& line = plan->fetch->command.shell;
  EXPECT_THAT(line, HasSubstr("--depth 1"));
  EXPECT_THAT(line, HasSubstr("'https://gitcode.com/mindspore/hyper-parallel.git' 'master'"));
  EXPECT_THAT(line, Not(HasSubstr("submodule")));
  EXPECT_THAT(plan->folder.native(), HasSubstr("gitcode-mindspore-hyper-parallel-"));
  source.ref = kCommit;
  source.submodules = true;
  const auto fixed = PlanSource(source, {}, dir.path());
  ASSERT_TRUE(fixed.ok());
  EXPECT_NE(fixed->folder, plan->folder);
  EXPECT_THAT(fixed->fetch->command.shell, HasSubstr("submodule update"));
  // A commit that is there already need not be fetched.
  EXPECT_THAT(fixed->fetch->command.shell, HasSubstr("if ! git checkout"));
}

// By a repository of this machine in place of the forge's.
TEST(PlanSource, EachRunHasAFreshTreeFromObjectsThatAreFetchedOnce) {
  testing::TempDir dir;
  const std::string root = dir.path().native();
  const auto shell = [&](const std::string& line) {
    return std::system(("export HOME=" + root + " GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=url." + root +
                        "/.insteadOf GIT_CONFIG_VALUE_0=https://github.com/; " + line + " >/dev/null 2>&1")
                           .c_str());
  };
  ASSERT_EQ(shell("git init -q -b main " + root + "/o/r.git && cd " + root +
                  "/o/r.git && echo one > file && git add file "
                  "&& git -c user.name=n -c user.email=e commit -q -m one"),
            0);
  rules::SourceModel source;
  source.repository = "github:o/r";
  source.ref = "main";
  RunOptions options;
  options.objects = dir.path() / "objects";
  for (const char* run : {"run1", "run2"}) {
    const auto plan = PlanSource(source, options, dir.path() / run);
    ASSERT_TRUE(plan.ok()) << plan.status();
    dir.Write("fetch.sh", plan->fetch->command.shell);
    ASSERT_EQ(shell("sh " + root + "/fetch.sh"), 0);
    EXPECT_EQ(testing::ReadWholeFile(plan->folder / "file"), "one\n");
    EXPECT_EQ(CommitOf(plan->folder, false).size(), 40U);
    // A run's tree is its own: what it does to it, and to git's folder in it, the next one does not see.
    std::filesystem::remove_all(plan->folder / ".git");
    dir.Write(std::string(plan->folder.lexically_relative(dir.path())) + "/file", "changed");
    // A commit that is there is not fetched again: the second time the forge is away.
    if (source.ref != "main") continue;
    source.ref = CommitOf(dir.path() / "o" / "r.git", false);
    std::filesystem::rename(dir.path() / "o", dir.path() / "away");
  }
}

TEST(ChangedSince, WhatWasWrittenLaterCountsUnlessToolsKeepIt) {
  const yardmaster::testing::TempDir dir;
  dir.Write("a/old.py", "1");
  const auto now = std::chrono::system_clock::now() + std::chrono::seconds(1);
  EXPECT_FALSE(ChangedSince(dir.path(), now));
  EXPECT_TRUE(ChangedSince(dir.path(), now - std::chrono::hours(1)));
  for (const char* name :
       {".git/index", "a/__pycache__/x.pyc", "yard-results/x/log", "a/.pytest_cache/x", "a/new.py"}) {
    const std::filesystem::path file = dir.Write(name, "2");
    std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    EXPECT_EQ(ChangedSince(dir.path(), now), std::string(name) == "a/new.py") << name;
  }
}

}  // namespace
}  // namespace yardmaster::worker
