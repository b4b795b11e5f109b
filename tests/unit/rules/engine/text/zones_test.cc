#include "rules/engine/text/zones.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/hostile_texts.h"
#include "tests/support/source_path.h"
#include "tests/support/zone_invariants.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// The patterns that ship with the pack `common`.
ZoneRules CommonRules() {
  const auto json = nlohmann::json::parse(yardmaster::testing::SourceText("rules/packs/common/zones.json"));
  ZoneRules rules;
  json.at("trace_starts").get_to(rules.trace_starts);
  json.at("trace_lines").get_to(rules.trace_lines);
  json.at("error_lines").get_to(rules.error_lines);
  json.at("environment_starts").get_to(rules.environment_starts);
  json.at("environment_lines").get_to(rules.environment_lines);
  json.at("boilerplate").get_to(rules.boilerplate);
  return rules;
}

const ZoneSplitter& Common() {
  static const std::unique_ptr<ZoneSplitter> kSplitter = [] {
    Problems problems;
    std::unique_ptr<ZoneSplitter> made = ZoneSplitter::Create(CommonRules(), problems);
    for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
    return made;
  }();
  return *kSplitter;
}

// "zone|text" or "zone:language|text" for each span.
std::vector<std::string> Show(const ZoneSplitter& splitter, std::string_view text) {
  const std::vector<ZoneSpan> spans = splitter.Split(text);
  EXPECT_EQ(testing::BrokenZoneInvariant(text, spans), "") << text.substr(0, 2000);
  std::vector<std::string> shown;
  for (const ZoneSpan& span : spans) {
    std::string line(ZoneName(span.zone));
    if (!span.language.empty()) line += ":" + span.language;
    shown.push_back(line + "|" + std::string(text.substr(span.begin, span.end - span.begin)));
  }
  return shown;
}

std::vector<std::string> Zones(std::string_view text) { return Show(Common(), text); }

TEST(Zones, NamesGoBothWays) {
  for (size_t i = 0; i < kZoneCount; ++i) {
    const Zone zone = static_cast<Zone>(i);
    EXPECT_EQ(ZoneFromName(ZoneName(zone)), zone);
  }
  EXPECT_EQ(ZoneName(Zone::kHtmlComment), "html_comment");
  EXPECT_EQ(ZoneFromName("proze"), std::nullopt);
  EXPECT_EQ(ZoneFromName(""), std::nullopt);
}

TEST(ZoneSplitter, EveryBadPatternIsAProblemWithItsPointer) {
  ZoneRules rules;
  rules.trace_starts = {"fine", "(open"};
  rules.error_lines = {"[z-a]"};
  Problems problems;
  EXPECT_EQ(ZoneSplitter::Create(rules, problems), nullptr);
  ASSERT_THAT(problems, SizeIs(2));
  EXPECT_EQ(problems[0].pointer, "/trace_starts/1");
  EXPECT_THAT(problems[0].message, HasSubstr("missing )"));
  EXPECT_EQ(problems[1].pointer, "/error_lines/0");
}

TEST(ZoneSplitter, PatternsThatAreOnlyValidTogetherAreProblems) {
  ZoneRules rules;
  rules.trace_lines = {"a)|(b"};
  Problems problems;
  EXPECT_EQ(ZoneSplitter::Create(rules, problems), nullptr);
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].pointer, "/trace_lines/0");
}

TEST(ZoneSplitter, APatternThatMatchesEveryLineIsAProblem) {
  for (int list = 0; list < 6; ++list) {
    ZoneRules rules;
    std::vector<std::string>* lists[] = {&rules.trace_starts,       &rules.trace_lines,       &rules.error_lines,
                                         &rules.environment_starts, &rules.environment_lines, &rules.boilerplate};
    *lists[list] = {"fine", "a*", "\\s*$"};
    Problems problems;
    EXPECT_EQ(ZoneSplitter::Create(rules, problems), nullptr);
    ASSERT_THAT(problems, SizeIs(2)) << list;
    EXPECT_THAT(problems[0].pointer, HasSubstr("/1"));
    EXPECT_THAT(problems[0].message, HasSubstr("empty line"));
    EXPECT_THAT(problems[1].pointer, HasSubstr("/2"));
  }
}

TEST(ZoneSplitter, PatternsThatAreTooLargeTogetherAreAProblem) {
  ZoneRules rules;
  for (int i = 0; i < 600; ++i) rules.trace_lines.push_back("x" + std::to_string(i) + "(?:[^a]{500}){2}");
  Problems problems;
  EXPECT_EQ(ZoneSplitter::Create(rules, problems), nullptr);
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].pointer, "/trace_lines");
}

TEST(ZoneSplitter, WithoutPatternsMarkdownAloneDecides) {
  Problems problems;
  const std::unique_ptr<ZoneSplitter> splitter = ZoneSplitter::Create(ZoneRules{}, problems);
  ASSERT_NE(splitter, nullptr);
  EXPECT_THAT(
      Show(*splitter, "# Versions\n\nRuntimeError: no\n\n```\nTraceback (most recent call last):\n```\n"),
      ElementsAre("heading|# Versions", "prose|RuntimeError: no", "code|```\nTraceback (most recent call last):\n```"));
}

