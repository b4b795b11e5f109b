#include "services/packs/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "services/core/limits.h"
#include "tests/support/tiny_pack.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PacksFolder Folder() {
  PacksFolder folder;
  folder.files = testing::TinyPackFiles();
  folder.files["child/pack.json"] = R"({"name": "child", "title": "C", "extends": "tiny"})";
  return folder;
}

std::vector<std::string> Problems(const PacksFolder& folder, std::string_view name) {
  yardmaster::Problems problems;
  const auto pack = BuildPack(folder, name, problems);
  EXPECT_EQ(pack == nullptr, !problems.empty());
  std::vector<std::string> out;
  for (const Problem& problem : problems) out.push_back(problem.ToString());
  return out;
}

TEST(BuildPack, AGoodPackComesBackCompiled) {
  yardmaster::Problems problems;
  const auto pack = BuildPack(Folder(), "child", problems);
  ASSERT_NE(pack, nullptr);
  EXPECT_EQ(pack->model().name, "child");
}

TEST(BuildPack, WhatOnlyTheCompilerSeesNamesItsExactPlace) {
  PacksFolder folder = Folder();
  folder.files["tiny/signals/x.json"] = "{\"signals\": [\n{\"id\": \"bad\",\n  \"patterns\": [\"fine\",\n    \"(\"]}]}";
  const std::vector<std::string> problems = Problems(folder, "tiny");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0], HasSubstr("tiny/signals/x.json:4:5: /signals/0/patterns/1: "));
}

TEST(BuildPack, ProblemsOfOtherPacksAreLeftOut) {
  PacksFolder folder = Folder();
  folder.files["other/pack.json"] = "{";
  folder.problems = {{"other/x.txt", "", 0, 0, "unknown file"}};
  EXPECT_THAT(Problems(folder, "child"), IsEmpty());
  EXPECT_THAT(Problems(folder, "other"), ElementsAre(HasSubstr("other/pack.json:1:"), "other/x.txt: unknown file"));
}

TEST(BuildPack, WhatWasWrongWithFilesOfTheParentCounts) {
  PacksFolder folder = Folder();
  folder.problems = {{"tiny/x.txt", "", 0, 0, "unknown file"}, {"tinyish/y.txt", "", 0, 0, "unknown file"}};
  EXPECT_THAT(Problems(folder, "child"), ElementsAre("tiny/x.txt: unknown file"));
}

TEST(BuildPack, AMissingFolderIsOneProblem) {
  const PacksFolder folder = ReadPacksFolder("/nowhere/at/all");
  EXPECT_THAT(Problems(folder, "tiny"), ElementsAre(HasSubstr("/nowhere/at/all: no such folder")));
}

TEST(PackWarnings, APatternWithAWideBoundIsCostlyAndOneWithANarrowBoundIsNot) {
  PacksFolder folder = Folder();
  folder.files["tiny/signals/x.json"] =
      "{\"signals\": [\n{\"id\": \"wide\",\n  \"patterns\": [\"rank.{0,40}hangs\",\n    \"rank.{0,200}hangs\"]}]}";
  yardmaster::Problems problems;
  const auto parent = BuildPack(folder, "tiny", problems);
  ASSERT_NE(parent, nullptr);
  const yardmaster::Problems warnings = PackWarnings(folder, *parent);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0].ToString(),
              HasSubstr("tiny/signals/x.json:4:5: /signals/0/patterns/1: signal 'wide': a costly"));
  const auto child = BuildPack(folder, "child", problems);
  ASSERT_NE(child, nullptr);
  EXPECT_THAT(PackWarnings(folder, *child), IsEmpty()) << "told where the parent is checked";
}

TEST(ReplacePack, InlineFilesTakeThePlaceOfThePacksOwn) {
  PacksFolder folder = Folder();
  folder.problems = {{"child/x.txt", "", 0, 0, "unknown file"}};
  folder.files["child/labels.json"] = "broken";
  ASSERT_TRUE(ReplacePack("child",
                          {{"pack.json", R"({"name": "child", "title": "New", "extends": "tiny"})"},
                           {"cases/a.json", R"({"cases": []})"}},
                          folder)
                  .ok());
  yardmaster::Problems problems;
  const auto pack = BuildPack(folder, "child", problems);
  ASSERT_NE(pack, nullptr) << problems[0].ToString();
  EXPECT_EQ(pack->model().title, "New");
  EXPECT_EQ(folder.files.count("tiny/pack.json"), 1u) << "the others stay";
}

TEST(ReplacePack, APackThatIsNewCanBeChecked) {
  PacksFolder folder = Folder();
  ASSERT_TRUE(ReplacePack("fresh", {{"pack.json", R"({"name": "fresh", "title": "F"})"}}, folder).ok());
  EXPECT_THAT(Problems(folder, "fresh"), IsEmpty());
}

TEST(ReplacePack, NamesAndPathsCanNotReachOut) {
  PacksFolder folder = Folder();
  for (const char* name : {"", "../tiny", "a/b", "Tiny", "a\nb"}) {
    EXPECT_EQ(ReplacePack(name, {{"pack.json", "{}"}}, folder).code(), absl::StatusCode::kInvalidArgument) << name;
  }
  ASSERT_TRUE(
      ReplacePack("child", {{"pack.json", R"({"name": "child", "title": "C"})"}, {"../tiny/labels.json", "{}"}}, folder)
          .ok());
  EXPECT_THAT(Problems(folder, "child"), ElementsAre(HasSubstr("child/../tiny/labels.json: unknown file")));
  EXPECT_THAT(Problems(folder, "tiny"), IsEmpty());
}

TEST(ReplacePack, TooManyFilesAndDoublePathsAreRefused) {
  PacksFolder folder = Folder();
  EXPECT_THAT(ReplacePack("child", {{"pack.json", "{}"}, {"pack.json", "{}"}}, folder).message(),
              HasSubstr("every path once"));
  EXPECT_THAT(ReplacePack("child", {{"", "{}"}}, folder).message(), HasSubstr("a path inside the pack's folder"));
  EXPECT_EQ(ReplacePack("child", InlineFiles(kMaxInlinePackFiles + 1), folder).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace yardmaster
