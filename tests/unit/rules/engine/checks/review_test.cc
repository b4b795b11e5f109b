#include "rules/engine/checks/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "rules/engine/checks/line_diff.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

PackFiles Pack(const std::string& checks) {
  return {{"p/pack.json", R"({"name": "p", "title": "test"})"}, {"p/checks/a.json", checks}};
}

std::shared_ptr<const CheckSet> Load(const std::string& checks) {
  Problems problems;
  auto set = LoadChecks(Pack(checks), "p", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return set;
}

std::vector<std::string> ProblemsOf(const std::string& checks) {
  Problems problems;
  EXPECT_EQ(LoadChecks(Pack(checks), "p", problems), nullptr);
  std::vector<std::string> out;
  for (const Problem& problem : problems) out.push_back(problem.ToString());
  return out;
}

// One check with these keys.
std::string One(const std::string& keys) {
  return R"({"checks": [{"id": "C1", "title": "t", "severity": "MAJOR", "message": "m", "good": ["x = 1"], "bad": ["x = 1"], )" +
         keys + "}]}";
}

// With a message of its own.
std::string Telling(const std::string& keys) {
  constexpr std::string_view kMessage = R"("message": "m", )";
  std::string text = One(keys);
  return text.erase(text.find(kMessage), kMessage.size());
}

std::vector<std::string> Found(const CheckSet& checks, const std::vector<ReviewFile>& files,
                               const ReviewOptions& options = {}) {
  std::vector<std::string> out;
  for (const Finding& finding : Review(checks, files, options).findings) {
    out.push_back(finding.path + ":" + std::to_string(finding.line) + ":" + std::to_string(finding.column) + " " +
                  finding.rule_id + " " + finding.message);
  }
  return out;
}

// Of what `Found` found of C1.
std::string Message(const std::string& found) {
  constexpr std::string_view kRule = " C1 ";
  return found.substr(found.find(kRule) + kRule.size());
}

ReviewFile File(std::string path, std::string text) { return {std::move(path), std::move(text), {}, "", false}; }

TEST(LoadChecks, AWordThatAFieldNeverIsNamesItsPlace) {
  const auto told = [](const std::string& keys) { return ProblemsOf(One(keys)).front(); };
  EXPECT_THAT(told(R"("each": "expr", "where": {"slot": "argumant"})"), HasSubstr("did you mean \"argument\"?"));
  EXPECT_THAT(told(R"("each": "expr", "where": {"slot": "argumant"})"), HasSubstr(": /checks/0/where/slot: "));
  EXPECT_THAT(told(R"("each": "expr", "where": {"parent.type": ["call", "cal"]})"), HasSubstr("/where/parent.type/1"));
  EXPECT_THAT(told(R"("each": "assign", "where": {"form": {"not": {"equals": "plane"}}})"),
              HasSubstr("expected one of plain,"));
  EXPECT_THAT(told(R"("each": "call", "where": {"guard": "mein"})"), HasSubstr("expected one of main,"));
  EXPECT_THAT(told(R"("each": "call", "where": {"file.role": "impl"})"), HasSubstr("is never the \"role\""));
  EXPECT_THAT(told(R"("each": "call", "where": {"file.language": "c++"})"), HasSubstr("cpp"));
  EXPECT_THAT(told(R"("each": "call", "where": {"exists": {"each": "loop", "where": {"form": "until"}}})"),
              HasSubstr("while"));
  EXPECT_NE(Load(One(R"("each": "expr", "where": {"slot": {"equals": "ARGUMENT", "fold": true}})")), nullptr);
  EXPECT_NE(Load(One(R"("each": "expr", "where": {"slot": {"prefix": "arg"}, "type": "{parent.type}"})")), nullptr);
}

TEST(LoadChecks, ATypeOrSlotThatNoRowOfTheKindHasIsAProblem) {
  const auto told = [](const std::string& keys) { return ProblemsOf(One(keys)).front(); };
  EXPECT_THAT(told(R"("each": "decorator", "where": {"slot": "argument"})"), HasSubstr("expected one of decorator"));
  EXPECT_THAT(told(R"("each": ["call", "name"], "where": {"type": "list"})"), HasSubstr("expected one of call, name"));
  EXPECT_THAT(told(R"("each": "return", "where": {"type": "raise"})"), HasSubstr("no row of this kind"));
  EXPECT_THAT(told(R"("each": "file", "where": {"exists": {"each": "call", "where": {"type": "name"}}})"),
              HasSubstr("no row of this kind"));
  EXPECT_NE(Load(One(R"("each": "argument", "where": {"slot": ["keyword", "value"], "type": "call"})")), nullptr);
  EXPECT_NE(Load(One(R"("each": ["call", "argument"], "where": {"slot": "value"})")), nullptr);
}

TEST(LoadChecks, AnUnknownFieldNamesItsPlaceAndTheNearestOne) {
  EXPECT_THAT(ProblemsOf(One(R"("each": "call", "where": {"nmae": "x"})")),
              ElementsAre(HasSubstr("p/checks/a.json:1:")));
  EXPECT_THAT(ProblemsOf(One(R"("each": "call", "where": {"nmae": "x"})"))[0], HasSubstr("did you mean \"name\"?"));
}

TEST(LoadChecks, AnUnknownKindDefinitionListRoleOrPatternIsAProblem) {
  EXPECT_THAT(ProblemsOf(One(R"("each": "cal")"))[0], HasSubstr("did you mean \"call\"?"));
  EXPECT_THAT(ProblemsOf(One(R"("each": "call", "where": {"is": "x"})"))[0], HasSubstr("unknown definition"));
  EXPECT_THAT(ProblemsOf(One(R"("each": "call", "where": {"name": {"in": "x"}})"))[0], HasSubstr("unknown list"));
  EXPECT_THAT(ProblemsOf(One(R"("each": "call", "roles": ["x"])"))[0], HasSubstr("unknown role"));
  EXPECT_THAT(ProblemsOf(One(R"("each": "call", "where": {"name": {"re": "("}})"))[0], HasSubstr("RE2"));
  EXPECT_THAT(ProblemsOf(One(R"("query": "(nonsense) @x", "languages": ["python"])"))[0], HasSubstr("unknown node"));
}

TEST(LoadChecks, PlacesOfThisVersionAreNotLookedUpInTheOther) {
  EXPECT_THAT(ProblemsOf(One(
                  R"("each": "function", "where": {"exists": {"each": "call", "scope": "inside", "side": "base"}})")),
              ElementsAre(HasSubstr("the scopes file and files only")));
}

TEST(LoadChecks, APackWithoutChecksHasAnEmptySet) {
  Problems problems;
  const auto set = LoadChecks({{"p/pack.json", R"({"name": "p", "title": "t"})"}}, "p", problems);
  ASSERT_NE(set, nullptr);
  EXPECT_TRUE(set->checks().empty());
}

TEST(LoadChecks, AnExtendingPackReplacesAChecksOfItsParent) {
  PackFiles files = Pack(One(R"("each": "call")"));
  files["q/pack.json"] = R"({"name": "q", "title": "t", "extends": "p"})";
  files["q/checks/b.json"] = One(R"("each": "loop")");
  Problems problems;
  const auto set = LoadChecks(files, "q", problems);
  ASSERT_NE(set, nullptr);
  ASSERT_EQ(set->checks().size(), 1U);
  EXPECT_EQ(set->checks()[0].pack, "q");
}

TEST(Review, EveryOffenderIsFoundWithColumnsInCharacters) {
  const auto set = Load(One(R"("each": "call", "where": {"name": "eval"}, "languages": ["python"])"));
  EXPECT_THAT(Found(*set, {File("a.py", "s = 'äö'; eval(s)\neval(1); eval(2)\n")}),
              ElementsAre("a.py:1:11 C1 m", "a.py:2:1 C1 m", "a.py:2:10 C1 m"));
}

TEST(Review, ASyntaxErrorIsAFindingAndTheOtherRulesStillRun) {
  const auto set = Load(One(R"("each": "call", "where": {"name": "eval"})"));
  EXPECT_THAT(Found(*set, {File("a.py", "eval(1)\nx = = 2\n")}), ElementsAre("a.py:1:1 C1 m", HasSubstr("a.py:2:")));
}

TEST(Review, APassedLimitIsAFinding) {
  const auto set = Load(One(R"("each": "call")"));
  const ReviewResult result = Review(*set, {File("a.py", std::string(3 << 20, '#'))}, {});
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].rule_id, kLimitRule);
  EXPECT_EQ(result.findings[0].severity, Severity::kBlock);
}