TEST(ZoneSplitter, EmptyAndBlankTextsHaveNoZones) {
  EXPECT_THAT(Zones(""), IsEmpty());
  EXPECT_THAT(Zones(" \n\t\r\n\r\r\n  "), IsEmpty());
}

TEST(ZoneSplitter, ParagraphsAreSeparateSpansAndLinesOfOneParagraphAreOne) {
  EXPECT_THAT(Zones("one\ntwo\n\nthree\n"), ElementsAre("prose|one\ntwo", "prose|three"));
}

TEST(ZoneSplitter, OffsetsAreBytesOfTheTextAsReceived) {
  const std::string text = "\xef\xbb\xbfä\r\n\r\n```py\r\nx\r\n```\r\nend";
  const std::vector<ZoneSpan> spans = Common().Split(text);
  ASSERT_THAT(spans, SizeIs(3));
  EXPECT_EQ(spans[0], (ZoneSpan{Zone::kProse, 0, 5, ""}));
  EXPECT_EQ(spans[1], (ZoneSpan{Zone::kCode, 9, 22, "py"}));
  EXPECT_EQ(spans[2], (ZoneSpan{Zone::kProse, 24, 27, ""}));
}

TEST(ZoneSplitter, EveryKindOfLineEndingEndsALine) {
  for (std::string_view eol : {"\n", "\r\n", "\r"}) {
    std::string text = "intro@```python@import torch@```@@RuntimeError: bad@";
    for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) text.replace(at, 1, eol);
    const std::vector<std::string> zones = Zones(text);
    ASSERT_THAT(zones, SizeIs(3)) << text;
    EXPECT_EQ(zones[0], "prose|intro");
    EXPECT_EQ(zones[1], "code:python|```python" + std::string(eol) + "import torch" + std::string(eol) + "```");
    EXPECT_EQ(zones[2], "trace|RuntimeError: bad");
  }
}

// Code.

TEST(ZoneSplitter, FencesNameTheirLanguage) {
  EXPECT_THAT(Zones("```python\na\n```"), ElementsAre("code:python|```python\na\n```"));
  EXPECT_THAT(Zones("``` py title=x\na\n```"), ElementsAre("code:py|``` py title=x\na\n```"));
  EXPECT_THAT(Zones("~~~ C++\na\n~~~"), ElementsAre("code:c++|~~~ C++\na\n~~~"));
  EXPECT_THAT(Zones("```{.python .lines}\na\n```"), ElementsAre("code:python|```{.python .lines}\na\n```"));
  EXPECT_THAT(Zones("```\na\n```"), ElementsAre("code|```\na\n```"));
}

TEST(ZoneSplitter, ALanguageOfManyBytesIsCutAtACharacter) {
  const std::vector<ZoneSpan> spans = Common().Split("```a" + testing::Repeat("ü", 100) + "\nx\n```");
  ASSERT_THAT(spans, SizeIs(1));
  EXPECT_EQ(spans[0].language, "a" + testing::Repeat("ü", 30));
}

TEST(ZoneSplitter, AFenceThatIsNeverClosedRunsToTheEndAndKeepsItsLanguage) {
  EXPECT_THAT(Zones("text\n```cpp\nint a;\n\n# not a heading\n"),
              ElementsAre("prose|text", "code:cpp|```cpp\nint a;\n\n# not a heading"));
}

TEST(ZoneSplitter, AnEmptyFenceIsCode) {
  EXPECT_THAT(Zones("```sh\n```\nx"), ElementsAre("code:sh|```sh\n```", "prose|x"));
  EXPECT_THAT(Zones("```sh\n\n```\nx"), ElementsAre("code:sh|```sh\n\n```", "prose|x"));
}

TEST(ZoneSplitter, FencesOfDifferentLengthNest) {
  EXPECT_THAT(Zones("````\n```\nx\n```\n````\ny"), ElementsAre("code|````\n```\nx\n```\n````", "prose|y"));
}

TEST(ZoneSplitter, TwoFencesAfterOneAnotherAreTwoSpans) {
  EXPECT_THAT(Zones("```\na\n```\n```\nb\n```"), ElementsAre("code|```\na\n```", "code|```\nb\n```"));
}

TEST(ZoneSplitter, IndentedCodeIsCode) {
  EXPECT_THAT(Zones("Run\n\n    x = 1\n\n    y = 2\n\nthen"),
              ElementsAre("prose|Run", "code|    x = 1\n\n    y = 2", "prose|then"));
}

TEST(ZoneSplitter, CodeInNestedListsIsFound) {
  EXPECT_THAT(Zones("- one\n  1. two\n\n     ```python\n     x = 1\n     ```\n  2. three\n"),
              ElementsAre("prose|- one", "prose|  1. two", "code:python|     ```python\n     x = 1\n     ```",
                          "prose|  2. three"));
}

TEST(ZoneSplitter, AFenceThatItsListEndsDoesNotReachFurther) {
  EXPECT_THAT(Zones("- ```\n  x\nprose here"), ElementsAre("code|- ```\n  x", "prose|prose here"));
}

TEST(ZoneSplitter, PreformattedHtmlIsCode) {
  EXPECT_THAT(Zones("<pre>\nx = 1\n\ny = 2\n</pre>\nprose"),
              ElementsAre("code|<pre>\nx = 1\n\ny = 2\n</pre>", "prose|prose"));
}

