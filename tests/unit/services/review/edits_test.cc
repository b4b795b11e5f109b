#include "services/review/edits.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

rules::Finding WithEdits(std::vector<rules::FindingEdit> edits) {
  rules::Finding finding;
  finding.edits = std::move(edits);
  return finding;
}

TEST(ApplyEdits, ReplacesByLinesAndColumnsInCodePoints) {
  const rules::Finding first = WithEdits({{2, 3, 2, 4, "xyz"}});
  const rules::Finding second = WithEdits({{1, 1, 1, 1, "# head\n"}, {3, 1, 3, 2, ""}});
  const EditedText result = ApplyEdits("one\r\nüöä\nc", {&first, &second});
  EXPECT_EQ(result.text, "# head\none\r\nüöxyz\n");
  EXPECT_EQ(result.applied, 2u);
  EXPECT_EQ(result.refused, 0u);
}

TEST(ApplyEdits, OfOverlappingFindingsTheFirstWinsAndNoneIsHalfDone) {
  const rules::Finding first = WithEdits({{1, 1, 1, 4, "A"}});
  const rules::Finding second = WithEdits({{1, 3, 1, 5, "B"}, {2, 1, 2, 2, "C"}});
  const EditedText result = ApplyEdits("abcdef\nxyz\n", {&first, &second});
  EXPECT_EQ(result.text, "Adef\nxyz\n");
  EXPECT_EQ(result.applied, 1u);
  EXPECT_EQ(result.refused, 1u);
}

TEST(ApplyEdits, PlacesOutsideOfTheTextAreRefused) {
  for (const rules::FindingEdit& edit : std::vector<rules::FindingEdit>{
           {0, 1, 1, 1, "x"}, {1, 0, 1, 1, "x"}, {1, 9, 1, 9, "x"}, {9, 1, 9, 1, "x"}, {1, 3, 1, 2, "x"}}) {
    const rules::Finding finding = WithEdits({edit});
    const EditedText result = ApplyEdits("abc\n", {&finding});
    EXPECT_EQ(result.text, "abc\n");
    EXPECT_EQ(result.refused, 1u);
  }
  EXPECT_EQ(ApplyEdits("", {}).text, "");
}

}  // namespace
}  // namespace yardmaster
