// How a rank ended: by a signal, or with an exit code.

#include <csignal>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/last_words.h"
#include "services/worker/verdict/priorities.h"
#include "services/worker/verdict/rank_findings.h"
#include "services/worker/verdict/rank_words.h"
#include "services/worker/verdict/telling.h"
#include "services/worker/verdict/text.h"

namespace yardmaster::worker {
namespace {

using rules::FailureClass;

// What shells say of programs that they did not find, or could not start.
constexpr int kShellNotFound = 127;
constexpr int kShellNotExecutable = 126;
// That of `timeout`, when what it had started passed its limit.
constexpr int kTimeoutCode = 124;
// What a rank says in so many lines before its end may say why it ended.
constexpr size_t kLinesBeforeEnd = 100;
// The pack's signatures for what the kernel logs have these names, too.
constexpr std::string_view kOutOfMemoryId = "oom";
constexpr std::string_view kHostOutOfMemoryId = "host-oom";

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

// A pattern for what shells, interpreters and launchers call it.
std::string SignalInWords(int signal) {
  const std::string meaning = SignalMeaning(signal);
  return Concat("(?i)\\bsignal:? \\(?", signal, "\\b|\\b", SignalName(signal), "\\b", meaning.empty() ? "" : "|",
                meaning, signal == SIGSEGV ? "|段错误" : "");
}

}  // namespace

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
    absl::StatusOr<std::vector<LogLine>> said = std::vector<LogLine>();
    if (signal == SIGABRT) said = evidence.log->Search(kWhyAborted, 1, kNoRank);
    if (!said.ok() || said->empty()) said = evidence.log->Search(SignalInWords(signal), 1, kNoRank);
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
    finding.search = code == kShellNotFound ? "not found" : "ermission denied";
    // What the shell says of it: which program, and why.
    constexpr std::string_view kShellSays =
        ": line \\d+: .*: (?:No such file or directory|not found)$|: command not found$"
        "|(?:未找到|找不到)命令\\s*$|行 ?\\d+: .*: 没有那个文件或目录\\s*$";
    constexpr std::string_view kShellRefuses = "ermission denied|bad interpreter|cannot execute|权限不够";
    if (evidence.log != nullptr) {
      auto said = evidence.log->Search(code == kShellNotFound ? kShellSays : kShellRefuses, 1, view.rank);
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

}  // namespace yardmaster::worker