// Headings and forms.

TEST(ZoneSplitter, HeadingsOfIssueFormsAreBoilerplateAndOthersAreHeadings) {
  EXPECT_THAT(Zones("### 🐛 Describe the bug\n\ntext\n\n### How I found it\n"),
              ElementsAre("boilerplate|### 🐛 Describe the bug", "prose|text", "heading|### How I found it"));
}

TEST(ZoneSplitter, KnowsTheHeadingsOfTheForms) {
  for (std::string_view heading : {"## 🐛 Bug",
                                   "### 🐛 Describe the bug",
                                   "## To Reproduce",
                                   "## Expected behavior",
                                   "### Versions",
                                   "## Environment",
                                   "### 🚀 The feature, motivation and pitch",
                                   "## 🚀 Feature",
                                   "## Motivation",
                                   "## Pitch",
                                   "## Alternatives",
                                   "### Alternatives",
                                   "## Additional context",
                                   "## Issue description",
                                   "## Code example",
                                   "## System Info",
                                   "**Describe the bug**",
                                   "### Error logs",
                                   "## 问题描述",
                                   "### 环境信息",
                                   "### 复现步骤:",
                                   "**预期结果**:",
                                   "### 软件环境 (必填)",
                                   "## 日志/截图",
                                   "# 任务目标",
                                   "### Hardware Environment(`Ascend`/`GPU`/`CPU`) / 硬件环境:",
                                   "## Steps to reproduce the issue / 重现步骤 (Mandatory / 必填)"}) {
    EXPECT_THAT(Zones(heading), ElementsAre("boilerplate|" + std::string(heading)));
  }
}

TEST(ZoneSplitter, KnowsFixedSentencesOfForms) {
  for (std::string_view sentence : {"A clear and concise description of what the bug is.",
                                    "Please add a clear and concise description of the proposal.",
                                    "Please read https://example.org/contributing.md before you submit an issue.",
                                    "- [x] I have searched the existing issues and found no duplicates",
                                    "_No response_", "请提供详细的环境信息", "- [x] 我已搜索过现有的 issue"}) {
    const std::vector<ZoneSpan> spans = Common().Split(sentence);
    ASSERT_THAT(spans, SizeIs(1)) << sentence;
    EXPECT_EQ(spans[0].zone, Zone::kBoilerplate) << sentence;
  }
}

TEST(ZoneSplitter, OrdinarySentencesAreNoBoilerplate) {
  for (std::string_view sentence :
       {"I read the code and have no idea why.", "Please help!", "Motivation is what I lack today.",
        "请问这个功能什么时候支持？", "The environment is the same on both nodes.", "Please make this faster.",
        "Bug or feature? I cannot tell."}) {
    EXPECT_THAT(Zones(sentence), ElementsAre("prose|" + std::string(sentence)));
  }
}

TEST(ZoneSplitter, SetextHeadingsEndWithTheirUnderline) {
  EXPECT_THAT(Zones("A title\n=======\ntext\n"), ElementsAre("heading|A title\n=======", "prose|text"));
  EXPECT_THAT(Zones("Describe the bug\n---\ntext\n"), ElementsAre("boilerplate|Describe the bug\n---", "prose|text"));
}

// Quotes.

TEST(ZoneSplitter, QuotesAreQuotes) {
  EXPECT_THAT(Zones("> they said\nand went on\n\nI say"), ElementsAre("quote|> they said\nand went on", "prose|I say"));
  EXPECT_THAT(Zones("> ```python\n> x = 1\n> ```\n"), ElementsAre("quote|> ```python\n> x = 1\n> ```"));
}

TEST(ZoneSplitter, AQuotedStackTraceIsATrace) {
  EXPECT_THAT(Zones("It says\n\n> File \"x.py\", line 3, in f\n>   g(1)\n> RuntimeError: no memory\n> they wrote\n"),
              ElementsAre("prose|It says", "trace|> File \"x.py\", line 3, in f\n>   g(1)\n> RuntimeError: no memory",
                          "quote|> they wrote"));
}

TEST(ZoneSplitter, ATraceEndsWhereTheQuoteEnds) {
  EXPECT_THAT(Zones("> Traceback (most recent call last):\n>   File \"x.py\", line 3, in f\n\n  indented prose"),
              ElementsAre("trace|> Traceback (most recent call last):\n>   File \"x.py\", line 3, in f",
                          "prose|  indented prose"));
}

// Comments.

TEST(ZoneSplitter, HtmlCommentsAreTheirOwnZone) {
  EXPECT_THAT(
      Zones("<!-- one -->\ntext\n\n<!--\ntwo\n\nthree -->\nmore"),
      ElementsAre("html_comment|<!-- one -->", "prose|text", "html_comment|<!--\ntwo\n\nthree -->", "prose|more"));
}

TEST(ZoneSplitter, ACommentMayStandInsideALine) {
  EXPECT_THAT(Zones("left <!-- in --> right <!-- again\nand --> end"),
              ElementsAre("prose|left ", "html_comment|<!-- in -->", "prose| right ",
                          "html_comment|<!-- again\nand -->", "prose| end"));
  EXPECT_THAT(Zones("### Versions <!-- fill in -->"),
              ElementsAre("boilerplate|### Versions ", "html_comment|<!-- fill in -->"));
}

