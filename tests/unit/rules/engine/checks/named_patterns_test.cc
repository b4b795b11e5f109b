#include "rules/engine/checks/named_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "rules/engine/checks/review.h"

namespace yardmaster::rules {
namespace {

using ::testing::HasSubstr;

const NamedPatterns kNamed = {
    {"name", "[A-Za-z_]\\w*"}, {"dotted", "(?&name)(?:\\.(?&name))*"}, {"a", "(?&b)"}, {"b", "(?&a)"}};

std::string Expanded(const std::string& pattern) {
  std::string error;
  const std::string text = ExpandPattern(pattern, kNamed, error);
  return error.empty() ? text : "error: " + error;
}

TEST(NamedPatterns, AreGroupsThatDoNotCount) {
  EXPECT_EQ(Expanded("^(?&name)$"), "^(?:[A-Za-z_]\\w*)$");
  EXPECT_EQ(Expanded("(?&dotted)"), "(?:(?:[A-Za-z_]\\w*)(?:\\.(?:[A-Za-z_]\\w*))*)");
  EXPECT_EQ(Expanded(""), "");
}

TEST(NamedPatterns, AnEscapedParenthesisAndAClassAreText) {
  for (const char* text : {"\\(?&name)", "[(?&name)]", "[^](?&name)]", "[\\](?&name)]", "(?i)a", "\\"}) {
    EXPECT_EQ(Expanded(text), text);
  }
  EXPECT_EQ(Expanded("[x](?&name)"), "[x](?:[A-Za-z_]\\w*)");
}

TEST(NamedPatterns, WhatCannotBeExpandedSaysWhy) {
  EXPECT_THAT(Expanded("(?&nmae)"), HasSubstr("unknown pattern \"nmae\"; did you mean \"name\"?"));
  EXPECT_THAT(Expanded("(?&a)"), HasSubstr("leads back to itself"));
  EXPECT_THAT(Expanded("(?&name"), HasSubstr("missing \")\""));
  NamedPatterns large = {{"p0", std::string(1000, 'x')}};
  for (int i = 1; i < 12; ++i) {
    const std::string use = "(?&p" + std::to_string(i - 1) + ")";
    std::string& four = large["p" + std::to_string(i)];
    for (int times = 0; times < 4; ++times) four += use;
  }
  std::string error;
  EXPECT_LE(ExpandPattern("(?&p11)", large, error).size(), kMaxPatternBytes);
  EXPECT_THAT(error, HasSubstr("bytes"));
}

// What is wrong with a pack of these patterns and one check; else what its failing cases say.
std::string LoadedWith(const std::string& patterns, const std::string& where) {
  Problems problems;
  const std::string check =
      R"json(, "checks": [{"id": "C1", "title": "t", "severity": "S3", "message": "m", "each": "call", "good": ["g(1)"], "bad": ["f.a(1)"], "where": )json";
  const auto set = LoadChecks({{"p/pack.json", R"json({"name": "p", "title": "test"})json"},
                               {"p/checks/a.json", R"json({"patterns": )json" + patterns + check + where + "}]}"}},
                              "p", problems);
  if (set == nullptr) return problems.front().ToString();
  std::string told;
  for (const CheckCaseResult& result : RunCheckCases(*set)) told += result.message;
  return told;
}

TEST(NamedPatterns, ChecksUseThemInPatterns) {
  EXPECT_EQ(LoadedWith(R"json({"dotted": "(?&id)(?:[.](?&id))+", "id": "[a-z]+"})json",
                       R"json({"name": {"re": "^(?&dotted)$"}})json"),
            "");
  EXPECT_EQ(LoadedWith(R"json({"id": "[a-z]+"})json", R"json({"name": {"re": "^(?&id)[.](.)", "capture": "a"}})json"),
            "");
}

TEST(NamedPatterns, MistakesNameTheirPlace) {
  const std::string use = R"json({"name": {"re": "(?&id)"}})json";
  EXPECT_THAT(LoadedWith(R"json({"id": "["})json", use), HasSubstr("/patterns/id: expected an RE2 pattern"));
  EXPECT_THAT(LoadedWith(R"json({"id": "(a)"})json", use),
              HasSubstr("/patterns/id: expected groups that do not count"));
  EXPECT_THAT(LoadedWith(R"json({"id": "(?&id)"})json", "true"),
              HasSubstr("/patterns/id: the pattern \"id\" leads back to itself"));
  EXPECT_THAT(LoadedWith(R"json({"di": "a"})json", use), HasSubstr("/checks/0/where/name/re: unknown pattern \"id\""));
}

}  // namespace
}  // namespace yardmaster::rules
