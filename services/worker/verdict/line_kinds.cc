#include "services/worker/verdict/line_kinds.h"

#include <re2/re2.h>

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "services/core/lines.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"

namespace yardmaster::worker {

bool SaysAnything(std::string_view text) {
  // The first bytes of Chinese characters in UTF-8; frames of tables begin with others.
  constexpr unsigned char kFirstChinese = 0xE4;
  constexpr unsigned char kLastChinese = 0xE9;
  return absl::c_any_of(
      text, [](unsigned char c) { return absl::ascii_isalnum(c) || (c >= kFirstChinese && c <= kLastChinese); });
}

bool IsWarning(std::string_view text) {
  static const RE2 kWarning(
      R"((?:^|[\s\[(|])(?:\w*Warning|WARN(?:ING)?|warning)(?:[\]:]|\s+\d\d-\d\d |\s+-\s|\s*\|)|\blevel="?warn)"
      R"(|(?:^|\]:)\s*\[?W(?:20\d\d)?\d{3,4} \d\d:\d\d|(?:^|\s)\[?W \S+:\d+\]|^W: \S|\bmay (?:crash|fail)\b)"
      R"(|^(?:[\s\[(]|【)*(?:警告|告警|注意)(?::|：|\]|】))",
      RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kWarning);
}