TEST(ZoneSplitter, TextBehindTheEndOfACommentIsProse) {
  EXPECT_THAT(Zones("<!-- a --> b"), ElementsAre("html_comment|<!-- a -->", "prose| b"));
}

TEST(ZoneSplitter, AnUnterminatedCommentRunsToTheEndOfItsHtmlBlock) {
  EXPECT_THAT(Zones("text\n\n<!-- open\n\n```\ncode\n```\n"),
              ElementsAre("prose|text", "html_comment|<!-- open\n\n```\ncode\n```"));
  EXPECT_THAT(Zones("<div> <!-- open\nstill\n\nprose"),
              ElementsAre("prose|<div> ", "html_comment|<!-- open\nstill", "prose|prose"));
}

TEST(ZoneSplitter, WhatIsNoCommentInAParagraphStaysProse) {
  EXPECT_THAT(Zones("a <!-- open\nb"), ElementsAre("prose|a <!-- open\nb"));
  EXPECT_THAT(Zones("a `<!--` b `-->` c"), ElementsAre("prose|a `<!--` b `-->` c"));
  EXPECT_THAT(Zones("a ``<!-- ` -->`` b"), ElementsAre("prose|a ``<!-- ` -->`` b"));
  EXPECT_THAT(Zones("a \\<!-- b -->"), ElementsAre("prose|a \\<!-- b -->"));
}

TEST(ZoneSplitter, AnUnpairedBacktickHidesNoComment) {
  EXPECT_THAT(Zones("a ` b <!-- c -->"), ElementsAre("prose|a ` b ", "html_comment|<!-- c -->"));
  EXPECT_THAT(Zones("a `b` <!-- c -->"), ElementsAre("prose|a `b` ", "html_comment|<!-- c -->"));
}

TEST(ZoneSplitter, CommentMarksInCodeAreCode) {
  EXPECT_THAT(Zones("```html\n<!-- a -->\n```"), ElementsAre("code:html|```html\n<!-- a -->\n```"));
}

TEST(ZoneSplitter, ACommentBetweenTheLinesOfATraceDoesNotEndIt) {
  EXPECT_THAT(Zones("Traceback (most recent call last):\n<!-- cut -->\n  File \"a.py\", line 1, in f\nValueError: x"),
              ElementsAre("trace|Traceback (most recent call last):", "html_comment|<!-- cut -->",
                          "trace|  File \"a.py\", line 1, in f\nValueError: x"));
}

// Details.

TEST(ZoneSplitter, WhatIsInDetailsIsClassifiedByItsLooks) {
  EXPECT_THAT(
      Zones("<details>\n<summary>Log</summary>\nIt broke:\nRuntimeError: bad\n</details>\n"),
      ElementsAre("prose|<details>\n<summary>Log</summary>\nIt broke:", "trace|RuntimeError: bad", "prose|</details>"));
  EXPECT_THAT(
      Zones("<details>\n\nPyTorch version: 2.3.0\nIs debug build: False\n\n</details>"),
      ElementsAre("prose|<details>", "environment|PyTorch version: 2.3.0\nIs debug build: False", "prose|</details>"));
}

TEST(ZoneSplitter, AFenceInDetailsWithoutABlankLineIsStillCode) {
  EXPECT_THAT(Zones("<details>\n```\nx = 1\n```\nwords\n</details>"),
              ElementsAre("prose|<details>", "code|```\nx = 1\n```", "prose|words\n</details>"));
}

// Commands.

TEST(ZoneSplitter, LinesThatBeginWithASlashAndANameAreCommands) {
  EXPECT_THAT(Zones("please\n/label \"module: fsdp\"\n/retest\nthanks"),
              ElementsAre("prose|please", "command|/label \"module: fsdp\"\n/retest", "prose|thanks"));
}

TEST(ZoneSplitter, PathsCodeAndQuotesHoldNoCommands) {
  EXPECT_THAT(Zones("/usr/lib/x.py is there"), ElementsAre("prose|/usr/lib/x.py is there"));
  EXPECT_THAT(Zones("use /label here"), ElementsAre("prose|use /label here"));
  EXPECT_THAT(Zones("```\n/label x\n```"), ElementsAre("code|```\n/label x\n```"));
  EXPECT_THAT(Zones("> /label x"), ElementsAre("quote|> /label x"));
  EXPECT_THAT(Zones("/1 x\n/ y"), ElementsAre("prose|/1 x\n/ y"));
}

// Traces.

TEST(ZoneSplitter, APythonTracebackWithoutAFenceIsATraceUpToItsError) {
  EXPECT_THAT(Zones("Then:\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    "
                    "main()\nRuntimeError: NCCL error\nWhat now?"),
              ElementsAre("prose|Then:",
                          "trace|Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    "
                          "main()\nRuntimeError: NCCL error",
                          "prose|What now?"));
}

TEST(ZoneSplitter, BlankLinesAndIndentedFramesDoNotCutATraceOutsideOfFences) {
  EXPECT_THAT(Zones("Traceback (most recent call last):\n\n    File \"a.py\", line 3, in <module>\n      "
                    "main()\n\nRuntimeError: x\n\nWhy?"),
              ElementsAre("trace|Traceback (most recent call last):\n\n    File \"a.py\", line 3, in <module>\n      "
                          "main()\n\nRuntimeError: x",
                          "prose|Why?"));
}

