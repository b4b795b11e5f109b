#include "services/review/change_reviewer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/review/review_messages.h"
#include "tests/support/memory_change.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using testing::MemoryChange;
using testing::MemoryTree;

// Tells the first `print` on touched lines of a file.
ReviewScope FirstPrints() {
  Problems problems;
  const rules::PackFiles files = {{"p/pack.json", R"({"name": "p", "title": "test"})"},
                                  {"p/checks/a.json", R"json({"checks": [{"id": "C1", "title": "t", "severity": "MAJOR",
      "languages": ["python"], "each": "call", "where": {"added": true, "name": "print"}, "once": "file", "message": "print",
      "good": [""], "bad": ["print(1)"]}]})json"}};
  ReviewScope scope;
  scope.packs.push_back(rules::LoadChecks(files, "p", problems));
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return scope;
}

v1::Review Reviewed(const MemoryTree& base, const MemoryTree& head, const std::string& id, const v1::Review* earlier) {
  MemoryChange change(base, head);
  ReviewedChange about;
  about.head = id;
  const auto made = ReviewOf(change, FirstPrints(), about, earlier, RepositoryFileRules());
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? made->review : v1::Review();
}

// "new a.py:3", …
std::vector<std::string> ToldOf(const v1::Review& review) {
  std::vector<std::string> out;
  for (const ReportedFinding& one : ReadChangeReview(review).findings) {
    out.push_back(
        absl::StrCat(std::string(FindingStatusName(one.status)), " ", one.finding.path, ":", one.finding.line));
  }
  return out;
}

TEST(ReviewOf, WhatAnEarlierHeadHadIsFixedOnceItIsGone) {
  const MemoryTree base = {{"a.py", "x = 1\n"}};
  const v1::Review first = Reviewed(base, {{"a.py", "x = 1\nprint(1)\n"}}, "h1", nullptr);
  EXPECT_THAT(ToldOf(first), ElementsAre("new a.py:2"));
  EXPECT_THAT(ToldOf(Reviewed(base, {{"a.py", "x = 1\ny = 1\n"}}, "h2", &first)), ElementsAre("fixed a.py:2"));
}

TEST(ReviewOf, WhatIsNotToldAnyMoreButHoldsIsNotFixed) {
  const MemoryTree base = {{"a.py", "x = 1\n"}};
  const v1::Review first = Reviewed(base, {{"a.py", "x = 1\nprint(1)\n"}}, "h1", nullptr);
  // Another one comes before it.
  EXPECT_THAT(ToldOf(Reviewed(base, {{"a.py", "print(2)\nx = 1\nprint(1)\n"}}, "h2", &first)),
              ElementsAre("new a.py:1"));
  // The base has it by now.
  EXPECT_THAT(ToldOf(Reviewed({{"a.py", "x = 1\nprint(1)\n"}}, {{"a.py", "x = 1\nprint(1)\n\ny = 1\n"}}, "h3", &first)),
              ElementsAre());
}

}  // namespace
}  // namespace yardmaster