bool IsShown(std::string_view text) {
  static const RE2 kShown(
      R"(^\s*File "[^"]*", line \d|^\s*(?:frame )?#\d+:? |^\s*at \S+ ?\(.*\)$|^\s*\[bt\] |^\++ \S|^\s*\d+ \| |^\s*\||^\s*[\^~]+\s*$)"
      R"(|Trace[Bb]ack \(most recent call (?:last|first)\)|^_{3,} .+ _{3,}\s*$|^[=-]{5,} .* [=-]{5,}\s*$)"
      R"(|^In file included from |: In (?:member |static )*(?:function|constructor|destructor|lambda)|^\s*(?:note|In|from) \S+:\d+)"
      R"(|^[^\s:]+:\d+(?::\d+)?: note: |^-- |^ +required (?:from|by))",
      RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kShown);
}

TestEnd TestEndOf(std::string_view text) {
  // Few lines have one of these words; the patterns are for them.
  if (Contains(text, "PASSED") || Contains(text, " OK ]") || text.ends_with("... ok")) {
    static const RE2 kPassed(
        // "a.py::test_b PASSED [ 12%]", "[gw0] [ 12%] PASSED a.py::test_b", after a test's output "PASSED". A list of
        // what passed, at the end, begins with that word.
        R"(^\S+::.* PASSED(?:\s*$|\s+\[)|^\[gw\d+\] .*\bPASSED \S+::|^\.?PASSED(?:\s*$|\s+\[))"
        R"(|^\[       OK \] \S|^\S+ \(\S+\) \.\.\. ok$)",
        RE2::Latin1);
    return RE2::PartialMatch(Piece(text), kPassed) ? TestEnd::kPassed : TestEnd::kNone;
  }
  static const RE2 kOther(
      R"((?:^|\s)(?:FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?:\s*$|\s+\[ *\d[\d%./s]*\]|\s+[^\s:]+\.\w+::)|^\[(?:  FAILED |  SKIPPED )\s?\] \S)"
      R"(|\.\.\. (?:FAIL|ERROR|skipped\b.*)$|^=+ (?:FAILURES|ERRORS|PASSES|short test summary info) =+)"
      // ctest; it shows below what the program printed.
      R"(|^\s*\d+/\d+ Test +#\d+: .*\*\*\*)",
      RE2::Latin1);
  const bool may = Contains(text, "FAIL") || Contains(text, "***") || Contains(text, "ERROR") ||
                   Contains(text, "SKIP") || Contains(text, "XPASS") || text.starts_with("===") ||
                   Contains(text, "... skipped");
  return may && RE2::PartialMatch(Piece(text), kOther) ? TestEnd::kOther : TestEnd::kNone;
}

std::string_view BehindTestName(std::string_view text) {
  // Few lines have one of these; the pattern is for them.
  if (!Contains(text, ".py::") && !Contains(text, ") ... ")) return text;
  static const RE2 kName(R"((?:\S+\.py::\w+(?:::\w+)*(?:\[[^\]]*\])?|\w+ \([\w.]+\) \.\.\.) +)", RE2::Latin1);
  re2::StringPiece rest = Piece(text);
  if (!RE2::Consume(&rest, kName) || rest.empty() || TestEndOf(text) != TestEnd::kNone) return text;
  return {rest.data(), rest.size()};
}

std::string_view BehindFailedTest(std::string_view text) {
  if (!text.starts_with("FAILED ") && !text.starts_with("ERROR ")) return {};
  static const RE2 kListed(R"((?:FAILED|ERROR) (?:\[[\d.]+s\] )?\S+\.py(?:::\w+)*(?:\[[^\]]*\])? - )", RE2::Latin1);
  re2::StringPiece rest = Piece(text);
  if (!RE2::Consume(&rest, kListed)) return {};
  return {rest.data(), rest.size()};
}

bool ExcusesTest(std::string_view text) {
  if (!Contains(text, "SKIPPED") && !Contains(text, "XFAIL") && !Contains(text, "XPASS")) return false;
  static const RE2 kExcuse(R"(^(?:SKIPPED|XFAIL|XPASS) (?:\[\d+\] )?\S+\.py\b|^\S+\.py::.* (?:SKIPPED|XFAIL|XPASS) \()",
                           RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kExcuse);
}

bool ShowsDifference(std::string_view text) {
  text = TrimBlanks(text);
  // "+  where 1 = run().returncode" explains the assertion.
  if (Contains(text, " where ") || Contains(text, " and   ")) return false;
  return text.starts_with("- ") || text.starts_with("+ ") || text.starts_with("? ");
}

LogLevel LevelOf(std::string_view line) {
  static const RE2 kLevel(R"(^\W*(?:\d[\d:,.\-TZ/ ]*\W{0,4})?(?:(DEBUG|INFO)|WARN(?:ING)?|ERROR|CRITICAL)\b)",
                          RE2::Latin1);
  re2::StringPiece calm;
  if (!RE2::PartialMatch(Piece(line), kLevel, &calm)) return LogLevel::kNone;
  return calm.empty() ? LogLevel::kFailure : LogLevel::kInfo;
}

bool IsWarnedByPython(std::string_view text) {
  static const RE2 kWarning(R"(^\s*\S+:\d+: (?:\w+\.)*\w*Warning: )", RE2::Latin1);
  return Contains(text, "Warning: ") && RE2::PartialMatch(Piece(text), kWarning);
}

bool SaysRetry(std::string_view text) {
  static const RE2 kRetry(R"((?i)\bretry(?:ing)?\b|\bwill (?:be )?retr(?:y|ied)\b|\btrying again\b)", RE2::Latin1);
  // "x failed to start.  Retry with --verbose": the reader is meant.
  static const RE2 kAdvice(R"((?:^|[.!]\s+)Retry (?:with|using|after) )", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kRetry) && !RE2::PartialMatch(Piece(text), kAdvice);
}

bool SaysNotFound(std::string_view text) {
  return text.ends_with(": not found") || text.ends_with(": command not found");
}

bool IsLinkersWord(std::string_view text) {
  static const RE2 kLinker(R"(^(?:\S*/)?(?:ld|collect2)(?:\.\w+)?: )", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kLinker);
}

bool SaysItGoesOn(std::string_view text) {
  static const RE2 kGoesOn(
      R"((?i)\bfall(?:s|ing)?[ -]?back\b|\bcontinu(?:e|es|ing) (?:without|with|anyway)\b|\bus(?:e|es|ing) .* instead\b|\b(?:ignored|ignoring|recovered)\b)",
      RE2::Latin1);
  return SaysRetry(text) || RE2::PartialMatch(Piece(text), kGoesOn);
}

bool NamesOnlyCode(std::string_view text) {
  static const RE2 kCode(R"((?i)\b(?:error|return|ret) ?code\s*(?:is|[:=])?\s*-?\d+\W*$)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kCode);
}

std::string_view WithoutQuotedData(std::string_view text, std::string& buffer) {
  if (!Contains(text, "ssert")) return text;
  // "assert 'a' in b", "AssertionError: 'a' not found in 'b'", "AssertionError: "a" does not match "b"".
  static const RE2 kAssertion(R"(^\s*(?:E\s+)?(?:(?:AssertionError: )?assert\s|AssertionError: ['"]))", RE2::Latin1);
  static const RE2 kQuoted(R"('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")", RE2::Latin1);
  if (!RE2::PartialMatch(Piece(text), kAssertion)) return text;
  buffer.assign(text);
  RE2::GlobalReplace(&buffer, kQuoted, "''");
  return buffer;
}

bool SaysAborted(std::string_view text) {
  static const RE2 kAborted(R"(\bAborted\b|\bSIGABRT\b|\bsignal:? 6\b|\bcode:? ?=? ?-6\b|已放弃)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kAborted);
}

}  // namespace yardmaster::worker
