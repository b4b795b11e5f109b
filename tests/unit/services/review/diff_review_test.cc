#include "services/review/diff_review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/support/memory_change.h"
#include "tests/support/source_path.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MemoryChange;
using testing::MemoryTree;
using ::testing::UnorderedElementsAre;

const char* const kCase = R"("good": [""], "bad": [""])";

std::shared_ptr<const rules::CheckSet> DiffPack(const std::string& checks, const std::string& more = "") {
  Problems problems;
  const rules::PackFiles files = {{"p/pack.json", R"({"name": "p", "title": "test"})"},
                                  {"p/checks/a.json", absl::StrCat(R"({"checks": [)", checks, "]", more, "}")}};
  auto set = rules::LoadChecks(files, "p", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return set;
}

std::string CheckOf(const std::string& keys, const std::string& id = "C1") {
  return absl::StrCat(R"({"id": ")", id, R"(", "title": "t", "severity": "MAJOR", )", kCase, ", ", keys, "}");
}

const std::string kPrints =
    CheckOf(R"("languages": ["python"], "each": "call", "where": {"name": "print"}, "message": "print")");

ReviewReport Reviewed(const std::shared_ptr<const rules::CheckSet>& pack, Change& change,
                      const DiffReviewOptions& options = {}) {
  absl::StatusOr<ReviewReport> report = ReviewChange({pack}, change, options);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.value_or(ReviewReport());
}

// "new a.py:3 C1 message", …
std::vector<std::string> ToldOf(const ReviewReport& report) {
  std::vector<std::string> out;
  for (const ReportedFinding& one : report.findings) {
    out.push_back(absl::StrCat(std::string(FindingStatusName(one.status)), " ", one.finding.path, ":", one.finding.line,
                               " ", one.finding.message));
  }
  return out;
}

std::vector<std::string> Compared(const std::string& checks, const MemoryTree& base, const MemoryTree& head,
                                  const std::map<std::string, std::string>& renames = {}) {
  MemoryChange change(base, head, renames);
  return ToldOf(Reviewed(DiffPack(checks), change));
}

TEST(ReviewChange, WhatTheChangeAddsIsNewAndTheRestIsStillThereOrFixed) {
  EXPECT_THAT(Compared(kPrints, {{"a.py", "print(1)\nx = 1\nprint(2)\n"}}, {{"a.py", "print(1)\nprint(3)\nx = 1\n"}}),
              ElementsAre("still a.py:1 print", "new a.py:2 print", "fixed a.py:3 print"));
}

TEST(ReviewChange, AnEqualLineThatIsAddedIsNewWhereItStands) {
  EXPECT_THAT(Compared(kPrints, {{"a.py", "x = 1\nprint(1)\n"}}, {{"a.py", "print(1)\nx = 1\nprint(1)\n"}}),
              ElementsAre("new a.py:1 print", "still a.py:3 print"));
}

TEST(ReviewChange, ShiftsFormattingRenamesAndMovesAreNoNews) {
  const std::string text = "def f():\n    print(1, 'a')\n\ndef g():\n    return 1\n";
  EXPECT_THAT(Compared(kPrints, {{"a.py", text}}, {{"a.py", "import os\n\n\n" + text}}),
              ElementsAre("still a.py:5 print"));
  EXPECT_THAT(
      Compared(kPrints, {{"a.py", text}},
               {{"a.py", "def f():\n    print(\n        1,\n        \"a\",\n    )\n\ndef g():\n    return 1\n"}}),
      ElementsAre("still a.py:2 print"));
  EXPECT_THAT(Compared(kPrints, {{"a.py", text}}, {{"b.py", text + "\n"}}, {{"a.py", "b.py"}}),
              ElementsAre("still b.py:2 print"));
  // A function that moves to another file of the change.
  EXPECT_THAT(Compared(kPrints, {{"a.py", text}, {"b.py", "x = 1\n"}},
                       {{"a.py", "def g():\n    return 1\n"}, {"b.py", "x = 1\n\ndef f():\n    print(1, 'a')\n"}}),
              ElementsAre("still b.py:4 print"));
}

TEST(ReviewChange, AFindingThatComesOfALineFarAwayIsNewOnItsUntouchedLine) {
  const std::string unused = CheckOf(
      R"("languages": ["python"], "each": "import", "where": {"absent": {"each": "name", "where": {"name": {"same": "row.bound"}}}}, "message": "unused {bound}")");
  EXPECT_THAT(Compared(unused, {{"a.py", "import os\nx = os\n"}}, {{"a.py", "import os\nx = 1\n"}}),
              ElementsAre("new a.py:1 unused os"));
}

TEST(ReviewChange, QueriesOfTheTreeSeeTheTextOfAChangedFileThatNoCheckLooksAt) {
  const std::string too_new = CheckOf(
      R"("files": ["*.py"], "each": "import", "where": {"name": "Self", "absent": {"each": "file", "tree": "project.toml", "where": {"text": {"contains": "3.11"}}}}, "message": "too new")");
  const MemoryTree base = {{"a.py", "x = 1\n"}, {"project.toml", "python = 3.10\n"}};
  MemoryTree head = {{"a.py", "from typing import Self\n"}, {"project.toml", "python = 3.11\n"}};
  EXPECT_THAT(Compared(too_new, base, head), IsEmpty());
  head["project.toml"] = "python = 3.9\n";
  EXPECT_THAT(Compared(too_new, base, head), ElementsAre("new a.py:1 too new"));
}

TEST(ReviewChange, ADeletedFileHasOnlyFixedFindingsAndACopyHasNewOnes) {
  EXPECT_THAT(Compared(kPrints, {{"a.py", "print(1)\n"}}, {}), ElementsAre("fixed a.py:1 print"));
  MemoryTree head = {{"a.py", "print(1)\n"}, {"b.py", "print(1)\n"}};
  EXPECT_THAT(Compared(kPrints, {{"a.py", "print(1)\n"}}, head), ElementsAre("new b.py:1 print"));
}

// A rule that looks at touched lines alone.
std::string OfTouched(const std::string& keys, const std::string& more = "") {
  return CheckOf(absl::StrCat(R"("languages": ["python"], "message": "found", )", keys, more));
}
const std::string kTouchedPrints = OfTouched(R"("each": "call", "where": {"added": true, "name": "print"})");
const std::string kTouchedUndescribed =
    OfTouched(R"("each": "function", "where": {"added": true, "doc": {"missing": true}})");

TEST(ReviewChange, WhatHoldsOnALineThatIsNotTouchedIsNotFixed) {
  EXPECT_THAT(Compared(kTouchedPrints, {{"a.py", "print(1)\nx = 1\n"}}, {{"a.py", "print(1)\nx = 2\n"}}), IsEmpty());
  EXPECT_THAT(Compared(kTouchedPrints, {{"a.py", "print(1)\nx = 1\n\n\ny = 1\n"}},
                       {{"a.py", "print(1)\nx = 1\n\n\ny = 1\nz = 1\n"}}),
              IsEmpty());
  EXPECT_THAT(
      Compared(kTouchedPrints, {{"a.py", "x = 1\nprint(1)\n"}}, {{"b.py", "x = 2\nprint(1)\n"}}, {{"a.py", "b.py"}}),
      IsEmpty());
}

TEST(ReviewChange, WhatStoodOnALineThatIsGoneIsFixed) {
  EXPECT_THAT(Compared(kTouchedPrints, {{"a.py", "print(1)\nx = 1\n"}}, {{"a.py", "x = 1\n"}}),
              ElementsAre("fixed a.py:1 found"));
  EXPECT_THAT(Compared(kTouchedPrints, {{"a.py", "print(1)\nx = 1\n"}}, {{"a.py", "log(1)\nx = 1\n"}}),
              ElementsAre("fixed a.py:1 found"));
  EXPECT_THAT(Compared(kTouchedPrints, {{"a.py", "print(1)\n"}}, {}), ElementsAre("fixed a.py:1 found"));
  // One of two that are equal.
  EXPECT_THAT(Compared(kTouchedPrints, {{"a.py", "print(1)\nx = 1\nprint(1)\n"}}, {{"a.py", "x = 1\nprint(1)\n"}}),
              ElementsAre("fixed a.py:1 found"));
}

TEST(ReviewChange, ARuleAboutNewFilesSaysNothingOfOldOnes) {
  const std::string fresh = CheckOf(
      R"("each": "file", "where": {"new": true, "text": {"not": {"contains": "Copyright"}}}, "message": "fresh")");
  const std::string old = CheckOf(
      R"("each": "file", "where": {"change": "modified", "text": {"not": {"contains": "Copyright"}}}, "message": "old")",
      "C2");
  EXPECT_THAT(
      Compared(absl::StrCat(fresh, ",", old), {{"a.py", "x = 1\n"}}, {{"a.py", "x = 2\n"}, {"b.py", "y = 1\n"}}),
      ElementsAre("new a.py:0 old", "new b.py:0 fresh"));
  EXPECT_THAT(Compared(fresh, {{"a.py", "x = 1\n"}}, {{"a.py", "# Copyright\nx = 1\n"}}), IsEmpty());
}

TEST(ReviewChange, AFunctionThatIsTouchedHasItsOldFindingStill) {
  const std::string base = "def f(x):\n    y = x\n    return y\n";
  // By a line that is added, by one that is changed, and above it.
  for (const char* head :
       {"def f(x):\n    y = x\n    y += 1\n    return y\n", "def f(x):\n    y = 2\n    return y\n"}) {
    EXPECT_THAT(Compared(kTouchedUndescribed, {{"a.py", base}}, {{"a.py", head}}), ElementsAre("still a.py:1 found"));
  }
  EXPECT_THAT(Compared(kTouchedUndescribed, {{"a.py", base}}, {{"a.py", "@cached\n" + base}}),
              ElementsAre("still a.py:2 found"));
  // Where lines were only taken away, nothing is told.
  EXPECT_THAT(Compared(kTouchedUndescribed, {{"a.py", base}}, {{"a.py", "def f(x):\n    return y\n"}}), IsEmpty());
  EXPECT_THAT(Compared(kTouchedUndescribed, {{"a.py", base}},
                       {{"a.py", "def f(x):\n    \"\"\"Says.\"\"\"\n    y = x\n    return y\n"}}),
              ElementsAre("fixed a.py:1 found"));
}

TEST(ReviewChange, ARuleThatTellsTheFirstOfAFileIsComparedByAllOfThem) {
  const std::string first =
      OfTouched(R"("each": "call", "where": {"added": true, "name": "print"})", R"(, "once": "file")");
  // The first one went; the second one, which is touched and was there, is no news.
  EXPECT_THAT(Compared(first, {{"a.py", "print(1)\nx = 1\nprint(2)\n"}}, {{"a.py", "x = 1\nprint( 2)\n"}}),
              ElementsAre("still a.py:2 found", "fixed a.py:1 found"));
  // A new one before it does not make the others fixed.
  EXPECT_THAT(Compared(first, {{"a.py", "x = 1\nprint(2)\n"}}, {{"a.py", "print(1)\nx = 1\nprint( 2)\n"}}),
              ElementsAre("new a.py:1 found"));
  // And however many were fixed, it is told once.
  EXPECT_THAT(Compared(first, {{"a.py", "print(1)\nprint(2)\nx = 1\n"}}, {{"a.py", "x = 1\n"}}),
              ElementsAre("fixed a.py:1 found"));
}

TEST(ReviewChange, FingerprintsHoldOverShiftsFormattingAndRenames) {
  const auto pack = DiffPack(kPrints);
  const std::string text = "def f():\n    print(1)\n    print(1)\n";
  MemoryChange first({}, {{"a.py", text}});
  MemoryChange second({}, {{"sub/b.py", "# moved\n\ndef f():\n    print( 1 )\n    print(1,)\n"}});
  const ReviewReport before = Reviewed(pack, first);
  const ReviewReport after = Reviewed(pack, second);
  ASSERT_EQ(before.findings.size(), 2u);
  ASSERT_EQ(after.findings.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(before.findings[i].finding.fingerprint, after.findings[i].finding.fingerprint);
  }
  EXPECT_NE(before.findings[0].finding.fingerprint, before.findings[1].finding.fingerprint);
}

TEST(ReviewChange, FunctionsAndParametersKnowWhatTheyWere) {
  const std::string base = "def kept(a, b): pass\ndef gone(): pass\ndef moved(x):\n    return x\n";
  const std::string head = "def kept(a, c, b2=1): pass\ndef come(): pass\n";
  const auto words = [&](const std::string& each, const std::string& side, const std::string& message) {
    const std::string kind = side.empty() ? "\"" + each + "\"" : R"({"each": ")" + each + R"(", "side": "base"})";
    return Compared(CheckOf(absl::StrCat(R"("languages": ["python"], "each": )", kind,
                                         R"(, "where": {"change": {"missing": false}}, "message": ")", message, "\"")),
                    {{"a.py", base}, {"b.py", "y = 1\n"}}, {{"a.py", head}, {"b.py", "def moved(x):\n    return x\n"}});
  };
  EXPECT_THAT(words("function", "", "{name} {change}"),
              UnorderedElementsAre("new a.py:1 kept changed", "new a.py:2 come added", "new b.py:1 moved moved"));
  EXPECT_THAT(words("function", "base", "{name} {change}"),
              UnorderedElementsAre("new a.py:0 kept changed", "new a.py:0 gone removed", "new a.py:0 moved moved"));
  EXPECT_THAT(words("parameter", "", "{name} {change}"),
              UnorderedElementsAre("new a.py:1 a same-as-base", "new a.py:1 c added", "new a.py:1 b2 added",
                                   "new b.py:1 x same-as-base"));
}

