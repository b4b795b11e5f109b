#include "services/worker/verdict/line_kinds.h"

#include <re2/re2.h>

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"

namespace yardmaster::worker {

bool SaysAnything(std::string_view text) {
  return absl::c_any_of(text, [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); });
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

bool SaysRetry(std::string_view text) {
  static const RE2 kRetry(R"((?i)\bretry(?:ing)?\b|\bwill (?:be )?retr(?:y|ied)\b|\btrying again\b)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kRetry);
}

bool SaysLittle(std::string_view text) {
  static const RE2 kCommand(R"(^\s*error: (?:subprocess-exited-with-error|metadata-generation-failed|command ['\"/]))",
                            RE2::Latin1);
  // What pytest writes above what it shows.
  static const RE2 kHeading(R"(^_{3,} .+ _{3,}\s*$|^={3,} (?:ERRORS|FAILURES) ={3,}\s*$)", RE2::Latin1);
  return SaysRetry(text) || RE2::PartialMatch(Piece(text), kCommand) || RE2::PartialMatch(Piece(text), kHeading);
}

bool NamesOnlyCode(std::string_view text) {
  static const RE2 kCode(R"((?i)\b(?:error|return|ret) ?code\s*(?:is|[:=])?\s*-?\d+\W*$)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kCode);
}

bool CallsItselfError(std::string_view text) {
  static const RE2 kError(
      // "ERROR: …", "[ERROR] …", "Error in x: …", "fatal: …", glog's "E0116 07:02:59.408227 …", "FAILED a.py - …".
      R"(^\s*\[?(?i:error|fatal(?: error)?|critical|failure|exception)\]?(?:\(\w+\))?(?::|\s+-|\s*$|\s+[A-Z[]|\s+in\b)|^\s*\[(?i:error|fatal|critical)\])"
      R"(|^g?make(?:\[\d+\])?: \*\*\* |^E(?:20\d\d)?\d{4} \d\d:|^(?:FAILED|ERROR) \S+ - |[\s\]|-](?:ERROR|FATAL|CRITICAL)[\s\]:|-])"
      // "x.mlir:3:4: error: …", "tool: fatal: …".
      R"(|[:)] (?:(?i:fatal )?error|fatal)(?: [A-Z]+\d+)?: )"
      // "  'out' FAIL  shape=…", "TEST FAILED: …".
      R"(|\bFAIL(?:ED|URE)?(?:[:!]|\s*$|\s+\S)|^Assertion)",
      RE2::Latin1);
  // "a.py:3:8: F401 …"; compilers tell of more than errors in this way.
  static const RE2 kPlace(R"(^\s*[^\s:]+\.\w+:\d+:\d+: (\S+))", RE2::Latin1);
  std::string word;
  if (RE2::PartialMatch(Piece(text), kPlace, &word)) return word != "warning:" && word != "note:";
  return RE2::PartialMatch(Piece(text), kError);
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

bool RepeatsException(std::string_view text) {
  static const RE2 kException(R"(^\s*(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception): \S)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kException);
}

}  // namespace yardmaster::worker
