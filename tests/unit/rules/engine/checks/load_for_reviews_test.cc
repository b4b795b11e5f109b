#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/review.h"

namespace yardmaster::rules {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A pack with a check for Python files and one for text files, whose conditions
// are given.
PackFiles Pack(const std::string& python, const std::string& text) {
  const std::string head =
      R"("title": "t", "severity": "MAJOR", "message": "m", "each": "line",
 "bad": [["x = 1"], {"files": {"a.py": ["x"]}}], "good": ["x = 1"], )";
  return {{"p/pack.json", R"({"name": "p", "title": "test"})"},
          {"p/checks/a.json",
           R"({"roles": [{"role": "code", "path": ".*\\.py", "example": "a.py"},
 {"role": "note", "path": ".*\\.txt", "example": "a.txt"}],
"checks": [{"id": "C1", "roles": ["code"], )" +
               head + R"("where": )" + python + R"(},
{"id": "C2", "roles": ["note"], )" +
               head + R"("where": )" + text + "}]}"}};
}

std::shared_ptr<const CheckSet> Load(const PackFiles& files, ChecksFor purpose = ChecksFor::kReviews) {
  Problems problems;
  auto set = LoadChecks(files, "p", problems, purpose);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return set;
}

ReviewResult ReviewOf(const CheckSet& set, const std::string& path) {
  ReviewFile file;
  file.path = path;
  file.text = "a\nb\n";
  return Review(set, {file}, {});
}

constexpr char kB[] = R"({"text": "b"})";
constexpr char kWrong[] = R"({"no_such_field": 1})";

TEST(LoadForReviews, FindsTheSameAndKnowsHowManyCasesThereAre) {
  const PackFiles files = Pack(kB, kB);
  const auto all = Load(files, ChecksFor::kEverything);
  const auto set = Load(files);
  ASSERT_TRUE(all != nullptr && set != nullptr);
  for (const std::string path : {"a.py", "a.txt"}) {
    const ReviewResult result = ReviewOf(*set, path);
    EXPECT_THAT(result.findings, SizeIs(1));
    EXPECT_EQ(result.findings, ReviewOf(*all, path).findings);
    EXPECT_THAT(result.problems, IsEmpty());
  }
  ASSERT_THAT(set->checks(), SizeIs(2));
  EXPECT_EQ(set->checks()[1].bad_cases, 2U);
  EXPECT_EQ(set->checks()[1].good_cases, 1U);
  EXPECT_EQ(set->checks()[1].line, all->checks()[1].line);
}

TEST(LoadForReviews, WhatIsWrongInACheckIsToldWhenItRuns) {
  const PackFiles files = Pack(kB, kWrong);
  Problems problems;
  EXPECT_EQ(LoadChecks(files, "p", problems), nullptr);
  ASSERT_THAT(problems, SizeIs(1));
  const auto set = Load(files);
  ASSERT_NE(set, nullptr);
  EXPECT_THAT(ReviewOf(*set, "a.py").problems, IsEmpty());
  for (int i = 0; i < 2; ++i) {
    const ReviewResult result = ReviewOf(*set, "a.txt");
    EXPECT_THAT(result.findings, IsEmpty());
    EXPECT_EQ(result.problems, problems);
  }
  EXPECT_THAT(problems[0].message, HasSubstr("unknown field"));
}

TEST(LoadForReviews, ChecksThatLookAtOtherFilesAreKnown) {
  EXPECT_FALSE(Load(Pack(kB, kB))->across());
  EXPECT_TRUE(Load(Pack(kB, R"({"exists": {"each": "line", "scope": "files"}})"))->across());
}

}  // namespace
}  // namespace yardmaster::rules
