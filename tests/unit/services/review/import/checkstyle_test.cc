#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/services/review/import/read_findings.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Imported;
using testing::LeftOutOf;
using testing::Told;

TEST(Checkstyle, FilesHaveErrors) {
  const ImportedFindings imported = Imported(
      R"(<?xml version="1.0" encoding="utf-8"?>
<checkstyle version="4.3">
  <file name="/ci/repo/src/A.java">
    <error line="12" column="3" severity="error" message="Line is longer than 100 characters &lt;1&gt;."
           source="com.puppycrawl.tools.checkstyle.checks.sizes.LineLengthCheck"/>
    <error line="0" severity="ignore" message="m" source="x"/>
  </file>
  <file name="web/b.js"><error line="3" column="1" severity="warning" message="Missing semicolon." source="eslint.rules.semi"/></file>
  <file name="c.sh"><error line="4" column="9" severity="info" message="Quote it." source="ShellCheck.SC2086"/></file>
  <file name="d.py"><error line="0" message="whole" source="F1"/><error line="-3" message="bad"/></file>
  <file name="e.java"><exception>stack</exception></file>
</checkstyle>)",
      ImportFormat::kAuto, {.root = "/ci/repo"});
  EXPECT_EQ(imported.format, ImportFormat::kCheckstyle);
  EXPECT_THAT(Told(imported),
              ElementsAre("c.sh:4:9-4:9 info shellcheck/SC2086 Quote it.", "d.py minor checkstyle/F1 whole",
                          "src/A.java:12:3-12:3 major checkstyle/sizes.LineLengthCheck Line is longer than 100 "
                          "characters <1>.",
                          "web/b.js:3:1-3:1 minor eslint/semi Missing semicolon."));
  EXPECT_THAT(LeftOutOf(imported), ElementsAre("1 it is suppressed in the tool: /ci/repo/src/A.java",
                                               "1 the line or column is not a number from 1: d.py",
                                               "1 the tool failed on the file: e.java"));
}

TEST(Checkstyle, DocumentTypesAndOtherDocumentsAreRefused) {
  const auto error = [](const char* text) {
    return std::string(ReadFindings(text, ImportFormat::kAuto, {}).status().message());
  };
  EXPECT_THAT(error("<!DOCTYPE x [<!ENTITY a \"b\">]><checkstyle/>"), HasSubstr("it has a document type"));
  EXPECT_THAT(error("<testsuite/>"), HasSubstr("its root is not <checkstyle>"));
  EXPECT_THAT(error("<checkstyle><file>"), HasSubstr("can't be read as checkstyle"));
}

TEST(Checkstyle, EntitiesOtherThanXmlsOwnStayAsTheyAre) {
  EXPECT_THAT(
      Told(Imported(R"(<checkstyle><file name="a"><error line="1" message="&file; &amp;"/></file></checkstyle>)")),
      ElementsAre("a:1:1-1:1 minor checkstyle/unnamed &file; &"));
}

}  // namespace
}  // namespace yardmaster
