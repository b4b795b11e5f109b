#include "rules/engine/compiled_parts.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/compiled_pack.h"
#include "rules/engine/pack/pack_loader.h"

namespace yardmaster::rules {
namespace {

SignalModel Signal(const std::string& word) {
  SignalModel signal;
  signal.id = "s";
  signal.words = {word};
  signal.zones[static_cast<size_t>(Zone::kProse)] = 1;
  return signal;
}

TEST(CompiledParts, TheSameZonesAreCompiledOnce) {
  CompiledParts parts;
  Problems problems;
  ZoneRules rules;
  rules.trace_starts = {"Traceback"};
  const auto first = parts.Splitter(rules, problems);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(parts.Splitter(rules, problems), first);
  rules.boilerplate = {"Describe the bug"};
  EXPECT_NE(parts.Splitter(rules, problems), first);
  EXPECT_TRUE(problems.empty());
}

TEST(CompiledParts, TheSameSignalsAndNegationsAreCompiledOnce) {
  CompiledParts parts;
  Problems problems;
  const auto first = parts.SignalMatcher({Signal("hang")}, {"not "}, problems);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(parts.SignalMatcher({Signal("hang")}, {"not "}, problems), first);
  EXPECT_NE(parts.SignalMatcher({Signal("hang")}, {"no "}, problems), first);
  EXPECT_NE(parts.SignalMatcher({Signal("crash")}, {"not "}, problems), first);
  SignalModel elsewhere = Signal("hang");
  elsewhere.zones[static_cast<size_t>(Zone::kTitle)] = 3;
  EXPECT_NE(parts.SignalMatcher({elsewhere}, {"not "}, problems), first);
  EXPECT_TRUE(problems.empty());
}

TEST(CompiledParts, EveryPackTellsOfTheBadRulesThatItInherits) {
  CompiledParts parts;
  ZoneRules rules;
  rules.trace_starts = {"("};
  SignalModel signal = Signal("x");
  signal.patterns = {"["};
  for (int pack = 0; pack < 2; ++pack) {
    Problems problems;
    EXPECT_EQ(parts.Splitter(rules, problems), nullptr);
    EXPECT_EQ(problems.size(), 1u);
    problems.clear();
    EXPECT_EQ(parts.SignalMatcher({signal}, {}, problems), nullptr);
    EXPECT_EQ(problems.size(), 1u);
  }
}

TEST(SignalMatcher, APatternThatMatchesTheEmptyTextIsToldWhereverItLooks) {
  SignalModel searched = Signal("x");
  searched.patterns = {"a*"};
  SignalModel nowhere = Signal("x");
  nowhere.patterns = {"b?"};
  nowhere.zones = {};
  SignalModel bad = Signal("x");
  bad.patterns = {"["};
  CompiledParts parts;
  Problems problems;
  EXPECT_EQ(parts.SignalMatcher({Signal("y"), searched, nowhere, bad}, {}, problems), nullptr);
  ASSERT_EQ(problems.size(), 3u);
  std::string all;
  for (const Problem& problem : problems) all += problem.message + "\n";
  EXPECT_NE(all.find("bad pattern"), std::string::npos) << all;
  EXPECT_NE(all.find("matches the empty text"), all.rfind("matches the empty text")) << all;
}

TEST(CompiledParts, APackDecidesTheSameWithSharedParts) {
  const PackFiles files = {
      {"base/pack.json", R"({"name": "base", "title": "Base"})"},
      {"base/labels.json", R"({"labels": [{"name": "bug", "description": "B"}]})"},
      {"base/rubric.json",
       R"({"default_zones": {"prose": 2}, "signals": [{"id": "s", "words": ["hangs"], "label": "bug"}],
        "classifiers": [{"id": "c", "kind": "multi_label", "labels": ["bug"], "high": 2, "medium": 1}],
        "steps": [{"id": "p", "title": "P", "add_outcome": "c", "because": "classified"}]})"},
      {"base/guardrails.json", R"({"allow": ["bug"]})"},
      {"child/pack.json", R"({"name": "child", "title": "Child", "extends": "base"})"},
  };
  Problems problems;
  PackLoader loader(files);
  CompiledParts parts;
  for (const char* name : {"base", "child"}) {
    std::optional<PackModel> shared = loader.Load(name, problems);
    std::optional<PackModel> alone = LoadPack(files, name, problems);
    ASSERT_TRUE(shared.has_value() && alone.has_value()) << (problems.empty() ? "" : problems.front().ToString());
    const auto of_many = CompiledPack::Compile(*std::move(shared), parts, problems);
    const auto of_one = CompiledPack::Compile(*std::move(alone), problems);
    ASSERT_TRUE(of_many != nullptr && of_one != nullptr) << problems.front().ToString();
    IssueText issue;
    issue.title = "It stops";
    issue.body = "It hangs.";
    EXPECT_EQ(of_many->Decide(issue).labels, of_one->Decide(issue).labels);
    EXPECT_EQ(of_many->Decide(issue).labels, std::vector<std::string_view>{"bug"});
  }
}

}  // namespace
}  // namespace yardmaster::rules
