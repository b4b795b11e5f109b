// What the lines of a rank's log show.

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/last_words.h"
#include "services/worker/verdict/line_kinds.h"
#include "services/worker/verdict/line_prefix.h"
#include "services/worker/verdict/priorities.h"
#include "services/worker/verdict/rank_findings.h"
#include "services/worker/verdict/rank_words.h"
#include "services/worker/verdict/telling.h"
#include "services/worker/verdict/text.h"

namespace yardmaster::worker {
namespace {

using rules::FailureClass;

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

}  // namespace

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

}  // namespace yardmaster::worker
