#include "rules/engine/checks/language_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "rules/engine/checks/check_set.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Conditions = std::vector<std::pair<std::string, std::string>>;

// A pack with checks that go over calls and ask for this; ids and conditions in turns.
std::shared_ptr<const CheckSet> PackWith(const std::string& pack, const Conditions& conditions,
                                         const std::string& definitions = "{}") {
  using nlohmann::json;
  json file = {{"definitions", json::parse(definitions)}, {"checks", json::array()}};
  for (const auto& [id, where] : conditions) {
    file["checks"].push_back({{"id", id},
                              {"title", "t"},
                              {"severity", "S0"},
                              {"each", "call"},
                              {"where", json::parse(where)},
                              {"message", "m"},
                              {"good", {""}},
                              {"bad", {"f()"}}});
  }
  Problems problems;
  auto set = LoadChecks(
      {{pack + "/pack.json", json{{"name", pack}, {"title", "t"}}.dump()}, {pack + "/checks/a.json", file.dump()}},
      pack, problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return set;
}

std::vector<std::string> WithOwnFunctions(const Conditions& conditions, const std::string& definitions = "{}") {
  const auto set = PackWith("p", conditions, definitions);
  return set == nullptr ? std::vector<std::string>() : ChecksWithOwnFunctions(*set);
}

TEST(ChecksWithOwnFunctions, AreThoseThatUseAFunctionThatNoOtherRuleUses) {
  EXPECT_THAT(WithOwnFunctions({{"A", R"({"name": "f"})"}, {"B", R"({"name": "g"})"}}), IsEmpty());
  EXPECT_THAT(WithOwnFunctions({{"A", R"({"name": "f"})"}, {"B", R"({"attr": "g"})"}, {"C", R"({"attr": "h"})"}}),
              ElementsAre("A"))
      << "a field";
  EXPECT_THAT(WithOwnFunctions({{"A", R"({"name": "f"})"}, {"B", R"({"name": {"prefix": "g"}})"}}), ElementsAre("B"))
      << "a matcher";
  EXPECT_THAT(WithOwnFunctions(
                  {{"A", R"({"name": "f"})"}, {"B", R"({"name": "f", "absent": {"each": "call", "scope": "after"}})"}}),
              ElementsAre("B"))
      << "a scope";
}

TEST(ChecksWithOwnFunctions, PartsOfARuleAreNotOtherRules) {
  EXPECT_THAT(WithOwnFunctions({{"A", R"({"attr": "f"})"}, {"A.more", R"({"attr": "g"})"}, {"B", "true"}}),
              ElementsAre("A", "A.more"));
}

TEST(ChecksWithOwnFunctions, WhatAnotherPackUsesTooIsGeneral) {
  const auto set = PackWith("p", {{"A", R"({"name": "f"})"}, {"B", R"({"attr": {"prefix": "g"}})"}});
  const auto same = PackWith("q", {{"A", R"({"name": "h"})"}});
  ASSERT_TRUE(set != nullptr && same != nullptr);
  EXPECT_THAT(ChecksWithOwnFunctions(*set), ElementsAre("A", "B"));
  EXPECT_THAT(ChecksWithOwnFunctions(*set, {set}), ElementsAre("A", "B")) << "its own rules are no other ones";
  EXPECT_THAT(ChecksWithOwnFunctions(*set, {same}), ElementsAre("B"));
}

TEST(ChecksWithOwnFunctions, WhatADefinitionUsesCountsForThoseWhoNameIt) {
  const std::string definitions = R"({"inner": {"each": "call", "where": {"attr": "x"}},
                                      "outer": {"each": "call", "where": {"is": "inner"}}})";
  EXPECT_THAT(WithOwnFunctions({{"A", R"({"is": "outer"})"}, {"B", R"({"is": "outer"})"}}, definitions), IsEmpty());
  EXPECT_THAT(WithOwnFunctions({{"A", R"({"is": "outer"})"}, {"B", R"({"attr": "y"})"}, {"C", R"({"is": "inner"})"}},
                               definitions),
              IsEmpty());
}

}  // namespace
}  // namespace yardmaster::rules
