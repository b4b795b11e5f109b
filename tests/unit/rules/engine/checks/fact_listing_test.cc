#include "rules/engine/checks/fact_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Json = nlohmann::ordered_json;

struct Listing {
  ListedFile file;
  std::vector<ListedFact> facts;
};

Listing ListedFrom(const std::string& path, std::string text, std::string_view kind, const CheckSet* checks = nullptr) {
  Listing listing;
  listing.file = ListFacts(SourceFile::Read(path, std::move(text), std::chrono::seconds(10)), checks, kind,
                           [&](const ListedFact& fact) { listing.facts.push_back(fact); });
  return listing;
}

std::vector<std::string> KindsAndLines(const Listing& listing) {
  std::vector<std::string> out;
  for (const ListedFact& fact : listing.facts) out.push_back(std::string(fact.kind) + ":" + std::to_string(fact.line));
  return out;
}

TEST(FactListing, NamesEachRowByItsNarrowestKind) {
  const Listing all = ListedFrom("a.py", "import fw\ndef k(x):\n    return fw.exp(x, {1})\n", "");
  EXPECT_THAT(KindsAndLines(all),
              ElementsAre("file:1", "function:2", "parameter:2", "import:1", "call:3", "attribute:3", "name:3",
                          "name:3", "set_literal:3", "number:3", "statement:1", "statement:2", "return:3"));
}

TEST(FactListing, FieldsAreWhatChecksMatch) {
  const Listing calls = ListedFrom("a.py", "import framework as fw\ndef k(x):\n    fw.exp(x, eps=1.5)\n", "call");
  ASSERT_EQ(calls.facts.size(), 1U);
  const ListedFact& call = calls.facts[0];
  EXPECT_EQ(call.column, 5U);
  EXPECT_EQ(call.fields.at("text"), "fw.exp(x, eps=1.5)");
  EXPECT_EQ(call.fields.at("name"), "fw.exp");
  EXPECT_EQ(call.fields.at("resolved"), "framework.exp");
  EXPECT_EQ(call.fields.at("size"), 1);
  EXPECT_EQ(call.fields.at("keywords"), Json::array({"eps"}));
  EXPECT_EQ(call.fields.at("function"), (Json{{"kind", "function"}, {"line", 2}, {"text", "k"}}));
  EXPECT_FALSE(call.fields.contains("loop")) << "missing fields are left out";
  EXPECT_EQ(ListedFrom("a.py", "x = 1.5\n", "number").facts[0].fields.at("number"), 1.5);
}

TEST(FactListing, OtherLanguagesHaveTheirTables) {
  EXPECT_EQ(ListedFrom("a.md", "| a | b |\n|---|---|\n| 1 | 2 |\n", "table_row").facts[0].fields.at("header"),
            Json::array({"a", "b"}));
  EXPECT_EQ(ListedFrom("a.yaml", "k: 3\n", "entry").facts[1].fields.at("pointer"), "/k");
  EXPECT_EQ(KindsAndLines(ListedFrom("a.cc", "#define A 1\n", "macro")), std::vector<std::string>{"macro:1"});
}

TEST(FactListing, APackGivesTheRoleItsGroupsAndTheDefinitions) {
  Problems problems;
  const auto checks = LoadChecks(
      {{"p/pack.json", R"({"name": "p", "title": "test"})"},
       {"p/checks/a.json", R"({"roles": [{"role": "impl", "path": "(?P<op>.+)_impl\\.py", "example": "a_impl.py"}],
          "definitions": {"wrapper": {"each": "function", "where": {"name": "{file.op}_wrapper"}}}})"}},
      "p", problems);
  ASSERT_NE(checks, nullptr) << problems.front().ToString();
  const Listing listing =
      ListedFrom("demo_impl.py", "def demo_wrapper(): pass\ndef other(): pass\n", "function", checks.get());
  EXPECT_EQ(listing.file.role, "impl");
  ASSERT_EQ(listing.facts.size(), 2U);
  EXPECT_THAT(listing.facts[0].definitions, ElementsAre("wrapper"));
  EXPECT_THAT(listing.facts[1].definitions, IsEmpty());
  EXPECT_EQ(ListedFrom("demo_impl.py", "", "file", checks.get()).facts[0].fields.at("op"), "demo");
}

TEST(FactListing, LongTextsAndListsAreCutAndBytesAreMadeText) {
  const Listing text = ListedFrom("a.py", "s = '" + std::string(5000, 'x') + "'\n", "string");
  EXPECT_LT(text.facts[0].fields.at("value").get<std::string>().size(), 300U);
  std::string list = "f(";
  for (int i = 0; i < 200; ++i) list += "a" + std::to_string(i) + "=1,";
  EXPECT_EQ(ListedFrom("a.py", list + ")\n", "call").facts[0].fields.at("keywords").size(), 51U);
  EXPECT_NO_THROW(ListedFrom("a.py", "s = '\xff\xfe'\n", "string").facts[0].fields.dump());
}

}  // namespace
}  // namespace yardmaster::rules
