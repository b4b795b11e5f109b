// What failed tests of reports say.

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/completion.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/last_words.h"
#include "services/worker/verdict/line_kinds.h"
#include "services/worker/verdict/package_versions.h"
#include "services/worker/verdict/priorities.h"
#include "services/worker/verdict/rank_findings.h"
#include "services/worker/verdict/telling.h"
#include "services/worker/verdict/text.h"

namespace yardmaster::worker {
namespace {

using rules::FailureClass;

// Failed tests whose messages are looked at.
constexpr size_t kMaxClassifiedTests = 100;

// A failed comparison, as far as its message says, and no exception of another kind.
bool LooksLikeAssertion(const StepContext& context, std::string_view message) {
  const std::string_view first = TrimBlanks(FirstLine(message));
  if (Contains(first, "AssertionError")) return true;
  const std::vector<const rules::FailureSignature*> known = context.signatures->Match(first, context.phase);
  return absl::c_none_of(known, [](const auto* signature) { return IsGeneric(*signature); });
}

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

}  // namespace

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

}  // namespace yardmaster::worker