TEST(ZoneSplitter, CodeAfterAnErrorMessageIsNoPartOfIt) {
  EXPECT_THAT(Zones("RuntimeError: x\n\n    y = f()\n"), ElementsAre("trace|RuntimeError: x", "code|    y = f()"));
}

TEST(ZoneSplitter, AFenceWithNothingButATracebackIsATraceWhateverItsLanguage) {
  EXPECT_THAT(Zones("```python\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    "
                    "g()\nValueError: bad\n  more of it\nand more\n```"),
              ElementsAre("trace|```python\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    "
                          "g()\nValueError: bad\n"
                          "  more of it\nand more\n```"));
}

TEST(ZoneSplitter, CodeFollowedByATracebackInOneFenceIsSplit) {
  EXPECT_THAT(
      Zones("```python\nimport torch\nf()\n\nTraceback (most recent call last):\n  File \"a.py\", line 1, in "
            "f\nValueError: bad\n```"),
      ElementsAre("code:python|```python\nimport torch\nf()",
                  "trace|Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: bad\n```"));
}

TEST(ZoneSplitter, APromptEndsATrace) {
  EXPECT_THAT(Zones("```\n>>> f()\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: "
                    "bad\n>>> g()\n1\n```"),
              ElementsAre("code|```\n>>> f()",
                          "trace|Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: bad",
                          "code|>>> g()\n1\n```"));
}

TEST(ZoneSplitter, ATraceWhoseFirstLineStandsBehindTheFenceIsATrace) {
  EXPECT_THAT(
      Zones("``` File \"/a/b.py\", line 118, in call\n    return f()\n  File \"c.py\", line 2, in f\n```"),
      ElementsAre("trace|``` File \"/a/b.py\", line 118, in call\n    return f()\n  File \"c.py\", line 2, in f\n```"));
}

TEST(ZoneSplitter, KnowsTheFirstLinesOfTraces) {
  for (std::string_view line : {"Traceback (most recent call last):",
                                "[rank0]: Traceback (most recent call last):",
                                "  File \"/usr/lib/x.py\", line 12, in f",
                                "frame #3: c10::Error::Error(c10::SourceLocation) + 0x57 (0x7f in /lib/libc10.so)",
                                "terminate called after throwing an instance of 'c10::Error'",
                                "  what():  CUDA error: an illegal memory access was encountered",
                                "#0  0x00007ffff7e2a9fc in pthread_kill () from /lib/libc.so.6",
                                "[ 0] /lib/x86_64-linux-gnu/libpthread.so.0(+0x11390)",
                                "[ 1] /opt/lib/libmpi.so(PMPI_Init+0x1)[0x7f1234567890]",
                                "[node1:12345] *** Process received signal ***",
                                "*** Aborted at 1600000000 (unix time) ***",
                                "Fatal Python error: Segmentation fault",
                                "Segmentation fault (core dumped)",
                                "段错误 (核心已转储)",
                                "Exception in thread \"main\" java.lang.NullPointerException",
                                "thread 'main' panicked at 'x', src/main.rs:3:5",
                                "==123==ERROR: AddressSanitizer: heap-use-after-free",
                                "========= Invalid __global__ read of size 4 bytes",
                                "E0224 16:22:34.651338 693062 store.cpp:39] failed",
                                "[E ProcessGroupNCCL.cpp:474] [Rank 1] Watchdog caught collective operation timeout",
                                "[rank1]:[E1117 12:01:02.123 ProcessGroupNCCL.cpp:629] timeout",
                                "ERROR:root:Caught exception:",
                                "2024-05-01 10:00:00,123 trainer ERROR lost it",
                                "torch.distributed.DistBackendError: NCCL error in: x.cpp:1",
                                "`RuntimeError: in a code span`",
                                "KeyboardInterrupt",
                                "csrc/kernel.cu:12:3: error: no matching function",
                                "ninja: build stopped: subcommand failed.",
                                "host1:123:456 [0] NCCL WARN Call failed",
                                "/tmp/a.cu:123: f: block: [0,0,0], thread: [1,0,0] Assertion `x` failed.",
                                "free(): invalid pointer",
                                "CUDA error: device-side assert triggered"}) {
    EXPECT_THAT(Zones("Look:\n\n```\n" + std::string(line) + "\n```"),
                ElementsAre("prose|Look:", "trace|```\n" + std::string(line) + "\n```"));
  }
}

TEST(ZoneSplitter, LogLinesThatReportNoErrorAreNoTraceOnTheirOwn) {
  EXPECT_THAT(
      Zones("```\nI1028 12:13:38.405081 632355 x.cpp:843] started\n[INFO] 2021-09-13 22:17:26 run: x\n```"),
      ElementsAre("code|```\nI1028 12:13:38.405081 632355 x.cpp:843] started\n[INFO] 2021-09-13 22:17:26 run: x\n```"));
}

TEST(ZoneSplitter, CppFramesWithoutAFenceAreOneTrace) {
  const std::string trace =
      "[E ProcessGroupNCCL.cpp:475] timeout\nException raised from x at ../a.cpp:1 (most recent call first):\n"
      "frame #0: a::b() + 0x57 (0x7f in /lib/libc10.so)\nframe #1: <unknown function> + 0xd3e95 (0x7f in /lib/x.so)";
  EXPECT_THAT(Zones(trace + "\n\nThat is all."), ElementsAre("trace|" + trace, "prose|That is all."));
}

