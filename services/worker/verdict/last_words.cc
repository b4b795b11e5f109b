#include "services/worker/verdict/last_words.h"

#include <re2/re2.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/lines.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/re2_piece.h"
#include "services/worker/verdict/completion.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/line_kinds.h"
#include "services/worker/verdict/line_prefix.h"
#include "services/worker/verdict/text.h"
#include "services/worker/verdict/tracebacks.h"

namespace yardmaster::worker {
namespace {

// Lines of other ranks stand between those of one.
constexpr uint64_t kLinesBelow = 200;
constexpr uint64_t kLinesAbove = 200;

// Follows lines, and keeps the statement that the last ones show.
class Statement {
 public:
  void Next(std::string_view text) {
    // pytest shows a traceback that is part of a message behind its mark.
    const bool marked = IsErrorLine(text);
    if (marked) text.remove_prefix(1);
    const std::string_view trimmed = TrimBlanks(text);
    if (trimmed.starts_with("File \"")) {
      frame_ = IndentOf(text);
      said_.clear();
    } else if (text.starts_with('>')) {
      frame_.reset();
      said_ = TrimBlanks(text.substr(1));
    } else if (frame_.has_value() && IndentOf(text) > *frame_) {
      // Further lines of it, and marks below it, say no more.
      if (said_.empty()) said_ = trimmed;
    } else if (!marked) {
      frame_.reset();
      said_.clear();
    }
  }
  // `raise X` says no more than X.
  std::string Take() { return said_.starts_with("raise ") ? std::string() : std::move(said_); }

 private:
  std::optional<size_t> frame_;  // how far the last frame is indented
  std::string said_;
};

// What may be a reason in words of its own is one among the last words of a program.
Telling TellingOfReason(const StepContext& context, std::string_view line) {
  const Telling telling = TellingOf(line, context.signatures->Match(line, context.phase));
  const bool weak = telling == Telling::kPlain || telling == Telling::kHint;
  return weak && context.signatures->Reason(line, context.phase) != nullptr ? Telling::kComplaint : telling;
}

}  // namespace

std::optional<LastWords> LastWordsOf(const StepContext& context, int rank, size_t lines, int64_t until, uint64_t before,
                                     uint64_t except) {
  absl::StatusOr<std::vector<LogLine>> tail = context.evidence->log->TailUntil(lines, rank, until);
  if (!tail.ok()) return std::nullopt;
  std::optional<LastWords> most;
  std::string buffer;
  Tracebacks tracebacks;
  for (LogLine& line : *tail) {
    if (line.number >= before || line.number == except) continue;
    (void)tracebacks.Next(WithoutPrefix(WithoutEscapes(line.text, buffer)));
    if (tracebacks.AtSource()) continue;
    const Telling telling = TellingOfReason(context, line.text);
    if (telling == Telling::kNothing) continue;
    const bool more =
        !most.has_value() || telling > most->telling || (telling == most->telling && telling < Telling::kHint);
    if (more) most = LastWords{std::move(line), telling};
  }
  return most;
}

std::string WordsBelow(LogReader& log, const LogLine& line) {
  std::string buffer;
  Completion completion(BehindTestName(WithoutPrefix(WithoutEscapes(line.text, buffer))));
  (void)log.Read(line.number + 1, kLinesBelow, [&](const LogLine& next) {
    return next.rank != line.rank || completion.Next(WithoutPrefix(WithoutEscapes(next.text, buffer)));
  });
  return completion.Take();
}

std::string PrintedByTest(const StepContext& context, const LogLine& line) {
  static const RE2 kFailed(R"(^\s*\d+/\d+ Test +#(\d+): .*\*\*\*(?:Failed|Exception))", RE2::Latin1);
  static const RE2 kNext(R"(^\s*(?:\d+/\d+ Test +#\d+: |Start +\d+: |\d+% tests passed))", RE2::Latin1);
  LogReader& log = *context.evidence->log;
  std::string buffer;
  std::string test;
  if (!RE2::PartialMatch(Piece(WithoutPrefix(WithoutEscapes(line.text, buffer))), kFailed, &test)) return "";
  std::optional<LogLine> most;
  Telling telling = Telling::kPlain;
  int priority = 0;
  const auto look_at = [&](const LogLine& printed, Telling least) {
    const std::vector<const rules::FailureSignature*> known = context.signatures->Match(printed.text, context.phase);
    const Telling tells = TellingOf(printed.text, known);
    // Of signatures that tell as much, the one with the lower priority says why; of lines without a word of failure,
    // the last one.
    const int of_known = known.empty() ? 0 : known.front()->priority;
    const bool as_much = tells == telling && most.has_value() && tells > Telling::kPlain;
    if (tells < least || tells < telling || (as_much && of_known >= priority)) return;
    telling = tells;
    priority = of_known;
    most = printed;
  };
  (void)log.Read(line.number + 1, kLinesBelow, [&](const LogLine& next) {
    if (next.rank != line.rank) return true;
    if (RE2::PartialMatch(Piece(WithoutPrefix(WithoutEscapes(next.text, buffer))), kNext)) return false;
    look_at(next, Telling::kPlain);
    return true;
  });
  const uint64_t first = line.number - std::min(line.number - 1, kLinesAbove);
  const std::string mark = Concat(" ", test, ": ");
  (void)log.Read(first, line.number - first, [&](const LogLine& above) {
    const std::string_view front = PrefixOf(WithoutEscapes(above.text, buffer));
    if (above.rank == line.rank && Contains(Concat(" ", front), mark)) look_at(above, Telling::kComplaint);
    return true;
  });
  if (!most.has_value()) return "";
  const std::string below = WordsBelow(log, *most);
  return Concat(Quoted(most->text), below.empty() ? "" : " ", below);
}

std::string RaisedBy(LogReader& log, const LogLine& line) {
  std::string buffer;
  if (!IsBareException(WithoutPrefix(WithoutEscapes(line.text, buffer)))) return "";
  const uint64_t first = line.number - std::min(line.number - 1, kLinesAbove);
  Statement statement;
  (void)log.Read(first, line.number - first, [&](const LogLine& above) {
    if (above.rank == line.rank) statement.Next(WithoutPrefix(WithoutEscapes(above.text, buffer)));
    return true;
  });
  return statement.Take();
}

std::string RaisedIn(std::string_view message, std::string_view line) {
  if (!IsBareException(line)) return "";
  Statement statement;
  std::string last;
  for (const std::string_view text : LinesOf(message)) {
    // The message may begin with what pytest repeats below.
    if (TrimBlanks(IsErrorLine(text) ? text.substr(1) : text) == line) last = statement.Take();
    statement.Next(text);
  }
  return last;
}

}  // namespace yardmaster::worker
