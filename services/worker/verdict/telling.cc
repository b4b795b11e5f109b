#include "services/worker/verdict/telling.h"

#include <re2/re2.h>

#include <string>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/line_kinds.h"
#include "services/worker/verdict/line_prefix.h"

namespace yardmaster::worker {
namespace {

using Known = std::vector<const rules::FailureSignature*>;

bool HasShape(std::string_view text, const RE2& pattern) { return RE2::PartialMatch(Piece(text), pattern); }

// "FAIL: test_x (m.T)", "  27 - unit_plan (SEGFAULT)", "--- FAIL: TestPlan (0.02s)", "not ok 3 - plan", besides what
// ends a test.
bool NamesTest(std::string_view said) {
  static const RE2 kTest(
      R"(^(?:FAIL|ERROR)(?: \[[\d.]+s\])?: \w+ \([\w.]+\)|^\s+\d+ - \S.* \((?:Failed|SEGFAULT|Timeout|Subprocess \w+|\w+ \*)\)\s*$)"
      R"(|^\s*--- FAIL: \S+ \(|^not ok \d|^FAIL +\S+$|^test \S+ \.\.\. FAILED$|^\s*(?:✕|✗|×) |^\S+\.py::\S+ .*\bFail\s+[\d.]+s\b)",
      RE2::Latin1);
  return (TestEndOf(said) == TestEnd::kOther && !Contains(said, " - ")) || HasShape(said, kTest);
}

// The end of a traceback of Python, or how others name an exception and what it says.
bool ShowsException(std::string_view said) {
  static const RE2 kException(
      R"(^\s*(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: \S|^\s*what\(\):\s*\S)"
      R"(|^\s*terminate called after throwing )",
      RE2::Latin1);
  return HasShape(said, kException);
}

// What processes say whose partner, parent or user has ended them, and what ends an interpreter.
bool IsFollowUp(std::string_view said) {
  static const RE2 kFollowUp(
      R"(^\s*(?:E\s+)?(?:[A-Za-z_]\w*\.)*(?:SystemExit|KeyboardInterrupt|GeneratorExit|CancelledError|EOFError)"
      R"(|BrokenPipeError|ConnectionResetError|ConnectionAbortedError)(?::|\s*$))"
      R"(|^\s*(?:E\s+)?(?:queue\.(?:Empty|Full)|(?:[A-Za-z_]\w*\.)*TimeoutError)\s*$|^Fatal Python error: Aborted)",
      RE2::Latin1);
  return HasShape(said, kFollowUp);
}

// A failed check with its place, and what linters and compilers say with one.
bool HasPlace(std::string_view said) {
  static const RE2 kAssertion(
      R"(^\s*\S+(?::|\()\d+\)?: (?:Failure\s*$|FAILED:|ERROR: (?:CHECK|REQUIRE|WARN)\w*\()|^unknown file: Failure)"
      R"(|: Assertion .+ failed|: (?:Test Failed|Error During Test) at \S+:\d+$|\S+:\d+: Assertion Failed$|^Assertion failed: |^Expected:$|^\s*expect\(.*\)\.\w+|^[a-z][\w.-]*: [^\s:]+\.\w+:\d+: \S|^\s+\d+:\d+\s+error\s+\S|^\s+\w+_test\.go:\d+: )"
      R"(|^\s*[^\s:()]+\.\w+\(\d+\): (?:fatal |catastrophic |internal )?error\b)",
      RE2::Latin1);
  static const RE2 kPlace(R"(^\s*[^\s:]+\.\w+:\d+:\d+:? (\S+))", RE2::Latin1);
  std::string word;
  if (RE2::PartialMatch(Piece(said), kPlace, &word)) return word != "note:" && word != "info:" && word != "remark:";
  return HasShape(said, kAssertion);
}

// In a form that loggers, shells, compilers and scripts use.
bool CallsItselfError(std::string_view text) {
  static const RE2 kError(
      // "ERROR: …", "[ERROR] …", "Error in x: …", "fatal: …", glog's "E0116 07:02:59.408227 …", "FAILED a.py - …".
      R"(^\s*\[?(?i:error|fatal(?: error)?|critical|failure|exception)\]?(?:\(\w+\))?(?:[:!]|\s+-|\s*$|\s+[A-Z[]|\s+in\b)|^\s*\[(?i:error|fatal|critical)\])"
      R"(|^g?make(?:\[\d+\])?: \*\*\* |^\[?E(?:20\d\d)?\d{3,4} \d\d:|^\[E \S+:\d+\]|^E \S+:\d+\]|^(?:FAILED|ERROR) \S+ - |[\s\]|-](?:ERROR|FATAL|CRITICAL)[\s\]:|-])"
      // apt's "E: …", npm's, loggers' with keys.
      R"re(|^E: \S|^npm (?:ERR!|error) |\blevel="?(?:error|fatal|panic)\b|"level": ?"(?:error|fatal)")re"
      // "x.mlir:3:4: error: …", "tool: fatal: …".
      R"(|[:)] (?:(?i:fatal )?error|fatal)(?: [A-Z]+\d+)?: |^[\w./-]+: E(?:rror|RROR) \w)"
      // "  'out' FAIL  shape=…", "TEST FAILED: …".
      R"(|\bFAIL(?:ED|URE)?(?:[:!]|\s*$|\s+\S)|^Assertion)"
      // Linters: "F401 [*] `os` imported but unused".
      R"(|^[A-Z]{1,4}\d{3} (?:\[\*\] |.*`|.*\(\d+ > \d+\)))"
      R"(|^(?:\w+ )?(?i:runtime|syntax|internal|fatal|parse|system|assertion|usage|configuration|value|type) (?i:error): \S)"
      // An exception that something else quotes: "worker 3: ValueError: …".
      R"(|[\s:\]>|'"(](?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception): \S)",
      RE2::Latin1);
  return HasShape(text, kError);
}

