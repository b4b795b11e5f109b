#include "services/workflow/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster::workflow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

GitCommit CommitWith(const std::string& message) {
  GitCommit commit;
  commit.message = message;
  return commit;
}

FileFacts FileAt(const std::string& path) {
  GitChangedFile file;
  file.head.path = path;
  file.head.mode = kGitFileMode;
  return FactsOfFile(file, "", "");
}

TEST(WorkflowDescription, TestsAreCountedByFolderAndNotNamed) {
  const std::vector<FileFacts> files = {FileAt("tests/ut/test_add.py"), FileAt("tests/ut/test_sub.py"),
                                        FileAt("x_test.cc"), FileAt("ops/add.py")};
  const Description english = Describe({CommitWith("feat: add")}, files, PlainTemplate(Language::kEnglish));
  EXPECT_THAT(english.body, HasSubstr("- 1 test file in `.`\n- 2 test files in `tests/ut`"));
  EXPECT_THAT(english.body, Not(HasSubstr("test_add")));
  const Description chinese =
      Describe({CommitWith("feat: add")}, files, PlainTemplate(Language::kChinese), Language::kChinese);
  EXPECT_THAT(chinese.body, HasSubstr("- `tests/ut`：2 个测试文件"));
  EXPECT_THAT(chinese.body, HasSubstr("**关联的 issue**"));
}

TEST(WorkflowDescription, WhatPeopleWroteStays) {
  const std::string text = "## Why\nMine.\n\n## Issue\nFixes #\n\n- [ ] box\n<!-- hint -->\n";
  const std::string body = Describe({CommitWith("fix: x\n\nBody.\n\nFixes #7")}, {}, text).body;
  EXPECT_THAT(body, HasSubstr("Mine."));
  EXPECT_THAT(body, Not(HasSubstr("Body.")));
  EXPECT_THAT(body, HasSubstr("Fixes #7"));
  EXPECT_THAT(body, HasSubstr("- [ ] box\n<!-- hint -->"));
}

TEST(WorkflowDescription, WhatChecksStopAtIsToldAndNotFilledIn) {
  EXPECT_THAT(
      GapsOf(
          "**What type of PR is this?**\n/kind bug\n\n**What does this PR do**:\n<!-- say why -->\n\n"
          "**Which issue(s) this PR fixes**:\nFixes #\n\n**Self-checklist**\n- [x] read\n- [ ] tested\n* [ ] told\n"),
      ElementsAre("nothing is written: What does this PR do", "no issue is named: Which issue(s) this PR fixes",
                  "2 boxes are not ticked"));
  EXPECT_THAT(GapsOf("## Description\nIt adds.\n\n## Issues\nhttps://gitcode.com/o/r/issues/7\n"), ElementsAre());
  EXPECT_THAT(GapsOf("free text"), ElementsAre());
  EXPECT_THAT(GapsOf("**描述**：\n\n**关联的 issue**：\n\n- [ ] 自测\n", Language::kChinese),
              ElementsAre("没有填写：描述", "没有关联 issue：关联的 issue", "1 个选项没有勾选"));
}

}  // namespace
}  // namespace yardmaster::workflow
