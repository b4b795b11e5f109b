#include "services/worker/verdict/rank_words.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/last_words.h"
#include "services/worker/verdict/priorities.h"
#include "services/worker/verdict/telling.h"
#include "services/worker/verdict/text.h"

namespace yardmaster::worker {
namespace {

// Where an error of no known kind is looked for. Tests print errors that they get over, so that more is looked at only
// where the last lines say nothing; a build goes on with other files after one.
constexpr size_t kLastLines = 60;
constexpr size_t kMoreLastLines = 400;

}  // namespace

bool GotOver(const Signatures::Hit& hit, const RankView& view) {
  return hit.got_over && absl::c_none_of(view.hits, [&](const Signatures::Hit& other) {
           return IsWrapper(*other.signature) && other.line.number > hit.line.number;
         });
}

const Signatures::Hit* HitGotOver(const RankView& view) {
  const auto at = absl::c_find_if(view.hits, [&](const Signatures::Hit& hit) { return GotOver(hit, view); });
  return at == view.hits.end() ? nullptr : &*at;
}

namespace {

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

}  // namespace

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
  if (IsWrapper(finding.priority)) TakeReason(*context.signatures, before->line.text, context.phase, finding);
}

Telling TellingOfLine(const StepContext& context, const LogLine& line) {
  return TellingOf(line.text, context.signatures->Match(line.text, context.phase));
}

bool OnlyFollows(const StepContext& context, const LogLine& line) {
  return TellingOfLine(context, line) == Telling::kFollowUp;
}

}  // namespace yardmaster::worker
