#include "services/core/json_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::optional<JsonDocument> ParseOk(std::string_view text) {
  Problems problems;
  auto document = JsonDocument::Parse("f.json", text, JsonLimits(), problems);
  EXPECT_TRUE(problems.empty()) << problems.front().ToString();
  EXPECT_TRUE(document.has_value());
  return document;
}

Problems ParseBad(std::string_view text, const JsonLimits& limits = JsonLimits()) {
  Problems problems;
  EXPECT_FALSE(JsonDocument::Parse("f.json", text, limits, problems).has_value());
  EXPECT_FALSE(problems.empty());
  return problems;
}

std::string At(const JsonDocument& document, std::string_view pointer) {
  const JsonPosition position = document.PositionOf(pointer);
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}

TEST(JsonDocument, EveryValueKnowsWhereItBegins) {
  const auto document = ParseOk(
      "{\n"
      "  \"a\": [1, -2.5e3 , true,\n"
      "        null],\n"
      "  \"b\": {\"c\": \"x\\\"y\\\\\", \"d\": {}}, \"e\":\"\"\n"
      "}\n");
  ASSERT_TRUE(document);
  EXPECT_EQ(At(*document, ""), "1:1");
  EXPECT_EQ(At(*document, "/a"), "2:8");
  EXPECT_EQ(At(*document, "/a/0"), "2:9");
  EXPECT_EQ(At(*document, "/a/1"), "2:12");
  EXPECT_EQ(At(*document, "/a/2"), "2:21");
  EXPECT_EQ(At(*document, "/a/3"), "3:9");
  EXPECT_EQ(At(*document, "/b"), "4:8");
  EXPECT_EQ(At(*document, "/b/c"), "4:14");
  EXPECT_EQ(At(*document, "/b/d"), "4:29");
  EXPECT_EQ(At(*document, "/e"), "4:38");
  EXPECT_EQ(document->value()["b"]["c"], "x\"y\\");
}

TEST(JsonDocument, AMissingValueHasThePlaceOfItsNearestAncestor) {
  const auto document = ParseOk("{\"a\":\n [10, 20]}");
  ASSERT_TRUE(document);
  EXPECT_EQ(At(*document, "/a/7"), "2:2");
  EXPECT_EQ(At(*document, "/a/x"), "2:2");
  EXPECT_EQ(At(*document, "/nothing/here"), "1:1");
}

TEST(JsonDocument, KeysWithSlashAndTildeAreFoundByTheirPointer) {
  const auto document = ParseOk("{\"x\": 1,\n\"a/b~c\": 2,\n\"\": 3}");
  ASSERT_TRUE(document);
  EXPECT_EQ(PointerJoin("", "a/b~c"), "/a~1b~0c");
  EXPECT_EQ(At(*document, "/a~1b~0c"), "2:10");
  EXPECT_EQ(At(*document, "/"), "3:5");
  EXPECT_EQ(PointerJoin("/a", size_t{3}), "/a/3");
}

TEST(JsonDocument, AScalarCanBeTheWholeText) {
  EXPECT_EQ(ParseOk("42")->value(), 42);
  EXPECT_EQ(At(*ParseOk(" 42 "), ""), "1:2");
  EXPECT_EQ(At(*ParseOk("\n \"x\""), ""), "2:2");
}

TEST(JsonDocument, ALeadingByteOrderMarkIsAcceptedAndNotCounted) {
  const auto document = ParseOk("\xEF\xBB\xBF{\"a\": 1}");
  ASSERT_TRUE(document);
  EXPECT_EQ(At(*document, "/a"), "1:7");
  EXPECT_THAT(ParseBad("\xEF\xBB\xBF\xEF\xBB\xBF{}")[0].message, HasSubstr("second byte-order mark"));
}

TEST(JsonDocument, EveryDuplicateKeyIsAnErrorThatNamesBothLines) {
  const Problems problems = ParseBad("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2},\n \"a\": 3}");
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].ToString(), "f.json:2:16: /b/c: duplicate key \"c\"; expected each key once (first on line 2)");
  EXPECT_EQ(problems[1].ToString(), "f.json:3:2: /a: duplicate key \"a\"; expected each key once (first on line 1)");
}

TEST(JsonDocument, KeysThatDifferOnlyInEscapingAreDuplicates) {
  EXPECT_EQ(ParseBad("{\"a\": 1, \"\\u0061\": 2}")[0].pointer, "/a");
}

TEST(JsonDocument, CountlessDuplicatesAreNotAllReported) {
  std::string text = "{\"a\": 1";
  for (int i = 0; i < 5000; ++i) text += ",\n\"a\": 1";
  const Problems problems = ParseBad(text + "}");
  EXPECT_EQ(problems.size(), 101u);
  EXPECT_THAT(problems.back().message, HasSubstr("too many problems"));
}

TEST(JsonDocument, ASyntaxErrorNamesPlaceAndWhatWasExpected) {
  const Problems problems = ParseBad("{\n  \"signals\": [\n    {\"id\": 1,}\n  ]\n}");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].line, 3u);
  EXPECT_EQ(problems[0].column, 14u);
  EXPECT_EQ(problems[0].pointer, "/signals/0");
  EXPECT_THAT(problems[0].message, HasSubstr("expected string literal"));
  EXPECT_THAT(problems[0].message, Not(HasSubstr("json.exception")));
}