// In Chinese: "0 项失败", "失败: 0", "没有错误".
bool CountsNone(std::string_view said) {
  static const RE2 kNone(
      R"((?:^|\D)0 ?(?:个|项|条)?(?:用例)?(?:失败|错误|异常|不通过)|(?:失败|错误|异常|不通过)(?:数)?\W{0,4}0(?:[^.\d]|$)|(?:没有|无|未发现)(?:失败|错误|异常))",
      RE2::Latin1);
  return HasShape(said, kNone);
}

// Without the word for it: "Could not override 'model.x'.", "tool: can't open file 'x'", "x: No such file or
// directory".
bool Complains(std::string_view said) {
  static const RE2 kComplaint(
      R"(^\s*(?:[\w./+-]+(?:\[\d+\])?: )?(?i:failed to|failure (?:to|in)|unable to|could ?n[o']t|can(?:not|'t| not)|invalid|missing|no such|unknown|unexpected|unsupported|unrecognized|not enough|too (?:many|few)|mismatch|illegal|duplicate|undefined) )"
      R"(|: (?:No such file or directory|Permission denied|Operation not permitted|Is a directory|Not a directory|File exists|Connection refused)\.?\s*$)"
      R"(|^(?i:killed|aborted|segmentation fault|bus error|illegal instruction)\b|(?i:\bmismatch(?:ed)?\b|\bdiffers? from\b))"
      // What a test of a shell or of Perl says of a check.
      R"(|^#\s+(?:Failed test\b|.*' failed$))"
      R"(|错误|失败|异常|无法|不支持|未找到|不存在)",
      RE2::Latin1);
  return HasShape(said, kComplaint) && !CountsNone(said);
}

// Some word of failure, wherever it stands, and none that says that there was none.
bool Hints(std::string_view said) {
  static const RE2 kHint(
      R"((?i)\b(?:(?:syntax|parse|type|internal|unknown|validation|i/o|link(?:er|ing)?|compil(?:er|ation|ing)|connection|time-?out|permission) error)"
      R"(|errors? (?:in|at|on|while|during|occurred)|fail(?:ed|ure|s)?|conflict|cannot|can't|could ?n[o']t|unable to|(?:not|never) found|no such|missing|invalid)"
      R"(|illegal|denied|refused|unreachable|unsupported|not supported|abort(?:ed|ing)?|crash(?:ed)?|corrupt(?:ed)?|overflow|exceed(?:s|ed)|timed out)"
      R"(|out of (?:memory|range|bounds)|unexpected(?:ly)?|undefined|unbound|uninitiali[sz]ed|incorrect|expired|killed|deadlock(?:ed)?|lost|not correct|(?:does|do|did)(?: not|n't) (?:match|equal|agree|fit)|differ(?:s|ed)?|too (?:slow|large|small|big|long|short|many|few)|beyond)\b)"
      // Numbers and results that are not what they should be.
      R"(|\b(?:nan|bad|wrong|(?:is|are|was|were|values?|results?) off|not (?:bitwise |all |exactly |nearly )?(?:equal|close|identical|the same|as expected)|golden (?:has|is|says|shape)|should (?:be|have|equal)|but (?:got|found|was|is|has)|instead of)\b)"
      R"(|不通过|未通过|不达标|不正确|不符|不相等|不等于|不一致|不匹配|超出|超过|超时|越界|溢出|缺失|有误|非法|无效|拒绝|崩溃|偏差|过大|过小|期望.{1,40}实际)"
      R"(|\b(?:want(?:s|ed)?|expect(?:s|ed))[ :=]+(?:[a-z]+ ){0,3}[\d'"(\[-])"
      R"(|\d ?(?:>=?|<=?|!=|≠|≥|≤) ?-?\d|\b(?:is|are|was|were|-?\d[\d.e+-]*%?) (?:below|above|over|under|less than|more than|greater than|larger than|smaller than|exceed(?:s|ing)) )",
      RE2::Latin1);
  static const RE2 kNone(
      R"((?i)\b(?:0|no|without|zero|if|ignor\w+) (?:\w+ )?(?:errors?|fail\w*|conflicts?|missing|invalid|unexpected)|\b(?:fail\w*|errors?)\W{1,3}0(?:[^.\d]|$)|\b(?:PASSED|passed|ok|OK)\b)",
      RE2::Latin1);
  return HasShape(said, kHint) && !HasShape(said, kNone) && !CountsNone(said);
}

