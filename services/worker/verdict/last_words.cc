#include "services/worker/verdict/last_words.h"

#include <string_view>
#include <utility>
#include <vector>

#include "services/core/lines.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/line_kinds.h"
#include "services/worker/verdict/line_prefix.h"

namespace yardmaster::worker {
namespace {

// Lines of other ranks stand between those of one.
constexpr uint64_t kLinesBelow = 200;

}  // namespace

std::optional<LastWords> LastWordsOf(LogReader& log, int rank, size_t lines, int64_t until, uint64_t before) {
  absl::StatusOr<std::vector<LogLine>> tail = log.TailUntil(lines, rank, until);
  if (!tail.ok()) return std::nullopt;
  std::optional<LastWords> error;
  std::optional<LastWords> last;
  for (LogLine& line : *tail) {
    std::string buffer;
    const std::string_view text = WithoutEscapes(line.text, buffer);
    const std::string_view said = WithoutPrefix(text);
    if (!SaysAnything(text) || line.number >= before) continue;
    if (RepeatsException(said)) return LastWords{std::move(line), true};
    const bool calls = (CallsItselfError(text) || CallsItselfError(said)) && !SaysLittle(text);
    std::optional<LastWords>& kept = calls ? error : last;
    if (!calls || !error.has_value()) kept = LastWords{std::move(line), calls};
  }
  return error.has_value() ? error : last;
}

std::string LineBelowColon(LogReader& log, const LogLine& line) {
  std::string buffer;
  if (!TrimBlanks(WithoutEscapes(line.text, buffer)).ends_with(':')) return "";
  std::string below;
  (void)log.Read(line.number + 1, kLinesBelow, [&](const LogLine& next) {
    if (next.rank != line.rank) return true;
    std::string_view text = WithoutPrefix(WithoutEscapes(next.text, buffer));
    if (IsErrorLine(text)) text.remove_prefix(1);
    if (!SaysAnything(text)) return true;
    below = TrimBlanks(text);
    return false;
  });
  return below.starts_with("Traceback (most recent call last)") ? "" : below;
}

}  // namespace yardmaster::worker