TEST(ZoneSplitter, RulesInsideAReportDoNotMakeHeadingsOfItsLines) {
  const std::string report =
      "[rank0]: Traceback (most recent call last):\n[rank0]:   File \"a.py\", line 1, in <module>\n[rank0]: "
      "ValueError: x\n"
      "============================\ntrain.py FAILED\n----------------------------\nFailures:\n  <NO_OTHER_FAILURES>\n"
      "----------------------------\nRoot Cause (first observed failure):\n[0]:\n  time      : 2024-11-17_12:00:00\n"
      "  exitcode  : 1 (pid: 9)\n============================";
  EXPECT_THAT(Zones("It said\n\n" + report + "\n\nNext steps\n==========\nnone"),
              ElementsAre("prose|It said", "trace|" + report, "heading|Next steps\n==========", "prose|none"));
}

TEST(ZoneSplitter, ASetextHeadingMayAnnounceAnEnvironment) {
  EXPECT_THAT(Zones("Environment\n-----------\n\nMemory: 512 GB\n\nThe rest\n--------\n\nMemory: none"),
              ElementsAre("boilerplate|Environment\n-----------", "environment|Memory: 512 GB",
                          "heading|The rest\n--------", "prose|Memory: none"));
}

TEST(ZoneSplitter, WordsThatOnlyMentionErrorsAreProse) {
  for (std::string_view text :
       {"I get RuntimeError: NCCL error when I run it", "Error: what I see", "The traceback is below",
        "Exceptions are swallowed: why?", "frame rates drop", "#12345 is about the same",
        "Error handling should be better", "A timeout: after 30 minutes"}) {
    EXPECT_THAT(Zones(text), ElementsAre("prose|" + std::string(text)));
  }
}

TEST(ZoneSplitter, CodeThatHandlesErrorsIsCode) {
  const std::string code =
      "```python\nclass MyError(RuntimeError):\n    pass\ntry:\n    f()\nexcept RuntimeError as e:\n    raise "
      "ValueError(\"x\") from e\n"
      "# RuntimeError: a comment\nprint(\"Traceback (most recent call last)\")\n```";
  EXPECT_THAT(Zones(code), ElementsAre("code:python|" + code));
}

// Environment dumps.

TEST(ZoneSplitter, CollectEnvOutputIsOneDumpInsideAndOutsideOfFences) {
  const std::string dump =
      "Collecting environment information...\nPyTorch version: 2.3.0+cu121\nIs debug build: False\n\nOS: Ubuntu 22.04 "
      "(x86_64)\n"
      "GPU models and configuration: \nGPU 0: NVIDIA A100\nGPU 1: NVIDIA A100\n\nVersions of relevant "
      "libraries:\n[pip3] numpy==1.26\n[conda] torch 2.3 pypi_0 pypi";
  EXPECT_THAT(Zones("It hangs.\n\n" + dump + "\n\nThanks for any help"),
              ElementsAre("prose|It hangs.", "environment|" + dump, "prose|Thanks for any help"));
  EXPECT_THAT(Zones("It hangs.\n```\n" + dump + "\n```\nThanks"),
              ElementsAre("prose|It hangs.", "environment|```\n" + dump + "\n```", "prose|Thanks"));
}

TEST(ZoneSplitter, NvidiaSmiTablesBeginWithTheirFrame) {
  const std::string table =
      "Wed Apr 24 10:02:11 2024\n+------------------------+\n| NVIDIA-SMI 550.54.15   |\n|------------------------+\n| "
      "GPU  Name              |\n+------------------------+";
  EXPECT_THAT(Zones("```\n" + table + "\n```"), ElementsAre("environment|```\n" + table + "\n```"));
  EXPECT_THAT(Zones(table), ElementsAre("environment|" + table));
}

TEST(ZoneSplitter, PackageListsAreDumps) {
  EXPECT_THAT(
      Zones("```\nPackage    Version\n---------- -------\nabsl-py    2.1.0\ntorch      2.3.0\n```"),
      ElementsAre("environment|```\nPackage    Version\n---------- -------\nabsl-py    2.1.0\ntorch      2.3.0\n```"));
  EXPECT_THAT(Zones("# packages in environment at /opt/conda:\n#\n# Name    Version    Build  Channel\nnumpy     "
                    "1.26.4     pypi_0    pypi"),
              ElementsAre("environment|# packages in environment at /opt/conda:\n#\n# Name    Version    Build  "
                          "Channel\nnumpy     1.26.4     pypi_0    pypi"));
}

TEST(ZoneSplitter, ListsOfNamesAndVersionsAreDumps) {
  EXPECT_THAT(Zones("macOS 10.12.6\nCUDA 9.0rc\nPython 3.6 (anaconda)\n\nIt crashes."),
              ElementsAre("environment|macOS 10.12.6\nCUDA 9.0rc\nPython 3.6 (anaconda)", "prose|It crashes."));
  EXPECT_THAT(Zones("Python 3.8 is what I use"), ElementsAre("prose|Python 3.8 is what I use"));
}