TEST(ReviewChange, ARenamedParameterIsKnownByItsPlace) {
  const std::string check = CheckOf(
      R"("languages": ["python"], "each": "parameter", "where": {"change": "renamed"}, "message": "{former.name} is {name} now")");
  EXPECT_THAT(Compared(check, {{"a.py", "def f(a, b): pass\n"}}, {{"a.py", "def f(a, c): pass\n"}}),
              ElementsAre("new a.py:1 b is c now"));
}

const std::string kNeedsTest = CheckOf(
    R"("files": ["src/**"], "each": "function", "where": {"public": true, "absent": {"each": "file", "tree": "tests/**/test_*.py", "where": {"text": {"contains": "{row.name}"}}}}, "message": "no test of {name}")");

TEST(ReviewChange, ATestIsLookedForInTheWholeTree) {
  const MemoryTree tests = {{"tests/a/test_x.py", "from src.x import old, tested\n"}};
  MemoryTree base = tests;
  base["src/x.py"] = "def old(): pass\ndef untested(): pass\n";
  MemoryTree head = tests;
  head["src/x.py"] = "def old(): pass\ndef untested(): pass\ndef tested(): pass\ndef fresh(): pass\n";
  EXPECT_THAT(Compared(kNeedsTest, base, head),
              ElementsAre("still src/x.py:2 no test of untested", "new src/x.py:4 no test of fresh"));
  // The change brings the test.
  head["tests/a/test_y.py"] = "from src.x import fresh, untested\n";
  EXPECT_THAT(Compared(kNeedsTest, base, head), ElementsAre("fixed src/x.py:2 no test of untested"));
}

