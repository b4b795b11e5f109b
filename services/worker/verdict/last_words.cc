#include "services/worker/verdict/last_words.h"

#include <re2/re2.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/lines.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/line_kinds.h"
#include "services/worker/verdict/line_prefix.h"

namespace yardmaster::worker {
namespace {

// Lines of other ranks stand between those of one.
constexpr uint64_t kLinesBelow = 200;
constexpr uint64_t kLinesAbove = 200;

// "AssertionError", "E   queue.Empty".
bool IsBareException(std::string_view text) {
  static const RE2 kName(R"(^(?:E\s+)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*[a-z]\w*:?\s*$)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kName);
}

// Follows lines, and keeps the statement that the last ones show.
class Statement {
 public:
  void Next(std::string_view text) {
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
    } else if (!IsErrorLine(text)) {
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

}  // namespace

std::optional<LastWords> LastWordsOf(LogReader& log, int rank, size_t lines, int64_t until, uint64_t before) {
  absl::StatusOr<std::vector<LogLine>> tail = log.TailUntil(lines, rank, until);
  if (!tail.ok()) return std::nullopt;
  std::optional<LastWords> error;
  std::optional<LastWords> failed_test;  // names one, and does not say why it failed
  std::optional<LastWords> last;
  for (LogLine& line : *tail) {
    std::string buffer;
    const std::string_view text = WithoutEscapes(line.text, buffer);
    const std::string_view said = WithoutPrefix(text);
    if (!SaysAnything(text) || line.number >= before) continue;
    if (RepeatsException(said)) return LastWords{std::move(line), true};
    const bool calls = (CallsItselfError(text) || CallsItselfError(said)) && !SaysLittle(text) && !SaysLittle(said);
    const bool names = calls && TestEndOf(said) == TestEnd::kOther && !Contains(said, " - ");
    std::optional<LastWords>& kept = names ? failed_test : calls ? error : last;
    if (!calls || !kept.has_value()) kept = LastWords{std::move(line), calls};
  }
  return error.has_value() ? error : failed_test.has_value() ? failed_test : last;
}

std::string LineBelowColon(LogReader& log, const LogLine& line) {
  std::string buffer;
  const std::string_view colon = TrimBlanks(WithoutEscapes(line.text, buffer));
  if (!colon.ends_with(':')) return "";
  // "CompilationError: at 12:10:": the source is below, with a mark under the place, and then what is wrong with it.
  static const RE2 kPlace(R"(\bat \d+:\d+:$)", RE2::Latin1);
  const bool place = RE2::PartialMatch(Piece(colon), kPlace);
  bool marked = false;
  std::string below;
  (void)log.Read(line.number + 1, kLinesBelow, [&](const LogLine& next) {
    if (next.rank != line.rank) return true;
    std::string_view text = WithoutPrefix(WithoutEscapes(next.text, buffer));
    if (IsErrorLine(text)) text.remove_prefix(1);
    if (!SaysAnything(text)) {
      marked = marked || TrimBlanks(text) == "^";
      return true;
    }
    if (below.empty() || marked) below = TrimBlanks(text);
    return place && !marked;
  });
  return below.starts_with("Traceback (most recent call last)") ? "" : below;
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

}  // namespace yardmaster::worker
