#include "services/review/backtest/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/packs/validate.h"
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kId(40, 'a');

std::string LineOf(const std::string& verdict, const std::string& more = "") {
  return absl::StrCat(R"({"repository": "o/r", "commit": ")", kId,
                      R"(", "rule": "R1.part", "path": "a/b.py", "line": 7, )", R"("verdict": ")", verdict,
                      R"(", "why": "seen")", more, "}\n");
}

std::vector<std::string> ProblemsOf(const std::string& text) {
  Problems problems;
  EXPECT_EQ(ReadVerdicts(text, "judged.jsonl", problems), std::nullopt);
  std::vector<std::string> out;
  for (const Problem& problem : problems) out.push_back(problem.ToString());
  return out;
}

TEST(Verdicts, AreReadLineByLine) {
  Problems problems;
  const auto verdicts = ReadVerdicts("\n" + LineOf("arguable"), "judged.jsonl", problems);
  ASSERT_TRUE(verdicts.has_value());
  ASSERT_EQ(verdicts->size(), 1u);
  const Verdict& verdict = verdicts->front();
  EXPECT_EQ(verdict.repository, "o/r");
  EXPECT_EQ(verdict.commit, kId);
  EXPECT_EQ(verdict.rule, "R1.part");
  EXPECT_EQ(verdict.path, "a/b.py");
  EXPECT_EQ(verdict.line, 7u);
  EXPECT_EQ(verdict.judgement, Judgement::kArguable);
  EXPECT_EQ(verdict.why, "seen");
}

TEST(Verdicts, WhatIsWrongIsToldWithItsLine) {
  EXPECT_THAT(ProblemsOf(LineOf("true") + LineOf("")),
              ElementsAre(AllOf(HasSubstr("judged.jsonl:2"), HasSubstr("/verdict"))));
  EXPECT_THAT(ProblemsOf(LineOf("maybe")), ElementsAre(HasSubstr("expected true, false or arguable")));
  EXPECT_THAT(ProblemsOf(LineOf("true", R"(, "extra": 1)")), ElementsAre(HasSubstr("extra")));
  EXPECT_THAT(
      ProblemsOf(R"({"repository": "o/r", "commit": "main", "rule": "R", "path": "p", "verdict": "true", "why": "w"})"),
      ElementsAre(HasSubstr("40 lower-case hex digits")));
  EXPECT_THAT(ProblemsOf(LineOf("true") + LineOf("false")), ElementsAre(HasSubstr("judged in a line above")));
  EXPECT_THAT(ProblemsOf("nothing\n"), ElementsAre(HasSubstr("judged.jsonl:1")));
}

// Whatever is kept in tests/replay must be readable, and about rules that the packs still have.
TEST(KeptVerdicts, AreAboutRulesOfTheirPacks) {
  namespace fs = std::filesystem;
  const PacksFolder packs = ReadPacksFolder(testing::SourcePath("rules/packs"));
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(testing::SourcePath("tests/replay/verdicts"))) {
    if (entry.path().extension() != ".jsonl") continue;
    ++files;
    Problems problems;
    const auto verdicts = ReadVerdicts(testing::ReadWholeFile(entry.path()), entry.path().filename(), problems);
    const auto checks = rules::LoadChecks(packs.files, entry.path().stem().string(), problems);
    for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
    if (!verdicts.has_value() || checks == nullptr) continue;
    for (const Verdict& verdict : *verdicts) {
      EXPECT_TRUE(absl::c_any_of(
          checks->checks(),
          [&](const rules::CheckInfo& check) { return check.id == verdict.rule || check.rule == verdict.rule; }))
          << entry.path().filename() << ": there is no rule " << verdict.rule;
    }
  }
  EXPECT_GT(files, 0u);
}

// What cases ask for must be about rules that the packs have; "A-*" is about all that begin so.
TEST(KeptCases, AreAboutRulesOfTheirPacks) {
  namespace fs = std::filesystem;
  const PacksFolder packs = ReadPacksFolder(testing::SourcePath("rules/packs"));
  size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(testing::SourcePath("tests/replay/cases"))) {
    Problems problems;
    const auto checks = rules::LoadChecks(packs.files, entry.path().stem().string(), problems);
    for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
    if (checks == nullptr) continue;
    const auto expect_rule = [&](std::string name) {
      const bool prefix = name.ends_with('*');
      if (prefix) name.pop_back();
      EXPECT_TRUE(absl::c_any_of(checks->checks(),
                                 [&](const rules::CheckInfo& check) {
                                   return prefix ? check.rule.starts_with(name)
                                                 : check.id == name || check.rule == name;
                                 }))
          << entry.path().filename() << ": there is no rule " << name;
    };
    std::istringstream lines(testing::ReadWholeFile(entry.path()));
    for (std::string line; std::getline(lines, line); ++cases) {
      const nlohmann::json one = nlohmann::json::parse(line);
      EXPECT_EQ(one.at("commit").get<std::string>().size(), 40u) << line;
      for (const auto& wanted : one.at("must")) expect_rule(wanted.at("rule"));
      for (const auto& wanted : one.at("silent")) expect_rule(wanted.is_string() ? wanted : wanted.at("rule"));
    }
  }
  EXPECT_GT(cases, 0u);
}

}  // namespace
}  // namespace yardmaster
