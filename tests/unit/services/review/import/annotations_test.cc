#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/services/review/import/read_findings.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using testing::Imported;
using testing::LeftOutOf;
using testing::Told;

TEST(Annotations, HaveLevelPlaceAndRule) {
  const ImportedFindings imported = Imported(
      "Run ruff check --output-format github .\n"
      "::error title=Ruff (F401),file=/ci/repo/a.py,line=1,col=8,endLine=1,endColumn=10::a.py:1:8: F401 `os` unused\n"
      "::warning file=b.js,line=3,endLine=5,title=no-eval::eval is harmful\n"
      "::notice file=c.md,title=Long title without a rule::read me\n",
      ImportFormat::kAuto, {.root = "/ci/repo/"});
  EXPECT_EQ(imported.format, ImportFormat::kGithub);
  EXPECT_THAT(Told(imported), ElementsAre("a.py:1:8-1:10 major ruff/F401 a.py:1:8: F401 `os` unused",
                                          "b.js:3:1-5:1 minor annotation/no-eval eval is harmful",
                                          "c.md info annotation/unnamed read me"));
  EXPECT_THAT(LeftOutOf(imported), ElementsAre("1 the line is no annotation: Run ruff check --output-format github ."));
}

TEST(Annotations, EscapesAreUndoneOnce) {
  EXPECT_THAT(Told(Imported("::error file=a%2Cb%3A%25.py,line=1,title=R%253A::100%25: first%0Asecond, %253A\n")),
              ElementsAre("a,b:%.py:1:1-1:1 major annotation/R%3A 100%: first second, %3A"));
}

TEST(Annotations, WithoutAFileOrWithABadNumberAreLeftOut) {
  const ImportedFindings imported = Imported(
      "::error::the build failed\n"
      "::error file=a.py,line=x::m\n"
      "::group::tests\n"
      "::error file=a.py,line=1\n");
  EXPECT_THAT(Told(imported), ElementsAre());
  EXPECT_THAT(LeftOutOf(imported),
              ElementsAre("1 it names no file: the build failed",
                          "1 the line or column is not a number from 1: ::error file=a.py,line=x::m",
                          "2 the line is no annotation: ::group::tests"));
}

}  // namespace
}  // namespace yardmaster