TEST(Review, ChecksThatTakeTooLongEndInAFinding) {
  // Every call looks at every pair of calls.
  const auto set = Load(One(
      R"("each": "call", "where": {"exists": {"each": "call", "where": {"exists": {"each": "call", "where": {"name": "no"}}}}})"));
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "f(1)\n";
  ReviewOptions options;
  options.check_limit = std::chrono::milliseconds(50);
  const ReviewResult result = Review(*set, {File("a.py", text)}, options);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].rule_id, kLimitRule);
}

TEST(Review, LongChainsOfCallsEndWithinTheLimits) {
  const auto checks = Load(One(
      R"("each": "function", "where": {"count": {"each": "call", "scope": "reachable", "where": {"name": "x"}, "at_least": 1}})"));
  std::string text;
  for (int i = 0; i < 30'000; ++i) {
    text += "def f" + std::to_string(i) + "():\n  f" + std::to_string(i + 1) + "()\n";
  }
  ReviewOptions options;
  options.parse_limit = std::chrono::seconds(60);
  options.check_limit = std::chrono::milliseconds(300);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(Found(*checks, {File("a.py", text)}, options), ElementsAre(HasSubstr("took longer than 300 ms")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Review, PatternsOverTheWholeTextOfManyRowsEndWithinTheLimits) {
  const auto checks =
      Load(One(R"("each": "call", "where": {"file.head": {"missing": false}, "function.text": {"re": "[yz][yz]+w"}})"));
  std::string text = "def f():\n";
  for (int i = 0; i < 30'000; ++i) text += "  g(zzzzzzzzz)\n";
  ReviewOptions options;
  options.parse_limit = std::chrono::seconds(60);
  options.check_limit = std::chrono::milliseconds(300);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(Found(*checks, {File("a.py", text)}, options), ElementsAre(HasSubstr("took longer than 300 ms")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Review, ManyFindingsInOneLongLineEndWithinTheLimits) {
  const auto checks = Load(One(R"("each": "entry", "where": {"type": "number"})"));
  std::string text = "[0";
  for (int i = 0; i < 700'000; ++i) text += ",1";
  const auto start = std::chrono::steady_clock::now();
  const auto found = Found(*checks, {File("a.json", text + "]")});
  EXPECT_FALSE(found.empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Review, ALetWithAQueryLeavesTheRowsOfTheQueryAroundItAlone) {
  const auto checks = Load(One(
      R"("each": "function", "let": {"n": {"count": {"each": "class"}}}, "where": {"exists": {"each": "call", "scope": "inside", "where": {"all": [{"n": 2}, {"name": "right"}]}}})"));
  const std::string text = "class A: pass\nclass B: pass\ndef f():\n  wrong()\n  wrong()\n  right()\n";
  EXPECT_THAT(Found(*checks, {File("a.py", text)}), ElementsAre(HasSubstr("a.py:3:5 C1")));
}

TEST(Review, AnAliasOfALongNameIsNotWrittenOutForEachUse) {
  const auto checks = Load(One(R"("each": "call", "where": {"resolved": {"prefix": "abc"}})"));
  std::string text = "import abc" + std::string(250'000, 'd') + " as p\n";
  for (int i = 0; i < 10'000; ++i) text += "p.f()\n";
  EXPECT_THAT(Found(*checks, {File("a.py", text)}), ::testing::IsEmpty());
}

TEST(Review, AddedLinesAndRowsThatAreGone) {
  const auto added = Load(One(R"("each": "call", "where": {"name": "print", "added": true})"));
  ReviewFile file = File("a.py", "print(1)\nprint(2)\n");
  file.base = "print(1)\n";
  EXPECT_THAT(Found(*added, {file}), ElementsAre("a.py:2:1 C1 m"));

  const auto gone = Load(One(
      R"("each": {"each": "function", "side": "base"}, "where": {"public": true, "absent": {"each": "function", "files": {"path": {"same": "row.file.path"}}, "where": {"qualified": {"same": "row.qualified"}}}})"));
  file = File("a.py", "def f(): pass\n");
  file.base = "def f(): pass\ndef g(): pass\n";
  EXPECT_THAT(Found(*gone, {file}), ElementsAre("a.py:0:0 C1 m"));
}

// Such rows are looked up; the rest of the condition, the kind and the definition still count.
TEST(Review, RowsWithTheTextOfAnotherRow) {
  const std::string text =
      "def f(): pass\ndef g(a):\n  a.f(1)\n  b.f()\n  f()\nclass h: pass\ndef h(): pass\nx = f\n_ = g\n";
  const auto callers = [&](const std::string& query) {
    const auto checks = Load(Telling(
        R"("each": "function", "let": {"own": {"field": "row.name"}}, "message": "{name}", "where": {"exists": )" +
        query + "}"));
    std::vector<std::string> names;
    for (const std::string& found : Found(*checks, {File("a.py", text)})) names.push_back(Message(found));
    return names;
  };
  EXPECT_THAT(callers(R"({"each": "call", "where": {"attr": {"same": "row.name"}}})"), ElementsAre("f"));
  EXPECT_THAT(callers(R"({"each": "call", "where": {"attr": {"same": "row.name"}, "size": 2}})"), ElementsAre());
  EXPECT_THAT(callers(R"({"each": "name", "where": {"name": {"same": "row.name"}}})"), ElementsAre("f", "g"));
  EXPECT_THAT(callers(R"({"each": "name", "where": {"name": {"same": "own"}, "slot": "callee"}})"), ElementsAre("f"));
  EXPECT_THAT(callers(R"({"each": "class", "scope": "files", "where": {"name": {"same": "own"}}})"), ElementsAre("h"));
  // A number is no text, a row may name itself, and long texts are compared as well.
  EXPECT_THAT(callers(R"({"each": "assign", "where": {"name": {"same": "row.line"}}})"), ElementsAre());
  EXPECT_THAT(callers(R"({"each": "function", "as": "o", "where": {"name": {"same": "o.qualified"}}})"),
              ElementsAre("f", "g", "h"));
  EXPECT_THAT(callers(R"({"each": "expression", "where": {"text": {"same": "row.text"}}})"), ElementsAre());
  const std::string name(200, 'n');
  const auto checks = Load(Telling(
      R"("each": "function", "message": "{line}", "where": {"exists": {"each": "call", "where": {"name": {"same": "row.name"}}}})"));
  EXPECT_THAT(Found(*checks, {File("a.py", "def " + name + "(): pass\n" + name + "()\n")}),
              ElementsAre(HasSubstr("a.py:1")));
}

TEST(Review, ConditionsOverSeveralFilesAndTheWholeSet) {
  const std::string roles =
      R"("roles": [{"role": "impl", "path": "(?P<op>\\w+)_impl\\.py", "example": "x_impl.py"}, {"role": "doc", "path": ".*\\.md", "example": "a.md"}], )";
  std::string checks =
      One(R"("each": "set", "where": {"absent": {"each": "file", "files": "doc"}}, "path": "{set.op}.md")");
  checks.insert(1, roles);
  const auto set = Load(checks);
  EXPECT_THAT(Found(*set, {File("demo_impl.py", "x = 1\n")}), ElementsAre("demo.md:0:0 C1 m"));
  EXPECT_THAT(Found(*set, {File("demo_impl.py", "x = 1\n"), File("demo.md", "# demo\n")}), ElementsAre());
}

TEST(Review, ACheckThatNeedsAnotherFileIsSkippedWithAReason) {
  std::string checks = One(R"("each": "file", "needs": ["doc"])");
  checks.insert(1, R"("roles": [{"role": "doc", "path": ".*\\.md", "example": "a.md"}], )");
  const auto set = Load(checks);
  const ReviewResult result = Review(*set, {File("a.py", "x = 1\n")}, {});
  EXPECT_TRUE(result.findings.empty());
  ASSERT_EQ(result.skipped.size(), 1U);
  EXPECT_EQ(result.skipped[0].reason, "needs doc");
  EXPECT_EQ(result.skipped[0].reason_zh, "缺少 doc");
}

TEST(Review, ATreeSitterQueryWithAPredicate) {
  const auto set = Load(One(
      R"("query": "(call function: (identifier) @callee (#eq? @callee \"eval\")) @place", "languages": ["python"], "where": {"callee": "eval"}, "fix": "not {callee}")"));
  const ReviewResult result = Review(*set, {File("a.py", "eval(x)\nf(x)\n")}, {});
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].fix, "not eval");
}

TEST(Review, AFingerprintStaysWhenLinesMove) {
  const auto set = Load(One(R"("each": "call", "where": {"name": "eval"})"));
  const ReviewResult before = Review(*set, {File("a.py", "eval(x)\neval(x)\n")}, {});
  const ReviewResult after = Review(*set, {File("a.py", "\n\n  \neval(x)\neval(x)\n")}, {});
  ASSERT_EQ(before.findings.size(), 2U);
  ASSERT_EQ(after.findings.size(), 2U);
  EXPECT_EQ(before.findings[0].fingerprint, after.findings[0].fingerprint);
  EXPECT_EQ(before.findings[1].fingerprint, after.findings[1].fingerprint);
  EXPECT_NE(before.findings[0].fingerprint, before.findings[1].fingerprint);
  EXPECT_EQ(before.findings[0].fingerprint.size(), 16U);
}

TEST(Review, SeveralChecksAreOneRule) {
  const auto set = Load(
      R"json({"checks": [
        {"id": "R1", "title": "t", "severity": "S1", "message": "call", "each": "call", "good": ["x = 1"], "bad": ["f()"]},
        {"id": "R1.loop", "rule": "R1", "title": "t", "severity": "S2", "message": "loop", "each": "loop", "good": ["x = 1"], "bad": ["for i in x: pass"]}]})json");
  ReviewOptions options;
  options.only = {"R1"};
  EXPECT_THAT(Found(*set, {File("a.py", "for i in f(): pass\n")}, options),
              ElementsAre("a.py:1:1 R1 loop", "a.py:1:10 R1 call"));
  for (const CheckCaseResult& result : RunCheckCases(*set)) EXPECT_TRUE(result.passed) << result.name << result.message;
}

TEST(Review, ElementsOfAListBesideNoFile) {
  std::string checks = One(
      R"("each": {"each": "value", "in": "wanted"}, "where": {"absent": {"each": "file", "where": {"path": {"same": "row.value"}}}}, "path": "{value}", "message": "{set.size} files, no {value}")");
  // The later key wins nowhere: the message of One is replaced.
  checks.replace(checks.find(R"("message": "m", )"), 16, "");
  checks.insert(1, R"("lists": {"wanted": ["a.py", "b.py"]}, )");
  const auto set = Load(checks);
  EXPECT_THAT(Found(*set, {File("a.py", "x = 1\n")}), ElementsAre("b.py:0:0 C1 1 files, no b.py"));
}

TEST(Review, AnEditReplacesTheRow) {
  const auto set =
      Load(One(R"("each": "call", "where": {"name": "old"}, "edit": {"replace": "base", "with": "new_{size}"})"));
  const ReviewResult result = Review(*set, {File("a.py", "x = old(1, 2)\n")}, {});
  ASSERT_EQ(result.findings.size(), 1U);
  ASSERT_EQ(result.findings[0].edits.size(), 1U);
  const FindingEdit& edit = result.findings[0].edits[0];
  EXPECT_EQ(edit.column, 5U);
  EXPECT_EQ(edit.end_column, 8U);
  EXPECT_EQ(edit.text, "new_2");
}

TEST(Review, TextsInMessagesAreShortAndOnOneLine) {
  std::string checks = One(R"("each": "call", "where": {"name": "f"}, "message": "`{text}` no")");
  checks.replace(checks.find(R"("message": "m", )"), 16, "");
  const auto set = Load(checks);
  const ReviewResult result = Review(*set, {File("a.py", "f(1,\n    2)\n")}, {});
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].message, "`f(1, 2)` no");
}

TEST(Review, CredentialsOfTheCodeAreNotSaidAgain) {
  const auto set = Load(
      Telling(R"("each": "call", "where": {"name": "f"}, "message": "`{text}` no", "fix": "Not `{arg.0.value}`.")"));
  const ReviewResult result = Review(*set, {File("a.py", "f('AKIAABCDEFGHIJKLMNOP')\n")}, {});
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].message, "`f('[redacted]')` no");
  EXPECT_EQ(result.findings[0].fix, "Not `[redacted]`.");
}

TEST(Review, WhatIsCalledLendsItsNameToTheCallOnly) {
  const auto set = Load(One(R"("each": ["call", "attribute"], "where": {"name": {"re": "^a\\.b"}})"));
  // The inner call and its callee; neither the outer call nor its attribute.
  EXPECT_THAT(Found(*set, {File("x.py", "a.b(1).c(2)\n")}), ElementsAre("x.py:1:1 C1 m", "x.py:1:1 C1 m"));
}

TEST(Review, AnUnexpectedIndentIsASyntaxError) {
  const auto set = Load(One(R"("each": "file", "where": {"valid": false})"));
  EXPECT_THAT(Found(*set, {File("a.py", "import x\n    y = 1\n")}),
              ElementsAre("a.py:0:0 C1 m", "a.py:2:5 YM-PARSE syntax error: unexpected indent"));
  EXPECT_THAT(
      Found(*set, {File("a.py", "import x; y = 1\nif x: y = 2; z = 3\ndef f():\n  # c\n  a = 1\n\n  b = (\n1)\n")}),
      ElementsAre());
}

TEST(Review, ASyntaxErrorIsToldOnlyWhereACheckLooks) {
  const auto set = Load(One(R"("each": "call", "files": "src/**")"));
  EXPECT_THAT(Found(*set, {File("src/a.py", "f(\n"), File("docs/b.py", "f(\n")}),
              ElementsAre(HasSubstr("src/a.py:1:1 YM-PARSE")));
  const auto of_set = Load(One(R"("each": "set", "where": {"size": 0})"));
  EXPECT_THAT(Found(*of_set, {File("src/a.py", "f(\n")}), ElementsAre());
}

TEST(Review, WhereEveryCheckNamesRolesOtherFilesAreTextOnly) {
  const auto load = [](const std::string& kind) {
    return Load(R"({"roles": [{"role": "impl", "path": "(?P<op>\\w+)_impl\\.py", "example": "a_impl.py"}], "checks": [
      {"id": "C1", "title": "t", "severity": "S1", "roles": ["impl"], "each": "file", "message": "m",
       "where": {"exists": {"each": ")" +
                kind + R"(", "scope": "files", "where": {"file.name": "b.py"}}}, "good": ["x"], "bad": ["x"]}]})");
  };
  const std::vector<ReviewFile> files = {File("a_impl.py", "x = 1\n"), File("b.py", "f(1)\ng(\n")};
  EXPECT_THAT(Found(*load("file"), files), ElementsAre("a_impl.py:0:0 C1 m"));
  EXPECT_THAT(Found(*load("line"), files), ElementsAre("a_impl.py:0:0 C1 m"));
  EXPECT_THAT(Found(*load("call"), files), ElementsAre());
}

TEST(Review, WithoutThePreprocessorASyntaxErrorIsNotCertain) {
  const auto set = Load(One(R"("each": "call")"));
  const auto severity_in = [&](const char* path) {
    const ReviewResult result = Review(*set, {File(path, "int f( {\n")}, {});
    EXPECT_FALSE(result.findings.empty()) << path;
    return result.findings.empty() ? Severity::kBlock : result.findings.back().severity;
  };
  EXPECT_EQ(severity_in("a.cc"), Severity::kInfo);
  EXPECT_EQ(severity_in("a.cu"), Severity::kInfo);
  EXPECT_EQ(severity_in("a.py"), Severity::kMajor);
}

TEST(Review, MatchesAreAllThatAPatternFinds) {
  const auto found = [](const std::string& pattern, const std::string& text) {
    const auto set =
        Load(R"js({"checks": [{"id": "C1", "title": "t", "severity": "MAJOR", "good": ["x = 1"], "bad": ["x = 1"],
      "each": "string", "let": {"all": {"matches": ")js" +
             pattern + R"js(", "in": {"field": "value"}}}, "message": "{all}"}]})js");
    return Found(*set, {File("a.py", "x = \"" + text + "\"\n")});
  };
  EXPECT_THAT(found(R"((\\w+) \\w+)", "int a, Tensor b"), ElementsAre("a.py:1:5 C1 int, Tensor"));
  EXPECT_THAT(found(R"(\\d+)", "1, 22 and 3"), ElementsAre("a.py:1:5 C1 1, 22, 3"));
  EXPECT_THAT(found(R"(\\d*)", "a1é2"), ElementsAre("a.py:1:5 C1 1, 2"));
  EXPECT_THAT(found("z", "a"), ElementsAre("a.py:1:5 C1 "));
  EXPECT_THAT(found(R"(skip|(\\w+)=)", "a=1 skip b=2"), ElementsAre("a.py:1:5 C1 a, b"));
}

TEST(Review, ASetWhoseChecksLookAtOtherFilesSaysSo) {
  EXPECT_FALSE(Load(One(R"("each": "call")"))->across());
  EXPECT_TRUE(Load(One(R"("each": "set")"))->across());
  EXPECT_TRUE(Load(One(R"("each": "call", "where": {"exists": {"each": "file", "scope": "files"}})"))->across());
}

TEST(Review, CellsOfATableAreNamedByItsHeader) {
  const auto set = Load(
      R"json({"checks": [{"id": "C1", "title": "t", "severity": "MAJOR", "each": "table_row",
        "where": {"cell.status": "open", "cell.Due date": {"missing": false}, "cell.0": {"not": "x"}, "cell.5": {"missing": true}},
        "message": "{cell.Task} {cell.-1} {cell.Owner,Status}", "good": [""], "bad": [""]}]})json");
  const std::string table =
      "| Task | Status | Due date |\n|---|---|---|\n| a | open | now |\n| x | open | now |\n| b | done | now |\n| c | "
      "open |\n";
  EXPECT_THAT(Found(*set, {File("a.md", table)}), ElementsAre("a.md:3:1 C1 a now open"));
  EXPECT_THAT(ProblemsOf(One(R"("each": "section", "where": {"cell.0": "x"})")),
              ElementsAre(HasSubstr("unknown field")));
}

TEST(Review, DeclaredTypesReadAlikeInPythonAndCpp) {
  const auto set = Load(One(R"("each": ["assign"], "where": {"declared_type": "int"})"));
  EXPECT_THAT(Found(*set, {File("a.py", "x: int = 1\ny = 2\n"), File("a.cc", "int x = 1;\nfloat y = 2;\n")}),
              ElementsAre("a.cc:1:5 C1 m", "a.py:1:1 C1 m"));
  const auto returns = Load(One(R"("each": "function", "where": {"return_type": ["int", "void*"]})"));
  EXPECT_THAT(Found(*returns, {File("a.py", "def f() -> int: pass\n"), File("a.cc", "void* g() {}\n")}),
              ElementsAre("a.cc:1:7 C1 m", "a.py:1:5 C1 m"));
}

TEST(Review, CudaLaunchesAreCalls) {
  const auto set = Load(One(R"("each": "call", "where": {"launch": true}, "languages": ["cuda"])"));
  EXPECT_THAT(Found(*set, {File("a.cu", "void f() {\n  k<<<1, 2>>>(p);\n  g(p);\n}\n")}), ElementsAre("a.cu:2:3 C1 m"));
}

TEST(RunCheckCases, AWrongCaseSaysWhatWasFound) {
  const auto set = Load(
      R"json({"checks": [{"id": "C1", "title": "t", "severity": "S3", "message": "no", "each": "call", "good": ["f(1)"], "bad": ["x = 1"]}]})json");
  const std::vector<CheckCaseResult> results = RunCheckCases(*set);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_FALSE(results[0].passed);
  EXPECT_EQ(results[0].name, "C1/bad/0");
  EXPECT_EQ(results[1].message, "expected nothing, found example.py:1 no");
}

TEST(RunCheckCases, ACaseRemovesAndRenamesFiles) {
  const auto set = Load(R"json({"checks": [
      {"id": "GONE", "title": "t", "severity": "S3", "message": "gone", "each": {"each": "file", "side": "base"}, "where": {"change": "removed"},
       "bad": [{"files": {"b.py": ["y"]}, "base": {"a.py": ["x"], "b.py": ["x"]}, "count": 1}],
       "good": [{"files": {"a.py": ["y"]}, "base": {"a.py": ["x"]}}, {"files": {"b.py": ["x"]}, "base": {"a.py": ["x"]}, "renamed": {"b.py": "a.py"}}]},
      {"id": "MOVED", "title": "t", "severity": "S3", "message": "{former_path}", "each": "file", "where": {"change": "renamed"},
       "bad": [{"files": {"b.py": ["x"]}, "base": {"a.py": ["x"]}, "renamed": {"b.py": "a.py"}, "contains": "a.py"}],
       "good": [{"files": {"b.py": ["y"]}, "base": {"a.py": ["x"], "b.py": ["x"]}}]}]})json");
  for (const CheckCaseResult& result : RunCheckCases(*set)) EXPECT_TRUE(result.passed) << result.name << result.message;
}

TEST(Review, TextsThatAreKnownPieceByPieceAreKnownWhole) {
  const auto set =
      Load(Telling(R"("each": "argument", "where": {"call.name": "define"}, "message": "{string|or:unknown}")"));
  const auto told = [&](const std::string& code) { return Message(Found(*set, {File("a.py", code)}).at(0)); };
  EXPECT_EQ(told("NS = 'demo_ops'\ndefine(f'{NS}::add')\n"), "demo_ops::add");
  EXPECT_EQ(told("NS = 'demo'\nKEY = NS + '_ops'\ndefine(KEY + f'::{NS}')\n"), "demo_ops::demo");
  // Where a part is not known, an f-string is as it is written, and a sum is not known.
  EXPECT_EQ(told("define(f'{name()}::add')\n"), "{name()}::add");
  EXPECT_EQ(told("define(name() + '::add')\n"), "unknown");
  // Names that stand for each other, and texts that double at each step.
  EXPECT_EQ(told("def f():\n    global a, b\n    a = b + 'x'\n    b = a + 'y'\n    define(b + a)\n"), "unknown");
  std::string doubles = "a0 = 'x' + 'y'\n";
  for (int i = 0; i < 40; ++i)
    doubles += "a" + std::to_string(i + 1) + " = a" + std::to_string(i) + " + a" + std::to_string(i) + "\n";
  EXPECT_EQ(told(doubles + "define(a40)\n"), "unknown");
}

TEST(Review, ALinkKnowsThePathThatItLeadsTo) {
  const auto set = Load(Telling(R"("languages": ["markdown"], "each": "link", "message": "{path|or:elsewhere}")"));
  const auto told = [&](const std::string& target) {
    return Message(Found(*set, {File("docs/sub/a.md", "[x](" + target + ")\n")}).at(0));
  };
  EXPECT_EQ(told("b.md"), "docs/sub/b.md");
  EXPECT_EQ(told("../b.md#part"), "docs/b.md");
  EXPECT_EQ(told("./../../c/"), "c");
  EXPECT_EQ(told("/c.md?raw=1"), "c.md");
  EXPECT_EQ(told("../../../d.md"), "../d.md");
  EXPECT_EQ(told("https://x.org/b.md"), "elsewhere");
  EXPECT_EQ(told("//x.org/b.md"), "elsewhere");
  EXPECT_EQ(told("mailto:a@x.org"), "elsewhere");
  EXPECT_EQ(told("#part"), "elsewhere");
}

TEST(RunCheckCases, ACaseAddsBinaryFilesAndMovesSubmodules) {
  const auto set = Load(R"json({"checks": [{"id": "C1", "title": "t", "severity": "S3", "message": "no", "each": "file",
      "where": {"any": [{"bytes": {"above": 1000}}, {"submodule": true}]},
      "bad": [{"files": {"a.md": "1"}, "base": {"a.md": "2"}, "binary": {"a.png": 1001}, "count": 1},
              {"files": {"a.md": "1"}, "base": {"a.md": "2"}, "submodules": ["third"], "count": 1}],
      "good": [{"files": {"a.md": "1"}, "base": {"a.md": "2"}, "binary": {"a.png": 1000}}]}]})json");
  for (const CheckCaseResult& result : RunCheckCases(*set)) EXPECT_TRUE(result.passed) << result.name << result.message;
}

// The lines that are touched, "base:2,3 head:2".
std::string TouchedText(std::string_view base, std::string_view head, size_t lines_of_base) {
  const TouchedLines touched = TouchedBy(MatchLines(base, head).base_of, lines_of_base);
  const auto listed = [](const std::vector<bool>& lines) {
    std::string out;
    for (size_t line = 1; line < lines.size(); ++line) {
      if (lines[line]) out += (out.empty() ? "" : ",") + std::to_string(line);
    }
    return out;
  };
  return "base:" + listed(touched.base) + " head:" + listed(touched.head);
}

TEST(TouchedBy, LinesBesideAChangeAreTouchedInBothVersions) {
  EXPECT_EQ(TouchedText("a\nb\nc\nd\n", "a\nb\nc\nd\n", 4), "base: head:");
  EXPECT_EQ(TouchedText("a\nb\nc\nd\n", "a\nb\nx\nc\nd\n", 4), "base:2,3 head:2,3,4");
  EXPECT_EQ(TouchedText("a\nb\nc\nd\n", "a\nb\nd\n", 4), "base:2,3,4 head:2,3");
  EXPECT_EQ(TouchedText("a\nb\nc\nd\n", "a\nx\nc\nd\n", 4), "base:1,2,3 head:1,2,3");
  // At the ends.
  EXPECT_EQ(TouchedText("a\nb\nc\n", "x\na\nb\nc\ny\n", 3), "base:1,3 head:1,2,4,5");
  EXPECT_EQ(TouchedText("a\nb\nc\n", "b\n", 3), "base:1,2,3 head:1");
  EXPECT_EQ(TouchedText("a\nb\n", "", 2), "base:1,2 head:");
  EXPECT_EQ(TouchedText("", "a\nb\n", 0), "base: head:1,2");
}

TEST(MatchLines, AddedAreOnlyThoseThatTheBaseDoesNotHave) {
  const LineMatch lines = MatchLines("a\nb\nc\n", "a\nx\nb\nc\ny\n");
  EXPECT_THAT(lines.base_of, ElementsAre(0u, 1u, 0u, 2u, 3u, 0u));
  EXPECT_THAT(lines.head_of, ElementsAre(0u, 1u, 3u, 4u));
}

// A rule of three checks: itself, and two parts, one of which says of which rule it is.
const char* const kParts = R"JSON({"checks": [
    {"id": "R1", "title": "t", "severity": "S0", "each": "call", "where": {"name": "a"}, "message": "a", "good": [""], "bad": ["a()"]},
    {"id": "R1.more", "title": "t", "severity": "S0", "each": "call", "where": {"name": "b"}, "message": "b",
     "good": [""], "bad": ["b()"]},
    {"id": "R1.last", "rule": "R1", "title": "t", "severity": "S0", "each": "call", "where": {"name": "c"}, "message": "c",
     "needs": ["golden"], "good": [{"files": {"x.py": "", "x_golden.py": ""}}], "bad": [{"files": {"x.py": "c()", "x_golden.py": ""}}]}],
  "roles": [{"role": "golden", "path": ".*_golden\\.py", "example": "x_golden.py"}]})JSON";

std::vector<std::string> RulesAndParts(const CheckSet& checks, const ReviewOptions& options) {
  std::vector<std::string> out;
  for (const Finding& finding : Review(checks, {File("x.py", "a()\nb()\n")}, options).findings) {
    out.push_back(finding.rule_id + "|" + finding.part);
  }
  return out;
}

TEST(Review, AFindingNamesItsRuleAndWhichPartOfItItIs) {
  const auto checks = Load(kParts);
  ASSERT_NE(checks, nullptr);
  EXPECT_THAT(RulesAndParts(*checks, {}), ElementsAre("R1|", "R1|more"));
  const ReviewResult result = Review(*checks, {File("x.py", "a()\n")}, {});
  ASSERT_EQ(result.skipped.size(), 1u);
  EXPECT_EQ(result.skipped[0].rule_id, "R1");
  EXPECT_EQ(result.skipped[0].part, "last");
}

TEST(Review, ARuleIsAllOfItsPartsAndAPartIsOne) {
  const auto checks = Load(kParts);
  ASSERT_NE(checks, nullptr);
  ReviewOptions options;
  options.only = {"R1"};
  EXPECT_THAT(RulesAndParts(*checks, options), ElementsAre("R1|", "R1|more"));
  options.only = {"r1"};
  EXPECT_THAT(RulesAndParts(*checks, options), ElementsAre("R1|", "R1|more"));
  options.only = {"R1.more"};
  EXPECT_THAT(RulesAndParts(*checks, options), ElementsAre("R1|more"));
  options.only = {"r1.MORE"};
  EXPECT_THAT(RulesAndParts(*checks, options), ElementsAre("R1|more"));
  options.only = {"r"};
  EXPECT_THAT(RulesAndParts(*checks, options), ::testing::IsEmpty());
}

}  // namespace
}  // namespace yardmaster::rules
