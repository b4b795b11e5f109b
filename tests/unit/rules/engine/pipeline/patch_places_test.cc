#include "rules/engine/pipeline/patch_places.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

namespace yardmaster::rules {
namespace {

constexpr const char* kPatch =
    "@@ -10,4 +12,6 @@ class TestMesh:\n"
    " \n"
    "-def test_old():\n"
    "+def test_new(x):\n"
    "+    assert x\n"
    " def test_kept ():\n"
    "@@ -40,1 +44,3 @@\n"
    "+async def test_late():\n"
    "+TEST_F(TestCopy, Strided) {\n"
    "\\ No newline at end of file\n";

TEST(DefinitionLine, LinesAreThoseOfTheHead) {
  EXPECT_EQ(DefinitionLine(kPatch, "test_new"), 13U);
  EXPECT_EQ(DefinitionLine(kPatch, "test_kept"), 15U);
  EXPECT_EQ(DefinitionLine(kPatch, "TestMesh.test_late"), 44U);
  EXPECT_EQ(DefinitionLine(kPatch, "Strided"), 45U);
  EXPECT_EQ(DefinitionLine(kPatch, "TestCopy.Strided"), 45U);
}

TEST(DefinitionLine, WhatIsNotDefinedThereHasNone) {
  EXPECT_EQ(DefinitionLine(kPatch, "test_old"), std::nullopt) << "it is gone";
  EXPECT_EQ(DefinitionLine(kPatch, "test_ne"), std::nullopt) << "a part of a name";
  EXPECT_EQ(DefinitionLine(kPatch, ""), std::nullopt);
  EXPECT_EQ(DefinitionLine("+def test_new():", "test_new"), std::nullopt) << "no hunk says which line it is";
  EXPECT_EQ(DefinitionLine("@@ garbage\n+def f():", "f"), std::nullopt);
}

TEST(FindInPatches, OneFileIsAPlaceAndTwoAreNone) {
  std::map<std::string, std::string, std::less<>> patches = {{"a.py", kPatch}, {"b.py", "@@ -1 +1 @@\n+x = 1\n"}};
  LogFailure failure;
  failure.function = "test_new";
  FindInPatches(patches, failure);
  EXPECT_EQ(failure.file, "a.py");
  EXPECT_EQ(failure.line, 13U);
  patches["b.py"] = kPatch;
  LogFailure twice;
  twice.function = "test_new";
  FindInPatches(patches, twice);
  EXPECT_EQ(twice.file, "");
}

}  // namespace
}  // namespace yardmaster::rules
