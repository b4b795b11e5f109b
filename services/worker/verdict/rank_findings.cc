// What is wrong with one rank by itself. Which of it is to blame is decided where ranks are merged.
#include <re2/re2.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/re2_piece.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/completion.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/last_words.h"
#include "services/worker/verdict/line_kinds.h"
#include "services/worker/verdict/line_prefix.h"
#include "services/worker/verdict/package_versions.h"
#include "services/worker/verdict/priorities.h"
#include "services/worker/verdict/rank_view.h"
#include "services/worker/verdict/telling.h"
#include "services/worker/verdict/text.h"

namespace yardmaster::worker {
namespace {

using rules::FailureClass;

// Failed tests whose messages are looked at.
constexpr size_t kMaxClassifiedTests = 100;
// What shells say of programs that they did not find, or could not start.
constexpr int kShellNotFound = 127;
constexpr int kShellNotExecutable = 126;
// That of `timeout`, when what it had started passed its limit.
constexpr int kTimeoutCode = 124;
// What a rank says in so many lines before its end may say why it ended.
constexpr size_t kLinesBeforeEnd = 100;
// Where an error of no known kind is looked for. Tests print errors that they get over, so that more is looked at only
// where the last lines say nothing; a build goes on with other files after one.
constexpr size_t kLastLines = 60;
constexpr size_t kMoreLastLines = 400;
// The pack's signatures for what the kernel logs have these names, too.
constexpr std::string_view kOutOfMemoryId = "oom";
constexpr std::string_view kHostOutOfMemoryId = "host-oom";

// On this rank, at its end.
Finding On(const RankView& view, Finding finding) {
  finding.rank = view.rank;
  finding.micros = view.end_micros;
  return finding;
}

Finding Make(const RankView& view, int priority, FailureClass cls, std::string_view signature, std::string what) {
  return On(view, MakeFinding(priority, cls, signature, std::move(what)));
}

// A failed comparison, as far as its message says, and no exception of another kind.
bool LooksLikeAssertion(const StepContext& context, std::string_view message) {
  const std::string_view first = TrimBlanks(FirstLine(message));
  if (Contains(first, "AssertionError")) return true;
  const std::vector<const rules::FailureSignature*> known = context.signatures->Match(first, context.phase);
  return absl::c_none_of(known, [](const auto* signature) { return IsGeneric(*signature); });
}

// --- Tests of reports ---

// "Server exited unexpectedly": why stands in what the process printed that the test had started.
bool OnlySaysChildFailed(const StepContext& context, const ReportTest& test) {
  return test.outcome == Outcome::kFailed &&
         absl::c_any_of(context.signatures->Match(Headline(test.message), context.phase),
                        [](const auto* signature) { return signature->id == kChildFailedId; });
}

// The line that tells most of those of a failed test's message that say what went wrong.
struct TestWords {
  std::string_view headline;
  // The best of what the message is known by, and where; null: nothing.
  const rules::FailureSignature* known = nullptr;
  std::string_view known_line;
};

TestWords WordsOf(const StepContext& context, const ReportTest& test) {
  TestWords words;
  words.headline = Headline(test.message);
  const std::vector<std::string_view> lines = ErrorLines(test.message);
  Telling most = TellingOf(words.headline, context.signatures->Match(words.headline, context.phase));
  // What a number means stands below it, in the words of what lies under the library that gave it.
  const bool number = most == Telling::kNumber;
  const bool says_little = most == Telling::kEcho || number || IsPlaceOnly(words.headline);
  int priority = kExitCode;  // of what the headline is known by
  size_t tracebacks = 0;
  std::string_view own;  // an exception of one of several processes that is no victim's
  const bool compares = Contains(words.headline, "assert ");
  for (const std::string_view line : lines) {
    if (compares && ShowsDifference(line)) continue;
    const std::vector<const rules::FailureSignature*> known = context.signatures->Match(line, context.phase);
    for (const rules::FailureSignature* signature : known) {
      if (IsGeneric(*signature) || IsEcho(*signature) || IsAdvice(*signature)) continue;
      if (words.known != nullptr && words.known->priority <= signature->priority) continue;
      words.known = signature;
      words.known_line = line;
    }
    const Telling telling = TellingOf(line, known);
    tracebacks += Contains(line, "Traceback (most recent call last)") ? 1 : 0;
    if (tracebacks > 1 && own.empty() && telling == Telling::kCause && !TrimBlanks(line).ends_with(':')) own = line;
    const int of_known = known.empty() ? kExitCode : known.front()->priority;
    const bool more = telling > most || (number && telling == most && of_known < priority);
    if (says_little && more && telling >= (number ? Telling::kWrapper : Telling::kError)) {
      most = telling;
      priority = of_known;
      words.headline = TrimBlanks(line);
    }
  }
  if (words.known != nullptr && words.known->cls == FailureClass::kVictim && !own.empty()) {
    words.known = nullptr;
    words.headline = TrimBlanks(own);
  }
  return words;
}

Finding FromTest(const StepContext& context, const RankView& view, const ReportTest& test, bool tensors_off) {
  const TestWords words = WordsOf(context, test);
  const rules::FailureSignature* const best = words.known;
  const std::string_view best_line = words.known_line;
  Finding finding;
  if (test.outcome == Outcome::kNotStarted) {
    finding = Make(view, kMissingProgram, FailureClass::kCode, "missing-program",
                   Concat("the program of test '", test.id, "' is missing: the build did not make it"));
  } else if (test.outcome == Outcome::kTimedOut) {
    finding = Make(view, kFailedAssertion, FailureClass::kCode, kTimeoutId,
                   Concat("test '", test.id, "' passed its time limit"));
    finding.time_limit = true;
  } else if (test.outcome == Outcome::kUnfinished) {
    // The program died in it: how it ended says why.
    finding =
        Make(view, kExitCode, FailureClass::kCode, "unfinished", Concat("the program ended in test '", test.id, "'"));
    finding.generic = true;
  } else if (best != nullptr) {
    finding = On(view, FromSignature(*context.signatures, *best, best_line));
    finding.what = Concat("test '", test.id, "': ", finding.what);
  } else if (const std::string_view misfit = MisfitOf(test.message); !misfit.empty()) {
    finding = Make(view, kPackageVersions, FailureClass::kEnvironment, kPackageVersionsId,
                   Concat("test '", test.id, "': installed packages don't fit each other: ", Quoted(misfit)));
  } else if (tensors_off && LooksLikeAssertion(context, test.message)) {
    // The test asserts what the worker's own comparison shows: there it says more.
    finding = Make(view, kPrecision, FailureClass::kCode, kPrecisionId,
                   Concat("test '", test.id, "' failed: ", Quoted(FirstLine(test.message))));
  } else {
    const std::string message = Quoted(WithLineBelow(words.headline, test.message));
    finding = Make(view, kFailedTest, FailureClass::kCode, "test-failed",
                   Concat("test '", test.id, "' failed", message.empty() ? "" : ": ", message));
    if (const std::string by = RaisedIn(test.message, words.headline); !by.empty()) {
      finding.what += Concat(", raised by: ", Quoted(by));
    }
    finding.generic = true;
    if (!LooksLikeAssertion(context, words.headline)) {
      TakeReason(*context.signatures, words.headline, context.phase, finding);
    }
  }
  finding.test = test.id;
  finding.search = Quoted(best != nullptr ? best_line : words.headline);
  return finding;
}

void FindInTests(const StepContext& context, RankView& view, bool tensors_off) {
  size_t classified = 0;
  for (const Report& report : view.evidence->reports) {
    // Tests run one after the other: the seconds of those before say when one failed. pytest prints its failures only
    // at the end, so that times of lines say nothing.
    double seconds = 0;
    for (const ReportTest& test : report.tests) {
      seconds += test.seconds;
      if (test.outcome == Outcome::kPassed || test.outcome == Outcome::kSkipped) continue;
      if (++classified > kMaxClassifiedTests) return;
      Finding finding = FromTest(context, view, test, tensors_off);
      const int64_t begin = view.evidence->begin_micros - context.begin_micros;
      finding.micros = std::min(view.end_micros, begin + static_cast<int64_t>(seconds * kMicrosPerSecond));
      if (finding.generic && OnlySaysChildFailed(context, test)) {
        finding.priority = kFirstWrapper;
        if (view.child_of.empty()) view.child_of = test.id;
      }
      view.findings.push_back(std::move(finding));
    }
  }
}

// --- How it ended ---

// What an uncaught exception says right below "terminate called …" is known by itself: the abort only follows from it.
bool AbortSaysWhy(const RankView& view) {
  constexpr uint64_t kLinesOfWhat = 20;
  const auto terminate = absl::c_find_if(view.hits, [](const Signatures::Hit& hit) {
    return hit.signature->id == kExceptionId && Contains(hit.line.text, "terminate called");
  });
  return terminate != view.hits.end() && absl::c_any_of(view.hits, [&](const Signatures::Hit& hit) {
           return !IsGeneric(*hit.signature) && hit.signature->cls != FailureClass::kVictim &&
                  hit.line.number > terminate->line.number && hit.line.number <= terminate->line.number + kLinesOfWhat;
         });
}

// A watchdog of the runtime ends the process after a fault on a device.
bool AbortFollowsFault(const RankView& view) {
  return absl::c_any_of(view.hits, [](const Signatures::Hit& hit) {
    return hit.signature->priority >= kFirstKernelFault && hit.signature->priority < kAfterKernelFault;
  });
}

// A sanitizer ends the process after what it found.
bool AbortFollowsSanitizer(const RankView& view) {
  return absl::c_any_of(view.hits, [](const auto& hit) { return hit.signature->priority == kSanitizer; });
}

// Whether the rank's own log, or that of the step, has what the kernel says of memory.
const Signatures::Hit* LogSays(const StepContext& context, const RankView& view, std::string_view signature) {
  for (const std::vector<Signatures::Hit>* hits : {&view.hits, &context.step_hits}) {
    const auto at = absl::c_find_if(*hits, [&](const Signatures::Hit& hit) { return hit.signature->id == signature; });
    if (at != hits->end()) return &*at;
  }
  return nullptr;
}

// "; the kernel says: …", where the log has it.
std::string KernelSays(const Signatures::Hit* hit) {
  return hit == nullptr ? std::string() : Concat("; the kernel says: ", Quoted(hit->line.text));
}

// The rank had said why it fails right before it ended: an exception, a text that is known and is no victim's.
bool SaidWhyBeforeEnd(const StepContext& context, const RankView& view) {
  if (context.evidence->log == nullptr) return false;
  const absl::StatusOr<std::vector<LogLine>> tail =
      context.evidence->log->TailUntil(kLinesBeforeEnd, view.rank, LastCountedMicros(context));
  if (!tail.ok() || tail->empty()) return false;
  return absl::c_any_of(view.hits, [&](const Signatures::Hit& hit) {
    return hit.signature->cls == FailureClass::kCode && !IsWrapper(*hit.signature) &&
           hit.line.number >= tail->front().number;
  });
}

// An exception that the program had got over, unless it was that of a process whose failure was told later.
bool GotOver(const Signatures::Hit& hit, const RankView& view) {
  return hit.got_over && absl::c_none_of(view.hits, [&](const Signatures::Hit& other) {
           return IsWrapper(*other.signature) && other.line.number > hit.line.number;
         });
}

// An exception that the program got over is no last word of it; null: there is none.
const Signatures::Hit* HitGotOver(const RankView& view) {
  const auto at = absl::c_find_if(view.hits, [&](const Signatures::Hit& hit) { return GotOver(hit, view); });
  return at == view.hits.end() ? nullptr : &*at;
}

std::optional<LastWords> LastWordsOfRank(const StepContext& context, const RankView& view) {
  const int64_t until = LastCountedMicros(context);
  const Signatures::Hit* const got_over = HitGotOver(view);
  const auto last = [&](size_t lines) {
    return LastWordsOf(context, view.in_launchers_output ? kNoRank : view.rank, lines, until,
                       std::numeric_limits<uint64_t>::max(), got_over == nullptr ? 0 : got_over->line.number);
  };
  const bool tests = context.phase == "test";
  std::optional<LastWords> words = last(tests ? kLastLines : kMoreLastLines);
  if (!tests || !words.has_value() || words->telling > Telling::kTest) return words;
  std::optional<LastWords> more = last(kMoreLastLines);
  return more.has_value() && more->telling >= Telling::kError ? std::move(more) : std::move(words);
}

void AddLastWords(const StepContext& context, const RankView& view, Finding& finding) {
  if (context.evidence->log == nullptr) return;
  std::optional<LastWords> words = LastWordsOfRank(context, view);
  // The test that it stood in says more than a line that is no error.
  if (!words.has_value() || (!TellsOfFailure(words->telling) && !finding.test.empty())) return;
  finding.what += Concat(TellsOfFailure(words->telling) ? ": " : "; its last words: ", Quoted(words->line.text));
  if (const std::string below = WordsBelow(*context.evidence->log, words->line); !below.empty()) {
    finding.what += Concat(" ", Quoted(below));
  }
  if (words->telling == Telling::kEcho || words->telling == Telling::kWrapper) {
    // Who only hears that something failed may stand right below what says it in words that no rule knows.
    const std::optional<LastWords> before =
        LastWordsOf(context, words->line.rank, kMoreLastLines, LastCountedMicros(context), words->line.number);
    if (before.has_value() && before->telling >= Telling::kPlain) {
      finding.what += Concat("; before it: ", Quoted(before->line.text));
      if (words->telling == Telling::kEcho) words->line = before->line;
    }
  }
  // A link that breaks mostly only follows, so that it stands behind all else; but not where nothing says more.
  for (const rules::FailureSignature* signature : context.signatures->Match(words->line.text, context.phase)) {
    if (IsOfMachine(signature->cls) && signature->priority > kLauncherSays) Explain(*signature, finding);
  }
  TakeReason(*context.signatures, words->line.text, context.phase, finding);
  finding.line = std::move(words->line);
}

// What was said right before a line that does not say why, where it tells at least so much.
void AddErrorBefore(const StepContext& context, const LogLine& line, Telling least, Finding& finding) {
  std::optional<LastWords> before = LastWordsOf(context, line.rank, kLastLines, line.micros, line.number);
  if (!before.has_value() && least <= Telling::kPlain) {
    // A launcher may show its own word for it first.
    before = LastWordsOf(context, line.rank, kLastLines, LastCountedMicros(context),
                         std::numeric_limits<uint64_t>::max(), line.number);
    if (before.has_value() && before->telling <= Telling::kPlain) before.reset();
  }
  if (!before.has_value() || before->telling < least || before->telling == Telling::kEcho) return;
  finding.what += Concat("; before it: ", Quoted(before->line.text));
  const bool wrapper = finding.priority >= kFirstWrapper && finding.priority < kExitCode;
  if (wrapper) TakeReason(*context.signatures, before->line.text, context.phase, finding);
}

Telling TellingOfLine(const StepContext& context, const LogLine& line) {
  return TellingOf(line.text, context.signatures->Match(line.text, context.phase));
}

// "SystemExit: 1", "Fatal Python error: Aborted".
bool OnlyFollows(const StepContext& context, const LogLine& line) {
  return TellingOfLine(context, line) == Telling::kFollowUp;
}

// A program, or its interpreter, names the signal that hit it.
bool SaysSignal(const rules::FailureSignature& signature) {
  return signature.priority > kFatalSignal && signature.priority < kKilled;
}

bool SaysAborted(std::string_view line) {
  static const RE2 kAborted(R"(\bAborted\b|\bSIGABRT\b|\bsignal:? 6\b|\bcode:? ?=? ?-6\b|已放弃)", RE2::Latin1);
  return RE2::PartialMatch(Piece(line), kAborted);
}

// A pattern for what shells, interpreters and launchers call it.
std::string SignalInWords(int signal) {
  return Concat("(?i)\\bsignal:? \\(?", signal, "\\b|\\b", SignalName(signal), "\\b|", SignalMeaning(signal),
                signal == SIGSEGV ? "|段错误" : "");
}

void FindInSignal(const StepContext& context, RankView& view) {
  const StepEvidence& evidence = *context.evidence;
  const int signal = view.end->signal;
  const std::string test = UnfinishedTest(context, view.rank);
  const std::string meaning = SignalMeaning(signal);
  std::string what = Concat("killed by ", SignalName(signal), meaning.empty() ? "" : " (", meaning,
                            meaning.empty() ? "" : ")", test.empty() ? "" : " in ", test);
  const Signatures::Hit* const group_limit = LogSays(context, view, kOutOfMemoryId);
  const Signatures::Hit* const host_limit = LogSays(context, view, kHostOutOfMemoryId);
  Finding finding;
  if (signal == SIGKILL && (evidence.oom_kills > 0 || group_limit != nullptr)) {
    finding = Make(view, kOutOfMemory, FailureClass::kCode, kOutOfMemoryId,
                   Concat("killed for want of memory: the step passed its memory limit", test.empty() ? "" : " in ",
                          test, KernelSays(group_limit)));
    finding.advice = "Use less memory, or raise the limit in the manifest.";
  } else if (signal == SIGKILL && (evidence.host_oom_kills > 0 || host_limit != nullptr)) {
    finding = Make(view, kHostOutOfMemory, FailureClass::kInfrastructure, kHostOutOfMemoryId,
                   Concat("killed while the whole host ran out of memory", test.empty() ? "" : ", in ", test,
                          KernelSays(host_limit)));
    finding.advice = "Run on a host with more memory, or with less beside it.";
  } else if (signal == SIGKILL) {
    finding = Make(view, kKilled, FailureClass::kCode, "signal",
                   Concat(what, "; the kernel killed nothing for want of memory, so another process did"));
    finding.from_outside = true;
    // Whoever killed it did so because it had failed.
    if (SaidWhyBeforeEnd(context, view)) finding.priority = kExitCode;
  } else {
    finding = Make(view, kFatalSignal, FailureClass::kCode, "signal", std::move(what));
    finding.from_outside = signal == SIGTERM || signal == SIGHUP || signal == SIGINT || signal == SIGPIPE;
    if (finding.from_outside) finding.priority = kKilled;
    // Aborts follow from something that was said before: an assertion, an uncaught exception.
    finding.generic = signal == SIGABRT;
  }
  finding.test = test;
  if (signal == SIGABRT && (AbortSaysWhy(view) || AbortFollowsFault(view) || AbortFollowsSanitizer(view))) {
    finding.priority = kExitCode;
  }
  // Who killed it may be told by a shell, or what it did by itself.
  const bool unexplained = finding.from_outside && signal == SIGKILL && view.rank == kNoRank;
  // What was said about it: "Fatal Python error: Segmentation fault", "Assertion `n > 0' failed".
  for (const Signatures::Hit& hit : view.hits) {
    const bool names_signal = signal != SIGABRT && !unexplained && SaysSignal(*hit.signature);
    if (!(names_signal || IsGeneric(*hit.signature)) || GotOver(hit, view)) continue;
    finding.line = hit.line;
    if (signal != SIGABRT && !unexplained && !names_signal) break;
    finding.what += Concat(": ", Quoted(hit.line.text));
    if (const std::string below = WordsBelow(*evidence.log, hit.line); !below.empty()) {
      finding.what += Concat(" ", Quoted(below));
    }
    if (OnlyFollows(context, hit.line)) AddErrorBefore(context, hit.line, Telling::kError, finding);
    break;
  }
  if (unexplained && !finding.line.has_value()) AddLastWords(context, view, finding);
  if (!finding.line.has_value() && !finding.from_outside && evidence.log != nullptr) {
    // Where the worker can't tell the processes apart, and what a launcher says of its own.
    constexpr std::string_view kWhyAborted = "terminate called after |: Assertion .+ failed|Check failed: ";
    auto said = evidence.log->Search(signal == SIGABRT ? std::string(kWhyAborted) : SignalInWords(signal), 1, kNoRank);
    if (signal == SIGABRT && said.ok() && said->empty()) said = evidence.log->Search(SignalInWords(signal), 1, kNoRank);
    if (said.ok() && !said->empty()) {
      finding.what += Concat(": ", Quoted(said->front().text));
      const std::string below = WordsBelow(*evidence.log, said->front());
      if (!below.empty()) finding.what += Concat(" ", Quoted(below));
    }
  }
  view.findings.push_back(std::move(finding));
}

void FindInExitCode(const StepContext& context, RankView& view) {
  const StepEvidence& evidence = *context.evidence;
  const int code = view.end->code;
  // The loader says that a library is missing, and ends in the same way.
  const bool explained = absl::c_any_of(view.hits, [](const Signatures::Hit& hit) {
    return hit.signature->cls == FailureClass::kEnvironment && hit.signature->id != kMissingProgramId;
  });
  Finding finding;
  if ((code == kShellNotFound || code == kShellNotExecutable) && view.ran == 0 && !explained) {
    const bool built = evidence.step != nullptr && RunsBuiltProgram(evidence.step->command);
    finding =
        Make(view, built ? kMissingProgram : kNotStartable, built ? FailureClass::kCode : FailureClass::kEnvironment,
             code == kShellNotFound || built ? kMissingProgramId : "not-startable",
             Concat(code == kShellNotFound ? "a program was not found" : "a program can't be executed", " (exit code ",
                    code, ")"));
    finding.advice = built ? "The build should have made it: look at the build's log."
                           : "Install it, or correct PATH in the environment of the suite.";
    finding.search = code == kShellNotFound ? "not found" : "ermission denied|bad interpreter|cannot execute|权限不够";
    // What the shell says of it: which program, and why.
    constexpr std::string_view kShellSays =
        ": line \\d+: .*: (?:No such file or directory|not found)$|: command not found$"
        "|(?:未找到|找不到)命令\\s*$|行 ?\\d+: .*: 没有那个文件或目录\\s*$";
    if (evidence.log != nullptr) {
      auto said = evidence.log->Search(code == kShellNotFound ? kShellSays : finding.search, 1, view.rank);
      if (!said.ok() || said->empty()) said = evidence.log->Search(finding.search, 1, view.rank);
      if (said.ok() && !said->empty()) {
        finding.line = said->front();
        finding.what += Concat(": ", Quoted(finding.line->text));
      }
    }
  } else if (code == kTimeoutCode) {
    finding = Make(view, kExitCode, FailureClass::kCode, kTimeoutId,
                   Concat("ended with exit code ", code, ", which says that `timeout` stopped it"));
    finding.time_limit = true;
    finding.test = UnfinishedTest(context, view.rank);
    if (!finding.test.empty()) finding.what += Concat(", in ", finding.test);
    finding.generic = true;
    const auto said = evidence.log == nullptr ? absl::StatusOr<std::vector<LogLine>>()
                                              : evidence.log->Search("^timeout: sending signal ", 1, view.rank);
    if (said.ok() && !said->empty()) {
      finding.line = said->front();
      finding.what += Concat(": ", Quoted(finding.line->text));
    }
  } else {
    std::string what = Concat("ended with exit code ", code);
    if (view.ran > 0 && view.failed == 0) {
      what += Concat(" although ", view.ran == 1 ? "its test" : Concat("all its ", view.ran, " tests"), " passed");
    }
    if (!view.evidence->missing_reports.empty()) what += Concat(", and left no report");
    finding = Make(view, kExitCode, FailureClass::kCode, "exit", std::move(what));
    finding.test = view.failed > 0 ? "" : UnfinishedTest(context, view.rank);
    if (!finding.test.empty()) finding.what += Concat(", in ", finding.test);
    finding.generic = true;
    AddLastWords(context, view, finding);
    if (const Signatures::Hit* const before = HitGotOver(view); before != nullptr) {
      finding.what += Concat("; before, it had printed an exception that did not end it: ", Quoted(before->line.text));
    }
  }
  view.findings.push_back(std::move(finding));
}

// --- What the log shows ---

// With failed tests in a report, their messages say what happened: other lines may come from tests that passed. Faults
// of devices are believed wherever they stand.
bool Believed(const Signatures::Hit& hit, const RankView& view) {
  if (view.failed == 0 || hit.signature->device_fatal || hit.signature->priority < kFirstHostFault) return true;
  // A process that ends itself at a test's limit says so in no report.
  if (hit.signature->id == kTimeoutId) return true;
  if (!view.child_of.empty() && hit.signature->cls != FailureClass::kVictim) return true;
  // What is the code's or another rank's stands in the messages; what is the machine's may be cut off there.
  return IsOfMachine(hit.signature->cls) && IsErrorLine(hit.line.text);
}

// "error: subprocess-exited-with-error": that something failed, which may be what the machine lacked.
bool OnlyEchoes(const StepContext& context, std::string_view line) {
  return absl::c_any_of(context.signatures->Match(line, context.phase),
                        [](const rules::FailureSignature* signature) { return IsEcho(*signature); });
}

// What the machine lacked for an attempt, what a program warned of or only tried: what was found wrong with the code
// after it shows that the program went on.
bool WasGotOver(const StepContext& context, const Signatures::Hit& hit, const RankView& view) {
  std::string buffer;
  const std::string_view text = WithoutEscapes(hit.line.text, buffer);
  const std::string_view said = WithoutPrefix(text);
  const bool tests = context.phase == "test";
  const bool of_machine = IsOfMachine(hit.signature->cls);
  const bool in_passing =
      (hit.signature->cls == FailureClass::kEnvironment && (IsWarning(text) || SaysNotFound(said))) ||
      (tests && IsLinkersWord(said));
  // "warning: CUDA out of memory, falling back to the host".
  const bool goes_on = IsWarning(text) && SaysItGoesOn(said);
  if (!in_passing && !goes_on && !(of_machine && SaysRetry(text))) return false;
  return absl::c_any_of(view.hits, [&](const Signatures::Hit& other) {
    // A build that misses something may end with any exception.
    const bool exception = (goes_on || (in_passing && tests)) && IsException(*other.signature);
    return other.signature->cls == FailureClass::kCode && other.line.number > hit.line.number &&
           (!IsGeneric(*other.signature) || exception) && !IsLinkersWord(other.line.text) &&
           !OnlyEchoes(context, other.line.text);
  });
}

// An exception that follows from another one, or that names only a number: "RuntimeError: …, error code is 507018", of
// which CANN says elsewhere what it means.
void GiveWay(const StepContext& context, const LogLine& line, Finding& finding) {
  const Telling telling = TellingOfLine(context, line);
  if (telling != Telling::kFollowUp && telling != Telling::kNumber) return;
  const int least = telling == Telling::kFollowUp ? kExitCode - 1 : kFirstWrapper + 1;
  finding.priority = std::max(finding.priority, least);
  AddErrorBefore(context, line, Telling::kError, finding);
}

void FindInLog(const StepContext& context, RankView& view) {
  for (const Signatures::Hit& hit : view.hits) {
    if (!Believed(hit, view) || WasGotOver(context, hit, view)) continue;
    Finding finding = On(view, FromSignature(*context.signatures, *hit.signature, hit.line.text));
    finding.micros = hit.line.micros;
    finding.line = hit.line;
    finding.said_in = hit.said_in;
    // A build's word for what failed before: whatever else is known says more.
    if (finding.signature == kCompileId && OnlyEchoes(context, hit.line.text)) finding.priority = kFirstWrapper;
    // How it ended says more. A hang may come from it: a thread that died.
    if (view.EndedBadly() && view.end->signal == 0 && GotOver(hit, view)) finding.priority = kGotOver;
    if (const std::string below = WordsBelow(*context.evidence->log, hit.line); !below.empty()) {
      finding.what += Concat(" ", Quoted(below));
    }
    if (const std::string by = RaisedBy(*context.evidence->log, hit.line); !by.empty()) {
      finding.what += Concat(", raised by: ", Quoted(by));
    }
    if (const std::string printed = PrintedByTest(context, hit.line); !printed.empty()) {
      finding.what += Concat("; it printed: ", Quoted(printed));
    }
    // Whoever aborts has said why: an exception that nobody caught, an assertion.
    if (SaysSignal(*hit.signature) && SaysAborted(hit.line.text) &&
        absl::c_any_of(view.hits, [](const auto& other) { return IsException(*other.signature); })) {
      finding.priority = kExitCode;
    }
    if (IsWrapper(*hit.signature)) AddErrorBefore(context, hit.line, Telling::kPlain, finding);
    if (finding.generic) GiveWay(context, hit.line, finding);
    if (IsException(*hit.signature) && finding.priority == hit.signature->priority) {
      TakeReason(*context.signatures, hit.line.text, context.phase, finding);
    }
    if (view.failed > 0 && !view.child_of.empty() && !finding.device_fatal) {
      finding.test = view.child_of;
      finding.what = Concat("test '", view.child_of, "': ", finding.what);
    }
    if (finding.time_limit) {
      finding.test = UnfinishedTest(context, view.rank);
      const bool names_test = Contains(hit.line.text, "***Timeout");
      const bool of_test = (finding.signature == kTimeoutId && !names_test) || finding.signature == kStackDumpId;
      if (of_test && !finding.test.empty()) finding.what = Concat("test '", finding.test, "' passed its time limit");
      // The limit may be the job's; the test is where it stood then.
      if (!of_test && !finding.test.empty()) finding.what += Concat(", in ", finding.test);
    }
    view.findings.push_back(std::move(finding));
  }
  // What an exception says may be known further below in its message: that is what it was raised for.
  std::vector<uint64_t> explained;
  for (const Finding& finding : view.findings) {
    if (!finding.generic && finding.priority < kFirstPrecision) explained.push_back(finding.said_in);
  }
  std::erase_if(view.findings, [&](const Finding& finding) {
    return finding.generic && finding.line.has_value() && absl::c_linear_search(explained, finding.line->number);
  });
}

// --- What it left behind ---

void FindInTensors(const StepContext& context, RankView& view) {
  const RankEvidence& evidence = *view.evidence;
  const TensorResult* first = nullptr;
  size_t off = 0;
  for (const TensorResult& tensor : evidence.tensors) {
    if (tensor.ok()) continue;
    if (first == nullptr) first = &tensor;
    ++off;
  }
  if (first != nullptr) {
    std::string what = TensorSentence(*first);
    if (off > 1) what += Concat("; ", Count(off - 1, "other tensor"), " off as well");
    if (view.failed == 0 && !view.EndedBadly()) {
      what += Concat("; the test itself did not notice");
    }
    Finding finding = Make(view, kPrecision, FailureClass::kCode, kPrecisionId, std::move(what));
    finding.search = first->name;
    // The test that noticed it stands in the log; the tensor says it more exactly.
    const auto test = absl::c_find_if(view.findings, [](const Finding& of_test) {
      return of_test.signature == kPrecisionId && !of_test.test.empty();
    });
    if (test != view.findings.end()) {
      finding.what = Concat("test '", test->test, "': ", finding.what);
      finding.test = test->test;
      finding.search = test->search;
      finding.micros = test->micros;
      *test = std::move(finding);
    } else {
      view.findings.push_back(std::move(finding));
    }
  }
  if (!evidence.tensor_problems.empty()) {
    view.findings.push_back(Make(view, kNotComparable, FailureClass::kCode, "not-comparable",
                                 Concat("tensors can't be compared: ", Quoted(evidence.tensor_problems.front()))));
  }
  const rules::SuiteStep* step = context.evidence->step;
  const bool required = step != nullptr && step->comparison.has_value() && step->comparison->required;
  // One that failed may not have come so far.
  const bool well = view.failed == 0 && !view.EndedBadly() && !view.hung && !view.skipped_by_code;
  if (required && well && evidence.tensors.empty() && evidence.tensor_problems.empty() &&
      (view.ran > 0 || view.skipped == 0)) {
    view.findings.push_back(Make(view, kNoReport, FailureClass::kEnvironment, "no-tensors",
                                 "wrote no tensors, and the manifest wants them compared"));
  }
}

void FindInMarks(RankView& view) {
  if (!view.evidence->marks.has_value()) return;
  const Marks& marks = *view.evidence->marks;
  if (marks.failed > 0) {
    Finding finding =
        Make(view, kPrecision, FailureClass::kCode, "fail-marker",
             Concat("printed a marker of failure ", marks.failed == 1 ? "once" : Concat(marks.failed, " times"),
                    view.EndedBadly() ? "" : ", and ended with exit code 0"));
    view.findings.push_back(std::move(finding));
  } else if (marks.passed == 0 && view.end.has_value() && !view.EndedBadly()) {
    view.findings.push_back(Make(view, kNoReport, FailureClass::kEnvironment, "no-marker",
                                 "ended with exit code 0 and never printed the marker of success"));
  }
}

// A script can print that all is well although its own helper said that numbers differ.
void FindDroppedComparison(const StepContext& context, RankView& view) {
  const bool reports = context.evidence->step != nullptr && !context.evidence->step->reports.empty();
  if ((reports && !view.evidence->marks.has_value()) || view.failed > 0 || view.EndedBadly()) return;
  for (const Signatures::Hit& hit : view.hits) {
    if (hit.signature->priority < kFirstPrecision || hit.signature->priority >= kAfterPrecision) continue;
    Finding finding = On(view, FromSignature(*context.signatures, *hit.signature, hit.line.text));
    finding.what +=
        view.evidence->marks.has_value() ? "; the marker of success says otherwise" : "; it ended with exit code 0";
    finding.micros = hit.line.micros;
    finding.line = hit.line;
    view.findings.push_back(std::move(finding));
    return;
  }
}

void FindInReports(RankView& view) {
  const RankEvidence& evidence = *view.evidence;
  if (!evidence.missing_reports.empty()) {
    view.findings.push_back(Make(view, kNoReport, FailureClass::kEnvironment, "no-report",
                                 Concat("left no report '", evidence.missing_reports.front(), "'")));
  }
  if (!evidence.bad_reports.empty()) {
    view.findings.push_back(Make(view, kNoReport, FailureClass::kEnvironment, "bad-report",
                                 Concat("left a report that can't be read: ", Quoted(evidence.bad_reports.front()))));
  }
  for (const Report& report : evidence.reports) {
    if (report.problem.empty()) continue;
    view.findings.push_back(Make(view, kNoReport, FailureClass::kEnvironment, "bad-report",
                                 Concat("its report contradicts itself: ", Quoted(report.problem))));
    break;
  }
}

}  // namespace

std::string TensorSentence(const TensorResult& tensor) {
  std::string what = Concat(tensor.off, " of ", Count(tensor.elements, "element"), " of tensor '", tensor.name,
                            tensor.off == 1 ? "' is off" : "' are off");
  if (tensor.not_a_number > 0) what += Concat(" (", tensor.not_a_number, " not a number)");
  what += Concat(", worst at ", tensor.worst, ": ", Decimal(tensor.worst_actual), " instead of ",
                 Decimal(tensor.worst_expected), " (rtol ", Decimal(tensor.tolerance.rtol), ", atol ",
                 Decimal(tensor.tolerance.atol), ")");
  return what;
}

void FindInRank(const StepContext& context, RankView& view) {
  if (view.evidence == nullptr || view.silent) {
    // Nothing is known of it. What the step as a whole says (a launcher that failed) may explain it.
    if (context.evidence->stopped == Stopped::kNot) {
      view.findings.push_back(Make(view, kNoEvidence, FailureClass::kEnvironment, "no-evidence",
                                   "left neither output nor a report nor an exit code"));
    }
    return;
  }
  const bool tensors_off =
      absl::c_any_of(view.evidence->tensors, [](const TensorResult& tensor) { return !tensor.ok(); });
  FindInTests(context, view, tensors_off);
  if (view.EndedBadly()) {
    if (view.end->signal != 0) {
      FindInSignal(context, view);
    } else if (view.failed == 0 || view.ran == 0) {
      FindInExitCode(context, view);
    }
  }
  // How it ended may be unknown, or what a launcher made of it: a missing report or a launcher that failed says enough.
  const bool lost =
      !view.evidence->missing_reports.empty() || (!view.end.has_value() && LauncherFailed(*context.evidence));
  if (view.failed > 0 || view.EndedBadly() || view.hung || lost) FindInLog(context, view);
  FindInTensors(context, view);
  FindInMarks(view);
  FindDroppedComparison(context, view);
  // One that was stopped or died had no time for its report.
  if (!view.hung && !view.skipped_by_code && !view.EndedBadly()) FindInReports(view);
}

}  // namespace yardmaster::worker
