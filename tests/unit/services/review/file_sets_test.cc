#include "services/review/file_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/services/review/review_pack.h"

namespace yardmaster {
namespace {

using ::testing::SizeIs;

std::string Text(const std::vector<FileSet>& sets) {
  std::string text;
  for (const FileSet& set : sets) {
    text += set.folder + "|" + set.op + ":";
    for (const SetMember& member : set.members) text += " " + member.name + (member.context ? "(c)" : "");
    text += "\n";
  }
  return text;
}

class FileSetsTest : public ::testing::Test {
 protected:
  const std::shared_ptr<const rules::CheckSet> checks_ = testing::ReviewPack();
  const RoleTable roles_{*checks_};
};

TEST_F(FileSetsTest, RolesAndOperatorsComeFromThePath) {
  EXPECT_EQ(roles_.Match("custom/demo/demo_impl.py"), (FileRole{"impl", "demo"}));
  EXPECT_EQ(roles_.Match("modules/demo_module12_impl.py"), (FileRole{"impl", "demo"}));
  EXPECT_EQ(roles_.Match("DESIGN.md"), (FileRole{"design", ""}));
  EXPECT_EQ(roles_.Match("notes.txt"), FileRole());
  EXPECT_TRUE(roles_.by_operator());
  EXPECT_TRUE(roles_.only_roles());
  EXPECT_EQ(roles_.ExampleOf("impl"), "demo_impl.py");
  EXPECT_EQ(roles_.ExampleOf("nothing"), "");
}

TEST_F(FileSetsTest, AnOperatorsSubfoldersBelongToIt) {
  EXPECT_EQ(Text(GroupFiles(roles_, {"c/demo/demo_golden.py", "c/demo/modules/demo_module1_impl.py",
                                     "c/demo/modules/demo_module12_impl.py", "c/other/other_impl.py"})),
            "c/demo|demo: demo_golden.py modules/demo_module1_impl.py modules/demo_module12_impl.py\n"
            "c/other|other: other_impl.py\n");
}

TEST_F(FileSetsTest, AFolderOfManyKernelsHasASetForEach) {
  EXPECT_EQ(Text(GroupFiles(roles_, {"lib/a_impl.py", "lib/a_golden.py", "lib/b_impl.py", "lib/DESIGN.md"})),
            "lib|a: a_impl.py a_golden.py DESIGN.md\n"
            "lib|b: b_impl.py DESIGN.md(c)\n");
}

TEST_F(FileSetsTest, AFolderWithDocumentsIsOneOperatorWhateverItsFilesAreCalled) {
  EXPECT_EQ(Text(GroupFiles(
                roles_, {"c/demo/demo_impl.py", "c/demo/eval/test_inputs.py", "c/demo/DESIGN.md", "c/demo/SPEC.md"})),
            "c/demo|demo: demo_impl.py eval/test_inputs.py DESIGN.md SPEC.md\n");
}

TEST_F(FileSetsTest, EveryPathIsJudgedExactlyOnce) {
  const std::vector<std::string> paths = {"x/a_impl.py",   "x/b_impl.py", "x/DESIGN.md",
                                          "y/z/a_impl.py", "README.txt",  "/abs/q_impl.py"};
  std::vector<int> judged(paths.size());
  for (const FileSet& set : GroupFiles(roles_, paths)) {
    for (const SetMember& member : set.members) judged[member.path] += member.context ? 0 : 1;
    for (const SetMember& member : set.members) EXPECT_EQ(JoinPath(set.folder, member.name), paths[member.path]);
  }
  EXPECT_THAT(judged, ::testing::Each(1));
}

TEST_F(FileSetsTest, ADocumentOnItsOwnIsLone) {
  const auto lone = [&](const std::vector<std::string>& paths) {
    const std::vector<FileSet> sets = GroupFiles(roles_, paths);
    EXPECT_THAT(sets, SizeIs(1));
    return !sets.empty() && sets.front().lone;
  };
  EXPECT_TRUE(lone({"docs/DESIGN.md"}));
  EXPECT_FALSE(lone({"demo/DESIGN.md", "demo/SPEC.md"}));
  EXPECT_FALSE(lone({"demo/DESIGN.md", "demo/demo_impl.py"}));
  EXPECT_FALSE(lone({"demo/state.json"}));
  EXPECT_FALSE(lone({"demo/demo_impl.py"}));
}

TEST_F(FileSetsTest, WhatLiesBesideAnOperatorIsLookedAt) {
  EXPECT_TRUE(roles_.Judges("a/demo_impl.py"));
  EXPECT_FALSE(roles_.Judges("a/helper.py"));
  EXPECT_TRUE(roles_.LooksAt("a/helper.py"));
  EXPECT_FALSE(roles_.LooksAt("a/kernel.cc"));
  EXPECT_FALSE(roles_.LooksAt("a/cases.json"));
  EXPECT_TRUE(roles_.IsDocument("design"));
  EXPECT_FALSE(roles_.IsDocument("impl"));
  EXPECT_TRUE(roles_.TellsStage("state"));
}

TEST_F(FileSetsTest, NoPathsAreNoSets) { EXPECT_THAT(GroupFiles(roles_, {}), SizeIs(0)); }

TEST(Paths, AreTakenApartAndPutTogether) {
  EXPECT_EQ(FolderOf("a/b/c.py"), "a/b");
  EXPECT_EQ(FolderOf("c.py"), "");
  EXPECT_EQ(NameOf("a/b/c.py"), "c.py");
  EXPECT_EQ(StemOf("a/b.c.py"), "b.c");
  EXPECT_EQ(StemOf(".hidden"), ".hidden");
  EXPECT_EQ(JoinPath("", "c.py"), "c.py");
  EXPECT_EQ(JoinPath("a", "c.py"), "a/c.py");
}

}  // namespace
}  // namespace yardmaster
