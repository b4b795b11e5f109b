#include "rules/engine/checks/tree_queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "rules/engine/checks/review.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A check by a query; the message tells what "x" stands for.
std::string Check(const std::string& id, const std::string& query, const std::string& languages = R"(["python"])") {
  return R"({"id": ")" + id +
         R"(", "title": "t", "severity": "MAJOR", "message": "{x}", "good": ["x = 1"], "bad": ["x = 1"],
 "languages": )" +
         languages + R"(, "query": ")" + query + R"("})";
}

std::shared_ptr<const CheckSet> Load(const std::vector<std::string>& checks, Problems& problems) {
  std::string text = "{\"checks\": [";
  for (const std::string& check : checks) text += (text.back() == '[' ? "\n" : ",\n") + check;
  return LoadChecks({{"p/pack.json", R"({"name": "p", "title": "test"})"}, {"p/checks/a.json", text + "]}"}}, "p",
                    problems);
}

// "rule:line message" of each finding.
std::vector<std::string> Found(const CheckSet& checks, const std::string& text, const ReviewOptions& options = {},
                               const std::string& path = "a.py") {
  ReviewFile file;
  file.path = path;
  file.text = text;
  std::vector<std::string> out;
  for (const Finding& finding : Review(checks, {file}, options).findings) {
    out.push_back(finding.rule_id + ":" + std::to_string(finding.line) + " " + finding.message);
  }
  return out;
}

constexpr char kCall[] = R"((call function: (identifier) @x (#eq? @x \"f\")) @place)";
constexpr char kClass[] = R"((class_definition name: (identifier) @x) @place ; a comment)";
constexpr char kPattern[] = R"(((identifier) @x (#match? @x \"^g[0-9]$\")))";
constexpr char kPair[] = R"((assignment left: (identifier) @y right: (identifier) @x (#not-eq? @x @y)))";
constexpr char kText[] = "class A:\n  b = c\nf(g1)\nd = d\nh(g22)\n";

TEST(TreeQueries, ManyQueriesFindWhatEachFindsAlone) {
  Problems problems;
  const auto set =
      Load({Check("C1", kCall), Check("C2", kClass), Check("C3", kPattern), Check("C4", kPair), Check("C5", kCall)},
           problems);
  ASSERT_NE(set, nullptr) << problems.front().ToString();
  EXPECT_TRUE(set->queries());
  EXPECT_THAT(Found(*set, kText), ElementsAre("C2:1 A", "C4:2 c", "C1:3 f", "C5:3 f", "C3:3 g1"));
  std::vector<std::string> alone;
  for (const CheckInfo& check : set->checks()) {
    ReviewOptions options;
    options.only = {check.id};
    for (std::string& found : Found(*set, kText, options)) alone.push_back(std::move(found));
  }
  EXPECT_THAT(alone, ElementsAre("C1:3 f", "C2:1 A", "C3:3 g1", "C4:2 c", "C5:3 f"));
}

TEST(TreeQueries, EveryLanguageHasItsOwn) {
  Problems problems;
  const auto set = Load({Check("C1", "(identifier) @x", R"(["python", "cpp"])"),
                         Check("C2", "(true) @x", R"(["json"])"), Check("C3", "(comment) @x", R"(["cpp", "cpp"])")},
                        problems);
  ASSERT_NE(set, nullptr) << problems.front().ToString();
  EXPECT_THAT(Found(*set, "a\n"), ElementsAre("C1:1 a"));
  EXPECT_THAT(Found(*set, "int b; // c\n", {}, "a.cc"), ElementsAre("C1:1 b", "C3:1 // c"));
  EXPECT_THAT(Found(*set, "[true]", {}, "a.json"), ElementsAre("C2:1 true"));
  EXPECT_THAT(Found(*set, "true", {}, "a.txt"), IsEmpty());
}

TEST(TreeQueries, ABadQueryAmongGoodOnesIsNamedWithItsLine) {
  Problems problems;
  EXPECT_EQ(Load({Check("C1", kCall), Check("C2", "(nonsense) @x"), Check("C3", kClass)}, problems), nullptr);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].file, "p/checks/a.json");
  EXPECT_EQ(problems[0].pointer, "/checks/1/query");
  EXPECT_EQ(problems[0].line, 5U);
  EXPECT_THAT(problems[0].message, HasSubstr("unknown node at character 2 for python"));
}

TEST(TreeQueries, HalvesOfAQueryAreNoQueries) {
  Problems problems;
  EXPECT_EQ(Load({Check("C1", "(call function:"), Check("C2", "(identifier) @x)")}, problems), nullptr);
  EXPECT_EQ(problems.size(), 2U);
}

TEST(TreeQueries, ReviewsWaitForTheOneThatCompiles) {
  Problems problems;
  const auto set = Load({Check("C1", kCall), Check("C2", kClass), Check("C3", kPattern), Check("C4", kPair)}, problems);
  ASSERT_NE(set, nullptr);
  std::vector<std::vector<std::string>> found(4);
  {
    const std::jthread background([&] { set->CompileQueries(); });
    std::vector<std::jthread> reviews;
    reviews.reserve(found.size());
    for (auto& one : found) reviews.emplace_back([&set, &one] { one = Found(*set, kText); });
  }
  for (const auto& one : found) EXPECT_THAT(one, ElementsAre("C2:1 A", "C4:2 c", "C1:3 f", "C3:3 g1"));
}

TEST(TreeQueries, CapturesAreReadFromTheText) {
  EXPECT_THAT(CaptureNames("(a \"@no\\\"@no\" @x.y) ; @no\n((b) @place (#eq? @x.y \"@no\"))"),
              ElementsAre("x.y", "place"));
  EXPECT_THAT(CaptureNames("@ \"@no"), IsEmpty());
}

}  // namespace
}  // namespace yardmaster::rules
