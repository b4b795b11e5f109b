#include "clients/forge/answer_json.h"

#include <gtest/gtest.h>

#include "clients/forge/answer_reader.h"

namespace yardmaster {
namespace {

std::optional<nlohmann::json> Parse(std::string_view text) {
  std::string error;
  return ParseForgeJson(text, error);
}

TEST(ForgeJson, AKeyThatComesTwiceCountsWithItsLastValue) {
  const auto value = Parse(R"({"a": {"x": [1, 2]}, "b": 2, "a": {"y": 3}})");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(value->dump(), R"({"a":{"y":3},"b":2})");
}

TEST(ForgeJson, ATextCutInTheMiddleOfACharacterIsStillRead) {
  const auto value = Parse("{\"body\": \"\xE9\x94\x99\xE8\xAF\"}");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ((*value)["body"], "\xE9\x94\x99\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(ForgeJson, WhatIsNoJsonIsAnErrorThatSaysSo) {
  std::string error;
  EXPECT_FALSE(ParseForgeJson("<html>504</html>", error).has_value());
  EXPECT_NE(error.find("not valid JSON"), std::string::npos) << error;
  EXPECT_FALSE(ParseForgeJson("", error).has_value());
  EXPECT_FALSE(ParseForgeJson("{\"a\": 1", error).has_value());
}

TEST(ForgeJson, DepthIsLimited) {
  EXPECT_TRUE(Parse(std::string(60, '[') + std::string(60, ']')).has_value());
  EXPECT_FALSE(Parse(std::string(100'000, '[')).has_value());
}

TEST(ReplaceInvalidUtf8, KeepsWhatIsWellFormed) {
  EXPECT_EQ(ReplaceInvalidUtf8("aé漢😀"), "aé漢😀");
  EXPECT_EQ(ReplaceInvalidUtf8("\xFF"), "\xEF\xBF\xBD");
  EXPECT_EQ(ReplaceInvalidUtf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(ReplaceInvalidUtf8("a\xF0\x9F"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

// --- AnswerReader ---

struct Document {
  explicit Document(std::string_view text) : value(*Parse(text)), root(&value, "", problem) {}
  nlohmann::json value;
  AnswerProblem problem;
  AnswerReader root;
};

TEST(AnswerReader, NumbersComeAsNumbersOrTexts) {
  Document d(R"({"a": 5, "b": "6", "c": 7.0, "d": " 8 ", "e": -9})");
  EXPECT_EQ(d.root.At("a").Number(), 5);
  EXPECT_EQ(d.root.At("b").Number(), 6);
  EXPECT_EQ(d.root.At("c").Number(), 7);
  EXPECT_EQ(d.root.At("d").Number(), 8);
  EXPECT_EQ(d.root.At("e").Number(), -9);
  EXPECT_TRUE(d.problem.ok()) << d.problem.text();
}

TEST(AnswerReader, WhatIsNoWholeNumberIsAProblemThatNamesTheField) {
  for (const char* text : {R"({"n": true})", R"({"n": 1.5})", R"({"n": "I4ABCD"})", R"({"n": []})", R"({"n": null})",
                           R"({})", R"({"n": 18446744073709551615})", R"({"n": ""})", R"({"n": 1e300})"}) {
    Document d(text);
    EXPECT_EQ(d.root.At("n").Number(), 0) << text;
    EXPECT_EQ(d.problem.text().substr(0, 26), "n: expected a whole number") << text << ": " << d.problem.text();
  }
}

TEST(AnswerReader, IdsAreTextsWhateverTheyCameAs) {
  Document d(R"({"a": "abc", "b": 12, "c": true, "d": 9007199254740993})");
  EXPECT_EQ(d.root.At("a").Text(), "abc");
  EXPECT_EQ(d.root.At("b").Text(), "12");
  EXPECT_EQ(d.root.At("c").Text(), "true");
  EXPECT_EQ(d.root.At("d").Text(), "9007199254740993");
  EXPECT_TRUE(d.problem.ok());
}

TEST(AnswerReader, FlagsComeInManySpellings) {
  Document d(R"({"a": true, "b": 1, "c": "true", "d": "1", "e": 0, "f": "false", "g": null, "h": ""})");
  for (const char* key : {"a", "b", "c", "d"}) EXPECT_TRUE(d.root.At(key).Flag()) << key;
  for (const char* key : {"e", "f", "g", "h", "absent"}) EXPECT_FALSE(d.root.At(key).Flag()) << key;
  EXPECT_TRUE(d.problem.ok());
}

TEST(AnswerReader, TheFirstProblemIsKeptWithItsWholePath) {
  Document d(R"({"labels": [{"name": "ok"}, {"name": ["x"]}], "title": {}})");
  d.root.At("labels").Element(1).At("name").Text();
  d.root.At("title").Text();
  EXPECT_EQ(d.problem.text(), "labels[1].name: expected a text, got an array");
}

TEST(AnswerReader, HintsAreNeverAProblem) {
  Document d(R"({"a": {}, "b": "x"})");
  EXPECT_EQ(d.root.At("a").Hint(), "");
  EXPECT_EQ(d.root.At("b").Hint(), "x");
  EXPECT_EQ(d.root.At("a").NumberHint(-1), -1);
  EXPECT_TRUE(d.problem.ok());
}

TEST(AnswerReader, FirstOfSkipsNull) {
  Document d(R"({"number": null, "iid": 4})");
  EXPECT_EQ(d.root.FirstOf({"number", "iid"}).Number(), 4);
}

TEST(AnswerReader, AProblemQuotesAForeignTextShortAndPrintable) {
  Document d("{\"n\": \"" + std::string(500, 'x') + "\\u0007\"}");
  d.root.At("n").Number();
  EXPECT_LT(d.problem.text().size(), 120u);
}

}  // namespace
}  // namespace yardmaster
