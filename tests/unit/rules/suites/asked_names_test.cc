#include "rules/suites/asked_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

SuiteModel NamedSuite() {
  SuiteModel suite;
  suite.pack = "repo";
  suite.id = "torch-st";
  suite.commands.names = {{"st_torch", {"smoke"}, {}}, {"op-{word}-st", {}, {{"KEYWORD", "{word} or x"}}}};
  return suite;
}

TEST(AskedNames, AnIdIsTheSameWithEitherJoint) {
  for (const char* word : {"torch-st", "torch_st", "Torch-ST", "repo/torch-st"}) {
    EXPECT_TRUE(IsSuiteId(NamedSuite(), word)) << word;
  }
  for (const char* word : {"", "torch", "other/torch-st", "torch-st2"})
    EXPECT_FALSE(IsSuiteId(NamedSuite(), word)) << word;
}

TEST(AskedNames, ANameMeansItsLayersAndTheWordInItIsAValue) {
  const auto part = PartByName(NamedSuite(), "st-torch");
  ASSERT_TRUE(part.has_value());
  EXPECT_THAT(part->layers, ElementsAre("smoke"));
  const auto operators = PartByName(NamedSuite(), "op-MatMul_2-st");
  ASSERT_TRUE(operators.has_value());
  EXPECT_THAT(operators->variables, ElementsAre(Pair("KEYWORD", "matmul_2 or x")));
}

TEST(AskedNames, NothingButLettersDigitsAndUnderscoresStandsInAName) {
  for (const char* word : {"op--st", "op-st", "op-a b-st", "op-a;b-st", "op-$(x)-st", "op-{word}-st", "op-a-b-st"}) {
    EXPECT_EQ(PartByName(NamedSuite(), word), std::nullopt) << word;
  }
  EXPECT_EQ(PartByName(NamedSuite(), "op-" + std::string(80, 'a') + "-st"), std::nullopt);
}

TEST(AskedNames, TheGateSaysTheKindUnlessTheSuiteDoes) {
  SuiteModel suite = NamedSuite();
  EXPECT_EQ(KindOfSuite(suite), "");
  EXPECT_FALSE(IsUsual(suite));
  suite.gate.kind = "st";
  EXPECT_EQ(KindOfSuite(suite), "st");
  EXPECT_TRUE(IsUsual(suite));
  suite.commands.kind = "ut";
  EXPECT_EQ(KindOfSuite(suite), "ut");
  SuiteModel usual;
  usual.commands.usual = true;
  EXPECT_TRUE(IsUsual(usual));
}

}  // namespace
}  // namespace yardmaster::rules