TEST(ZoneSplitter, TheOldFormWithItsListIsADump) {
  EXPECT_THAT(Zones("## Environment\n\n - PyTorch Version (e.g., 1.0): 1.8.1\n - OS (e.g., Linux): Ubuntu\n - How you "
                    "installed PyTorch (`conda`, `pip`, source): pip\n\n"
                    "## Additional context\nnone"),
              ElementsAre("boilerplate|## Environment",
                          "environment| - PyTorch Version (e.g., 1.0): 1.8.1\n - OS (e.g., Linux): Ubuntu\n - How you "
                          "installed PyTorch (`conda`, `pip`, source): pip",
                          "boilerplate|## Additional context", "prose|none"));
}

TEST(ZoneSplitter, BelowAHeadingForTheEnvironmentShortLinesCount) {
  EXPECT_THAT(Zones("### Versions\n\nSee here:\n\nMemory: 512 GB\n\n### What I tried\n\nMemory: none"),
              ElementsAre("boilerplate|### Versions", "prose|See here:", "environment|Memory: 512 GB",
                          "heading|### What I tried", "prose|Memory: none"));
}

TEST(ZoneSplitter, ATraceInsideADumpIsFound) {
  EXPECT_THAT(Zones("```\nPyTorch version: 2.3\nOS: Ubuntu\nTraceback (most recent call last):\n  File \"c.py\", line "
                    "1, in f\nOSError: x\n```"),
              ElementsAre("environment|```\nPyTorch version: 2.3\nOS: Ubuntu",
                          "trace|Traceback (most recent call last):\n  File \"c.py\", line 1, in f\nOSError: x\n```"));
}

TEST(ZoneSplitter, UnknownLinesInADumpInCodeBelongToItButAScriptDoesNot) {
  EXPECT_THAT(Zones("```\nPyTorch version: 2.3\nsomething odd\nOS: Ubuntu\nlast odd line\n```"),
              ElementsAre("environment|```\nPyTorch version: 2.3\nsomething odd\nOS: Ubuntu\nlast odd line\n```"));
  EXPECT_THAT(Zones("```\nPyTorch version: 2.3\nimport torch\nx = f()\ny = g(x)\nprint(y)\nh(y)\n```"),
              ElementsAre("environment|```\nPyTorch version: 2.3",
                          "code|import torch\nx = f()\ny = g(x)\nprint(y)\nh(y)\n```"));
}

TEST(ZoneSplitter, ProseRightAfterADumpIsProse) {
  EXPECT_THAT(Zones("PyTorch version: 2.3\nOS: Ubuntu\nI hope that helps, it is the same on all nodes."),
              ElementsAre("environment|PyTorch version: 2.3\nOS: Ubuntu",
                          "prose|I hope that helps, it is the same on all nodes."));
}

// Chinese.

TEST(ZoneSplitter, AChineseIssueIsSplitLikeAnEnglishOne) {
  EXPECT_THAT(
      Zones("## 问题描述\n\n多机训练时 all_reduce 卡住，没有任何报错。\n\n## 环境信息\n\n- 操作系统：Ubuntu 20.04\n- "
            "PyTorch 版本: 2.1.0\n- 驱动版本：23.0.3\n\n"
            "## 复现步骤\n\n```bash\ntorchrun --nproc_per_node=8 train.py\n```\n\n## 日志\n\nRuntimeError: 通信超时\n"),
      ElementsAre("boilerplate|## 问题描述", "prose|多机训练时 all_reduce 卡住，没有任何报错。",
                  "boilerplate|## 环境信息",
                  "environment|- 操作系统：Ubuntu 20.04\n- PyTorch 版本: 2.1.0\n- 驱动版本：23.0.3",
                  "boilerplate|## 复现步骤", "code:bash|```bash\ntorchrun --nproc_per_node=8 train.py\n```",
                  "boilerplate|## 日志", "trace|RuntimeError: 通信超时"));
}

TEST(ZoneSplitter, ABilingualFormIsSplit) {
  EXPECT_THAT(
      Zones("### Hardware Environment(`Ascend`/`GPU`/`CPU`) / 硬件环境:\n> Please delete the backend not involved / "
            "请删除不涉及的后端:\n> /device ascend\n\n"
            "### Software Environment / 软件环境 (Mandatory / 必填):\n-- MindSpore version (e.g., 1.7.0.Bxxx) : "
            "2.3.0\n-- Python version (e.g., Python 3.7.5) : 3.9\n\n"
            "## Describe the current behavior / 问题描述 (Mandatory / 必填)\n训练卡住\n\n## Related log / screenshot / "
            "日志 / 截图 (Mandatory / 必填)\n"
            "[ERROR] HCCL(12345,python):2024-01-01-10:00:00.123 [transport.cc:123] connect timeout\nRuntimeError: Call "
            "HcclAllReduce failed\n"
            "-----------------------\n- C++ Call Stack: (For framework "
            "developers)\n-----------------------\nccsrc/runtime/x.cc:120 Run"),
      ElementsAre(
          "boilerplate|### Hardware Environment(`Ascend`/`GPU`/`CPU`) / 硬件环境:",
          "boilerplate|> Please delete the backend not involved / 请删除不涉及的后端:", "environment|> /device ascend",
          "boilerplate|### Software Environment / 软件环境 (Mandatory / 必填):",
          "environment|-- MindSpore version (e.g., 1.7.0.Bxxx) : 2.3.0\n-- Python version (e.g., Python 3.7.5) : 3.9",
          "boilerplate|## Describe the current behavior / 问题描述 (Mandatory / 必填)", "prose|训练卡住",
          "boilerplate|## Related log / screenshot / 日志 / 截图 (Mandatory / 必填)",
          "trace|[ERROR] HCCL(12345,python):2024-01-01-10:00:00.123 [transport.cc:123] connect timeout\n"
          "RuntimeError: Call HcclAllReduce failed\n-----------------------\n- C++ Call Stack: (For framework "
          "developers)\n"
          "-----------------------\nccsrc/runtime/x.cc:120 Run"));
}

