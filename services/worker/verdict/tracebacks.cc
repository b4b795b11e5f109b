#include "services/worker/verdict/tracebacks.h"

#include <re2/re2.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "services/core/lines.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/line_kinds.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kHeader = "Traceback (most recent call last)";

// "torch._dynamo.exc.Unsupported: call of a skipped function", "queue.Empty".
bool NamesException(std::string_view text) {
  static const RE2 kName(R"(^(?:[A-Za-z_]\w*\.)*[A-Z]\w*[a-z]\w*(?::|$))", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kName);
}

// What tells of an exception that nobody handles and that ends nothing.
bool AnnouncesAside(std::string_view text) {
  static const RE2 kAside(
      R"(^(?:Exception ignored in|Error in atexit\._run_exitfuncs:|--- Logging error ---)"
      R"(|(?:Task|Future) exception was never retrieved|Exception in callback |Error in sys\.excepthook))",
      RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kAside);
}

// `text` without `prefix`, in which numbers may differ: times, lines of source.
std::string_view WithoutKnown(std::string_view prefix, std::string_view text) {
  const auto is_digit = [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); };
  size_t at = 0;
  for (size_t i = 0; i < prefix.size();) {
    if (at == text.size() || is_digit(prefix[i]) != is_digit(text[at])) return text;
    if (!is_digit(prefix[i])) {
      if (prefix[i++] != text[at++]) return text;
      continue;
    }
    while (i < prefix.size() && is_digit(prefix[i])) ++i;
    while (at < text.size() && is_digit(text[at])) ++at;
  }
  return text.substr(at);
}

}  // namespace

Chain Tracebacks::Next(std::string_view text) {
  // pytest's "E   ": what stands behind it is what was said.
  if (IsErrorLine(text)) text.remove_prefix(1);
  if (indent_.has_value()) text = WithoutKnown(prefix_, text);
  // A blank line may stand below the announcement.
  const bool announced = announced_;
  announced_ = announced_ && !SaysAnything(text);
  exception_ = false;
  source_ = false;
  if (std::exchange(ended_, false)) aside_ = false;
  if (const size_t header = text.find(kHeader); header != std::string_view::npos) {
    indent_ = IndentOf(text);
    frame_.reset();
    const std::string_view front = text.substr(0, header);
    prefix_ = SaysAnything(front) ? front : std::string_view();
    // What torch says of each rank belongs to the exception above.
    const bool of_rank = text.substr(header + kHeader.size()).starts_with(": (RANK ");
    const bool first_rank = of_rank && !of_ranks_;
    of_ranks_ = of_rank;
    // What a loader's process raised stands below what its parent makes of it.
    return announced || first_rank || front.ends_with("Original ") ? Chain::kOfProcess : Chain::kNone;
  }
  const std::string_view trimmed = TrimBlanks(text);
  // rich draws a frame around a traceback.
  if (indent_.has_value() && (trimmed.starts_with("│") || trimmed.starts_with("╰"))) return Chain::kNone;
  if (indent_.has_value() && IndentOf(text) > *indent_) {
    if (trimmed.starts_with("File \"")) frame_ = IndentOf(text);
    source_ = frame_.has_value() && IndentOf(text) > *frame_;
  }
  if (!trimmed.empty() && (!indent_.has_value() || IndentOf(text) <= *indent_)) {
    exception_ = indent_.has_value() && NamesException(trimmed);
    announced_ = trimmed.back() == ':' && NamesException(trimmed);
    indent_.reset();
    if (exception_) {
      ended_ = true;
      return Chain::kNone;
    }
    // asyncio names the task between its word and the traceback.
    if (!trimmed.starts_with("future: <") && !trimmed.starts_with("handle: <")) aside_ = AnnouncesAside(trimmed);
  }
  remote_ = remote_ || trimmed.ends_with("RemoteTraceback:");
  if (Contains(text, "During handling of the above exception, another exception occurred:")) return Chain::kHandled;
  if (Contains(text, "The above exception was the direct cause of the following exception:")) {
    return std::exchange(remote_, false) ? Chain::kRepeated : Chain::kRaisedFrom;
  }
  static const RE2 kProcess(R"(-- Process \d+ terminated with the following error:)", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kProcess) ? Chain::kOfProcess : Chain::kNone;
}

}  // namespace yardmaster::worker
