#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/services/review/import/read_findings.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using testing::Imported;
using ::testing::IsEmpty;
using testing::LeftOutOf;
using testing::Told;

TEST(LineFormats, CompilersTellLevelsAndOptions) {
  const ImportedFindings imported = Imported(
      "In file included from src/a.cc:1:\n"
      "src/a.cc:3:7: warning: unused variable 'x' [-Wunused-variable]\n"
      "    3 |   int x = 0;\n"
      "      |       ^\n"
      "src/a.cc:5:1: error: no return statement in function returning non-void [-Werror=return-type]\n"
      "src/a.cc:6:1: error: unused function 'f' [-Werror,-Wunused-function]\n"
      "src/a.cc:7:10: fatal error: missing.h: No such file or directory\n"
      "src/b.h:2:3: note: declared here\r\n");
  EXPECT_EQ(imported.format, ImportFormat::kLines);
  EXPECT_THAT(Told(imported),
              ElementsAre("src/a.cc:3:7-3:7 minor compiler/unused-variable unused variable 'x'",
                          "src/a.cc:5:1-5:1 major compiler/return-type no return statement in function returning "
                          "non-void",
                          "src/a.cc:6:1-6:1 major compiler/unused-function unused function 'f'",
                          "src/a.cc:7:10-7:10 major compiler/unnamed missing.h: No such file or directory",
                          "src/b.h:2:3-2:3 info compiler/unnamed declared here"));
  EXPECT_THAT(LeftOutOf(imported), ElementsAre("3 the line is in no known format: In file included from src/a.cc:1:"));
}

TEST(LineFormats, ClangTidyNamesItsCheck) {
  EXPECT_THAT(
      Told(Imported("a.cc:3:7: warning: use nullptr [modernize-use-nullptr]\n"
                    "a.cc:4:7: error: narrowing conversion [bugprone-narrowing-conversions,-warnings-as-errors]")),
      ElementsAre("a.cc:3:7-3:7 minor clang-tidy/modernize-use-nullptr use nullptr",
                  "a.cc:4:7-4:7 major clang-tidy/bugprone-narrowing-conversions narrowing conversion"));
}

TEST(LineFormats, PylintCountsColumnsFromZero) {
  EXPECT_THAT(Told(Imported("************* Module demo\n"
                            "demo.py:1:0: C0114: Missing module docstring (missing-module-docstring)\n"
                            "demo.py:3:4: E1101: Instance of 'A' has no 'b' member (no-member)\n"
                            "demo.py:4:0: W0611: Unused import os (unused-import)\n")),
              ElementsAre("demo.py:1:1-1:1 info pylint/C0114 Missing module docstring",
                          "demo.py:3:5-3:5 major pylint/E1101 Instance of 'A' has no 'b' member",
                          "demo.py:4:1-4:1 minor pylint/W0611 Unused import os"));
}

TEST(LineFormats, Flake8RuffAndMypy) {
  EXPECT_THAT(Told(Imported("./demo.py:1:80: E501 line too long (88 > 79 characters)\n"
                            "demo.py:2:8: F401 [*] `os` imported but unused\n"
                            "demo.py:3: error: Incompatible return value type  [return-value]\n"
                            "demo.py:4:5:4:9: error: Name \"x\" is not defined  [name-defined]\n",
                            ImportFormat::kAuto, {.tool = "Ruff"})),
              ElementsAre("demo.py:1:80-1:80 minor ruff/E501 line too long (88 > 79 characters)",
                          "demo.py:2:8-2:8 minor ruff/F401 `os` imported but unused",
                          "demo.py:3:1-3:1 major ruff/return-value Incompatible return value type",
                          "demo.py:4:5-4:9 major ruff/name-defined Name \"x\" is not defined"));
}

TEST(LineFormats, ToolsAreNamedWhereTheirFormatGivesThemAway) {
  EXPECT_THAT(Told(Imported("a.sh:3:7: warning: foo appears unused. Verify use. [SC2034]\n"
                            "a.sh:4:1: note: Use $(...) notation. [SC2006]\n"
                            "b.go:3:1: exported function Run should have comment or be unexported\n"
                            "c.py:3: error: Bad  [misc]\n"
                            "d.py:1:1: F401 'os' imported but unused\n")),
              ElementsAre("a.sh:3:7-3:7 minor shellcheck/SC2034 foo appears unused. Verify use.",
                          "a.sh:4:1-4:1 info shellcheck/SC2006 Use $(...) notation.",
                          "b.go:3:1-3:1 minor lint/unnamed exported function Run should have comment or be unexported",
                          "c.py:3:1-3:1 major mypy/misc Bad", "d.py:1:1-1:1 minor lint/F401 'os' imported but unused"));
}

TEST(LineFormats, WhatIsNoFindingIsCountedAndTold) {
  const ImportedFindings imported = Imported(
      "2026-01-02 07:22:10: started\n"
      "a.cc:10:5:   required from here\n"
      "a.cc:99999999999:1: error: x\n"
      "/usr/include/b.h:3:1: error: y\n"
      "../c.h:3:1: error: z\n"
      "1 error generated.\n");
  EXPECT_THAT(imported.findings, IsEmpty());
  EXPECT_THAT(LeftOutOf(imported),
              ElementsAre("3 the line is in no known format: 2026-01-02 07:22:10: started",
                          "1 the line or column is not a number from 1: a.cc:99999999999:1: error: x",
                          "2 the path is not in the repository: /usr/include/b.h"));
}

TEST(LineFormats, LongLinesAreTold) {
  const ImportedFindings imported = Imported("a.cc:1:1: error: " + std::string(20'000, 'x'));
  EXPECT_THAT(imported.findings, IsEmpty());
  ASSERT_EQ(imported.left_out.size(), 1u);
  EXPECT_EQ(imported.left_out[0].reason, "the line is too long");
}

TEST(LineFormats, NothingPrintedIsNothingFound) {
  const ImportedFindings imported = Imported("\n \n");
  EXPECT_THAT(imported.findings, IsEmpty());
  EXPECT_THAT(imported.left_out, IsEmpty());
}

}  // namespace
}  // namespace yardmaster