TEST(ReviewChange, WithoutTheTreeSuchAChecksIsSkippedAndTheReviewIsNotComplete) {
  MemoryChange change({}, {{"src/x.py", "def f(): pass\n"}});
  change.listed = false;
  const ReviewReport report = Reviewed(DiffPack(kNeedsTest), change);
  EXPECT_THAT(report.findings, IsEmpty());
  ASSERT_EQ(report.skipped.size(), 1u);
  EXPECT_EQ(report.skipped[0].reason, "needs the tree around the file");
  EXPECT_EQ(report.skipped[0].reason_zh, "需要文件所在的目录树");
  EXPECT_FALSE(report.complete);
}

TEST(ReviewChange, TheCounterpartInAnotherFileIsLookedUpByAName) {
  const std::string pair = CheckOf(
      R"("files": ["a/*.py"], "each": "function", "where": {"change": "added", "absent": {"each": "function", "tree": "b/{row.file.name}", "where": {"name": {"same": "row.name"}}}}, "message": "b has no {name}")");
  EXPECT_THAT(Compared(pair, {{"a/x.py", ""}, {"b/x.py", "def two(): pass\n"}},
                       {{"a/x.py", "def one(): pass\ndef two(): pass\n"}, {"b/x.py", "def two(): pass\n"}}),
              ElementsAre("new a/x.py:1 b has no one"));
}

TEST(ReviewChange, WhatBecameOfAFileIsAFact) {
  const std::string check = CheckOf(
      R"("each": "file", "where": {"change": {"missing": false}}, "message": "{change} {former_path} +{added_lines} -{removed_lines}")");
  EXPECT_THAT(Compared(check, {{"a.py", "x = 1\ny = 2\n"}, {"c.py", "z = 1\n"}},
                       {{"b.py", "x = 1\ny = 3\nz = 4\n"}, {"d.py", "w = 1\n"}}, {{"a.py", "b.py"}}),
              UnorderedElementsAre("new b.py:0 renamed a.py +2 -1", "new d.py:0 added  +1 -0"));
}

TEST(ReviewChange, RulesAboutThePullRequestNeedWhatTheForgeKnows) {
  const auto pack = DiffPack(CheckOf(
      R"("files": ["@pull/title.txt"], "each": "line", "where": {"text": {"not": {"prefix": "["}}}, "message": "no kind")"));
  MemoryChange change({}, {{"x.py", "x = 1\n"}});
  const ReviewReport without = Reviewed(pack, change);
  EXPECT_THAT(without.findings, IsEmpty());
  ASSERT_EQ(without.skipped.size(), 1u);
  EXPECT_THAT(without.skipped[0].reason, HasSubstr("title"));
  EXPECT_THAT(without.skipped[0].reason_zh, HasSubstr("需要 PR 的 title"));
  DiffReviewOptions options;
  options.meta.emplace().title = "fix it";
  EXPECT_THAT(ToldOf(Reviewed(pack, change, options)), ElementsAre("new @pull/title.txt:1 no kind"));
}

TEST(ReviewChange, OnlyRulesAboutWhatIsNotKnownOfThePullRequestAreSkipped) {
  const auto about = [](const std::string& file, const std::string& id) {
    return CheckOf(absl::StrCat(R"("files": [")", file, R"("], "each": "file", "message": "seen")"), id);
  };
  const auto pack = DiffPack(absl::StrJoin({about("@pull/title.txt", "C1"), about("@pull/description.md", "C2"),
                                            about("@pull/commits/*.txt", "C3"), about("@pull/labels.txt", "C4")},
                                           ","));
  MemoryChange change({}, {{"x.py", "x = 1\n"}});
  DiffReviewOptions options;
  options.meta.emplace().title = "a title";
  options.meta->commits.emplace().push_back({"c1", "a message", ""});
  const ReviewReport report = Reviewed(pack, change, options);
  EXPECT_THAT(ToldOf(report), ElementsAre("new @pull/commits/c1.txt:0 seen", "new @pull/title.txt:0 seen"));
  std::vector<std::string> skipped;
  for (const rules::SkippedCheck& one : report.skipped) skipped.push_back(one.rule_id + " " + one.reason);
  EXPECT_THAT(skipped, ElementsAre("C2 needs description of the pull request", "C4 needs labels of the pull request"));
}

TEST(ReviewChange, AnExemptionHoldsForBothSides) {
  MemoryChange change({{"a.py", "print(1)\n"}}, {{"a.py", "print(2)\n"}});
  DiffReviewOptions options;
  options.settings.exemptions.push_back({{"C1"}, {}, "accepted", ""});
  options.today = "2026-01-01";
  EXPECT_THAT(Reviewed(DiffPack(kPrints), change, options).findings, IsEmpty());
}

TEST(ReviewChange, TooManyFilesAreToldAndTheReviewIsNotComplete) {
  MemoryTree head;
  for (size_t i = 0; i <= kMaxDiffFiles; ++i) head[absl::StrCat("f", i, ".py")] = "x = 1\n";
  MemoryChange change({}, head);
  const ReviewReport report = Reviewed(DiffPack(kPrints), change);
  EXPECT_FALSE(report.complete);
  ASSERT_EQ(report.skipped.size(), 1u);
  EXPECT_THAT(report.skipped[0].reason, HasSubstr("1 more files"));
}

// Random edits of files: whatever is done to them, a finding is new if and only if its like is not on the base as
// often.
class RandomChange : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(AnyLineAndTouchedLines, RandomChange, ::testing::Values(kPrints, kTouchedPrints),
                         [](const auto& info) { return info.index == 0 ? "AnyLine" : "TouchedLines"; });

TEST_P(RandomChange, AFindingIsNewIfAndOnlyIfItIsNotOnTheBase) {
  const auto pack = DiffPack(GetParam());
  std::mt19937 random(20'261'123);
  const auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  for (int round = 0; round < 150; ++round) {
    // Every call has a text of its own, so that which one it is can be told from outside.
    std::vector<std::vector<std::string>> files(3);
    int next = 0;
    const auto block = [&] {
      const int n = next++;
      return n % 3 == 0 ? absl::StrCat("print(", n, ")\n") : absl::StrCat("x", n, " = ", n, "\n");
    };
    for (auto& file : files) {
      for (size_t i = 0; i < 3 + pick(12); ++i) file.push_back(block());
    }
    auto changed = files;
    for (size_t edits = pick(12); edits-- > 0;) {
      auto& file = changed[pick(changed.size())];
      const size_t at = pick(file.size() + 1);
      switch (pick(5)) {
        case 0:
        case 1:
          file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), block());
          break;
        case 2:
          if (at < file.size()) file.erase(file.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 3:  // moved, perhaps to another file
          if (at < file.size()) {
            auto& other = changed[pick(changed.size())];
            const std::string line = file[at];
            file.erase(file.begin() + static_cast<std::ptrdiff_t>(at));
            other.insert(other.begin() + static_cast<std::ptrdiff_t>(pick(other.size() + 1)), line);
          }
          break;
        default:
          file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), "\n");
      }
    }
    const bool renamed = pick(2) == 0;
    const auto path = [&](size_t i, bool head) {
      return absl::StrCat(head && renamed && i == 0 ? "r" : "f", i, ".py");
    };
    MemoryTree base;
    MemoryTree head;
    for (size_t i = 0; i < 3; ++i) {
      base[path(i, false)] = absl::StrJoin(files[i], "");
      head[path(i, true)] = absl::StrJoin(changed[i], "");
    }
    MemoryChange change(
        base, head,
        renamed ? std::map<std::string, std::string>{{"f0.py", "r0.py"}} : std::map<std::string, std::string>{});
    const std::string all_base = absl::StrJoin(base, "", [](std::string* out, const auto& f) { *out += f.second; });
    const std::string all_head = absl::StrJoin(head, "", [](std::string* out, const auto& f) { *out += f.second; });
    for (const ReportedFinding& one : Reviewed(pack, change).findings) {
      const bool fixed = one.status == FindingStatus::kFixed;
      const std::string& text =
          fixed ? base[one.finding.path == "r0.py" ? "f0.py" : one.finding.path] : head[one.finding.path];
      const std::vector<std::string> lines = absl::StrSplit(text, '\n');
      const std::string call = lines[one.finding.line - 1] + "\n";
      EXPECT_EQ(one.status == FindingStatus::kNew, !fixed && all_base.find(call) == std::string::npos)
          << "round " << round << " " << call;
      EXPECT_EQ(fixed, all_head.find(call) == std::string::npos) << "round " << round << " " << call;
    }
  }
}

// Functions of a real file, with what stands between them.
std::vector<std::string> PiecesOf(const std::string& text) {
  std::vector<std::string> pieces = {""};
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    if (absl::StartsWith(line, "def ")) pieces.emplace_back();
    absl::StrAppend(&pieces.back(), line, "\n");
  }
  return pieces;
}

// What a change adds stays news, and nothing else becomes it, when it is put on a newer base, pushed again with other
// neighbours, or split over other files.
TEST(ReviewChange, ARebaseOfRealFilesGivesNoFalseNews) {
  const auto pack = DiffPack(
      CheckOf(R"("languages": ["python"], "each": "call", "where": {"root": "json"}, "message": "{name}")", "C1") +
      "," +
      CheckOf(
          R"("languages": ["python"], "each": "function", "where": {"doc": {"missing": true}}, "message": "{name}")",
          "C2"));
  std::vector<std::string> files;
  for (const char* name : {"tests/bench/harness.py", "tests/bench/suites.py", "tests/layers.py", "tests/cases.py"}) {
    files.push_back(testing::SourceText(name));
    ASSERT_GT(files.back().size(), 1000u) << name;
  }
  const auto news = [&](const MemoryTree& base, const MemoryTree& head,
                        const std::map<std::string, std::string>& renames) {
    MemoryChange change(base, head, renames);
    std::multiset<std::string> out;
    for (const ReportedFinding& one : Reviewed(pack, change).findings) {
      if (one.status == FindingStatus::kNew) out.insert(one.finding.fingerprint);
    }
    return out;
  };
  std::mt19937 random(4);
  const auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  for (int round = 0; round < 25; ++round) {
    MemoryTree base, head, newer_base, newer_head;
    std::map<std::string, std::string> renames;
    size_t added = 0;
    for (size_t i = 0; i < files.size(); ++i) {
      std::vector<std::string> pieces = PiecesOf(files[i]);
      std::vector<std::string> mine = pieces;
      std::vector<std::string> theirs = pieces;
      // The change: functions of its own, functions in another order, functions that are gone.
      const size_t edits = pick(4);
      for (size_t edit = 0; edit < edits; ++edit) {
        const auto at = static_cast<std::ptrdiff_t>(1 + pick(mine.size() - 1));
        if (pick(3) == 0 && mine.size() > 3) std::swap(mine[1 + pick(mine.size() - 1)], mine[static_cast<size_t>(at)]);
        mine.insert(mine.begin() + at, absl::StrCat("def mine", round, "_", added,
                                                    "(x):\n    return json.dumps(x, indent=", added, ")\n\n\n"));
        ++added;
      }
      // The newer base: other people's functions and blank lines, put at the same places of both.
      std::vector<std::string> both = mine;
      const std::string other = absl::StrCat("def theirs", round, "_", i, "(x):\n    return json.loads(x)\n\n\n");
      theirs.insert(theirs.begin() + 1, other);
      both.insert(both.begin() + 1, other);
      const std::string path = absl::StrCat("f", i, ".py");
      const std::string head_path = pick(3) == 0 ? absl::StrCat("moved/f", i, ".py") : path;
      if (head_path != path) renames[path] = head_path;
      base[path] = absl::StrJoin(pieces, "");
      head[head_path] = absl::StrJoin(mine, "");
      newer_base[path] = "\n# newer\n" + absl::StrJoin(theirs, "");
      newer_head[head_path] = "\n# newer\n" + absl::StrJoin(both, "");
    }
    const std::multiset<std::string> before = news(base, head, renames);
    // Each function of the change has one call and no documentation.
    EXPECT_EQ(before.size(), 2 * added) << "round " << round;
    EXPECT_EQ(news(newer_base, newer_head, renames), before) << "round " << round;
  }
}

}  // namespace
}  // namespace yardmaster
