#include "services/worker/verdict/tracebacks.h"

#include <re2/re2.h>

#include <utility>

#include "services/core/lines.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"
#include "services/worker/verdict/headline.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kHeader = "Traceback (most recent call last)";

// "torch._dynamo.exc.Unsupported: call of a skipped function", "queue.Empty".
bool NamesException(std::string_view text) {
  static const RE2 kName(R"(^(?:[A-Za-z_]\w*\.)*[A-Z]\w*[a-z]\w*(?::|$))", RE2::Latin1);
  return RE2::PartialMatch(Piece(text), kName);
}

}  // namespace

Chain Tracebacks::Next(std::string_view text) {
  // pytest's "E   ": what stands behind it is what was said.
  if (IsErrorLine(text)) text.remove_prefix(1);
  const bool announced = announced_;
  announced_ = false;
  exception_ = false;
  if (const size_t header = text.find(kHeader); header != std::string_view::npos) {
    indent_ = IndentOf(text);
    // What torch says of each rank belongs to the exception above.
    const bool of_rank = text.substr(header + kHeader.size()).starts_with(": (RANK ");
    const bool first_rank = of_rank && !of_ranks_;
    of_ranks_ = of_rank;
    return announced || first_rank ? Chain::kOfProcess : Chain::kNone;
  }
  const std::string_view trimmed = TrimBlanks(text);
  if (!trimmed.empty() && (!indent_.has_value() || IndentOf(text) <= *indent_)) {
    exception_ = indent_.has_value() && NamesException(trimmed);
    announced_ = trimmed.back() == ':' && NamesException(trimmed);
    indent_.reset();
    if (exception_) return Chain::kNone;
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
