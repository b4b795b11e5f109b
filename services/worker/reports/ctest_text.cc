#include "services/worker/reports/ctest_text.h"

#include <algorithm>

#include "services/core/lines.h"
#include "services/worker/reports/report_builder.h"
#include "services/worker/reports/report_text.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kPassed = " Passed ";
constexpr std::string_view kStars = "***";

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

void TakeBlanks(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size())); }

std::optional<uint64_t> TakeNumber(std::string_view& text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<uint64_t> number = CountOf(text.substr(0, end));
  if (number.has_value()) text.remove_prefix(end);
  return number;
}

// "   1.00 sec" at the end of `text`, which loses it.
double TakeSeconds(std::string_view& text) {
  constexpr std::string_view kSec = " sec";
  std::string_view rest = TrimBlanks(text);
  if (rest.size() < kSec.size() || rest.substr(rest.size() - kSec.size()) != kSec) return 0;
  rest.remove_suffix(kSec.size());
  const size_t begin = rest.find_last_not_of("0123456789.") + 1;
  const double seconds = SecondsOf(rest.substr(begin));
  text = TrimBlanks(rest.substr(0, begin));
  return seconds;
}

Outcome OutcomeOf(std::string_view word) {
  if (word.find("(Disabled)") != std::string_view::npos || word.substr(0, 7) == "Skipped") return Outcome::kSkipped;
  if (word.substr(0, 7) == "Timeout") return Outcome::kTimedOut;
  if (word.substr(0, 7) == "Not Run") return Outcome::kNotStarted;
  return Outcome::kFailed;
}

}  // namespace

std::optional<CtestLine> ParseCtestLine(std::string_view line) {
  TakeBlanks(line);
  // Most lines of output end here.
  if (line.empty() || line[0] < '0' || line[0] > '9') return std::nullopt;
  if (!TakeNumber(line).has_value() || !TakePrefix(line, "/")) return std::nullopt;
  CtestLine out;
  const std::optional<uint64_t> total = TakeNumber(line);
  if (!total.has_value() || !TakePrefix(line, " Test")) return std::nullopt;
  out.total = *total;
  TakeBlanks(line);
  if (!TakePrefix(line, "#") || !TakeNumber(line).has_value() || !TakePrefix(line, ": ")) return std::nullopt;

  // The name is followed by a blank and dots up to the widest name; then comes the outcome.
  std::string_view word;
  size_t dots_end = 0;
  if (const size_t stars = line.rfind(kStars); stars != std::string_view::npos) {
    // "Subprocess aborted***Exception:" says the kind of exception before.
    word = line.substr(stars + kStars.size());
    dots_end = line.substr(0, stars).rfind('.');
    if (dots_end == std::string_view::npos) return std::nullopt;
    const std::string_view before = TrimBlanks(line.substr(dots_end + 1, stars - dots_end - 1));
    out.test.seconds = TakeSeconds(word);
    out.test.message = before.empty() ? std::string(TrimBlanks(word)) : std::string(before);
    out.test.outcome = before.empty() ? OutcomeOf(word) : Outcome::kFailed;
  } else if (const size_t passed = line.rfind(kPassed); passed != std::string_view::npos) {
    word = line.substr(passed);
    dots_end = line.substr(0, passed).rfind('.');
    if (dots_end == std::string_view::npos) return std::nullopt;
    out.test.seconds = TakeSeconds(word);
  } else {
    return std::nullopt;
  }
  const size_t name_end = line.substr(0, dots_end + 1).find_last_not_of('.');
  if (name_end == std::string_view::npos) return std::nullopt;
  out.test.id = std::string(TrimBlanks(line.substr(0, name_end + 1)));
  if (out.test.id.empty()) return std::nullopt;
  out.test.message = CutMessage(out.test.message);
  return out;
}

std::optional<CtestFailure> ParseCtestFailure(std::string_view line) {
  if (line.empty() || line[0] != '\t') return std::nullopt;
  TakeBlanks(line);
  if (!TakeNumber(line).has_value() || !TakePrefix(line, " - ")) return std::nullopt;
  const size_t open = line.rfind(" (");
  const size_t close = line.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  return CtestFailure{std::string(TrimBlanks(line.substr(0, open))),
                      CutMessage(line.substr(open + 2, close - open - 2))};
}

std::optional<CtestTotals> ParseCtestTotals(std::string_view line) {
  if (!TakeNumber(line).has_value() || !TakePrefix(line, "% tests passed, ")) return std::nullopt;
  const std::optional<uint64_t> failed = TakeNumber(line);
  if (!failed.has_value() || !TakePrefix(line, " tests failed out of ")) return std::nullopt;
  const std::optional<uint64_t> total = TakeNumber(line);
  if (!total.has_value()) return std::nullopt;
  return CtestTotals{*failed, *total};
}

CtestPrinted ReadCtestPrinted(std::string_view printed) {
  CtestPrinted out;
  std::string buffer;
  bool in_failed = false;
  while (!printed.empty()) {
    const size_t end = std::min(printed.find('\n'), printed.size());
    const std::string_view line = PlainLine(printed.substr(0, end), buffer);
    printed.remove_prefix(std::min(end + 1, printed.size()));
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