// A logger's word for what goes on as it should.
bool IsInformation(std::string_view text) {
  static const RE2 kInformation(R"((?:^|[\s\[(|])(?:INFO|DEBUG|TRACE|NOTICE)(?:[\]:]|\s+\d\d-\d\d |\s+-\s|\s*\||\s))",
                                RE2::Latin1);
  return HasShape(text, kInformation);
}

// "exit 1", "done in 3.1 s": how it goes to its end, whatever went before.
bool IsClosing(std::string_view said) {
  static const RE2 kClosing(
      R"((?i)^\W*(?:(?:exit(?:ing)?|done|finished|completed?|ended|end|over|bye|quit(?:ting)?|clean(?:ed|ing)? ?up|teardown|tear(?:ing)? down|clos(?:ed|ing)|shut(?:ting)? ?down|leaving|stopp(?:ed|ing))\b)"
      R"((?:(?: in| after| with| code| status|:|,)? ?(?:\d[\d.:]* ?\w{0,7}|code|status|all|rank \d+|\w+)?){0,3}|(?:total |elapsed |wall )time\b.*|took \d.*|(?:real|user|sys)\s+[\d.ms]+)\W*$)",
      RE2::Latin1);
  return HasShape(said, kClosing);
}

// By its shape alone.
Telling ShapeOf(std::string_view text, std::string_view said) {
  if (NamesOnlyCode(said)) return Telling::kNumber;
  if (IsFollowUp(said)) return Telling::kFollowUp;
  if (ShowsException(said) || HasPlace(said)) return Telling::kCause;
  // What it says of the error stands below an open bracket.
  const bool opens = said.ends_with('{');
  if (!opens && (CallsItselfError(text) || CallsItselfError(said))) return Telling::kError;
  if (Complains(said)) return Telling::kComplaint;
  if (IsInformation(text) || IsClosing(said)) return Telling::kAside;
  return Hints(said) ? Telling::kHint : Telling::kPlain;
}

bool AnyOf(const Known& known, bool (*is)(const rules::FailureSignature&)) {
  return absl::c_any_of(known, [&](const auto* signature) { return is(*signature); });
}

bool IsVictimsWord(const rules::FailureSignature& signature) { return signature.cls == rules::FailureClass::kVictim; }

}  // namespace

Telling TellingOf(std::string_view line, const Known& known) {
  std::string buffer;
  const std::string_view text = WithoutEscapes(line, buffer);
  const std::string_view said = BehindTestName(WithoutPrefix(text));
  if (!SaysAnything(text)) return Telling::kNothing;
  if (AnyOf(known, IsException)) {
    // A warning can end a program like any exception; what a logger calls a warning did not.
    static const RE2 kOnlyLogged(R"(\b(?:WARN(?:ING)?|DEBUG)\b)", RE2::Latin1);
    if (HasShape(text.substr(0, text.size() - said.size()), kOnlyLogged)) return Telling::kAside;
    return IsFollowUp(said) ? Telling::kFollowUp : NamesOnlyCode(said) ? Telling::kNumber : Telling::kCause;
  }
  if (AnyOf(known, IsAdvice)) return Telling::kAside;
  if (AnyOf(known, IsEcho)) return Telling::kEcho;
  if (!known.empty()) {
    if (SaysRetry(said)) return Telling::kAside;
    if (NamesOnlyCode(said)) return Telling::kNumber;
    if (AnyOf(known, IsVictimsWord)) return Telling::kVictim;
    // What a signature of its own knows is an error in whatever words.
    return AnyOf(known, IsWrapper) ? Telling::kWrapper : Telling::kError;
  }
  // pytest's lines of an error say it also without a name: "E   assert 1 == 2". What it says of parts comes after.
  if (IsErrorLine(said)) return TrimBlanks(said.substr(1)).starts_with('+') ? Telling::kPlain : Telling::kCause;
  if (SaysRetry(said) || IsWarning(text) || IsShown(said)) return Telling::kAside;
  return NamesTest(said) ? Telling::kTest : ShapeOf(text, said);
}

}  // namespace yardmaster::worker