TEST(JsonDocument, ATextThatStopsEarlyIsAnErrorAtItsEnd) {
  const Problems problems = ParseBad("{\"a\":\n[1, 2");
  EXPECT_EQ(problems[0].line, 2u);
  EXPECT_EQ(problems[0].column, 6u);
  EXPECT_THAT(problems[0].message, HasSubstr("unexpected end of input"));
  EXPECT_EQ(ParseBad("")[0].line, 1u);
}

TEST(JsonDocument, WhatOtherParsersForgiveIsAnError) {
  for (const char* text :
       {"{} {}", "[1,]", "{'a': 1}", "// comment\n{}", "{\"a\": NaN}", "[01]", "{\"a\" 1}", "\"a\nb\"", "[1e999]"}) {
    EXPECT_EQ(ParseBad(text)[0].file, "f.json") << text;
  }
}

TEST(JsonDocument, ANulByteDoesNotHideWhatFollows) {
  const Problems problems = ParseBad(std::string_view("{}\n\0garbage", 11));
  EXPECT_THAT(problems[0].message, HasSubstr("NUL"));
  EXPECT_EQ(problems[0].line, 2u);
}

TEST(JsonDocument, InvalidUtf8IsRefusedAndTheMessageIsStillText) {
  const Problems problems = ParseBad("{\"a\":\n \"x\xFFy\"}");
  EXPECT_EQ(problems[0].line, 2u);
  EXPECT_THAT(problems[0].message, HasSubstr("UTF-8"));
  EXPECT_THAT(problems[0].message, HasSubstr("<FF>"));
  EXPECT_THAT(ParseBad("\"\xED\xA0\x80\"")[0].message, HasSubstr("UTF-8"));
  EXPECT_FALSE(ParseBad("\"\\ud800\"").empty());
}

TEST(JsonDocument, AHugeBadTokenDoesNotFillTheMessage) {
  EXPECT_LT(ParseBad("[\"" + std::string(100000, 'x'))[0].message.size(), 500u);
}

TEST(JsonDocument, DepthIsLimitedHoweverDeepTheText) {
  JsonLimits limits;
  limits.max_depth = 3;
  Problems problems;
  EXPECT_TRUE(JsonDocument::Parse("f", "[[[1]]]", limits, problems));
  problems = ParseBad("[[\n[[1]]]]", limits);
  EXPECT_EQ(problems[0].line, 2u);
  EXPECT_EQ(problems[0].column, 2u);
  EXPECT_EQ(problems[0].pointer, "/0/0");
  EXPECT_THAT(problems[0].message, HasSubstr("at most 3 levels"));
  EXPECT_THAT(ParseBad(std::string(1000000, '['))[0].message, HasSubstr("at most 64 levels"));
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_THAT(ParseBad(objects)[0].message, HasSubstr("at most 64 levels"));
}

TEST(JsonDocument, SizeIsLimited) {
  JsonLimits limits;
  limits.max_bytes = 10;
  EXPECT_THAT(ParseBad("[1, 2, 3, 4]", limits)[0].message, HasSubstr("at most 10"));
}

TEST(JsonDocument, AMillionValuesKeepTheirPlacesAndMoreAreRefused) {
  std::string text = "[\n";
  for (int i = 0; i < 999998; ++i) text += "0,\n";
  const auto document = ParseOk(text + "7]");
  ASSERT_TRUE(document);
  EXPECT_EQ(At(*document, "/0"), "2:1");
  EXPECT_EQ(At(*document, "/999998"), "1000000:1");
  EXPECT_THAT(ParseBad(text + "7, 8]")[0].message, HasSubstr("at most 1000000"));
}

TEST(ParseJsonLimited, AValueComesBackWhole) {
  std::string error;
  const auto value = ParseJsonLimited("{\"n\": 18446744073709551615, \"s\": \"é\", \"f\": 0.5}", JsonLimits(), error);
  ASSERT_TRUE(value) << error;
  EXPECT_EQ((*value)["n"].get<uint64_t>(), UINT64_MAX);
  EXPECT_EQ((*value)["s"], "é");
}

TEST(ParseJsonLimited, ErrorsNameLineAndColumn) {
  std::string error;
  EXPECT_FALSE(ParseJsonLimited("{\"a\": 1,\n  \"a\": 2}", JsonLimits(), error));
  EXPECT_THAT(error, HasSubstr("2:3: /a: duplicate key"));
  EXPECT_FALSE(ParseJsonLimited("[1,\n 2", JsonLimits(), error));
  EXPECT_THAT(error, HasSubstr("2:"));
  EXPECT_FALSE(ParseJsonLimited(std::string(200000, '['), JsonLimits(), error));
  EXPECT_THAT(error, HasSubstr("64 levels"));
  EXPECT_FALSE(ParseJsonLimited(std::string_view("{}\0", 3), JsonLimits(), error));
}

}  // namespace
}  // namespace yardmaster
