#include "services/review/backtest/backtest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/memory_change.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster {
namespace {

using rules::Severity;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::string kFirst(40, '1');
const std::string kSecond(40, '2');

ReplayedFinding FindingOf(const std::string& rule, Severity severity, uint32_t line) {
  return {rule, severity, "a.py", line, "m"};
}

Verdict VerdictOf(const std::string& commit, const std::string& rule, uint32_t line,
                  Judgement judgement = Judgement::kTrue) {
  return {"o/r", commit, rule, "a.py", line, judgement, "w"};
}

std::vector<std::string> Places(const std::vector<FindingAt>& findings) {
  std::vector<std::string> out;
  out.reserve(findings.size());
  for (const FindingAt& at : findings) {
    out.push_back(absl::StrCat(at.change->commit.substr(0, 1), " ", at.finding->rule, ":", at.finding->line));
  }
  return out;
}

TEST(Replay, KeepsWhatTheChangeAdds) {
  testing::MemoryChange change({{"demo/demo_impl.py", "def old():\n    return 1\n"}},
                               {{"demo/demo_impl.py", "def old():\n    return 1\ndef new():\n    return 2\n"}});
  const auto replayed = Replay({testing::ReviewPack()}, change, DiffReviewOptions(), kFirst, "title");
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  ASSERT_EQ(replayed->findings.size(), 1u);
  EXPECT_EQ(replayed->findings[0].rule, "L1");
  EXPECT_EQ(replayed->findings[0].line, 4u);
  EXPECT_TRUE(replayed->complete);
  EXPECT_FALSE(replayed->silent());
}

TEST(BaseRates, CountFindingsAndChangesOfEveryRule) {
  const std::vector<ReplayedChange> changes = {
      {kFirst, "", {FindingOf("L1", Severity::kBlock, 1), FindingOf("L1", Severity::kBlock, 2)}},
      {kSecond, "", {FindingOf("L1", Severity::kBlock, 1)}}};
  const std::vector<BaseRate> rates = BaseRates({testing::ReviewPack()}, changes);
  ASSERT_FALSE(rates.empty());
  EXPECT_EQ(rates[0].rule, "L1");
  EXPECT_EQ(rates[0].findings, 3u);
  EXPECT_EQ(rates[0].changes, 2u);
  EXPECT_EQ(rates.size(), testing::ReviewPack()->checks().size());
  EXPECT_EQ(rates.back().findings, 0u);
}

TEST(BaseRates, WhatCouldNotRunWasNotMeasured) {
  Problems problems;
  const rules::PackFiles files = {{"p/pack.json", R"({"name": "p", "title": "t"})"}, {"p/checks/a.json", R"({"checks": [
      {"id": "T", "title": "t", "severity": "MAJOR", "files": ["@pull/title.txt"], "each": "file", "message": "m", "good": [""], "bad": [""]},
      {"id": "D", "title": "t", "severity": "MAJOR", "files": ["@pull/description.md"], "each": "file", "message": "m", "good": [""], "bad": [""]},
      {"id": "W", "title": "t", "severity": "MAJOR", "each": "file", "when": {"exists": {"each": "file", "tree": "new/**"}}, "message": "m", "good": [""], "bad": [""]}]})"}};
  const ReviewPacks packs = {rules::LoadChecks(files, "p", problems)};
  DiffReviewOptions options;
  options.meta.emplace().title = "a title";
  std::vector<ReplayedChange> changes;
  for (const char* path : {"old/a.py", "new/a.py"}) {
    testing::MemoryChange change({}, {{path, "x = 1\n"}});
    changes.push_back(Replay(packs, change, options, kFirst, "").value());
  }
  std::map<std::string, size_t> ran;
  for (const BaseRate& rate : BaseRates(packs, changes)) ran[rate.rule] = rate.ran;
  EXPECT_EQ(ran, (std::map<std::string, size_t>{{"T", 2}, {"D", 0}, {"W", 1}}));
}

TEST(Judge, SaysWhatBecameOfEveryVerdict) {
  const std::vector<ReplayedChange> changes = {
      {kFirst,
       "",
       {FindingOf("A", Severity::kBlock, 1), FindingOf("B.part", Severity::kMajor, 5),
        FindingOf("C", Severity::kMajor, 9), FindingOf("D", Severity::kMinor, 9)}}};
  const std::vector<Verdict> verdicts = {VerdictOf(kFirst, "A", 1), VerdictOf(kFirst, "B", 4, Judgement::kFalse),
                                         VerdictOf(kFirst, "E", 1), VerdictOf(kSecond, "A", 1)};
  const JudgedFindings judged = Judge(verdicts, changes);
  EXPECT_THAT(judged.found.at(Severity::kBlock).by_judgement, ElementsAre(1, 0, 0));
  // A rule stands for its parts, and the line may have moved.
  EXPECT_THAT(judged.found.at(Severity::kMajor).by_judgement, ElementsAre(0, 1, 0));
  EXPECT_THAT(judged.lost, ElementsAre(&verdicts[2]));
  EXPECT_THAT(judged.elsewhere, ElementsAre(&verdicts[3]));
  EXPECT_THAT(Places(judged.unjudged), ElementsAre("1 C:9"));
}

TEST(Judge, AMovedLineIsOnlyTakenWhereItIsTheOnlyOne) {
  const std::vector<ReplayedChange> changes = {
      {kFirst, "", {FindingOf("A", Severity::kBlock, 1), FindingOf("A", Severity::kBlock, 2)}}};
  const std::vector<Verdict> verdicts = {VerdictOf(kFirst, "A", 3)};
  EXPECT_THAT(Judge(verdicts, changes).lost, ElementsAre(&verdicts[0]));
}

TEST(Sample, TakesFromAllRulesInTurn) {
  ReplayedChange change{kFirst, "", {}};
  for (uint32_t line = 1; line <= 5; ++line) change.findings.push_back(FindingOf("A", Severity::kMajor, line));
  change.findings.push_back(FindingOf("B", Severity::kMajor, 1));
  change.findings.push_back(FindingOf("B", Severity::kMajor, 1));
  const std::vector<ReplayedChange> changes = {change};
  const std::vector<FindingAt> all = Judge({}, changes).unjudged;
  const std::vector<FindingAt> sample = SampleOf(all, 3);
  ASSERT_EQ(sample.size(), 3u);
  EXPECT_EQ(sample[0].finding->rule, "A");
  EXPECT_EQ(sample[1].finding->rule, "B");
  EXPECT_EQ(Places(sample), Places(SampleOf(all, 3)));
  EXPECT_EQ(SampleOf(all, 100).size(), 6u);
  EXPECT_THAT(SampleOf({}, 3), IsEmpty());
}

TEST(Differ, SaysWhatOneRunHasAlone) {
  const std::vector<ReplayedChange> base = {
      {kFirst, "", {FindingOf("A", Severity::kMajor, 1), FindingOf("B", Severity::kMajor, 2)}}};
  const std::vector<ReplayedChange> candidate = {
      {kFirst, "", {FindingOf("A", Severity::kMajor, 1), FindingOf("A", Severity::kMajor, 1)}}};
  const FindingDifference difference = Differ(base, candidate);
  EXPECT_THAT(Places(difference.gained), UnorderedElementsAre("1 A:1"));
  EXPECT_THAT(Places(difference.lost), UnorderedElementsAre("1 B:2"));
}

}  // namespace
}  // namespace yardmaster