// Limits and strange bytes.

TEST(ZoneSplitter, WhatIsPastTheLimitIsOverflowFromTheNextLineOn) {
  const std::string line = "some words in a line\n";
  const std::string text = testing::Repeat(line, kMaxMarkdownBytes + 4096);
  const std::vector<ZoneSpan> spans = Common().Split(text);
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_EQ(testing::BrokenZoneInvariant(text, spans), "");
  const size_t cut = kMaxMarkdownBytes / line.size() * line.size();
  EXPECT_EQ(spans[0], (ZoneSpan{Zone::kProse, 0, cut - 1, ""}));
  EXPECT_EQ(spans[1], (ZoneSpan{Zone::kOverflow, cut, text.size(), ""}));
}

TEST(ZoneSplitter, OneLineLongerThanTheLimitIsCutBetweenCharacters) {
  const std::string text = "ab" + testing::Repeat("中", kMaxMarkdownBytes + 4096);
  const std::vector<ZoneSpan> spans = Common().Split(text);
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_EQ(spans[0].end, spans[1].begin);
  EXPECT_EQ((spans[0].end - 2) % 3, 0u);
  EXPECT_LE(spans[0].end, kMaxMarkdownBytes);
  EXPECT_EQ(spans[1].end, text.size());
}

TEST(ZoneSplitter, ATextOfExactlyTheLimitHasNoOverflow) {
  const std::string text(kMaxMarkdownBytes, 'x');
  EXPECT_THAT(Common().Split(text), ElementsAre(ZoneSpan{Zone::kProse, 0, text.size(), ""}));
}

TEST(ZoneSplitter, NulsAndInvalidUtf8KeepTheirPlaces) {
  using namespace std::string_literals;
  EXPECT_THAT(Zones("a\0b\n\xff\xfe\n\n```x\0y\n\xc3\x28\0\n```\n\0 end\n"s),
              ElementsAre("prose|a\0b\n\xff\xfe"s, "code:x\xef\xbf\xbdy|```x\0y\n\xc3\x28\0\n```"s, "prose|\0 end"s));
}

TEST(ZoneSplitter, ListsThatAreNestedTooDeepAreReadAsPlainLinesAndItIsSaid) {
  const std::string text = testing::Repeat("- ", 2000) + "a\nRuntimeError: x\n\n    indented\n";
  bool too_deep = false;
  const std::vector<ZoneSpan> spans = Common().Split(text, &too_deep);
  EXPECT_TRUE(too_deep);
  EXPECT_EQ(testing::BrokenZoneInvariant(text, spans), "");
  EXPECT_EQ(spans[0].zone, Zone::kProse);
  EXPECT_EQ(spans[1].zone, Zone::kTrace);
}

TEST(ZoneSplitter, OrdinaryNestingAndLongRulesAreNotTooDeep) {
  std::string lists;
  for (int depth = 0; depth < 40; ++depth) lists += std::string(2 * depth, ' ') + "- item\n";
  for (const std::string& text :
       {lists, std::string(2000, '-') + "\n", std::string(2000, ' ') + "x\n", std::string("plain")}) {
    bool too_deep = true;
    const std::vector<ZoneSpan> spans = Common().Split(text, &too_deep);
    EXPECT_FALSE(too_deep);
    EXPECT_EQ(testing::BrokenZoneInvariant(text, spans), "");
  }
}

TEST(ZoneSplitter, HostileTextsOfFullSizeCostLittleTimeAndMemory) {
  const auto cpu_ms = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
  };
  const auto peak_kib = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const auto texts = testing::HostileTexts(kMaxMarkdownBytes);
  Common();
  const long peak_before = peak_kib();
  for (const auto& [name, text] : texts) {
    const double begin = cpu_ms();
    const std::vector<ZoneSpan> spans = Common().Split(text);
    const double spent = cpu_ms() - begin;
    EXPECT_LT(spent, kSanitized ? 5000 : 500) << name;
    EXPECT_EQ(testing::BrokenZoneInvariant(text, spans), "") << name;
  }
  if (!kSanitized) {
    EXPECT_LT(peak_kib() - peak_before, 64 * 1024) << "KiB more at the peak";
  }
}

TEST(ZoneSplitter, ManyTimesTheLimitIsAsCheap) {
  const std::string text = testing::Repeat("![[]()", 16 * kMaxMarkdownBytes);
  const std::vector<ZoneSpan> spans = Common().Split(text);
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_EQ(spans[1].zone, Zone::kOverflow);
  EXPECT_EQ(spans[1].end, text.size());
}

}  // namespace
}  // namespace yardmaster::rules
