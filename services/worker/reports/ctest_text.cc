#include "services/worker/reports/ctest_text.h"

#include <re2/re2.h>

#include "services/core/lines.h"
#include "services/worker/reports/report_builder.h"
#include "services/worker/reports/report_text.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

Outcome OutcomeOf(std::string_view word) {
  if (word.find("(Disabled)") != std::string_view::npos || word.substr(0, 7) == "Skipped") return Outcome::kSkipped;
  if (word.substr(0, 7) == "Timeout") return Outcome::kTimedOut;
  if (word.substr(0, 7) == "Not Run") return Outcome::kNotStarted;
  return Outcome::kFailed;
}

}  // namespace

std::optional<CtestLine> ParseCtestLine(std::string_view line) {
  // The name is followed by a blank and dots up to the widest name; then comes the outcome. "Subprocess aborted" and
  // other kinds of an exception stand before the stars.
  static const RE2 kLine(
      R"(^[ \t]*\d+/(\d+) Test[ \t]+#\d+: (.*[^.])\.+([^.]*?)(?:\*\*\*(.*?)\s*(?:([\d.]+) sec)?\s*$| Passed \s*([\d.]*)))");
  // Most lines of output end here.
  const size_t digit = line.find_first_not_of(" \t");
  if (digit == std::string_view::npos || line[digit] < '0' || line[digit] > '9') return std::nullopt;
  std::string total, name, before, word, seconds, passed_seconds;
  if (!RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), kLine, &total, &name, &before, &word, &seconds,
                         &passed_seconds)) {
    return std::nullopt;
  }
  const bool passed = !Contains(line, "***");
  CtestLine out;
  out.total = CountOf(total).value_or(0);
  out.test.id = std::string(TrimBlanks(name));
  out.test.seconds = SecondsOf(passed ? passed_seconds : seconds);
  if (out.total == 0 || out.test.id.empty()) return std::nullopt;
  if (passed) return out;
  const std::string_view exception = TrimBlanks(before);
  out.test.message = CutMessage(exception.empty() ? TrimBlanks(word) : exception);
  out.test.outcome = exception.empty() ? OutcomeOf(word) : Outcome::kFailed;
  return out;
}

std::optional<CtestFailure> ParseCtestFailure(std::string_view line) {
  static const RE2 kFailure(R"(^\t[ \t]*\d+ - (.*) \((.*)\))");
  std::string name;
  std::string reason;
  if (!RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), kFailure, &name, &reason)) return std::nullopt;
  return CtestFailure{std::string(TrimBlanks(name)), CutMessage(reason)};
}

std::optional<CtestTotals> ParseCtestTotals(std::string_view line) {
  static const RE2 kTotals(R"(^\d+% tests passed, (\d+) tests failed out of (\d+))");
  CtestTotals totals;
  const re2::StringPiece text(line.data(), line.size());
  return RE2::PartialMatch(text, kTotals, &totals.failed, &totals.total) ? std::optional(totals) : std::nullopt;
}

CtestPrinted ReadCtestPrinted(std::string_view printed) {
  CtestPrinted out;
  std::string buffer;
  bool in_failed = false;
  for (const std::string_view printed_line : LinesOf(printed)) {
    const std::string_view line = PlainLine(printed_line, buffer);
    if (const auto totals = ParseCtestTotals(line)) out.totals = *totals;
    if (line == "The following tests FAILED:") {
      in_failed = true;
    } else if (in_failed) {
      const auto failure = ParseCtestFailure(line);
      in_failed = failure.has_value();
      // Here stand the better words; they win over those of the line of the test.
      if (failure.has_value() && out.failures.size() < kMaxReportTests) out.failures[failure->name] = failure->reason;
    } else if (const auto test = ParseCtestLine(line)) {
      if (IsFailure(test->test.outcome)) {
        if (out.failures.size() < kMaxReportTests) out.failures[test->test.id] = test->test.message;
      } else {
        // A test may be repeated until it passes.
        out.failures.erase(test->test.id);
      }
    }
  }
  return out;
}

}  // namespace yardmaster::worker
