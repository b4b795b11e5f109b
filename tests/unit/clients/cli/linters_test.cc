#include "clients/cli/linters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A pack names only linters that there is a way to run.
TEST(Linters, TheSchemaOfPacksHasTheNamesOfThoseThatAreKnown) {
  const nlohmann::json schema =
      nlohmann::json::parse(testing::ReadWholeFile(testing::SourcePath("rules/schema/linters.schema.json")));
  std::vector<std::string> known;
  for (const Linter& one : KnownLinters()) known.push_back(one.name);
  EXPECT_EQ(schema["properties"]["linters"]["items"]["properties"]["name"]["enum"], nlohmann::json(known));
}

TEST(Linters, WhatTheProjectsListsLeaveOutIsNotTold) {
  LeftOutFindings left_out;
  AddFilters(
      "# a comment\n\"hyper-parallel/hp/old.py\" \"redefined-builtin\"\n\"tests/\"  \"protected-access\"\nnot a line\n",
      "mindspore/hyper-parallel", left_out);
  AddAllowed("# functions that may be long\nhyper-parallel/hp/shard.py:layout\nhp/shard.py:Mesh::to\nhp/other.py\n",
             "mindspore/hyper-parallel", left_out);
  // As pylint and lizard write.
  EXPECT_EQ(
      WithoutLeftOut(
          "hp/old.py:3:0: warning: Redefining built-in 'id' [redefined-builtin]\n"
          "hp/old.py:4:0: warning: Unused import os [unused-import]\n"
          "hp/older.py:3:0: warning: Redefining built-in 'id' [redefined-builtin]\n"
          "tests/ut/test_x.py:9:4: warning: Access to a protected member _x [protected-access]\n"
          "./hp/shard.py:5: warning: layout has 120 NLOC, 30 CCN, 900 token, 3 PARAM, 130 length, 0 ND\n"
          "./hp/shard.py:150: warning: Mesh::to has 101 NLOC, 16 CCN, 500 token, 3 PARAM, 110 length, 0 ND\n"
          "./hp/shard.py:270: warning: tensor_layout has 101 NLOC, 16 CCN, 500 token, 3 PARAM, 110 length, 0 ND\n",
          left_out),
      "hp/old.py:4:0: warning: Unused import os [unused-import]\n"
      "hp/older.py:3:0: warning: Redefining built-in 'id' [redefined-builtin]\n"
      "./hp/shard.py:270: warning: tensor_layout has 101 NLOC, 16 CCN, 500 token, 3 PARAM, 110 length, 0 ND\n");
}

class LinterRunTest : public ::testing::Test {
 protected:
  // A program of that name.
  void Install(const std::string& name, const std::string& script) const {
    dir_.Write("bin/" + name, "#!/bin/sh\n" + script);
    std::filesystem::permissions(dir_.path() / "bin" / name, std::filesystem::perms::owner_all);
  }
  LinterRun Run(const std::string& name, const std::vector<std::string>& arguments,
                const std::vector<std::string>& files) const {
    for (const Linter& one : KnownLinters()) {
      if (one.name != name) continue;
      return RunLinter(
          one, arguments, dir_.path(), files,
          [this](const char* variable) -> std::string {
            if (std::string_view(variable) != "PATH") return "";
            return (dir_.path() / "bin").string() + ":" + std::getenv("PATH");
          },
          std::chrono::seconds(20));
    }
    return {};
  }
  const testing::TempDir dir_;
};

TEST_F(LinterRunTest, ThresholdsStandInFrontOfTheFilesAndNoFileIsAnOption) {
  Install("pylint", "for one in \"$@\"; do echo \"$one\"; done\nexit 4\n");
  const LinterRun run = Run("pylint", {"--max-line-length=120"}, {"a b.py", "-rf.py"});
  EXPECT_EQ(run.state, "done") << run.detail;
  EXPECT_THAT(run.output, HasSubstr("--max-line-length=120\na b.py\n./-rf.py\n"));
}

TEST_F(LinterRunTest, WhatDidNotRunIsNotTakenForAPass) {
  EXPECT_EQ(Run("cmakelint", {}, {"CMakeLists.txt"}).state, "not run");
  Install("lizard", "exit 127\n");
  EXPECT_EQ(Run("lizard", {}, {"a.py"}).state, "not run");
  Install("ruff", "kill -9 $$\n");
  EXPECT_EQ(Run("ruff", {}, {"a.py"}).state, "not run");
}

}  // namespace
}  // namespace yardmaster::cli
